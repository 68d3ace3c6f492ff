"""Feature flags: their operations, their rules, and how they are kept."""

from flagtui.service.flags.operations import OPERATIONS

__all__ = ["OPERATIONS"]

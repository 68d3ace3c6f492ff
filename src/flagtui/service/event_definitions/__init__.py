"""Event definitions: which events a project knows, and what people wrote down about them."""

from flagtui.service.event_definitions.operations import OPERATIONS

__all__ = ["OPERATIONS"]

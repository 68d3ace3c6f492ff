"""Policies and change requests: what waits for approval, who decides, and how it is applied.

A policy covers an action on flags; the change is stored instead of made, with the version it was made for.
"""

from flagtui.service.approvals.operations import OPERATIONS

__all__ = ["OPERATIONS"]

"""Changes of flags that wait for their time."""

from flagtui.service.scheduling.due_changes import apply_due, first_due
from flagtui.service.scheduling.operations import OPERATIONS

__all__ = ["OPERATIONS", "apply_due", "first_due"]

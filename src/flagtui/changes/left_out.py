"""What was chosen for a change and is not changed by it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LeftOut:
    """One record, and why. Texts are raw."""

    id: int | str
    key: str
    reason: str
    next: str = ""
    """What would make it possible."""

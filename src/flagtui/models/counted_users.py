"""The number of users who got or lost a flag with one change."""

import msgspec


class UserChange(msgspec.Struct, frozen=True):
    """The users who got the flag with a change, and those who lost it."""

    gained: int = 0
    lost: int = 0
    total: int = 0
    """All users, or groups, of the project."""
    is_bound: bool = False
    """Whether conditions may overlap, or users be kept from them: the numbers are upper bounds."""
    unit: str = "users"

    @property
    def share(self) -> float:
        """Return the changed part of all users, 0 to 1."""
        return min(1.0, max(self.gained, self.lost) / self.total) if self.total else 0.0

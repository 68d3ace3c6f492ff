"""An entry of the activity as one line. Lists and searches need no model of entries."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from flagtui.models.activity import Activity

KINDS: Final = (
    "on",
    "off",
    "rollout",
    "conditions",
    "variants",
    "payload",
    "created",
    "deleted",
    "restored",
    "archived",
    "unarchived",
    "renamed",
    "tags",
    "description",
    "other",
)
"""What an entry can have changed, in words."""


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One entry. Text is raw; times are Unix seconds, UTC."""

    id: str
    place: int
    """Higher is newer; the order is the server's."""
    entry: "Activity"
    at: float | None
    flag_id: int | None
    key: str
    """The flag's key at that time, without the mark that deleting puts on it."""
    who: str
    email: str
    kinds: tuple[str, ...]
    weight: float
    """The share of people whose flag it can have changed, 0 to 1, as far as the entry alone tells."""
    version: int | None
    """The version it made; None where the server did not write it down."""
    was_impersonated: bool = False
    """Staff of the product were signed in as that person."""
    is_standing: bool = False
    """A deletion that was not taken back."""

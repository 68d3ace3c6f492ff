"""To a record of whatever kind, from whatever screen: messages, which the app answers."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from msgspec import Struct
from textual.message import Message

from flagtui.store.kinds import KINDS, Kind
from flagtui.store.load_progress import RecordId

Arrival = Literal["cursor", "record", "behind"]
"""The list is shown with the cursor on it; it is opened from its list; the cursor is put on it unseen."""
TABS: Final[Mapping[str, str]] = {kind.plural: kind.tab for kind in KINDS.values()} | {"activity": "4"}
"""By list: the key of its tab."""


class RecordLink(Struct, frozen=True):
    """A record by what a person and the server know it by. `key` is raw."""

    kind: Kind
    id: RecordId
    key: str

    @classmethod
    def to(cls, kind: Kind, row: Any) -> "RecordLink":
        """Return the link to a record that is in a list."""
        return cls(kind, row.id, getattr(row, KINDS[kind].label))


class GoTo(Message):
    """Show a record in its list. `key` names it where it is not in the list any more."""

    def __init__(self, kind: Kind, record: RecordId, arrival: Arrival = "cursor", key: str = "") -> None:
        super().__init__()
        self.kind: Kind = kind
        self.record = record
        self.arrival = arrival
        self.key = key


class OpenRecord(Message):
    """Show the page of a record above the present screen, a flag's on a tab; it need not be in a list."""

    def __init__(self, target: RecordLink, tab: str = "overview") -> None:
        super().__init__()
        self.target = target
        self.tab = tab

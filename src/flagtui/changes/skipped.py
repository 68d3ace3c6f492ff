"""Changes that are refused before the request, and records that are skipped, each with its reason."""

from collections.abc import Iterable

import msgspec

from flagtui.api.errors import ApiError
from flagtui.store.kinds import Kind
from flagtui.store.load_progress import RecordId


class Linked(msgspec.Struct, frozen=True):
    """A related flag or experiment."""

    id: int
    name: str
    is_on: bool | None = None
    """Whether the flag is on or the experiment is running; None when unknown."""
    is_deleted: bool = False


class Blocked(msgspec.Struct, frozen=True):
    """A refused change: the reason, and the step that makes it possible."""

    code: str
    reason: str
    next: str = ""
    together: tuple[Linked, ...] = ()
    """Flags that block the change, unless they change with it."""


class Skipped(msgspec.Struct, frozen=True):
    """A record that was chosen for a change and is skipped. Texts are raw."""

    id: int | str
    key: str
    reason: str
    next: str = ""
    """The step that makes the change possible."""
    error: ApiError | None = None
    """The error of reading it."""
    is_no_op: bool = False
    """Whether the record has the requested values already."""
    alone: str = ""
    """The sentence when it was the only request; empty for the key with the reason."""
    kind: Kind | None = None
    """The list of the record; None is that of the question."""

    @property
    def why(self) -> str:
        """The reason with the next step. Those of an error of the server are sentences."""
        joint = "." if self.next[:1].isupper() else ";"
        return f"{self.reason}{joint} {self.next}" if self.next else self.reason


def skip(id: RecordId, key: str, why: Blocked | ApiError) -> Skipped:
    """Skip a record that cannot be changed or read."""
    if isinstance(why, Blocked):
        return Skipped(id, key, why.reason, why.next)
    return Skipped(id, key, why.what.rstrip("."), why.next.rstrip("."), why)


def skip_no_op(id: RecordId, key: str, reason: str, alone: str = "") -> Skipped:
    """Skip a no-op; `alone` is the sentence when it was the only request."""
    return Skipped(id, key, reason, is_no_op=True, alone=alone)


def refused_first(skipped: Iterable[Skipped]) -> list[Skipped]:
    """Return the records with the no-ops last: a refusal among hundreds of them must be seen."""
    return sorted(skipped, key=lambda each: each.is_no_op)

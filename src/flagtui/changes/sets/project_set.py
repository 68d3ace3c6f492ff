"""The staged set of one project: read it, add planned changes, drop them; one program at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from flagtui import local_time
from flagtui.changes.journal_entries import Signature
from flagtui.changes.proposal import Proposal
from flagtui.changes.sets.change_set import DROP, ChangeSet, ChangeSetError, StagedChange, new_set
from flagtui.changes.sets.plan_changes import changes_of
from flagtui.changes.sets.set_files import SetFile, hold, lock_name, staged_file


class StagedSet(msgspec.Struct, frozen=True):
    """The staged set of a host and project, in a file that exists only while something is staged."""

    folder: Path
    """Of the staged sets and their locks."""
    signature: Signature
    """The author and the project."""
    holder: str
    """Names this program to others that want the set."""
    discard_command: str = f"{DROP} --all"
    """The command that discards this set."""

    @property
    def file(self) -> SetFile:
        """The file of the set, which need not exist."""
        return staged_file(self.folder, self.signature.host, self.signature.project)

    def read(self) -> ChangeSet | None:
        """Return the set; None while nothing is staged. Raises ChangeSetError."""
        file = self.file
        try:
            return file.read() if file.exists else None
        except ChangeSetError as error:
            is_broken = error.fault in ("malformed", "edited")
            next = f"{self.discard_command} discards it." if is_broken else error.next
            raise ChangeSetError(error.fault, error.what, next) from None

    @contextmanager
    def hold_set(self) -> Iterator[None]:
        """Keep other programs from the set until the block ends. Raises ChangeSetError."""
        with hold(self.folder, lock_name(self.file), self.holder):
            yield

    def add(
        self,
        plans: Iterable[Proposal],
        limit: int,
        now: float,
        reason: str = "",
        instead_of: Iterable[StagedChange] = (),
    ) -> Added:
        """Add the changes of these plans to the set of at most `limit` changes; `now` in Unix seconds.

        Raises ChangeSetError. Only within `hold_set`.
        """
        changes = changes_of(plans)
        before = earlier = self.read() or self.begin(now)
        earlier = msgspec.structs.replace(earlier, reason=_join_reasons(earlier.reason, reason), digest="")
        for replaced in instead_of:
            earlier = earlier.without(replaced)
        return Added(changes, self.keep(earlier.with_changes(changes, limit)), before)

    def drop(self, choose: Callable[[ChangeSet], Iterable[StagedChange]]) -> list[StagedChange] | None:
        """Drop the changes that `choose` returns; None while nothing is staged.

        Raises ChangeSetError. Only within `hold_set`.
        """
        change_set = self.read()
        if change_set is None:
            return None
        dropped = [*choose(change_set)]
        for change in dropped:
            change_set = change_set.without(change)
        self.keep(change_set)
        return dropped

    def discard(self) -> list[StagedChange] | None:
        """Drop all changes, also of a file that is no change set; None while nothing is staged.

        Raises ChangeSetError for a file that cannot be read or removed. Only within `hold_set`.
        """
        try:
            change_set = self.read()
        except ChangeSetError as error:
            if error.fault == "unreadable":
                raise
            change_set = self.begin(0)
        self.file.remove()
        return None if change_set is None else [*change_set.changes]

    def explain(self, reason: str) -> ChangeSet | None:
        """Set the reason; None while nothing is staged. Raises ChangeSetError.

        Only within `hold_set`.
        """
        change_set = self.read()
        if change_set is None:
            return None
        return self.keep(msgspec.structs.replace(change_set, reason=reason, digest=""))

    def keep(self, change_set: ChangeSet) -> ChangeSet:
        """Write the set, or remove the file of an empty set. Raises ChangeSetError.

        Only within `hold_set`.
        """
        if change_set.changes:
            self.file.write(change_set)
        else:
            self.file.remove()
        return change_set

    def begin(self, now: float, reason: str = "") -> ChangeSet:
        """Return an empty set of this author and project, made at `now` in Unix seconds."""
        here = self.signature
        return new_set(here.host, here.project, local_time.stamp(now), here.by, reason)


def _join_reasons(earlier: str, added: str) -> str:
    """Return both reasons of a set, each once."""
    return "; ".join(dict.fromkeys(filter(None, (*earlier.split("; "), added))))


class Added(msgspec.Struct, frozen=True):
    """The staged changes, and the set with and without them."""

    changes: list[StagedChange]
    change_set: ChangeSet
    before: ChangeSet

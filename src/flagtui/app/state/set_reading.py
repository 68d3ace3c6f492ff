"""Reads the staged set of a project: its changes, and how their rows show them."""

from collections.abc import Mapping

import msgspec

from flagtui.changes.sets.after_set import row_values
from flagtui.changes.sets.change_set import ChangeSet, ChangeSetError, StagedChange
from flagtui.changes.sets.project_set import StagedSet
from flagtui.changes.sets.set_progress import Identity
from flagtui.store.optimistic_edits import StagedEdit

Edits = Mapping[Identity, tuple[StagedChange, StagedEdit]]
"""By record: its change, and the change as its row shows it."""


class SetReading(msgspec.Struct, frozen=True):
    """The set as its file has it."""

    file_state: tuple[object, ...]
    """The path and state of the file: another state needs another reading."""
    change_set: ChangeSet | None
    """None while nothing is staged, and where the set cannot be read."""
    fault: str
    """Why the set cannot be read; empty when it can."""
    edits: Edits

    @classmethod
    def of(cls, staged: StagedSet, earlier: Edits) -> "SetReading":
        """Read the set; edits of changes that stay the same are those of the earlier reading."""
        state = state_of(staged)
        try:
            change_set, fault = staged.read(), ""
        except ChangeSetError as error:
            change_set, fault = None, f"{error.what}. {error.next}".rstrip()
        changes = () if change_set is None else change_set.changes
        edits = {change.identity: (change, edit_of(change, earlier)) for change in changes}
        return cls(state, change_set, fault, edits)


def state_of(staged: StagedSet) -> tuple[object, ...]:
    """Return the path of the file and its state, which every write changes."""
    path = staged.file.path
    try:
        stat = path.stat()
    except OSError:
        return (path,)
    return path, stat.st_mtime_ns, stat.st_size, stat.st_ino


def edit_of(change: StagedChange, earlier: Edits) -> StagedEdit:
    """Return the change as its row shows it, computed once for equal changes."""
    read = earlier.get(change.identity)
    if read is not None and read[0] == change:
        return read[1]
    return StagedEdit(row_values(change.values), row_values(change.base), change.version)

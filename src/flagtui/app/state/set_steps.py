"""The steps of staging: the sets that `u` goes back to, and those that `U` goes on to."""

from collections.abc import Collection, Iterable

import msgspec

from flagtui.changes.sets.change_set import ChangeSet, ChangeSetError
from flagtui.changes.sets.set_progress import Identity


def being_applied() -> ChangeSetError:
    """Return the refusal of a key while the set is being applied."""
    return ChangeSetError("open", "the staged set is being applied", "Wait for the result.")


class SetSteps(msgspec.Struct):
    """The steps since staging began or ended."""

    _done: list[ChangeSet] = []
    """The set before each step."""
    _undone: list[ChangeSet] = []
    """The set after each step that was undone since the last new one."""

    def keep(self, before: ChangeSet) -> None:
        """Keep a new step, which began from this set."""
        self._done.append(before)
        self._undone.clear()

    def next_set(self, *, is_redo: bool) -> ChangeSet | None:
        """Return the set that an undo goes back to, or a redo goes on to; None without a step."""
        source = self._undone if is_redo else self._done
        return source[-1] if source else None

    def move(self, before: ChangeSet, *, is_redo: bool) -> None:
        """Count the last step as undone, or as redone; it began from this set."""
        source, way_back = (self._undone, self._done) if is_redo else (self._done, self._undone)
        if not source:
            # Staging ended meanwhile, which forgot the steps.
            return
        source.pop()
        way_back.append(before)

    def forget(self) -> None:
        self._done.clear()
        self._undone.clear()

    def drop(self, applied: Collection[Identity], current: ChangeSet) -> None:
        """Drop applied changes from every set, and the steps that only staged these; `current` has none."""
        self._done = _without(applied, self._done, current)
        self._undone = _without(applied, self._undone, current)


def _without(applied: Collection[Identity], sets: Iterable[ChangeSet], current: ChangeSet) -> list[ChangeSet]:
    """Return the sets without these changes, but for one equal to the next; `current` is after the last."""
    left = list[ChangeSet]()
    for change_set in reversed([*sets]):
        for change in change_set.changes:
            if change.identity in applied:
                change_set = change_set.without(change)
        if change_set.changes != (left[-1] if left else current).changes:
            left.append(change_set)
    return left[::-1]

"""Optimistic updates of a list: rows of pending changes, and rows as the server responded."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Generic

from flagtui.changes.proposal import Outcome, P, R
from flagtui.store.collection import Collection
from flagtui.store.kinds import FLAGS, Kind
from flagtui.store.record_list import Loading
from flagtui.store.workspace import Workspace


class OptimisticRows(Generic[P, R]):
    """Rows of one list for one question. This base class shows nothing."""

    listed: tuple[Collection[Any], Loading[Any]] | None = None
    """The list and its load, to mark changes whose outcome is unknown."""

    kind: Kind = FLAGS.plural
    """The list in which the records are."""

    def __init__(self, workspace: Workspace, clock: Callable[[], float]) -> None:
        """`clock` returns the time in Unix seconds."""
        self.workspace = workspace
        self._clock = clock

    def showing(self, plan: P) -> AbstractContextManager[None]:
        """Paint the plan over its row until the block ends, which is the rollback."""
        return nullcontext()

    async def refresh(self, outcome: Outcome[P, R]) -> None:
        """Put the record of the response into the list."""

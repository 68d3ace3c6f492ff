"""Optimistic updates of a list: rows of pending changes, and rows as the server responded."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import ClassVar, Generic

import msgspec

from flagtui.changes.proposal import Outcome, P, R
from flagtui.store.kinds import FLAGS, Kind
from flagtui.store.workspace import Workspace


class OptimisticRows(msgspec.Struct, Generic[P, R]):
    """Rows of one list for one question. This base class shows nothing."""

    workspace: Workspace
    clock: Callable[[], float]
    """Returns the time in Unix seconds."""
    outdated: set[int] = set()
    """Ids of flags whose details show the refreshed records."""
    kind: ClassVar[Kind] = FLAGS.plural
    """The list in which the records are."""
    is_listed: ClassVar[bool] = False
    """Whether the list shows the changes, and marks those whose outcome is unknown."""

    def kind_of(self, plan: P) -> Kind | None:
        """Return the list that shows the change; None where none does."""
        return self.kind if self.is_listed else None

    def showing(self, plan: P) -> AbstractContextManager[None]:
        """Paint the plan over its row until the block ends, which is the rollback."""
        return nullcontext()

    async def refresh(self, outcome: Outcome[P, R]) -> None:
        """Put the record of the response into the list."""

"""Read the records of a change in blocks, and stop once more would change than one confirmation may."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec

from flagtui.changes.guard import refuse_early
from flagtui.cli.plumbing.change_report import refusal
from flagtui.cli.plumbing.confirmation import check_count
from flagtui.cli.plumbing.options import WriteTerms
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.selection import MatchT, Word


class BulkReader(msgspec.Struct):
    """Reads no more records than needed to refuse a change of too many."""

    session: ProjectSession
    terms: WriteTerms
    noun: str
    would_change: Callable[[Any], bool]
    """Whether the change of this record is no no-op, and nothing in the record refuses it."""
    row_would_change: Callable[[Any], bool] | None = None
    """The same from a row of the list; None where rows lack what the change is about."""
    _changing: int = 0

    @property
    def most(self) -> int:
        """The number of records that may change."""
        limit, most = self.session.rules.bulk_limit, self.terms.agreement.max_changes
        return limit if most is None else min(limit, most)

    def check_rows(self, rows: Sequence[Any]) -> None:
        """Raise Trouble when these rows of the list show that too many would change."""
        if self.row_would_change is not None and len(rows) > self.most:
            self._check(sum(map(self.row_would_change, rows)))

    async def read(
        self, words: Sequence[Word], read: Callable[[Sequence[Word]], Awaitable[list[MatchT]]]
    ) -> list[MatchT]:
        """Return the records, a block read at a time; None for a missing one.

        Raises Trouble for too many, ApiError.
        """
        if len(words) <= self.most - self._changing:
            return await read(words)
        records: list[MatchT] = []
        while left := words[len(records) :]:
            block = await read(left[: self.most + 1 - self._changing])
            self._changing += sum(record is not None and self.would_change(record) for record in block)
            records += block
            self._check(self._changing, is_least=len(records) < len(words))
        return records

    def _check(self, number: int, *, is_least: bool = False) -> None:
        check_count(number, self.noun, self.terms.agreement.max_changes, is_least=is_least)
        if refused := refuse_early(self.session.rules, number, self.noun, is_least=is_least):
            raise refusal(refused)

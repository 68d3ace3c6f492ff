"""The project that a command plans in, read once each: as it is, or as it will be after the staged set."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from flagtui.changes.planner import PlanContext, PlannedRecord
from flagtui.cli.plumbing.offline_copies import code_uses
from flagtui.cli.plumbing.options import WriteTerms
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.selection import FLAGS
from flagtui.models.account import User
from flagtui.models.code_uses import CodeUses
from flagtui.models.flag_details import Names
from flagtui.models.json_value import JSON
from flagtui.models.rows import FlagRow

UNCOUNTED: Final = "not counted, since --yes agrees beforehand"


class SessionContext(PlanContext):
    """The project of a command. `--yes` skips the requests for context, which no one would read."""

    def __init__(self, session: ProjectSession, terms: WriteTerms) -> None:
        agreement = terms.agreement
        is_read = agreement.dry_run or not agreement.yes
        super().__init__(
            session.client,
            session.clock,
            uncounted="" if is_read else UNCOUNTED,
            # In every other format the options alone answer the question, which is not shown.
            is_explained=agreement.dry_run or terms.printer.format == "table",
            # The real run of a dry run may be one with `--yes`.
            may_add_flags=not (agreement.yes or agreement.dry_run),
        )
        self._session = session
        self._flags: dict[bool, asyncio.Task[list[FlagRow]]] = {}

    def code_uses(self, key: str) -> CodeUses | None:
        return code_uses(self._session.opening, key)

    async def me(self) -> User | None:
        return await self._session.me()

    async def names(self, *records: Mapping[str, JSON]) -> Names:
        return await self._session.names(records)

    async def all_flags(self, *, has_archived: bool = False) -> Sequence[FlagRow]:
        if has_archived not in self._flags:
            reading = FLAGS.every(self._session, has_archived=has_archived)
            self._flags[has_archived] = asyncio.ensure_future(reading)
        return await self._flags[has_archived]


def planning_context(session: ProjectSession, terms: WriteTerms) -> PlanContext:
    """Return the project to plan in: with `--stage` as it is after the staged set. Raises Trouble."""
    context = SessionContext(session, terms)
    if not terms.agreement.stage:
        return context
    # Loading what stages would delay every other change.
    from flagtui.cli.plumbing.staging import after_staged

    return after_staged(session, context)


def as_staged(
    session: ProjectSession, terms: WriteTerms, records: Sequence[PlannedRecord]
) -> Sequence[PlannedRecord]:
    """Return the records to change: with `--stage` as they are after the staged set. Raises Trouble."""
    if not terms.agreement.stage:
        return records
    from flagtui.cli.plumbing.staging import records_after

    return records_after(session, records)

"""The records to change and the project to plan in: as they are, or as they will be after the staged set."""

from collections.abc import Sequence

from flagtui.changes.planner import PlanContext, PlannedRecord
from flagtui.cli.plumbing.options import WriteTerms
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.session_context import SessionContext


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

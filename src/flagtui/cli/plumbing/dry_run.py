"""Dry runs: the checks of the real run, what it needs, and its exit code."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from flagtui.changes.guard import GuardRefused, guard
from flagtui.changes.planner import Planned
from flagtui.changes.proposal import P, Proposal
from flagtui.changes.related.project_copies import KIND as SERVER_COPY
from flagtui.changes.related.schedules import KIND as SCHEDULED
from flagtui.cli.plumbing.change_records import NOT_SENT, ChangePlan
from flagtui.cli.plumbing.change_report import (
    ChangeReport,
    exit_code,
    nothing_sent,
    refusal,
    results_of_skipped,
)
from flagtui.cli.plumbing.errors import EXIT_CODES
from flagtui.cli.plumbing.options import Agreement
from flagtui.cli.plumbing.output.lines import print_line, warn
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.shown_questions import needs_of, show_question
from flagtui.config.guard_rules import Level
from flagtui.safe_text import safe_text

SCOPES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("flag", SERVER_COPY, SCHEDULED), "feature_flag:write"),
    **dict.fromkeys(("experiment", "holdout", "shared metric"), "experiment:write"),
    "event definition": "event_definition:write",
}
"""By the kind of a change: the scope that its request needs."""


async def dry_run(
    planned: Planned[Any, P],
    session: ProjectSession,
    agreement: Agreement,
    report: ChangeReport,
) -> int:
    """Print the plans with what the real run needs; return its exit code. Raises Trouble."""
    apart = results_of_skipped(planned.skipped)
    skipped = [ChangePlan(None, each) for each in planned.skipped]
    is_for_people = report.printer.format == "table" and not report.printer.fields
    if not planned.plans:
        if is_for_people or not apart:
            return nothing_sent(apart, report)
        report.plans(skipped)
        return exit_code(apart)
    rules = session.rules
    if agreement.is_kept and rules.level is Level.READ_ONLY:
        # Another user, who may write, can apply a set that is written to a file.
        rules = replace(rules, level=Level.GUARDED)
    question = guard(planned, rules)
    if isinstance(question, GuardRefused):
        raise refusal(question, report.not_sent)
    needs = needs_of(question)
    lacking = "" if agreement.is_kept else await _lacking_scope(planned.plans, session)
    code = EXIT_CODES["sign_in"] if lacking else exit_code(apart)
    if is_for_people:
        show_question(question, report.place)
        print_line(f"needs: [{safe_text(', '.join(needs), 200)}]")
    if lacking:
        warn(f"the key lacks the scope {lacking}, so the server would refuse the change.")
    if is_for_people:
        what = "the change set was written to a file" if agreement.out else "this was a dry run"
        print_line(f"Nothing was sent: {what}.")
        return code
    first, others = ("refused", NOT_SENT) if lacking else ("saved", "saved")
    plans = [
        ChangePlan(plan, needs=needs, saved_ending=others if place else first, file=str(agreement.out or ""))
        for place, plan in enumerate(planned.plans)
    ]
    report.plans([*plans, *skipped])
    return code


async def _lacking_scope(plans: Sequence[Proposal], session: ProjectSession) -> str:
    """Return the scope that the change needs and the key lacks; empty where either is not known."""
    kind = getattr(plans[0], "kind", plans[0].noun)
    key = await session.key_scopes() if kind in SCOPES else None
    if key is None:
        return ""
    # Servers copy flags outside of any project, where `*` does not count.
    is_allowed = SCOPES[kind] in key.scopes if kind == SERVER_COPY else key.allows(SCOPES[kind])
    return "" if is_allowed else SCOPES[kind]

"""`flagtui revert`: revert changes of the activity, by any user, by the usual write path."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import uuid4

from msgspec.structs import replace

from flagtui.changes.planner import Planned
from flagtui.changes.proposal import Purpose
from flagtui.changes.revert_planner import newest_of_each, questions_of_reverts
from flagtui.changes.skipped import Skipped
from flagtui.cli.plumbing.activity_selection import select_changes
from flagtui.cli.plumbing.change_report import ChangeReport, change_command, nothing_sent, results_of_skipped
from flagtui.cli.plumbing.confirmation import ask_and_send, check_count, place_of
from flagtui.cli.plumbing.errors import EXIT_CODES, Trouble
from flagtui.cli.plumbing.option_rules import limit_option
from flagtui.cli.plumbing.options import WriteTerms
from flagtui.cli.plumbing.output.lines import keep_first, warn
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.session_context import SessionContext
from flagtui.cli.plumbing.word_types import query_argument
from flagtui.models.activity_rows import ChangeRow
from flagtui.text.formats import count

MOST: Final = 50
LATER: Final = "planned once the newer ones are reverted"
REFUSED: Final = EXIT_CODES["refused"]


@change_command(
    "revert",
    line="Revert changes in the activity, by any user.",
    operations=(
        "flags.activity",
        "flags.get",
        "flags.update",
        "experiments.list",
        "experiments.activity_of",
        "experiments.get",
        "experiments.update",
        "event_definitions.list",
        "event_definitions.get",
        "event_definitions.update",
    ),
    examples=("flag:new-nav since:2h --limit 1 --dry-run", "flag:new-nav since:2h --limit 1 --yes"),
)
@query_argument("activity")
@limit_option(MOST, "Revert at most N: the newest, around a moment the likeliest causes.")
async def revert(session: ProjectSession, query: tuple[str, ...], limit: int, terms: WriteTerms) -> int:
    """Revert the changes that flagtui activity lists for QUERY: only the values that they changed.

    A change is skipped, with the reason, if the same value was changed again since, if the log lacks the
    previous value, or if no request sets it. Changes of one record are reverted newest first.
    """
    if not " ".join(query).strip():
        raise Trouble(
            "no change is named; nothing was sent.",
            "Give the QUERY with which flagtui activity lists the changes.",
            code="usage",
        )
    rows = await _select(session, query, limit)
    questions, skipped = questions_of_reverts(rows)
    number = len(rows) - len(skipped)
    check_count(number, "change", terms.agreement.max_changes, "be reverted")
    is_sent = not (terms.agreement.dry_run or terms.agreement.is_kept)
    if not is_sent:
        questions = newest_of_each(questions)
    context, here, codes = SessionContext(session, terms), session.signature, [0]
    batch = uuid4().hex
    with ChangeReport(terms.printer) as report:
        if not questions:
            report.place = place_of(session)
            return nothing_sent(results_of_skipped(skipped), report)
        planned: list[Planned[Any, Any]] = []
        for place, reverts in enumerate(questions, 1):
            planned.append(await reverts.planner(context, here).plan(reverts.requests))
            if terms.agreement.is_kept and place < len(questions):
                continue
            purpose = None
            if len(questions) > 1:
                part = "" if terms.agreement.is_kept else f"{place:,} of {len(questions):,}"
                purpose = Purpose("Revert", count(number, "change"), part=part, batch=batch)
            question = replace(_together(planned, skipped), purpose=purpose)
            planned, skipped = [], []
            codes.append(await ask_and_send(question, session, terms, report))
            # What one question skips does not hold up the others; a failure does.
            if codes[-1] not in (0, REFUSED):
                break
        if not is_sent and (older := number - sum(len(each.requests) for each in questions)):
            warn(f"{count(older, 'older change')} of the same records: {LATER}.")
        return codes[-1] or max(codes)


async def _select(session: ProjectSession, query: Sequence[str], limit: int) -> Sequence[ChangeRow]:
    """Return the changes to revert, and report that more match than the limit. Raises Trouble, ApiError."""
    rows, _read = await select_changes(session, query, limit + 1)
    if not rows:
        raise Trouble("no change in the activity matches; nothing was sent.", code="nothing_to_do")
    return keep_first(rows, limit, MOST, "the others stay. To revert more")


def _together(planned: Sequence[Planned[Any, Any]], skipped: Sequence[Skipped]) -> Planned[Any, Any]:
    """Return the plans of one question, which has those of several kinds only in a change set."""
    if len(planned) == 1:
        return replace(planned[0], skipped=[*skipped, *planned[0].skipped])
    plans = [plan for each in planned for plan in each.plans]
    return Planned(None, plans, skipped=[*skipped, *(skip for each in planned for skip in each.skipped)])

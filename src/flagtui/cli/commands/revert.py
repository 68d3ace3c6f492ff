"""`flagtui revert`: revert changes of the activity, by any user, by the usual write path."""

from typing import Final

from msgspec.structs import replace

from flagtui.changes.proposal import Purpose
from flagtui.changes.revert_planner import questions_of_reverts
from flagtui.cli.plumbing.activity_selection import select_changes
from flagtui.cli.plumbing.change_report import ChangeReport, change_command, nothing_sent, results_of_skipped
from flagtui.cli.plumbing.confirmation import ask_and_send, check_count, place_of
from flagtui.cli.plumbing.errors import EXIT_CODES, Trouble
from flagtui.cli.plumbing.option_rules import limit_option
from flagtui.cli.plumbing.options import WriteTerms
from flagtui.cli.plumbing.output.lines import warn
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.session_context import SessionContext
from flagtui.cli.plumbing.word_types import query_argument
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
        "experiments.activity",
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
    rows, _read = await select_changes(session, query, limit)
    if not rows:
        raise Trouble("no change in the activity matches; nothing was sent.", code="nothing_to_do")
    questions, skipped = questions_of_reverts(rows)
    check_count(len(rows) - len(skipped), "change", terms.agreement.max_changes, "be reverted")
    context, here, codes = SessionContext(session, terms), session.signature, [0]
    is_sent = not (terms.agreement.dry_run or terms.agreement.is_kept)
    later = 0 if is_sent else sum(len(each.requests) for each in questions if each.is_later)
    with ChangeReport(terms.printer) as report:
        if not questions:
            report.place = place_of(session)
            return nothing_sent(results_of_skipped(skipped), report)
        for place, reverts in enumerate(questions, 1):
            if reverts.is_later and not is_sent:
                continue
            purpose = None
            if len(questions) > 1:
                reverted = count(len(rows) - len(skipped), "change")
                purpose = Purpose("Revert", reverted, part=f"{place:,} of {len(questions):,}")
            planned = await reverts.planner(context, here).plan(reverts.requests)
            planned = replace(planned, skipped=[*skipped, *planned.skipped], purpose=purpose)
            skipped = []
            codes.append(await ask_and_send(planned, session, terms, report))
            # What one question skips does not hold up the others; a failure does.
            if codes[-1] not in (0, REFUSED):
                break
        if later:
            warn(f"{count(later, 'older change')} of the same records: {LATER}.")
        return codes[-1] or max(codes)

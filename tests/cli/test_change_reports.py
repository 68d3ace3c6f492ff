"""The result of a change names the outcome, what is true now and the next step."""

import re

import pytest
from tests.doubles.flag_server import raw_flag

from flagtui.api.errors import ApiError, ErrorFacts, Invalid, RateLimited, ServerFault, Unanswered, Unreadable
from flagtui.changes.difference import FieldConflict
from flagtui.changes.flags import flag_intent
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_plan import Plan, plan_flag
from flagtui.changes.guard import GuardRefused
from flagtui.changes.journal_entries import Ending
from flagtui.changes.planner import Planned
from flagtui.changes.proposal import Outcome
from flagtui.cli.plumbing.change_records import OUTCOME, exit_code
from flagtui.cli.plumbing.change_report import ChangeReport, refusal, result_of
from flagtui.cli.plumbing.confirmation import TerminalInterface
from flagtui.cli.plumbing.options import Agreement, WorkPlace, WriteTerms
from flagtui.cli.plumbing.output.printer import OutputOptions, Printer, choose_printer
from flagtui.models.flag import Flag


@pytest.mark.parametrize(
    ("error", "ending", "words", "next", "code"),
    [
        (*(ServerFault("The server failed (500)."), "unknown"),
         "the server failed (500); the change may have been applied; it was not sent twice",
         *("It is in the journal: flagtui journal.", 4)),
        (*(ServerFault("The server failed (502)."), "unknown"),
         "the server failed (502); the change may have been applied; it was not sent twice",
         *("It is in the journal: flagtui journal.", 4)),
        (*(Unanswered("The server took too long to respond."), "unknown"),
         "no response; the change may have been applied; it was not sent twice",
         *("It is in the journal: flagtui journal.", 4)),
        (*(Unreadable("The server's response cannot be read."), "unknown"),
         "the response cannot be read; the change may have been applied; it was not sent twice",
         *("It is in the journal: flagtui journal.", 4)),
        (*(RateLimited("Too many requests; wait 3 s."), "refused"),
         *("too many requests; nothing was changed", "Run again in 3 s.", 4)),
        (*(Invalid("The server objects: other flags depend on it."), "refused"),
         *("The server objects: other flags depend on it; nothing was changed", "", 3)),
    ],
    ids=["500", "502", "no response", "unreadable", "429", "400"],
)  # fmt: skip
def test_result_names_the_fault_and_what_is_true(
    error: ApiError, ending: Ending, words: str, next: str, code: int
) -> None:
    status = status_in(error.what)
    error.facts = ErrorFacts("PATCH", is_write=True, status=status, retry_after=3.0)
    plan = plan_flag(flag_intent.switch("turn on", 7), Flag.of(raw_flag(id=7, active=False)), Context())
    assert isinstance(plan, Plan)
    result = result_of(Outcome(plan, ending, reason=error.what, error=error))
    assert (result.message, result.next, exit_code([result])) == (words, next, code)


def test_refusal_after_a_saved_change_counts_it() -> None:
    plan = plan_flag(flag_intent.switch("turn on", 7), Flag.of(raw_flag(id=7, active=False)), Context())
    assert isinstance(plan, Plan)
    report, refused = ChangeReport(Printer("ndjson")), GuardRefused("it is read-only")
    assert refusal(refused, report.not_sent).what == "it is read-only; nothing was sent."
    report.results([result_of(Outcome(plan, "refused", reason="No."))])
    assert refusal(refused, report.not_sent).what == "it is read-only; nothing was sent."
    report.results([result_of(Outcome(plan, "saved"))])
    assert refusal(refused, report.not_sent).what == "it is read-only; nothing more was sent."


def status_in(words: str) -> int | None:
    """Return the status that the words name in parentheses."""
    match = re.search(r"\((\d+)\)", words)
    return int(match[1]) if match else None


async def test_conflict_shows_all_sides_and_the_next_step(capsys: pytest.CaptureFixture[str]) -> None:
    fresh = Flag.of(raw_flag(id=7))
    plan = plan_flag(flag_intent.set_field(7, "name", fresh.name, "Mine"), fresh, Context())
    assert isinstance(plan, Plan)
    theirs, why = Flag.of(raw_flag(id=7, name="Theirs")), "Alice changed the same thing first"
    sides = (FieldConflict(("name",), fresh.name, "Mine", "Theirs"),)
    outcome = Outcome(plan, "conflicted", theirs, why, "look at both", conflicts=sides)
    terms = WriteTerms(WorkPlace(), Agreement(), choose_printer(OUTCOME, OutputOptions()))
    await TerminalInterface(terms, ChangeReport(terms.printer), Planned(None, [plan])).on_outcome(outcome)
    lines = [line.split() for line in capsys.readouterr().err.splitlines()]
    assert lines[-3:] == [["was", *fresh.name.split()], ["theirs", "Theirs"], ["yours", "Mine"]]
    result = result_of(outcome)
    assert result.message == f"{why}; nothing of yours was saved"
    assert result.next == "Run the command again to change the current record."

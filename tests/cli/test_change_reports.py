"""The result of a change names the outcome and the next step, over a bad line and after ctrl+c too."""

import asyncio
import json
import os
import re
import signal
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest
from msgspec.structs import replace
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from tests.changes.test_random_writes import Line
from tests.cli.conftest import Run, reachable, run_at
from tests.cli.processes import loaded_by
from tests.doubles.expected import expect
from tests.doubles.flag_server import FlagServer, raw_flag
from tests.doubles.steady_clock import SteadyClock

from flagtui.api.errors import (
    ApiError,
    EndpointNotFound,
    ErrorFacts,
    Invalid,
    RateLimited,
    ServerFault,
    Unanswered,
    Unreadable,
)
from flagtui.api.hosts import Host
from flagtui.changes.difference import FieldConflict
from flagtui.changes.flags import flag_intent
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_plan import Plan, plan_flag
from flagtui.changes.flags.flag_save import FlagAdapter
from flagtui.changes.guard import GuardRefused, GuardRules, Level
from flagtui.changes.journal_entries import Ending, Signature
from flagtui.changes.planner import Planned
from flagtui.changes.proposal import Outcome
from flagtui.changes.skipped import Skipped
from flagtui.changes.unanswered import NEITHER
from flagtui.cli.plumbing.change_records import OUTCOME
from flagtui.cli.plumbing.change_report import STOPPED, ChangeReport, exit_code, refusal, result_of
from flagtui.cli.plumbing.confirmation import TerminalInterface, carry_out
from flagtui.cli.plumbing.errors import EXIT_CODES, Trouble
from flagtui.cli.plumbing.options import Agreement, WorkPlace, WriteTerms
from flagtui.cli.plumbing.output.printer import OutputOptions, Printer, choose_printer
from flagtui.models.flag import Flag

PLAN: Final = expect(
    plan_flag(flag_intent.switch("turn on", 7), Flag.of(raw_flag(id=7, active=False)), Context()), Plan
)
MAYBE: Final = "the change may have been applied; it was not sent twice"
OLD: Final = EndpointNotFound("Not known here.", facts=ErrorFacts(code="not_found"))
HALF: Final = Unanswered(f"No response; {NEITHER}")
LOOK: Final = "It is in the journal: flagtui journal."


@pytest.mark.parametrize(("error", "ending", "words", "next", "code"), [
    (ServerFault("The server failed (500)."), "unknown", f"the server failed (500); {MAYBE}", LOOK, 4),
    (ServerFault("The server failed (502)."), "unknown", f"the server failed (502); {MAYBE}", LOOK, 4),
    (Unanswered("The server took too long."), "unknown", f"no response; {MAYBE}", LOOK, 4),
    (HALF, "unknown", f"no response; {NEITHER}; it was not sent twice", LOOK, 4),
    (Unreadable("It cannot be read."), "unknown", f"the response cannot be read; {MAYBE}", LOOK, 4),
    (RateLimited("Wait."), "refused", "too many requests; nothing was changed", "Run again in 3 s.", 4),
    (Invalid("Others depend on it."), "refused", "Others depend on it; nothing was changed", "", 3),
    (OLD, "refused", "Not known here; nothing was changed", "", 3),
    (EndpointNotFound("A proxy responded."), "refused", "A proxy responded; nothing was changed", "", 1),
], ids=["500", "502", "no response", "half", "unreadable", "429", "400", "old server", "proxy"])  # fmt: skip
def test_result_names_the_fault_and_what_is_true(
    error: ApiError, ending: Ending, words: str, next: str, code: int
) -> None:
    named = re.search(r"\((\d+)\)", error.what)
    status = int(named[1]) if named else None
    error.facts = ErrorFacts("PATCH", is_write=True, status=status, code=error.code, retry_after=3.0)
    result = result_of(Outcome(PLAN, ending, reason=error.what, error=error))
    assert (result.message, result.next, exit_code([result])) == (words, next, code)


def test_refusal_after_a_saved_change_counts_it() -> None:
    report, refused = ChangeReport(Printer("ndjson")), GuardRefused("it is read-only")
    assert refusal(refused, report.not_sent).what == "it is read-only; nothing was sent."
    report.results([result_of(Outcome(PLAN, "refused", reason="No."))])
    assert refusal(refused, report.not_sent).what == "it is read-only; nothing was sent."
    report.results([result_of(Outcome(PLAN, "saved"))])
    assert refusal(refused, report.not_sent).what == "it is read-only; nothing more was sent."


async def test_conflict_shows_all_sides_and_the_next_step(capsys: pytest.CaptureFixture[str]) -> None:
    fresh = Flag.of(raw_flag(id=7))
    plan = expect(plan_flag(flag_intent.set_field(7, "name", fresh.name, "Mine"), fresh, Context()), Plan)
    theirs, why = Flag.of(raw_flag(id=7, name="Theirs")), "Alice changed the same thing first"
    sides = (FieldConflict(("name",), fresh.name, "Mine", "Theirs", "others"),)
    outcome = Outcome(plan, "conflicted", theirs, why, "look at both", conflicts=sides)
    terms = WriteTerms(WorkPlace(), Agreement(), choose_printer(OUTCOME, OutputOptions()))
    await TerminalInterface(terms, ChangeReport(terms.printer), Planned(None, [plan])).on_outcome(outcome)
    lines = [line.split() for line in capsys.readouterr().err.splitlines()]
    assert lines[-3:] == [["was", *fresh.name.split()], ["theirs", "Theirs"], ["yours", "Mine"]]
    result = result_of(outcome)
    assert result.message == f"{why}; your change was not saved"
    assert result.next == "Run the command again to change the current record."


@pytest.mark.parametrize(("reason", "next"), [("", "It is #9."), ("#9, it is on", "It is #9, it is on.")])
def test_number_of_a_new_record_is_named_once(reason: str, next: str) -> None:
    outcome = Outcome(PLAN, "saved", Flag.of(raw_flag(id=9)), reason)
    assert result_of(outcome).next == next


TERMS = WriteTerms(WorkPlace(), Agreement(yes=True), Printer("ndjson"))


def session_of(line: Line) -> Any:
    """As much of a session as writing needs."""
    return SimpleNamespace(
        client=SimpleNamespace(flags=line.ada, host=Host("http", "localhost", 80), project=""),
        signature=Signature("ada@acme.test"),
        journal=line.journal,
        clock=line.clock,
        rules=GuardRules(Level.GUARDED),
    )


@pytest.mark.parametrize("more", [(), ("--limit", "1")])
def test_list_reports_records_that_cannot_be_read(
    more: tuple[str, ...], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def respond(_request: Request) -> JSONResponse:
        return JSONResponse({"count": 3, "next": None, "results": [raw_flag(key="whole"), None, {"id": "x"}]})

    with reachable(Starlette(routes=[Route("/{path:path}", respond)])) as address:
        done = run_at(address, run, monkeypatch)("flags", "list", "--fields", "key", *more)
    assert (done.code, done.out) == (0, "whole\n")
    assert done.err == "2 records of the list cannot be read; skipped\n"


async def turning_off(count: int, folder: Path) -> tuple[Line, list[Plan]]:
    """A server with so many flags, and the plan to turn each off."""
    line, plans = Line(1, folder), list[Plan]()
    line.server = FlagServer(*(raw_flag(id=id, key=f"flag-{id}") for id in range(1, count + 1)))
    line.ada = line.server.person("ada@acme.test")
    for id in range(1, count + 1):
        intent = flag_intent.switch("turn off", id)
        plans.append(expect(plan_flag(intent, await line.ada.get(id), Context(dependents=())), Plan))
    return line, plans


def endings(out: str) -> dict[str, str]:
    """How each change ended, by its key."""
    return {each["key"]: each["ending"] for each in map(json.loads, out.splitlines())}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGTERM])
async def test_signal_ends_after_the_change_in_flight(
    number: signal.Signals, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    line, plans = await turning_off(5, tmp_path)

    def press() -> None:
        if line.ada.sends == 2:
            os.kill(os.getpid(), number)

    line.ada.before_update = press
    code = await carry_out(Planned(line.ada.adapter, plans), session_of(line), TERMS)
    output = capsys.readouterr()
    ended = [*endings(output.out).values()]
    assert code == 128 + number
    # When the loop hears of it is the system's business; that nothing more begins then is ours.
    assert ended == ["saved"] * line.ada.sends + ["not_sent"] * (5 - line.ada.sends)
    assert 2 <= line.ada.sends <= 3
    assert "stopping after the change in flight" in output.err


CALLED = (
    "flags get x",
    "flags disable x",
    "experiments end x",
    "events tag x --add y",
    "undo",
    "auth status",
)


@pytest.mark.usefixtures("home")
def test_no_command_loads_a_screen() -> None:
    """What a command does is loaded when it is called, so it is called, and ends without a key."""
    assert loaded_by(*CALLED).isdisjoint({"textual", "rich", "keyring"})


async def test_saved_changes_are_reported_when_a_full_journal_stops(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    line, plans = await turning_off(3, tmp_path)
    folder = line.journal.folder

    def fill() -> None:
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
        folder.write_text("")

    line.ada.before_update = fill
    with pytest.raises(Trouble, match="the journal cannot be written"):
        await carry_out(Planned(line.ada.adapter, plans), session_of(line), TERMS)
    assert (endings(capsys.readouterr().out), line.ada.sends) == ({"flag-1": "saved"}, 1)
    agreed = WriteTerms(WorkPlace(), Agreement(yes=True, without_journal=True), Printer("ndjson"))
    line.ada.before_update = lambda: None
    again = await carry_out(Planned(line.ada.adapter, plans[1:]), session_of(line), agreed)
    ended = endings(capsys.readouterr().out)
    assert (again, ended, line.ada.sends) == (0, {"flag-2": "saved", "flag-3": "saved"}, 3)


async def test_conflict_of_one_record_reports_the_others_too(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    line, (first, second) = await turning_off(2, tmp_path)
    plans = [replace(first, conflicts=(FieldConflict(("active",), True, False, True),)), second]
    planned = Planned(line.ada.adapter, plans, skipped=[Skipped(9, "flag-9", "it is deleted")])
    assert await carry_out(planned, session_of(line), TERMS) == EXIT_CODES["conflict"]
    ended = endings(capsys.readouterr().out)
    assert ended == {"flag-1": "conflicted", "flag-2": "not_sent", "flag-9": "skipped"}


class YieldingClock(SteadyClock):
    """Lets the loop hear of signals."""

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds)
        for _ in range(3):
            await asyncio.sleep(0)


async def test_second_ctrl_c_leaves_every_change_of_the_request_unknown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    line, plans = await turning_off(4, tmp_path)

    class OddOnesTogether(FlagAdapter):
        def groups(self, plans: Sequence[Plan]) -> list[Sequence[Plan]]:
            return [group for group in (plans[::2], plans[1::2]) if group]

        async def send_group(self, plans: Sequence[Plan]) -> Sequence[Outcome]:
            for _ in range(2):
                os.kill(os.getpid(), signal.SIGINT)
            return await asyncio.Future[Sequence[Outcome]]()

    await carry_out(Planned(OddOnesTogether(line.ada.adapter.flags), plans), session_of(line), TERMS)
    ended = endings(capsys.readouterr().out)
    journaled = {entry.key: entry.ending for entry in line.journal.entries()}
    assert journaled == {"flag-1": "unknown", "flag-3": "unknown"}
    assert ended == journaled | {"flag-2": "not_sent", "flag-4": "not_sent"}


async def test_second_ctrl_c_during_a_lookup_reports_each_change_once(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    line, plans = await turning_off(2, tmp_path)
    line.ada.faults = ["never arrives"]
    line.clock = YieldingClock()
    session = session_of(line)
    for seconds in (20, 30):
        line.clock.at(seconds, lambda: os.kill(os.getpid(), signal.SIGINT))
    code = await carry_out(Planned(line.ada.adapter, plans), session, TERMS)
    output = capsys.readouterr()
    assert (code, len(output.out.splitlines())) == (STOPPED, 2)
    assert endings(output.out) == {"flag-1": "unknown", "flag-2": "not_sent"}
    assert "checking whether flag-1 was changed, for 60 s at most" in output.err
    assert line.clock.now - line.clock.began == pytest.approx(30, abs=4)

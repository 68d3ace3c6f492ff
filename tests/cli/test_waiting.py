"""`--wait` waits for a later outcome, at most as long as given; then the exit code is 4."""

import os
import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
import pytest
from tests.cli.conftest import FLAGTUI, Run, Service, require_done, server_variables
from tests.doubles import warm_start
from tests.doubles.command_tree import all_commands
from tests.doubles.steady_clock import SteadyClock
from tests.doubles.terminal import usual_environment

from flagtui.api.connection_state import ConnectionState
from flagtui.api.errors import ServerFault
from flagtui.cli.plumbing.client import report_waits
from flagtui.cli.plumbing.output.lines import Steps

CALCULATED = ("experiments results", "experiments timeseries", "flags wait")


def test_every_command_that_asks_the_server_takes_wait() -> None:
    waiting = {
        name for name, each in all_commands().items() if "wait" in {option.name for option in each.params}
    }
    others = {name for name, each in all_commands().items() if each.writes or each.reads_projects}
    assert waiting == {*CALCULATED, *others}
    limits = [
        option.type for each in all_commands().values() for option in each.params if option.name == "wait"
    ]
    assert {(each.min, each.max) for each in limits if isinstance(each, click.FloatRange)} == {(0, 86_400)}


@pytest.fixture
def skipped_waits() -> None:
    """The service takes its time; so do the commands that wait for it."""


def soon(seconds: float) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat()


def test_a_scheduled_moment_is_waited_for(signed_in: Run) -> None:
    words = ("flags", "schedule", "new-nav", "--add-share", "5", "--yes", "--json")
    late = signed_in(*words, "--at", "+9m", "--wait", "0.1")
    assert (late.code, late.records[0]["ending"]) == (4, "saved")
    error = late.error
    assert (error["code"], error["retryable"]) == ("not_known", True)
    assert "flagtui flags due new-nav" in error["fix"]
    done = require_done(signed_in(*words, "--at", soon(0.5), "--wait", "30"))
    assert done.err.splitlines() == [
        "waiting until the scheduled change of new-nav is applied, for 30 s at most",
        "the scheduled change of new-nav is applied: a condition for 5 % of everyone added",
    ]


def test_who_stops_waiting_is_told_that_it_stays_scheduled(service: Service, home: Path) -> None:
    words = ("flags", "schedule", "new-nav", "--add-share", "6", "--at", "+9m", "--yes", "--wait", "600")
    where = usual_environment() | os.environ | server_variables(service.address)
    reading, writing = os.pipe()
    with Path(os.devnull).open("r+") as nothing, os.fdopen(reading) as messages:
        process = warm_start.start([*FLAGTUI, *words], where, nothing.fileno(), nothing.fileno(), writing)
        os.close(writing)
        try:
            assert messages.readline().startswith("waiting until the scheduled change of new-nav")
            os.kill(process.pid, signal.SIGINT)
            assert process.wait(20) == 130
        finally:
            # Where a shell had it ignore ctrl+c, the test fails now and not after ten minutes.
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
        assert messages.read() == "flagtui: stopped waiting; new-nav stays scheduled.\n"


def test_results_in_calculation_are_waited_for_and_reported(signed_in: Run) -> None:
    late = signed_in("experiments", "results", "31", "--recalculate", "--wait", "0.4", "--json")
    assert late.code == 4
    assert "Checkout redesign: not everything is calculated after 0.4 s" in late.err
    assert {record["reason"] for record in late.records} <= {"not calculated yet"}
    early = signed_in("experiments", "timeseries", "31", "--recalculate", "--wait", "0.1", "--json")
    assert (early.code, bool(early.records)) == (4, True)
    whole = signed_in("experiments", "timeseries", "31", "--recalculate", "--wait", "60", "--json")
    assert (whole.code, bool(whole.records)) == (0, True)
    assert "waiting until the days are calculated, for 60 s at most" in whole.err


def test_what_keeps_requests_waiting_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    link = ConnectionState(SteadyClock())
    link.watch(report_waits(link))
    link.hold(40.0, "while no request waits")
    link.queued = 1
    for seconds in (0.5, 40.0, 40.0):
        link.hold(seconds, "because the server asked for a pause")
    assert capsys.readouterr().err == "waiting 40 s because the server asked for a pause\n"
    link.hold(90.0, "because the server asked for a pause")
    assert "waiting 90 s" in capsys.readouterr().err


def test_retries_and_long_work_report_their_time(capsys: pytest.CaptureFixture[str]) -> None:
    link = ConnectionState(SteadyClock())
    link.watch(report_waits(link))
    for seconds in (1.9, 7.0):
        with link.retry_in(seconds, ServerFault("The server failed (503).")):
            pass
    link.began()
    assert capsys.readouterr().err == "The server failed (503); trying again in 7 s\n"
    for every, expected in ((60.0, ""), (0.0, "1/3 read\n2/3 read\n")):
        steps = Steps(3, "read", every=every)
        for _ in range(3):
            steps.take()
        assert capsys.readouterr().err == expected

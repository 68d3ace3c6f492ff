"""Every fault while commands read a list and each kind of record.

test_every_write.py holds what a change reports, tests/changes/test_every_kind.py how it ends.
"""

import json
import socket
from collections.abc import Iterator
from typing import Final

import pytest
from tests.cli.conftest import KEY, Run, Service, run_at, server_variables
from tests.doubles.faults import FAULTS
from tests.doubles.faulty_service import FaultyService, serve
from tests.doubles.slices import cross

NOUNS: Final = {"flags": "feature_flags", "experiments": "experiments", "events": "event_definitions"}
CUT_OFF: Final = ("no answer", "reset", "closed")
"""To a port they are one fault: the connection is closed."""


@pytest.fixture
def line(service: Service, run: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyService]:
    """What is between the service and the commands."""
    line = FaultyService(service.application)
    with serve(line) as address:
        for name, value in server_variables(address).items():
            monkeypatch.setenv(name, value)
        yield line


READS: Final = ("flags list", "flags get new-nav", "experiments get 1", "events get order_completed")
# A port takes every connection, or refuses it: that has a test of its own below.
ON_A_PORT: Final = [name for name, fault in FAULTS.items() if fault.means != "not_reached"]


@pytest.mark.parametrize(("command", "name"), cross(READS, ON_A_PORT))
def test_a_fault_is_told_as_what_it_is(run: Run, line: FaultyService, command: str, name: str) -> None:
    """Nothing is printed but one line of JSON that says what is wrong; the code does, too."""
    fault = FAULTS[name]
    line.fail(fault, rf"GET /api/projects/\d+/{NOUNS[command.split()[0]]}/([^/]+/)?$")
    done = run(*command.split(), "--json")
    error = json.loads(done.err)["error"]
    message = "broke before the whole" if name in CUT_OFF else fault.words
    assert (done.code, done.out) == (fault.code, "")
    assert message in error["message"]
    assert error["fix"]
    assert KEY not in done.err


@pytest.mark.parametrize("command", ["flags list", "flags get new-nav", "flags disable new-nav --yes"])
def test_an_address_that_nothing_listens_on_is_told(
    run: Run, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
    done = run_at(address, run, monkeypatch)(*command.split(), "--json")
    error = json.loads(done.err)["error"]
    assert (done.code, done.out, error["retryable"]) == (1, "", True)
    assert "that the server is running" in error["fix"]


@pytest.mark.parametrize("command", ["flags list", "flags disable new-nav --yes", "flags history 1"])
def test_no_wait_means_no_second_attempt(run: Run, line: FaultyService, command: str) -> None:
    line.fail(FAULTS["429"])
    done = run(*command.split(), "--wait", "0")
    assert (done.code, len(line.requests)) == (4, 1)
    assert done.err.startswith("flagtui: Too many requests; wait 1 s. Nothing was changed; run again in 1 s.")


def test_doctor_names_the_time_after_which_to_run_again(run: Run, line: FaultyService) -> None:
    line.fail(FAULTS["429"])
    findings = {each["subject"]: each for each in json.loads(run("doctor", "--json").out)["records"]}
    assert findings["server"]["state"] == "wrong"
    assert findings["server"]["next"] == "Nothing was changed; run again in 1 s."

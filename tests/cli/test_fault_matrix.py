"""Every fault while commands read a list and each kind of record.

test_every_write.py holds what a change reports, tests/changes/test_every_kind.py how it ends.
"""

import json
import re
import socket
from collections.abc import Iterator
from typing import Final

import pytest
from tests.cli.conftest import KEY, Run, Service, run_at
from tests.doubles.faults import FAULTS
from tests.doubles.faulty_proxy import Proxy, proxy_to
from tests.doubles.slices import cross

NOUNS: Final = {"flags": "feature_flags", "experiments": "experiments", "events": "event_definitions"}
CUT_OFF: Final = ("no answer", "reset", "closed")
"""To a port they are one fault: the connection is reset."""


@pytest.fixture
def proxy(service: Service, run: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    with proxy_to(service.address) as proxy:
        monkeypatch.setenv("FLAGTUI_HOST", proxy.address)
        monkeypatch.setenv("FLAGTUI_API_KEY", KEY)
        monkeypatch.setenv("FLAGTUI_PROJECT", "1")
        yield proxy


READS: Final = ("flags list", "flags get new-nav", "experiments get 1", "events get order_completed")
# A port takes every connection, or refuses it: that has a test of its own below.
ON_A_PORT: Final = [name for name, fault in FAULTS.items() if fault.means != "not_reached"]


@pytest.mark.parametrize(("command", "name"), cross(READS, ON_A_PORT))
def test_a_fault_is_told_as_what_it_is(run: Run, proxy: Proxy, command: str, name: str) -> None:
    """Nothing is printed but one line of JSON that says what is wrong; the code does, too."""
    fault = FAULTS[name]
    place = re.compile(rf"/api/projects/\d+/{NOUNS[command.split()[0]]}/([^/]+/)?")
    proxy.fault, proxy.is_meant = fault, lambda method, path: bool(place.fullmatch(path))
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
def test_no_wait_means_no_second_attempt(run: Run, proxy: Proxy, command: str) -> None:
    requests: list[str] = []

    def count(_method: str, path: str) -> bool:
        requests.append(path)
        return True

    proxy.is_meant, proxy.fault = count, FAULTS["429"]
    done = run(*command.split(), "--wait", "0")
    assert (done.code, len(requests)) == (4, 1)
    assert done.err.startswith("flagtui: Too many requests; wait 1 s. Nothing was changed; run again in 1 s.")


def test_doctor_names_the_time_after_which_to_run_again(run: Run, proxy: Proxy) -> None:
    proxy.is_meant, proxy.fault = lambda _method, _path: True, FAULTS["429"]
    findings = {each["subject"]: each for each in json.loads(run("doctor", "--json").out)["records"]}
    assert findings["server"]["state"] == "wrong"
    assert findings["server"]["next"] == "Nothing was changed; run again in 1 s."

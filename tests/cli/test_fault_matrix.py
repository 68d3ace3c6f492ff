"""Every fault against what commands do: they read a list, each kind of record, and change one or several."""

import json
import re
import socket
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

import pytest
from tests.cli.conftest import KEY, Run, Service, run_at
from tests.doubles.faults import DONE_OR_NOT, ENDINGS, FAULTS, SENT_AGAIN
from tests.doubles.faulty_proxy import Proxy, proxy_to
from tests.doubles.slices import cross

from flagtui.api.client import Client

NOUNS: Final = {"flags": "feature_flags", "experiments": "experiments", "events": "event_definitions"}
CODES: Final = {"saved": 0, "conflicted": 4}
"""By ending; what is refused ends as the fault says."""
CUT_OFF: Final = ("no answer", "reset", "closed")
"""To a port they are one fault: the connection is reset."""


def is_a_cell(operation: str, name: str, is_done: bool) -> bool:
    """Whether this can be tried on a port of this machine, in a moment."""
    means = FAULTS[name].means
    if means == "not_reached":
        # Here a port takes every connection, or refuses it: that has a test of its own below.
        return False
    if "change" not in operation:
        return not is_done
    # What is lost before the server acts is watched for a minute: test_change_reports.py has a clock.
    return is_done or means != "lost"


@pytest.fixture
def proxy(service: Service, run: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    with proxy_to(service.address) as proxy:
        monkeypatch.setenv("FLAGTUI_HOST", proxy.address)
        monkeypatch.setenv("FLAGTUI_API_KEY", KEY)
        monkeypatch.setenv("FLAGTUI_PROJECT", "1")
        yield proxy


def read(run: Run, proxy: Proxy, _service: Service, name: str, _is_done: bool, *, command: str) -> None:
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


def change(run: Run, proxy: Proxy, service: Service, name: str, is_done: bool, *, count: int) -> None:
    """What is printed is what the server did, which is asked once."""
    fault = FAULTS[name]
    keys = [f"{name}-{is_done}-{count}-{number}".replace(" ", "-") for number in range(count)]

    async def make(client: Client) -> None:
        for key in keys:
            await client.flags.create({"key": key, "active": True})

    async def read_states(client: Client) -> list[bool]:
        return [flag.active for key in keys if (flag := await client.flags.find(key)) is not None]

    service.ask(make)
    proxy.fault, proxy.is_done = fault, is_done
    proxy.is_meant = lambda method, path: method == "PATCH"
    done = run("flags", "disable", *keys, "--yes", "--json")
    if name == "429":
        assert "too many requests; nothing was changed" in done.out
        assert '"Run again in 1 s."' in done.out
    ending = ENDINGS[fault.means, is_done]
    endings = {record["ending"] for record in json.loads(done.out)["records"]}
    assert ending in endings
    assert endings <= {ending, "not_sent"}
    assert done.code == CODES.get(ending, fault.code)
    assert service.ask(read_states) == [not is_done] * count
    assert len(proxy.writes) == len(set(proxy.writes)) or name in SENT_AGAIN


OPERATIONS: Final[Mapping[str, Callable[[Run, Proxy, Service, str, bool], None]]] = {
    "list": partial(read, command="flags list"),
    "flag": partial(read, command="flags get new-nav"),
    "experiment": partial(read, command="experiments get 1"),
    "event": partial(read, command="events get order_completed"),
    "one change": partial(change, count=1),
    "several changes": partial(change, count=2),
}


@pytest.mark.parametrize(
    ("operation", "name", "is_done"),
    [
        (operation, name, is_done)
        for operation, (name, is_done) in cross(OPERATIONS, DONE_OR_NOT)
        if is_a_cell(operation, name, is_done)
    ],
)
def test_a_fault_is_told_as_what_it_is(
    run: Run, proxy: Proxy, service: Service, operation: str, name: str, is_done: bool
) -> None:
    OPERATIONS[operation](run, proxy, service, name, is_done)


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

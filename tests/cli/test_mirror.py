"""`flagtui mirror`: the server in a separate process, and the commands that change its overrides."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from tests.cli.conftest import FLAGTUI, KEY, Run, Service, run_at, server_variables
from tests.doubles import warm_start
from tests.doubles.expected import require
from tests.doubles.faulty_service import FaultyService, serve
from tests.doubles.terminal import usual_environment

from flagtui.config.locations import find_locations
from flagtui.mirror.endpoints import MirrorEndpoints
from flagtui.mirror.mirror import Mirror
from flagtui.mirror.mirrored_flags import MirroredFlags
from flagtui.mirror.running_mirrors import announce, find_mirrors
from flagtui.mirror.upstream import FileUpstream
from flagtui.service.sdk.sdk_application import make_sdk_application
from flagtui.service.server import Place, serving_in_thread

SECRET = "of-the-test"
FLAGS = [{"id": 1, "key": "new-nav", "active": False, "filters": {"groups": []}}]


@pytest.fixture(autouse=True)
def _written(home: Path) -> None:
    (home / "flags.json").write_text(json.dumps(FLAGS))


@contextmanager
def mirroring(home: Path, *words: str) -> Iterator[tuple[int, IO[str]]]:
    """Start a mirror and yield its port and its messages; then end it and check that it ends well."""
    environment = {**usual_environment(), **os.environ, "HOME": str(home)}
    (out, to_out), (err, to_err) = os.pipe(), os.pipe()
    with Path(os.devnull).open() as nothing, os.fdopen(out) as output, os.fdopen(err) as warned:
        command = [*FLAGTUI, "mirror", *words]
        process = warm_start.start(command, environment, nothing.fileno(), to_out, to_err, home)
        for stream in (to_out, to_err):
            os.close(stream)
        line = output.readline()
        # The address of the upstream may come before.
        match = re.search(r" on http://127\.0\.0\.1:(\d+) ", line)
        assert match is not None, line + warned.read()
        try:
            yield int(match[1]), warned
        finally:
            os.kill(process.pid, signal.SIGTERM)
            assert process.wait(20) == 0


@contextmanager
def running_mirror(home: Path) -> Iterator[int]:
    """Serve a mirror in this process, where its commands find it."""
    mirror = Mirror(FileUpstream(home / "flags.json"), MirroredFlags(), print)
    asyncio.run(mirror.start())
    application = make_sdk_application(mirror.flags, MirrorEndpoints(mirror, SECRET).table(), mirror.running)
    with serving_in_thread(application, Place(port=0)) as port, announce(find_locations(), port, SECRET):
        yield port


@pytest.fixture
def mirror(home: Path) -> Iterator[int]:
    with running_mirror(home) as port:
        yield port


def value_of(port: int, key: str, person: str = "ann") -> object:
    body = json.dumps({"context": {"targetingKey": person}}).encode()
    url = f"http://127.0.0.1:{port}/ofrep/v1/evaluate/flags/{key}"
    with urlopen(Request(url, body, {"Content-Type": "application/json"})) as response:
        return json.load(response).get("value")


def test_overrides_of_the_only_running_mirror_change(run: Run, mirror: int) -> None:
    assert value_of(mirror, "new-nav") is None
    done = run("mirror", "set", "new-nav=on", "checkout=test@ann")
    assert (done.code, done.out) == (0, "set new-nav=on\nset checkout=test@ann\n")
    assert done.err == "checkout is no flag of the project; it exists on this machine alone\n"
    assert value_of(mirror, "new-nav") is True
    assert value_of(mirror, "checkout") == "test"
    assert run("mirror", "set", "new-nav=tset").err == (
        "new-nav has no variant tset in the project; the mirror serves it all the same\n"
    )
    assert value_of(mirror, "new-nav") == "tset"
    assert run("mirror", "set", "new-nav=on").err == ""
    listed = run("mirror", "list", "--json").records
    expected = [("new-nav", "on", ""), ("checkout", "test", "ann")]
    assert [(each["key"], each["value"], each["user"]) for each in listed] == expected
    assert "flags.json, definitions read just now" in run("mirror", "list").err
    assert run("mirror", "unset", "checkout@ann").out == "unset checkout@ann\n"
    missing = run("mirror", "unset", "checkout@ann")
    assert (missing.code, "was not set" in missing.err) == (3, True)
    assert run("mirror", "clear").out == "removed 1 override\n"
    assert value_of(mirror, "new-nav") is None


def test_one_place_with_two_values_changes_nothing(run: Run, mirror: int, home: Path) -> None:
    for words in (("new-nav=on", "new-nav=off"), ("a=on@ann", "b=on", "a=x@ann")):
        done = run("mirror", "set", *words)
        assert (done.code, done.out, "has two values" in done.err) == (2, "", True)
    assert run("mirror", "set", "new-nav=on", "new-nav=on", "new-nav=off@bob").code == 0
    assert run("mirror", "clear").out == "removed 2 overrides\n"


def test_requested_keys_without_a_flag_are_listed(run: Run, mirror: int) -> None:
    assert value_of(mirror, "new-nav") is None
    for key in (*(f"gone-{number}" for number in range(11)), "gone-3"):
        with pytest.raises(HTTPError, match="404"):
            value_of(mirror, key)
    err = run("mirror", "list").err
    assert "requested, but there is no such flag: gone-3 (2 times), gone-0 (1 time), " in err
    assert err.rstrip().endswith(", 1 more")
    assert "new-nav" not in err


def test_two_mirrors_need_a_port(run: Run, mirror: int, home: Path) -> None:
    with running_mirror(home) as other:
        done = run("mirror", "set", "new-nav=on")
        assert done.code == 2
        assert "Several mirrors run" in done.err
        assert run("mirror", "set", "new-nav=on", "--port", str(other)).code == 0
        unset = run("mirror", "unset", "checkout", "--port", str(other))
        assert unset.err.endswith(f"See: flagtui mirror list --port {other}\n")
        assert (value_of(mirror, "new-nav"), value_of(other, "new-nav")) == (None, True)
    assert run("mirror", "list").code == 0


def test_command_without_a_running_mirror_is_one_line(run: Run, home: Path) -> None:
    for words in (("list",), ("set", "a=on"), ("unset", "a"), ("clear",), ("list", "--port", "9")):
        done = run("mirror", *words)
        assert done.code == 6
        assert re.fullmatch(
            r"flagtui: No mirror of yours (is running|runs on port 9)\. Start one with: .*\n", done.err
        )


def test_saved_overrides_are_served_to_pages_of_an_origin(run: Run, home: Path) -> None:
    (home / "overrides.toml").write_text("[everyone]\nnew-nav = true\n")
    options = ("--from", "flags.json", "--overrides", "overrides.toml", "--record", "record.ndjson")
    origin = ("--allow-origin", "https://Acme.test:443/")
    with mirroring(home, *options, *origin, "--override", "checkout=test", "--port", "0") as (port, _):
        page = {"Origin": "https://acme.test"}
        with urlopen(Request(f"http://127.0.0.1:{port}/flags/definitions", headers=page)) as response:
            assert response.headers["access-control-allow-origin"] == "https://acme.test"
        assert (value_of(port, "new-nav"), value_of(port, "checkout")) == (True, "test")
        done = run("mirror", "unset", "new-nav")
        assert (done.code, "overrides.toml; remove it there" in done.err) == (3, True)
        expected = ["removed 1 override", "1 override of overrides.toml stays"]
        assert run("mirror", "clear").out.splitlines() == expected
    lines = [json.loads(line) for line in (home / "record.ndjson").read_text().splitlines()]
    overridden = [("new-nav", True, "override"), ("checkout", "test", "override")]
    assert [(each["key"], each["value"], each["reason"]) for each in lines] == overridden


@pytest.mark.parametrize(("words", "code", "message"), [
    (("--sample", "--from", "flags.json"), 2, "--from and --sample contradict each other"),
    (("--from", "flags.json", "--override", "new-nav"), 2, "has no value"),
    (("--from", "flags.json", "--allow-origin", "localhost"), 2, "is no origin"),
    (("--from", "bad.json", "--allow-origin", "http://["), 2, "is no origin"),
    (("--from", "bad.json", "--allow-origin", "http://localhost:70000"), 2, "is no origin"),
    (("--from", "bad.json", "--allow-origin", "https://app.acme.test"), 1, "bad.json is not JSON."),
    (("--from", "bad.json"), 1, "bad.json is not JSON. Write them with: flagtui flags definitions"),
    ((), 5, "no API key and no profile"),
])  # fmt: skip
def test_start_that_fails_is_one_line(
    run: Run, home: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    (home / "bad.json").write_text("{")
    done = run("mirror", *words)
    assert (done.code, message in done.err, done.err.count("\n")) == (code, True, 1), done


@pytest.mark.parametrize(("words", "key", "code"), [((), "phx_wrong", 5), (("--project", "99"), KEY, 6)])
def test_start_ends_with_the_code_of_the_response(
    service: Service, run: Run, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], key: str, code: int
) -> None:
    done = run_at(service.address, run, monkeypatch, key)("mirror", "--port", "0", *words)
    assert (done.code, done.err.count("\n")) == (code, 1)


def test_port_in_use_is_one_line(run: Run) -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        done = run("mirror", "--from", "flags.json", "--port", str(holder.getsockname()[1]))
    assert done.code == 1
    assert re.fullmatch(r"flagtui: Port \d+ of 127\.0\.0\.1 is in use\..*--port\.\n", done.err)


def test_profile_is_only_read_and_served_again_without_a_connection(
    service: Service, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(counting := FaultyService(service.application)) as address:
        for name, value in server_variables(address).items():
            monkeypatch.setenv(name, value)
        with mirroring(home, "--port", "0") as (port, _):
            key = flag_keys(port)[0]
        assert counting.writes == []
        assert sum("local_evaluation" in request for request in counting.requests) == 1
    monkeypatch.setenv("FLAGTUI_API_KEY", KEY)
    with mirroring(home, "--port", "0") as (port, warned):
        assert key in flag_keys(port)
        line = warned.readline()
    assert line.startswith("upstream: ")
    assert line.endswith(" Serving the definitions read just now.\n")


def test_definitions_that_the_command_prints_are_served(service: Service, home: Path, online: Run) -> None:
    done = online("flags", "definitions", "--json")
    (home / "definitions.json").write_text(done.out)
    upstream = FileUpstream(home / "definitions.json")
    document = asyncio.run(upstream.fetch())
    headers = {"Authorization": f"Bearer {KEY}"}
    url = f"{service.address}/api/projects/1/feature_flags/local_evaluation?send_cohorts"
    with urlopen(Request(url, headers=headers)) as response:
        served = json.load(response)
    assert document is not None
    for name in ("flags", "cohorts", "group_type_mapping"):
        assert document[name] == served[name]


def flag_keys(port: int) -> list[str]:
    with urlopen(f"http://127.0.0.1:{port}/flags/definitions") as response:
        return [flag["key"] for flag in json.load(response)["flags"]]


ENDED_AT_ITS_FIRST_LINE = """
import io, os, signal, sys
stop = signal.Signals[sys.argv.pop()]

class Output(io.StringIO):
    def write(self, text):
        os.kill(os.getpid(), stop)
        return len(text)

sys.stdout = Output()
from flagtui.cli.main import main
main()
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
@pytest.mark.parametrize("words", [("mirror", "--from", "flags.json"), ("serve", "--db", "new.db")])
def test_signal_right_before_serving_ends_it_cleanly(home: Path, words: tuple[str, ...], name: str) -> None:
    command = [sys.executable, "-c", ENDED_AT_ITS_FIRST_LINE, *words, "--port", "0", name]
    done = subprocess.run(command, cwd=home, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert list(home.rglob("mirrors/*.json")) == []


def test_sample_needs_no_account_and_warns_of_overrides(run: Run, home: Path) -> None:
    with mirroring(home, "--sample", "--override", "new-nav=on", "--port", "0") as (port, _):
        assert value_of(port, "new-nav") is True
    given = ("--override", "new-nvv=on", "--override", "checkout-redesign=nope")
    with mirroring(home, "--sample", "--port", "0", *given) as (port, warned):
        lines = warned.readline(), warned.readline()
        assert (run("mirror", "list", "--port", str(port)).code, bool(flag_keys(port))) == (0, True)
        assert warned.readline().startswith("GET /flags/definitions 200 "), "its state is read unlogged"
    assert lines[0] == "new-nvv is no flag of the project; it exists on this machine alone\n"
    assert lines[1].startswith("checkout-redesign has no variant nope in the project")


def test_mirror_that_cannot_be_announced_does_not_start(run: Run, home: Path) -> None:
    state = require(find_locations().state)
    state.mkdir(parents=True)
    (state / "mirrors").touch()
    done = run("mirror", "--sample", "--port", "0")
    assert (done.code, done.out) == (1, "")
    assert f"{state / 'mirrors'} cannot be made" in done.err
    assert f"{state / 'mirrors'} cannot be read: Not a directory" in run("mirror", "list").err


def test_ending_mirror_leaves_the_file_of_a_newer_one(home: Path) -> None:
    places = find_locations()
    with announce(places, 8020, "older"):
        newer = announce(places, 8020, "newer")
        newer.__enter__()
    assert [mirror.secret for mirror in find_mirrors(places)] == ["newer"]
    newer.__exit__(None, None, None)
    assert find_mirrors(places) == []
    impossible = {"port": 8020, "secret": "", "pid": 10**20}
    (require(places.state) / "mirrors" / "8020.json").write_text(json.dumps(impossible))
    assert find_mirrors(places) == []

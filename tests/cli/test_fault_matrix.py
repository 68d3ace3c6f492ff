"""Every fault while commands read a list and each kind of record, and its one form of JSON for programs.

test_every_write.py holds what a change reports, tests/changes/test_every_kind.py how it ends.
"""

import json
import os
import shlex
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from tests.cli.conftest import KEY, Done, Run, Service, reachable, require_done, run_at, server_variables
from tests.doubles.command_tree import all_commands
from tests.doubles.faults import FAULTS
from tests.doubles.faulty_service import FaultyService, serve
from tests.doubles.slices import cross
from tests.doubles.writing_commands import QUERY

from flagtui.api.errors import ListTooLong
from flagtui.api.request_log import LogLine, log_to
from flagtui.cli.plumbing.errors import EXIT_CODES, in_words

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
def test_a_fault_is_reported_as_what_it_is(run: Run, line: FaultyService, command: str, name: str) -> None:
    """Nothing is printed but one line of JSON that says what is wrong; the code does, too."""
    fault = FAULTS[name]
    line.fail(fault, rf"GET /api/projects/\d+/{NOUNS[command.split()[0]]}/([^/]+/)?$")
    done = run(*command.split(), "--json")
    error = done.error
    message = "broke before the whole" if name in CUT_OFF else fault.words
    assert (done.code, done.out) == (fault.code, "")
    assert message in error["message"]
    assert error["fix"]
    assert KEY not in done.err


@pytest.mark.parametrize("command", ["flags list", "flags get new-nav", "flags disable new-nav --yes"])
def test_an_address_that_nothing_listens_on_is_named(
    run: Run, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
    done = run_at(address, run, monkeypatch)(*command.split(), "--json")
    error = done.error
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
    findings = {each["subject"]: each for each in run("doctor", "--json").records}
    assert findings["server"]["state"] == "wrong"
    assert findings["server"]["next"] == "Nothing was changed; run again in 1 s."


@pytest.mark.parametrize("path", [
    "feature_flags/?limit=1&search=new-nav",
    "/api/projects/{project}/feature_flags/?limit=1&search=new-nav",
    "HOST/api/projects/1/feature_flags/?limit=1&search=new-nav",
])  # fmt: skip
def test_api_prints_the_json_of_an_address(signed_in: Run, service: Service, path: str) -> None:
    done = require_done(signed_in("api", path.replace("HOST", service.address)))
    assert [flag["key"] for flag in json.loads(done.out)["results"]] == ["new-nav"]


def test_api_posts_only_what_changes_nothing_and_names_absences(signed_in: Run) -> None:
    refused = signed_in("api", "feature_flags/", "--data", "-", stdin='{"key": "new"}')
    assert (refused.code, "change nothing" in refused.err) == (3, True)
    require_done(signed_in("api", "feature_flags/bulk_keys/", "--data", "-", stdin='{"ids": [842]}'))
    for wrong in ("{", '{"ids": [NaN]}'):
        assert signed_in("api", "feature_flags/bulk_keys/", "--data", "-", stdin=wrong).code == 2
    assert signed_in("api", "feature_flags/99999/").code == 6
    assert signed_in("api", "no_such/").err.startswith("flagtui: /api/projects/1/no_such/: ")


@pytest.fixture
def run_here(monkeypatch: pytest.MonkeyPatch, online: Run) -> Run:
    monkeypatch.setenv("FLAGTUI_LOG", "")
    return online


def test_every_request_is_a_line_without_the_key(run_here: Run, tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    assert run_here("--log", str(path), "projects").code == 0
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert any(line["path"] == "/api/projects/" and line["status"] == 200 for line in lines)
    assert path.stat().st_mode & 0o777 == 0o600
    assert KEY not in path.read_text()


def test_a_log_that_cannot_be_written_is_one_sentence(run_here: Run, tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere" / "x", "~no_such_user/x"):
        done = run_here("--log", str(path), "projects")
        assert (done.code, "cannot be written" in done.err, done.err.count("\n")) == (1, True, 1)


def test_log_changes_the_mode_of_a_file_only(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe, 0o644)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    before = pipe.stat().st_mode
    log_to(pipe)(LogLine("GET", "/"))
    assert os.read(reader, 1_000).startswith(b'{"method": "GET"')
    assert pipe.stat().st_mode == before
    os.close(reader)


ANSWERS: Final[dict[str, tuple[int, str, bool]]] = {
    "401": (5, "sign_in", False),
    "403": (5, "sign_in", False),
    "500": (1, "failed", True),
    "302": (1, "failed", False),
    "no json": (1, "failed", False),
}
"""What a server does to every request, how the command ends, and whether it may work later."""
OFFLINE: Final = (
    *("proposals", "watch", "journal", "profiles", "commands", "keys", "serve", "mirror", "demo"),
    *("pick", "doctor"),
)
SHOWN: Final = (("auth status", "403"),)
"""A key without these permissions is valid: what it may do is shown."""
ONLINE: Final = [
    name for name, each in all_commands().items() if each.kind and name.split()[0] not in OFFLINE
]
ASKING: Final = [name for name in ONLINE if name.split()[0] not in ("undo", "redo", "staged", "apply")]
"""Without a change of one's own, or a staged one, these need not ask."""
WRONG: Final = (("--nonsense",), ("--fields", "nonsense"), ("--profile", "nonsense"))
"""What can be wrong on every line."""


class Refusing:
    """A server that answers every request in the same way."""

    answer = "500"

    async def __call__(self, _scope: Any, _receive: Any, send: Any) -> None:
        status = int(self.answer) if self.answer.isdigit() else 200
        headers = [(b"content-type", b"application/json")]
        headers += [(b"location", b"https://elsewhere.example/")] if status == 302 else []
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send(
            {"type": "http.response.body", "body": b"<html>" if status == 200 else b'{"detail": "No."}'}
        )


@pytest.fixture(scope="module")
def refusing() -> Iterator[tuple[Refusing, str]]:
    service = Refusing()
    with reachable(service) as address:
        yield service, address


def error_of(done: Done) -> dict[str, Any]:
    """The one line of standard error, which is all that was said."""
    assert done.out == ""
    error: dict[str, Any] = done.error
    assert error.keys() == {"code", "message", "fix", "retryable"}
    assert error["message"]
    assert done.code == EXIT_CODES[error["code"]]
    return error


def words_of(name: str) -> list[str]:
    """An example of the command that prints JSON."""
    words = shlex.split(all_commands()[name].examples[0].partition(" < ")[0])
    if name == "experiments create-metric":
        words = [*name.split(), "Runs", "--query", json.dumps(QUERY)]
    elif "--from" in words:
        words = [*name.split(), "checkout-redesign", "--field", "name=x"]
    words = [word for word in words if word not in ("--ndjson", "--json", "--dry-run")]
    return [*words, "--json", *(["--yes"] if all_commands()[name].writes and "--yes" not in words else [])]


@pytest.mark.parametrize(("name", "answer"), cross(ASKING, ANSWERS))
def test_server_faults_have_one_form_of_json_error(
    name: str, answer: str, run: Run, refusing: tuple[Refusing, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    service, address = refusing
    service.answer = answer
    code, what, may_work_later = ANSWERS[answer]
    done = run_at(address, run, monkeypatch)(*words_of(name))
    if (name, answer) in SHOWN:
        assert (done.code, done.err) == (0, "")
        return
    if (name, answer) == ("events types", "500"):
        # So do old servers respond that lack the operation; a retry does not help.
        may_work_later = False
    error = error_of(done)
    # Some servers answer 500 to an operation that they do not know.
    may_work_later = may_work_later and name != "events types"
    assert (done.code, error["code"], error["retryable"]) == (code, what, may_work_later), (error, name)


@pytest.mark.parametrize("name", ONLINE)
def test_without_a_key_the_way_to_one_is_the_fix(name: str, run: Run) -> None:
    error = error_of(run(*words_of(name)))
    assert error["code"] == "sign_in"
    assert "flagtui auth login" in error["fix"]


@pytest.mark.parametrize(("name", "wrong"), cross(ONLINE, WRONG))
def test_usage_errors_have_the_same_json_form(
    name: str, wrong: tuple[str, ...], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLAGTUI_API_KEY", KEY)
    error = error_of(run(*words_of(name), *wrong))
    assert (error["code"], error["retryable"]) == ("usage", False)


def test_list_that_is_too_long_fails_permanently() -> None:
    trouble = in_words(ListTooLong("Reading stopped at 200,000 rows; the server has more of the list."))
    assert (trouble.exit_code, trouble.retryable) == (1, False)
    assert "200,000 rows" in str(trouble)
    assert "filter" in str(trouble)

"""Every command tells every kind of failure to programs in the same form, with the exit code of its kind."""

import json
import shlex
from collections.abc import Iterator
from typing import Any, Final

import pytest
from tests.cli.conftest import KEY, Done, Run, reachable, run_at
from tests.doubles.command_tree import all_commands
from tests.doubles.slices import cross
from tests.doubles.writing_commands import QUERY

from flagtui.api.errors import ListTooLong
from flagtui.cli.plumbing.errors import EXIT_CODES, in_words

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
    if name == "experiments restore":
        # It reads nothing before it writes: how the change ended is its output.
        is_unknown = answer in ("500", "no json")
        expected = (4 if is_unknown else code, False)
        assert (done.code, done.records[0]["ending"] == "saved") == expected
        return
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

"""How commands end: a code that says why, and for programs the same as JSON."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Run, Service
from tests.cli.processes import run_shell

from flagtui.api import errors
from flagtui.cli.plumbing.errors import EXIT_CODES, EXIT_WORDS, Trouble, code_of, in_words


def test_refused_values_of_a_key_are_usage_errors(run: Run, service: Service) -> None:
    make = ("keys", "create", "--db", str(service.database))
    for option, value in (("--scope", "flags:read"), ("--project", "99"), ("--owner", "other@acme.com")):
        done = run(*make, option, value)
        assert (done.code, done.out) == (2, "")
        assert value in done.err


def test_interrupt_while_the_program_is_loaded_is_no_traceback() -> None:
    code = """
import sys
class Interrupt:
    def find_spec(self, name, *_):
        if name == "flagtui.cli.main":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
from flagtui.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "\nflagtui: stopped; nothing was changed.\n"


@pytest.mark.parametrize(("word", "ending"), [("alone", []), ("thread", ["worked", "taken apart"])])
def test_process_ends_when_its_threads_and_handlers_did(word: str, ending: list[str]) -> None:
    """Its objects are taken apart only where a thread was at work: that takes longer than a short command."""
    code = """
import atexit, sys, threading
from flagtui.cli import run_program
class Held:
    def __del__(self):
        print("taken apart")
held = Held()
def work():
    threading.main_thread().join()
    print("worked")
atexit.register(print, "handled")
if sys.argv[1] == "thread":
    threading.Thread(target=work).start()
sys.argv[1:] = ["flags", "list", "--no-such-option"]
run_program()
"""
    done = subprocess.run([sys.executable, "-c", code, word], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert sorted(done.stdout.split("\n")) == sorted(["", "handled", *ending])
    assert "no-such-option" in done.stderr


def test_ignored_ends_are_known_and_slow_output_is_complete() -> None:
    """The caller decides both: Python drops what has no room in an output that does not wait."""
    code = """
import os, signal, subprocess, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.set_blocking(1, False)
from flagtui.cli import main
sys.argv[1:] = ["--version"]
try:
    main()
except SystemExit:
    print(subprocess.run([sys.executable, "-c", "raise SystemExit(3)"]).returncode, os.get_blocking(1))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[1:] == ["3 True"]


@pytest.mark.parametrize(
    ("error", "code", "retryable"),
    [
        (errors.NotSignedIn("401"), 5, False),
        (errors.MissingScope("403"), 5, False),
        (errors.NotFound("404"), 6, False),
        (errors.EndpointNotFound("404"), 1, False),
        (errors.Conflict("409"), 4, False),
        (errors.ApprovalNeeded("409"), 4, False),
        (errors.BadHost("?"), 2, False),
        (errors.Invalid("400"), 1, False),
        (errors.RateLimited("429"), 4, True),
        (errors.ServerFault("500"), 1, True),
        (errors.NameNotFound("?"), 1, True),
        (errors.TlsFailed("?"), 1, False),
    ],
)
def test_what_a_server_says_becomes_a_code(error: errors.ApiError, code: int, retryable: bool) -> None:
    trouble = in_words(error)
    assert (EXIT_CODES[code_of(error)], trouble.exit_code, trouble.retryable) == (code, code, retryable)


def test_codes_have_words_and_limits_a_time() -> None:
    assert set(EXIT_CODES.values()) | {0, 129, 130, 141, 143} == EXIT_WORDS.keys()
    assert json.loads(Trouble("\x1b[2J é").as_json())["error"]["message"] == "\x1b[2J é"
    assert "\x1b" not in Trouble("\x1b[2J é").as_json() + str(Trouble("\x1b[2J"))
    limited = errors.RateLimited("Too many requests.", facts=errors.ErrorFacts(status=429, retry_after=3.0))
    assert in_words(limited).fix == "Nothing was changed; run again in 3 s."


HOSTILE = {
    "full disk": ("{program} journal --json --limit 1 > /dev/full", 1, "No space left on device"),
    "closed pipe": ("{program} doctor --offline --json | true; exit ${{PIPESTATUS[0]}}", 141, ""),
    "closed output": ("{program} doctor --offline >&-", 1, "the output ended early: Bad file descriptor"),
    "help to closed output": ("{program} --help >&-", 1, "the output ended early: Bad file descriptor"),
    "help to a full disk": ("{program} --help > /dev/full", 1, "No space left on device"),
    "help to a closed pipe": ("{program} --help | true; exit ${{PIPESTATUS[0]}}", 141, ""),
    "closed input and messages": ("{program} --version <&- 2>&- > /dev/null", 0, ""),
    "closed messages": ("{program} nonsense 2>&-", 2, ""),
    "ascii": ("LC_ALL=C PYTHONUTF8=0 PYTHONIOENCODING=ascii {program} profiles", 0, ""),
}


@pytest.mark.parametrize(("line", "code", "message"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_machine_gets_a_word_and_a_code(line: str, code: int, message: str, tmp_path: Path) -> None:
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": ":".join(sys.path)}
    program = f"{sys.executable} -m flagtui"
    done = run_shell(line.format(program=program), environment, tmp_path, shell="bash")
    assert done.code == code, done.err
    # Without a message, nothing is printed: no traceback, and no exception that Python ignored.
    assert (message in done.err, done.err.count("\n")) == (True, bool(message))

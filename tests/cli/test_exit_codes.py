"""How commands end: a code and a sentence that names the reason, and for programs the same as JSON."""

import gc
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import click
import pytest
from tests.cli.conftest import Run, Service
from tests.cli.processes import run_apart, run_shell
from tests.doubles.command_tree import all_commands
from tests.doubles.slices import one_in

from flagtui.api import errors
from flagtui.cli.launch.app_session import make_session
from flagtui.cli.main import program
from flagtui.cli.plumbing.errors import EXIT_CODES, EXIT_WORDS, Trouble, code_of, in_words
from flagtui.cli.plumbing.profile_choice import ProfileRequest, choose_signed_in, read_login_environment


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


@pytest.mark.parametrize(
    ("word", "ending"), [("alone", []), ("idle", []), ("thread", ["worked", "taken apart"])]
)
def test_process_ends_when_its_threads_and_handlers_did(word: str, ending: list[str]) -> None:
    """Its objects are taken apart only where a thread was at work: that takes longer than a short command."""
    code = """
import atexit, sys, threading
from flagtui.api import heavy_work
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
if sys.argv[1] == "idle":
    heavy_work._THREAD.submit(int).result()
sys.argv[1:] = ["flags", "list", "--no-such-option"]
run_program()
"""
    done = subprocess.run([sys.executable, "-c", code, word], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert sorted(done.stdout.split("\n")) == sorted(["", "handled", *ending])
    assert "no-such-option" in done.stderr


def test_ctrl_c_at_the_end_is_no_traceback() -> None:
    code = """
import os, signal, sys, threading
from flagtui.api import heavy_work
from flagtui.cli import run_program
heavy_work._THREAD.submit(threading.main_thread().join, 5)
shutdown = heavy_work._THREAD.shutdown
heavy_work.end_thread = lambda: (os.kill(os.getpid(), signal.SIGINT), shutdown())
sys.argv[1:] = ["--version"]
run_program()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")


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


@pytest.mark.parametrize(("error", "code", "retryable"), [
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
])  # fmt: skip
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
    "closed pipe": ("exec 3> >(true); wait $!; {program} doctor --offline --json >&3", 141, ""),
    "closed output": ("{program} doctor --offline >&-", 1, "the output ended early: Bad file descriptor"),
    "help to closed output": ("{program} --help >&-", 1, "the output ended early: Bad file descriptor"),
    "help to a full disk": ("{program} --help > /dev/full", 1, "No space left on device"),
    "help to a closed pipe": ("exec 3> >(true); wait $!; {program} --help >&3", 141, ""),
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


@pytest.mark.parametrize("command", [(), ("demo",)])
def test_without_a_terminal_one_sentence_and_code_two(command: tuple[str, ...], tmp_path: Path) -> None:
    done = run_apart(*command, folder=tmp_path)
    assert done.code == 2
    assert done.out == ""
    needed = "its input, and the standard error on which it draws, must be a terminal."
    assert done.err.startswith(f"flagtui: this opens a screen: {needed}")
    assert done.err.count("\n") == 1


def test_a_port_in_use_is_named_before_anything_is_written(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run_apart("serve", "--port", str(port), "--db", "x.db", "--key", "phx_k", folder=tmp_path)
    assert done.code == 1
    assert f"Port {port} of 127.0.0.1 is in use" in done.err
    assert not (tmp_path / "x.db").exists()


def test_a_file_that_is_no_database_is_left_alone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.db").write_text("my notes\n" * 100)
    done = run("serve", "--port", "0", "--db", f"{tmp_path / 'notes.db'}", "--key", "phx_k")
    # A port that was left open warns now, and a warning fails this test.
    gc.collect()
    assert done.code == 1
    assert "notes.db is not a database of this service" in done.err
    assert (tmp_path / "notes.db").read_text() == "my notes\n" * 100


KEY = {"FLAGTUI_API_KEY": "phx_12345678"}


@pytest.mark.parametrize(("environment", "sentence"), [
    pytest.param({}, "there is no API key and no profile.*flagtui auth login", id="nothing"),
    pytest.param(KEY | {"FLAGTUI_HOST": "http://x.example.com"}, "without encryption", id="plain http"),
    pytest.param(KEY | {"FLAGTUI_HOST": "ftp://x"}, "ftp is not a way", id="scheme"),
    pytest.param(KEY | {"FLAGTUI_PROFILE": "prod"}, "There is no profile prod", id="profile"),
    pytest.param(KEY | {"FLAGTUI_PROJECT": "web"}, "by its id, not by its name: web", id="project"),
])  # fmt: skip
@pytest.mark.usefixtures("home")
def test_invalid_environment_is_reported_before_a_screen_opens(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], sentence: str
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(Trouble, match=sentence):
        make_session(choose_signed_in(read_login_environment(), ProfileRequest()), read_only=False)


def test_read_only_app_opens_without_a_folder_for_the_journal(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLAGTUI_API_KEY", "phx_12345678")
    opening = choose_signed_in(read_login_environment(), ProfileRequest())
    state = opening.environment.places.state
    assert state is not None
    state.parent.mkdir(parents=True, exist_ok=True)
    state.touch()
    with pytest.raises(Trouble, match="or set HOME to a folder that is") as refused:
        opening.state_to_open(read_only=False)
    assert refused.value.fix == "To look without changing anything: flagtui --read-only"
    assert opening.state_to_open(read_only=True) == state


def test_change_goes_without_a_journal_that_has_no_folder(
    online: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/dev/null/none")
    refused = online("flags", "disable", "new-nav", "--yes")
    assert (refused.code, refused.out) == (3, "")
    assert "the journal cannot be written: /dev/null/none/" in refused.err
    assert refused.err.endswith("Not a directory; confirm to continue without it; nothing was sent. "
                                "To agree: --yes --without-journal\n")  # fmt: skip
    done = online("flags", "disable", "new-nav", "--yes", "--without-journal", "--json")
    assert (done.code, done.records[0]["ending"]) == (0, "saved")
    assert online("staged", "list").code == 0
    staged = online("flags", "enable", "new-nav", "--stage")
    assert (staged.code, "cannot be used for change sets: Not a directory" in staged.err) == (1, True)


@pytest.mark.usefixtures("home")
def test_the_key_leaves_the_environment_before_anything_else_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAGTUI_API_KEY", "phx_12345678")
    opening = choose_signed_in(read_login_environment(), ProfileRequest())
    assert "FLAGTUI_API_KEY" not in os.environ
    assert "phx_12345678" not in repr(opening)
    assert "phx_12345678" not in repr(opening.keys.find(opening.owner))


OPTIONS = [
    ((*name.split(), option.opts[0]), option)
    for name, command in all_commands().items()
    for option in command.params
    if isinstance(option, click.Option)
]
"""Every option of every command, behind the words that name it."""


def test_option_without_value_points_to_the_command_help() -> None:
    pointed: dict[tuple[str, ...], str] = {}
    valued = [words for words, option in OPTIONS if not (option.is_flag or option.count)]
    for words in [("serve", "--port"), ("auth", "login", "--host"), *one_in(6, valued)]:
        with pytest.raises(click.UsageError) as wrong:
            program.main([*words], prog_name="flagtui", standalone_mode=False)
        pointed[words] = wrong.value.ctx.command_path if wrong.value.ctx else ""
    assert pointed == {words: " ".join(["flagtui", *words[:-1]]) for words in pointed}


NUMBERS = [words for words, option in OPTIONS if isinstance(option.type, click.FloatRange)]


@pytest.mark.parametrize("words", NUMBERS, ids=" ".join)
def test_what_is_no_number_is_refused(words: tuple[str, ...], run: Run) -> None:
    for given in ("nan", "soon", "inf", "-1"):
        done = run(*words, given)
        assert (done.code, done.err.startswith("flagtui: Invalid value for")) == (2, True), done.err

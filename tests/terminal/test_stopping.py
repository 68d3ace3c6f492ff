"""Stops and signals in a real terminal: it is given back, and nothing is done twice."""

import json
import os
import shlex
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random

import pytest
from tests.doubles.slices import at_most, story
from tests.doubles.terminal import Terminal
from tests.terminal.conftest import Furnish, assert_restored

FLAGTUI = [sys.executable, "-m", "flagtui", "demo"]
CTRL_Z = "\x1a"
BUSY = """
import ctypes, os
from flagtui.app.terminal.terminal_app import TerminalApp

class Busy(TerminalApp):
    def key_b(self):
        # Python handles no signal during this call; by their numbers, the stop would be the last.
        ctypes.PyDLL(None).system(f"kill -TSTP {os.getpid()}; sleep 0.2; kill -CONT {os.getpid()}".encode())
        self.set_timer(0.2, self.exit)

Busy().run()
"""
"""A program that has no time while it is stopped and continued."""


@pytest.fixture
def surroundings(tmp_path: Path, furnish: Furnish) -> dict[str, str]:
    return {**furnish(tmp_path), "FLAGTUI_NO_FIRST_FRAME": "1", "PS1": "shell> ", "ENV": ""}


@story
def test_shell_gets_the_terminal_and_fg_resumes_flagtui(surroundings: dict[str, str]) -> None:
    with Terminal(["sh", "-i"], size=(100, 30), environment=surroundings) as terminal:
        terminal.wait_for("shell>")
        terminal.press(f"sh -c '{shlex.join(FLAGTUI)}; echo it is over'\n", until="synced")
        terminal.press(CTRL_Z, until="Stopped")
        assert terminal.modes_on() <= {"2004"}
        # Whatever has used the terminal meanwhile.
        terminal.screen.reset()
        terminal.press("fg\n")
        terminal.wait_until(lambda: terminal.sent.count(b"\x1b[?1049h") == 2, "the second start")
        terminal.wait_for("synced")
        terminal.press("q")
        terminal.wait_for_bytes(b"it is over\r\n")


def test_without_a_shell_it_goes_on_and_says_so(surroundings: dict[str, str]) -> None:
    with Terminal(FLAGTUI, size=(100, 30), environment=surroundings) as terminal:
        terminal.wait_for("synced")
        terminal.press(CTRL_Z, until="no shell could resume flagtui")
        terminal.signal(signal.SIGSTOP)
        terminal.wait_until_stopped()
        terminal.screen.reset()
        terminal.signal(signal.SIGCONT)
        terminal.wait_for("synced")
        assert terminal.press_to_end("q") == 0


def test_rapid_stops_and_continues_leave_a_responsive_screen(surroundings: dict[str, str]) -> None:
    random = Random(17)
    with Terminal(FLAGTUI, size=(100, 30), environment=surroundings) as terminal:
        terminal.wait_for("synced")
        for _ in range(40):
            terminal.signal(signal.SIGTSTP)
            terminal.wait_for_rest(random.choice((0.0, 0.01, 0.03)))
            terminal.signal(signal.SIGCONT)
            terminal.wait_for_rest(random.choice((0.0, 0.01, 0.03)))
        terminal.press("?", until="Help")
        assert terminal.press_to_end("\x11") == 0
        assert_restored(terminal)


def test_early_stop_that_was_continued_is_over(surroundings: dict[str, str]) -> None:
    with Terminal([sys.executable, "-c", BUSY], environment=surroundings) as terminal:
        terminal.wait_for_bytes(b"\x1b[?1049h")
        assert terminal.press_to_end("b") == 0
        assert terminal.modes_on() == set()


def assert_it_takes_keys(terminal: Terminal) -> None:
    """The palette opens, and ctrl+q leaves.

    A stop drops keys typed before it, and on a busy machine the last one can come after the screen is drawn.
    """
    terminal.press("\x10")
    terminal.wait_for_rest()
    if "Commands" not in terminal.text:
        terminal.press("\x10")
    terminal.wait_for("Commands")
    assert terminal.press_to_end("\x11") == 0
    assert terminal.modes_on() == set()


@pytest.mark.parametrize("seed", range(at_most(1, 20)))
def test_resized_start_with_typing_ends_in_responsive_screen(surroundings: dict[str, str], seed: int) -> None:
    random = Random(seed)
    with Terminal(FLAGTUI, size=(100, 30), environment=surroundings) as terminal:
        terminal.wait_for_bytes(b"\x1b[?1049h")
        for _ in range(60):
            if random.random() < 0.5:
                terminal.resize(random.randint(20, 200), random.randint(3, 60))
            else:
                terminal.press(random.choice(("j", "1", "2", "3", "x", "/", "\x1b", "a")))
            terminal.wait_for_rest(random.choice((0.0, 0.01, 0.03)))
        terminal.resize(100, 30)
        for _ in range(4):
            terminal.press("\x1b")
            terminal.wait_for_rest(0.3)
        assert_it_takes_keys(terminal)


@pytest.mark.parametrize("seed", range(at_most(1, 20)))
def test_stopped_and_continued_start_ends_in_a_responsive_screen(
    surroundings: dict[str, str], seed: int
) -> None:
    random = Random(seed)
    with Terminal(FLAGTUI, size=(100, 30), environment=surroundings) as terminal:
        terminal.wait_for_rest(random.choice((0.0, 0.05, 0.1, 0.2, 0.4)))
        for _ in range(random.choice((1, 5, 20))):
            terminal.signal(signal.SIGTSTP)
            terminal.wait_for_rest(random.choice((0.0, 0.001, 0.01, 0.1)))
            terminal.signal(signal.SIGCONT)
            terminal.wait_for_rest(random.choice((0.0, 0.01, 0.03)))
        terminal.wait_for("synced")
        assert_it_takes_keys(terminal)
        assert terminal.attributes() == terminal.attributes_before


def test_interrupt_ends_only_the_editor(surroundings: dict[str, str], tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nstty sane; echo the editor is open; exec tail -f /dev/null\n")
    editor.chmod(0o755)
    with Terminal(FLAGTUI, size=(100, 30), environment={**surroundings, "EDITOR": str(editor)}) as terminal:
        terminal.wait_for("synced")
        terminal.press("E", until="the editor is open")
        terminal.press("\x03", until="not saved")
        assert terminal.press_to_end("q") == 0


STALLED = [sys.executable, str(Path(__file__).parents[1] / "doubles" / "changed_demo.py"), "stalled", "demo"]
SIZE = (132, 40)
KEY = "export-parquet"
ROUNDS = int(os.environ.get("FLAGTUI_ROUNDS", "0"))
SHORT = ("SIGTERM", "SIGKILL", "lost connection")
"""What every run of the suite tries; each start takes its time."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, furnish: Furnish) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("home")
    answer = {"FLAGTUI_ANSWER_WHEN": str(folder / "answer")}
    return {**furnish(folder), "FLAGTUI_NO_FIRST_FRAME": "1", **answer}


def journal_of(home: dict[str, str]) -> list[dict[str, object]]:
    files = sorted(Path(home["HOME"]).rglob("journal*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def version_of(home: dict[str, str]) -> int:
    """How often the service has changed the flag."""
    [database] = Path(home["HOME"]).rglob("demo.db")
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as db:
        return int(db.execute("SELECT version FROM flags WHERE key = ?", (KEY,)).fetchone()[0])


@contextmanager
def saving(home: dict[str, str], *, is_told: bool = False) -> Iterator[Terminal]:
    """A program whose change is with the server, which does not answer; first it tells of the one before."""
    with Terminal(STALLED, size=SIZE, environment=home) as terminal:
        terminal.wait_for("Left open earlier" if is_told else "synced")
        begun, version = len(journal_of(home)), version_of(home)
        # The search of the start before is there again.
        terminal.press(f"/\x15{KEY}", until="1 of 2")
        terminal.wait_for(r"(?m)^ ⏎ to the list  tab complete .* F1 help$")
        terminal.press("\r", until="space (on|off) ")
        terminal.press(" ", until="Cancel  esc")
        terminal.press("y")
        terminal.wait_until(lambda: len(journal_of(home)) > begun, "the line in the journal")
        terminal.wait_until(lambda: version_of(home) == version + 1, "the change at the service")
        yield terminal


WAYS: dict[str, Callable[[Terminal], None]] = {
    "SIGTERM": lambda terminal: terminal.signal(signal.SIGTERM),
    "SIGINT": lambda terminal: terminal.signal(signal.SIGINT),
    "SIGHUP": lambda terminal: terminal.signal(signal.SIGHUP),
    "lost connection": lambda terminal: terminal.hang_up(),
    "SIGKILL": lambda terminal: terminal.signal(signal.SIGKILL),
}


@story
def test_interrupted_saves_are_resolved_at_next_start_and_never_repeated(home: dict[str, str]) -> None:
    is_told = False
    for way in [*WAYS] * ROUNDS or SHORT:
        with saving(home, is_told=is_told) as terminal:
            before = version_of(home)
            if is_told:
                assert journal_of(home)[-2]["outcome"] == "saved", way
            WAYS[way](terminal)
            terminal.wait_for_end()
            if way not in ("SIGKILL", "lost connection"):
                assert terminal.attributes() == terminal.attributes_before, way
                assert terminal.modes_on() == set(), way
        assert version_of(home) == before, way
        lines = journal_of(home)
        begun = max(place for place, line in enumerate(lines) if line["step"] == "begin")
        assert {line["outcome"] for line in lines[begun + 1 :]} <= {"unknown"}, way
        is_told = True


@story
def test_form_of_a_lost_connection_is_offered_again(surroundings: dict[str, str]) -> None:
    with Terminal(FLAGTUI, size=SIZE, environment=surroundings) as terminal:
        terminal.wait_for("synced")
        terminal.press("e", until="not saved yet|no changes")
        terminal.press("\r", until="accept")
        terminal.press("A long text\r", until="not saved yet")
        WAYS["lost connection"](terminal)
        terminal.wait_for_end()
    with Terminal(FLAGTUI, size=SIZE, environment=surroundings) as terminal:
        terminal.wait_for("synced")
        terminal.press("e", until="restore  just now; description")
        terminal.press("\r", until="A long text")
        terminal.press("\x11", until="the same key again discards it")
        assert terminal.press_to_end("\x11") == 0


def test_stopped_resized_and_interrupted_it_saves_once_and_says_so(home: dict[str, str]) -> None:
    with saving(home) as terminal:
        version = version_of(home)
        terminal.signal(signal.SIGTSTP)
        terminal.wait_until_stopped()
        assert terminal.attributes() == terminal.attributes_before
        terminal.screen.reset()
        terminal.signal(signal.SIGCONT)
        # Only what is drawn anew proves that it has the terminal again, and only then ctrl+c is a key.
        terminal.wait_for(KEY)
        assert terminal.attributes() != terminal.attributes_before
        for step in range(40 + 40 * ROUNDS):
            terminal.resize(50 + step % 80, 12 + step % 28)
        terminal.resize(*SIZE)
        terminal.press("\x03", until=KEY)
        Path(home["FLAGTUI_ANSWER_WHEN"]).touch()
        terminal.wait_for(f"{KEY} is o(n|ff)")
        assert terminal.press_to_end("q") == 0
        assert_restored(terminal)
    assert version_of(home) == version
    assert journal_of(home)[-1]["outcome"] == "saved"

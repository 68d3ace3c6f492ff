"""Disturbed in the middle of a save: the terminal is given back, the journal is true, nothing is done twice.

FLAGTUI_ROUNDS=50 pytest tests/terminal/test_signals_while_saving.py ends it more often.
"""

import json
import os
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.doubles.slices import story
from tests.doubles.terminal import Terminal
from tests.terminal.conftest import Furnish

STALLED = [sys.executable, str(Path(__file__).parents[1] / "doubles" / "stalled_demo.py"), "demo"]
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
        terminal.wait_for("Left open last time" if is_told else "synced")
        begun, version = len(journal_of(home)), version_of(home)
        # The search of the start before is there again.
        terminal.press(f"/\x15{KEY}")
        terminal.wait_for("1 of 2")
        terminal.wait_for(r"(?m)^ ⏎ to the list  tab complete .* F1 help$")
        terminal.press("\r")
        terminal.wait_for("space (on|off) ")
        terminal.press(" ")
        terminal.wait_for("Cancel  esc")
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
        terminal.press("\x03")
        terminal.wait_for(KEY)
        Path(home["FLAGTUI_ANSWER_WHEN"]).touch()
        terminal.wait_for(f"{KEY} is o(n|ff)")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        assert terminal.attributes() == terminal.attributes_before
        assert terminal.modes_on() == set()
    assert version_of(home) == version
    assert journal_of(home)[-1]["outcome"] == "saved"

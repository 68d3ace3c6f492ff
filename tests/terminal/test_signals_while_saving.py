"""Ended in the middle of a save: the terminal is given back, and the next start says what became of it."""

import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.doubles.terminal import Terminal

STALLED = [sys.executable, str(Path(__file__).parents[1] / "doubles" / "stalled_demo.py"), "demo"]
FLAGTUI = [sys.executable, "-m", "flagtui", "demo"]
SIZE = (132, 40)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("home")
    kinds = ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME")
    return {**dict.fromkeys(kinds, str(folder)), "FLAGTUI_NO_FIRST_FRAME": "1"}


def journal_of(home: dict[str, str]) -> list[dict[str, object]]:
    files = sorted(Path(home["HOME"]).rglob("journal*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


WAYS: dict[str, Callable[[Terminal], None]] = {
    "SIGTERM": lambda terminal: terminal.signal(signal.SIGTERM),
    "lost connection": lambda terminal: terminal.hang_up(),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_journal_knows_of_it_and_the_next_start_finds_out(home: dict[str, str], way: str) -> None:
    before = len(journal_of(home))
    with Terminal(STALLED, size=SIZE, environment=home) as terminal:
        terminal.wait_for("synced")
        terminal.press("/export-parquet\r")
        terminal.wait_for("1 of 2")
        terminal.press(" ")
        terminal.wait_for("Cancel  esc")
        terminal.press("y")
        terminal.wait_until(lambda: len(journal_of(home)) > before, "the line in the journal")
        terminal.wait_until(lambda: "Cancel  esc" not in terminal.text, "the change on its way")
        WAYS[way](terminal)
        terminal.wait_for_end()
        if way == "SIGTERM":
            assert terminal.attributes() == terminal.attributes_before
            assert terminal.modes_on() == set()
    lines = journal_of(home)[before:]
    assert lines[0]["step"] == "begin"
    assert {line["outcome"] for line in lines[1:]} <= {"unknown"}
    with Terminal(FLAGTUI, size=SIZE, environment=home) as terminal:
        terminal.wait_for("Left open last time")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
    last = journal_of(home)[-1]
    assert (last["id"], last["outcome"]) == (lines[0]["id"], "saved")

"""The whole program, as a person starts it, in a real pseudo-terminal."""

import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.doubles.slices import story
from tests.doubles.terminal import Terminal
from tests.terminal.conftest import Furnish, assert_restored

FLAGTUI = [sys.executable, "-m", "flagtui"]
CRASHING = [sys.executable, str(Path(__file__).parents[1] / "doubles" / "changed_demo.py"), "crashing"]
SIZE = (132, 40)
DRIVER_STARTED = b"\x1b[?1004h"

KNOWN = re.compile(
    rb"\x1b\[[\d;]*[mHKCGXr]|\x1bM|\x1b\[\?[\d;]+[hl]|\x1b\[\?\d+\$p|\x1b\[>\d+u|\x1b\[<u|\x1b\]22;[a-z]+\x07|[\r\n]"
    rb"|\x1b\]11;\?\x1b\\|\x1b\[c"
)
"""Styles, addresses, erasing, scroll regions, modes and queries, the keyboard protocol, the pointer."""
OBEYED = re.compile(rb"(?:[\x00-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]).{0,20}", re.DOTALL)
"""What a terminal might obey, with what follows it."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, furnish: Furnish) -> dict[str, str]:
    """A person's folders, the same for all tests."""
    return furnish(tmp_path_factory.mktemp("home"))


@pytest.fixture
def demo(home: dict[str, str]) -> Iterator[Terminal]:
    with Terminal([*FLAGTUI, "demo"], size=SIZE, environment=home) as terminal:
        terminal.wait_for("synced")
        terminal.wait_for("checkout-redesign")
        yield terminal


@story
def test_it_shows_rows_and_gives_the_terminal_back_when_quit(demo: Terminal) -> None:
    assert "kill-search-v2" in demo.text
    demo.press("q")
    assert demo.wait_for_end() == 0
    assert_restored(demo)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_and_gives_the_terminal_back(demo: Terminal, number: signal.Signals) -> None:
    demo.signal(number)
    assert demo.wait_for_end() == 128 + number
    assert_restored(demo)


def test_a_query_in_one_packet_is_found(demo: Terminal) -> None:
    demo.press("/kill-sea")
    demo.wait_for("1 of 2")
    assert "kill-search-v2" in demo.text
    demo.press("\x1bx")
    demo.wait_for("1 marked")
    assert re.search("/ kill-sea +", demo.text)


F9 = "\x1b[20~"
"""The key that fails."""


def test_fault_costs_its_own_screen_and_the_list_continues(home: dict[str, str]) -> None:
    with Terminal([*CRASHING, "demo"], size=SIZE, environment=home) as terminal:
        terminal.wait_for("synced")
        terminal.press("/kill-search\r\r", until="WHO SEES IT")
        terminal.press(F9, until=r"a fault of flagtui's own \(RuntimeError\)")
        terminal.wait_for("The screen was closed")
        terminal.press("\x1b", until="pricing-page-test")
        assert terminal.press_to_end("q") == 0
        assert terminal.modes_on() == set()
        assert b"that_must_not_be_shown" not in terminal.sent


@pytest.mark.parametrize("keeps_report", [pytest.param(True, marks=story), False])
def test_second_fault_in_a_row_ends_with_one_sentence(home: dict[str, str], keeps_report: bool) -> None:
    surroundings = home if keeps_report else {**home, "FLAGTUI_NO_REPORT": "1"}
    with Terminal([*CRASHING, "demo"], size=SIZE, environment=surroundings) as terminal:
        terminal.wait_for("synced")
        terminal.press(F9, until="RuntimeError")
        assert terminal.press_to_end(F9) == 1
        assert_restored(terminal)
        last = bytes(terminal.sent).rpartition(b"\x1b[?1004l")[2].decode()
        assert "RuntimeError" in last
        assert ("The report is in " in last) == keeps_report
        assert last.strip().count("\n") <= 2
        assert b"that_must_not_be_shown" not in terminal.sent


def test_light_terminal_is_drawn_light(home: dict[str, str]) -> None:
    with Terminal([*FLAGTUI, "demo", "--read-only"], size=SIZE, environment=home) as terminal:
        terminal.wait_for_bytes(b"\x1b]11;?")
        terminal.press("\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?62;22c/new-nav", until="/ new-nav +state")
        assert terminal.screen.buffer[30][10].bg == "ffffff"
        terminal.press("\x1b")
        terminal.wait_until(
            lambda: terminal.lines[terminal.screen.cursor.y].split()[:2] == ["●", "new-nav"],
            "the terminal's own cursor on the row",
        )
        assert terminal.press_to_end("q") == 0


@story
def test_a_nasty_project_sends_nothing_the_terminal_obeys(home: dict[str, str]) -> None:
    with Terminal([*FLAGTUI, "demo", "--nasty", "--flags", "12"], size=SIZE, environment=home) as terminal:
        terminal.wait_for("synced")
        for keys in ("\x1b[6~", "\x1b[F", "\x1b[H", *["\x1b[B"] * 6):
            terminal.press(keys)
        assert terminal.press_to_end("q") == 0
        assert OBEYED.findall(KNOWN.sub(b"", bytes(terminal.sent))) == []


def test_next_start_shows_the_last_screen_with_its_age(kept: dict[str, str]) -> None:
    with Terminal([*FLAGTUI, "demo"], size=SIZE, environment=kept, is_cold=True) as terminal:
        terminal.wait_for("checkout-redesign")
        terminal.wait_for_bytes(b" ago, connecting ")
        assert DRIVER_STARTED not in terminal.sent.partition(b" ago, connecting ")[0]
        terminal.wait_for("alice@acme.com +● synced")
        assert terminal.press_to_end("q") == 0
        assert_restored(terminal)


@pytest.mark.parametrize(
    ("keys", "seen", "first"),
    [("\r", "WHO SEES IT", "checkout-redesign"), ("2?", "Help", "Checkout redesign")],
    ids=["a record", "a dialog on another tab"],
)
def test_open_page_still_leaves_the_list_for_next_start(
    tmp_path: Path, furnish: Furnish, keys: str, seen: str, first: str
) -> None:
    folders = furnish(tmp_path)
    with Terminal([*FLAGTUI, "demo"], size=SIZE, environment=folders) as terminal:
        terminal.wait_for("alice@acme.com +● synced")
        for key in keys:
            terminal.wait_for(first) if key == "?" else None
            terminal.press(key)
        terminal.wait_for(seen)
        terminal.signal(signal.SIGTERM)
        terminal.wait_for_end()
    with Terminal([*FLAGTUI, "demo"], size=SIZE, environment=folders, is_cold=True) as terminal:
        terminal.wait_for_bytes(b" ago, connecting ")
        assert first in terminal.text
        assert DRIVER_STARTED not in terminal.sent.partition(b" ago, connecting ")[0]
        terminal.wait_for("alice@acme.com +● synced")


def test_a_killed_start_takes_the_last_screen_away_again(kept: dict[str, str]) -> None:
    with Terminal([*FLAGTUI, "demo"], size=SIZE, environment=kept, is_cold=True) as terminal:
        terminal.wait_for_bytes(b" ago, connecting ")
        terminal.signal(signal.SIGTERM)
        assert terminal.wait_for_end() == 128 + signal.SIGTERM
        assert_restored(terminal)


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["demo", "--help"], ["demo", "--nonsense"]])
def test_what_does_not_open_app_leaves_the_screen_alone(home: dict[str, str], arguments: list[str]) -> None:
    with Terminal([*FLAGTUI, *arguments], size=SIZE, environment=home, is_cold=True) as terminal:
        terminal.wait_for_end()
        assert b"\x1b[?1049h" not in terminal.sent
        assert terminal.attributes() == terminal.attributes_before


def test_demo_reads_keys_from_the_settings_file_and_reloads_it(tmp_path: Path, furnish: Furnish) -> None:
    home = furnish(tmp_path)
    settings = Path(home["XDG_CONFIG_HOME"]) / "flagtui" / "config.toml"
    settings.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
    settings.write_text('[keys]\nflags.toggle = "ctrl+t"\n')
    with Terminal([*FLAGTUI, "demo"], size=SIZE, environment=home) as terminal:
        terminal.wait_for("synced")
        terminal.press("\x14", until="Turn OFF")
        terminal.press("n")
        settings.write_text('[keys]\nflags.toggle = "ctrl+b"\n')
        terminal.press("\x1bOS", until="settings reloaded")
        terminal.press("\x02", until="Turn OFF")
        terminal.press("n")
        assert terminal.press_to_end("q") == 0

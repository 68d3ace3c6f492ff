"""Poor surroundings: a usable program, or one clear sentence and code 2. Never a traceback."""

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.doubles.slices import story
from tests.doubles.terminal import Terminal
from tests.terminal.conftest import Furnish, assert_restored

FLAGTUI = [sys.executable, "-m", "flagtui"]
SIZE = (100, 30)
NOWHERE = "/dev/null/home"
"""A home that no process can write to."""
READ_ONLY = "/sys" if Path("/sys").is_dir() else NOWHERE
"""A home that is there and can be read, and written by nobody: root may write wherever a mode forbids it."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, furnish: Furnish) -> dict[str, str]:
    """A person's folders, the same for all tests."""
    return {**furnish(tmp_path_factory.mktemp("home")), "FLAGTUI_NO_FIRST_FRAME": "1"}


@pytest.mark.parametrize(
    "surroundings",
    [
        {"TERM": "linux", "COLORTERM": ""},
        {"TERM": "screen", "COLORTERM": ""},
        {"TERM": "vt100", "COLORTERM": "", "NO_COLOR": "1"},
        {"LANG": "C", "LC_ALL": "C"},
        {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/dev/null", "DISPLAY": "", "HOME": ""},
        {"HOME": READ_ONLY, "XDG_CONFIG_HOME": READ_ONLY, "XDG_CACHE_HOME": READ_ONLY, "XDG_STATE_HOME": ""},
    ],
    ids=["linux console", "screen", "vt100 without colours", "LANG=C", "no D-Bus, no HOME", "read-only HOME"],
)
def test_the_app_is_usable(home: dict[str, str], surroundings: Mapping[str, str]) -> None:
    with Terminal([*FLAGTUI, "demo"], size=SIZE, environment={**home, **surroundings}) as terminal:
        terminal.wait_for("checkout-redesign")
        terminal.wait_for("synced")
        terminal.press("/kill-sea", until="1 of 2")
        assert "kill-search-v2" in terminal.text
        terminal.press("\x1b\x1bq")
        assert terminal.press_to_end("q") == 0
        assert_restored(terminal)


@pytest.mark.parametrize(
    ("arguments", "surroundings", "words", "code"),
    [
        pytest.param(("demo",), {"TERM": "dumb"}, "cannot be drawn on", 2, marks=story),
        (("demo",), {"TERM": ""}, "the variable TERM is not set. Set TERM to what it really is", 2),
        (("demo",), {"FLAGTUI_LOG": f"{NOWHERE}/log"}, "the log", 1),
        (("--log", f"{NOWHERE}/log"), {"FLAGTUI_API_KEY": "phx_0123456789"}, "the log", 1),
        (("demo",), {"HOME": NOWHERE, "XDG_DATA_HOME": ""}, "cannot be made", 1),
        ((), {"HOME": NOWHERE, "XDG_STATE_HOME": "", "FLAGTUI_API_KEY": "phx_0123456789"}, "cannot be made",
         1),
        (("demo",), {"HOME": READ_ONLY, "XDG_DATA_HOME": ""}, "cannot be made", 1),
        ((), {"HOME": READ_ONLY, "XDG_STATE_HOME": "", "FLAGTUI_API_KEY": "phx_0123456789"}, "cannot be made",
         1),
        (("auth", "status"), {"HOME": NOWHERE, "XDG_CONFIG_HOME": ""}, "there is no API key", 5),
        (("auth", "login"), {"TERM": "dumb", "FLAGTUI_HOST": "http://x.example"}, "without encryption", 2),
    ],
    ids=[
        *("dumb", "no TERM", "no log: demo", "no log: app", "no home: demo", "no home: app"),
        *("read-only home: demo", "read-only home: app", "no home: status", "login"),
    ],
)  # fmt: skip
def test_what_cannot_work_is_one_sentence(
    home: dict[str, str], arguments: tuple[str, ...], surroundings: Mapping[str, str], words: str, code: int
) -> None:
    environment = {**home, **surroundings}
    with Terminal([*FLAGTUI, *arguments], size=(400, 10), environment=environment) as terminal:
        assert terminal.wait_for_end() == code
        output = bytes(terminal.sent).decode()
        assert output.startswith("flagtui: ")
        assert output.count("\n") == 1
        assert words in output
        assert terminal.attributes() == terminal.attributes_before


def test_reports_work_without_home_and_with_a_dumb_terminal(home: dict[str, str]) -> None:
    environment = {**home, "HOME": NOWHERE, "TERM": "dumb", "LANG": "C", "LC_ALL": "C"}
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        environment[name] = ""
    with Terminal([*FLAGTUI, "doctor", "--offline"], size=(160, 60), environment=environment) as terminal:
        assert terminal.wait_for_end() == 7
        assert "Not a directory" in terminal.text
        assert "Traceback" not in terminal.text
        assert "TERM" in terminal.text
    with Terminal(
        [*FLAGTUI, "journal", "--since", "2h"], size=(160, 60), environment=environment
    ) as terminal:
        assert terminal.wait_for_end() == 0
        assert "No change of yours matches." in terminal.text


def test_an_encoding_without_our_signs_shows_them_as_numbers(home: dict[str, str]) -> None:
    environment = {**home, "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    with Terminal([*FLAGTUI, "doctor", "--offline"], size=(160, 60), environment=environment) as terminal:
        terminal.wait_for_end()
        assert b"\\u2713" in terminal.sent
        assert b"Traceback" not in terminal.sent

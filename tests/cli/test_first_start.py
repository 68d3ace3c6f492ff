"""The first start without settings offers two next steps and no error."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import FLAGTUI, KEY, Service
from tests.doubles.slices import FULL
from tests.doubles.terminal import FOLDERS, Terminal

Start = Callable[[tuple[int, int]], Terminal]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    environment = dict.fromkeys(FOLDERS, str(tmp_path))
    environment["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
    return lambda size: Terminal(FLAGTUI, size=size, environment=environment)


@pytest.mark.parametrize("size", [(132, 40), (80, 24), (60, 15)] if FULL else [(80, 24)], ids=str)
def test_two_ways_are_offered_and_leaving_is_calm(start: Start, size: tuple[int, int]) -> None:
    with start(size) as terminal:
        terminal.wait_for("Try the demo")
        terminal.wait_for("Sign in")
        terminal.wait_for("q leave")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        assert terminal.attributes() == terminal.attributes_before
        assert terminal.modes_on() == set()


def test_enter_opens_the_demo_in_the_same_run(start: Start) -> None:
    with start((100, 30)) as terminal:
        terminal.wait_for("Try the demo")
        terminal.press("\r")
        terminal.wait_for("synced")
        assert "DEMO" in terminal.text
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        assert terminal.modes_on() == set()


def test_wrong_key_is_asked_for_again_without_losing_other_answers(start: Start, service: Service) -> None:
    with start((100, 30)) as terminal:
        terminal.wait_for("Sign in")
        terminal.press("s")
        terminal.wait_for("Server: us, eu, or an address")
        terminal.press(f"{service.address}\r")
        terminal.wait_for("Paste the personal API key")
        terminal.press("phc_public_token_of_the_project\r")
        terminal.wait_for("only sends events")
        terminal.wait_for("Another key, or ctrl\\+c to cancel")
        # Before the prompt what is typed would be shown, and lost.
        terminal.wait_for("(?s)(it is not shown.*){2}")
        terminal.press("phx_nobody_knows_this_key_0123456789\r")
        terminal.wait_for("(?s)(it is not shown.*){3}")
        terminal.press(f"{KEY}\r")
        terminal.wait_for("✓ see flags")
        terminal.wait_for("Which project to open first")
        terminal.press("\r")
        terminal.wait_for("How")
        terminal.press("\r")
        terminal.wait_for("synced")
        assert terminal.text.count("Server: us") == 0
        terminal.press("q")
        assert terminal.wait_for_end() == 0

"""The program in a terminal: its first start, sign-in, and settings that are read again."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import FLAGTUI, KEY, Run, Service
from tests.doubles.slices import FULL
from tests.doubles.terminal import FOLDERS, Terminal

F4, F6 = "\x1bOS", "\x1b[17~"
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
        assert terminal.press_to_end("q") == 0
        assert terminal.attributes() == terminal.attributes_before
        assert terminal.modes_on() == set()


def test_theme_with_a_typo_is_named_before_the_first_screen(tmp_path: Path) -> None:
    file = tmp_path / "flagtui" / "config.toml"
    file.parent.mkdir()
    file.write_text('theme = "puce"\n')
    # Wide enough for the path of any folder of tests.
    with Terminal(FLAGTUI, size=(300, 30), environment=dict.fromkeys(FOLDERS, str(tmp_path))) as terminal:
        assert terminal.press_to_end("") == 2
        assert "config.toml:1: theme: there is no theme" in terminal.text


def test_enter_opens_the_demo_in_the_same_run(start: Start) -> None:
    with start((100, 30)) as terminal:
        terminal.wait_for("Try the demo")
        terminal.press("\r", until="synced")
        assert "DEMO" in terminal.text
        assert terminal.press_to_end("q") == 0
        assert terminal.modes_on() == set()


def test_wrong_key_is_asked_for_again_without_losing_other_answers(start: Start, service: Service) -> None:
    with start((100, 30)) as terminal:
        terminal.wait_for("Sign in")
        terminal.press("s", until="Server: us, eu, or an address")
        terminal.press(f"{service.address}\r", until="Paste the personal API key")
        # Before the prompt what is typed would be shown, and lost.
        terminal.press("\r", until="(?s)The key is empty; nothing was stored.*it is not shown")
        terminal.press("phc_public_token_of_the_project\r", until="only sends events")
        terminal.wait_for("Another key, or ctrl\\+c to cancel")
        terminal.wait_for("(?s)(it is not shown.*){3}")
        terminal.press("phx_nobody_knows_this_key_0123456789\r", until="(?s)(it is not shown.*){4}")
        terminal.press(f"{KEY}\r", until="✓ see flags")
        terminal.wait_for("Which project to open first")
        terminal.press("\r", until="How")
        terminal.press("\r", until="synced")
        assert terminal.text.count("Server: us") == 0
        assert terminal.press_to_end("q") == 0


def test_profile_without_a_key_asks_for_it_and_continues(run: Run, service: Service, home: Path) -> None:
    login = ("auth", "login", "--with-token", "--host", service.address, "--keep", "nowhere")
    assert run(*login, stdin=KEY).code == 0
    environment = {
        "HOME": str(home),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        "FLAGTUI_NO_FIRST_FRAME": "1",
    }
    with Terminal(FLAGTUI, size=(132, 40), environment=environment) as terminal:
        terminal.wait_for("Sign in")
        terminal.wait_for("There is no API key for the profile default")
        terminal.press("phx_nobody_knows_this_key\r", until="not accepted")
        terminal.press(KEY)
        terminal.press("\r", until="signed in as alice@acme.com")
        terminal.wait_for("to keep it: flagtui auth login")
        terminal.wait_for("synced")
        assert terminal.press_to_end("q") == 0
        assert KEY.encode() not in terminal.sent
        assert terminal.attributes() == terminal.attributes_before


def test_settings_reload_without_restart_and_mistakes_change_nothing(
    tmp_path: Path, service: Service
) -> None:
    file = tmp_path / "flagtui" / "config.toml"
    file.parent.mkdir()
    file.write_text(f'theme = "dark"\n[profiles.here]\nhost = "{service.address}"\nproject = 1\n')
    environment = dict.fromkeys(FOLDERS, str(tmp_path)) | {"FLAGTUI_API_KEY": KEY}
    with Terminal(FLAGTUI, size=(100, 30), environment=environment) as terminal:
        terminal.wait_for("HERE.*synced")
        terminal.wait_for("space (on|off) .*% rollout")
        file.write_text(
            f'theme = "light"\n[profiles.here]\nhost = "{service.address}"\nproject = 1\n'
            'badge = "THERE"\nread_only = true\n[keys]\nlists.sort = "f6"\n'
        )
        terminal.press(F4, until="settings reloaded")
        terminal.wait_for("THERE")
        terminal.wait_until(lambda: terminal.screen.buffer[20][5].bg == "ffffff", "a light screen")
        terminal.wait_until(lambda: "% rollout" not in terminal.text, "no keys that write")
        terminal.press(F6, until="KEY ↑|KEY ↓")

        file.write_text('theme = "puce"\n')
        terminal.press(F4)
        # A toast breaks its lines where the path of the file ends them.
        terminal.wait_for("puce'")
        assert "THERE" in terminal.text

        moved = service.address.replace("127.0.0.1", "localhost")
        file.write_text(f'[profiles.here]\nhost = "{moved}"\n')
        terminal.press(F4, until="P or a new start")
        assert "THERE" in terminal.text
        terminal.press("P", until=moved)
        # The key of the environment is for the host of the start.
        terminal.press("\r", until="There is no API key")
        terminal.press("\x1b")
        terminal.wait_until(lambda: "esc later" not in terminal.text, "no dialog")
        assert terminal.press_to_end("q") == 0

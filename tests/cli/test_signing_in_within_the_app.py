"""A profile without a key opens the app's sign-in, which never shows the typed key."""

from pathlib import Path

from tests.cli.conftest import FLAGTUI, KEY, Run, Service
from tests.doubles.terminal import Terminal


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
        terminal.press("phx_nobody_knows_this_key\r")
        terminal.wait_for("not accepted")
        terminal.press(KEY)
        terminal.press("\r")
        terminal.wait_for("signed in as alice@acme.com")
        terminal.wait_for("to keep it: flagtui auth login")
        terminal.wait_for("synced")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        assert KEY.encode() not in terminal.sent
        assert terminal.attributes() == terminal.attributes_before

"""The program in a terminal: first start, sign-in, settings read again, lines for screen readers, shells."""

import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from tests.cli.conftest import FLAGTUI, KEY, Run, Service, require_done, server_variables, write_settings
from tests.doubles.slices import FULL
from tests.doubles.terminal import FOLDERS, Terminal

F4, F6 = "\x1bOS", "\x1b[17~"
Start = Callable[..., Terminal]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    environment = dict.fromkeys(FOLDERS, str(tmp_path))
    environment["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
    return lambda size, **more: Terminal(FLAGTUI, size=size, environment=environment | more)


@pytest.mark.parametrize("size", [(132, 40), (80, 24), (60, 15)] if FULL else [(80, 24)], ids=str)
def test_two_ways_are_offered_and_leaving_is_calm(start: Start, size: tuple[int, int]) -> None:
    with start(size, NO_COLOR="1") as terminal:
        terminal.wait_for("Try the demo")
        terminal.wait_for("Sign in")
        terminal.wait_for("q leave")
        marked = [y for y in range(size[1]) if terminal.screen.buffer[y][size[0] // 2].reverse]
        assert len(marked) == 3, "what enter chooses is marked without colours"
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


def test_commands_are_asked_for_and_answered_in_lines(tmp_path: Path, service: Service) -> None:
    environment = dict.fromkeys(FOLDERS, str(tmp_path)) | server_variables(service.address)
    with Terminal([*FLAGTUI, "--linear"], size=(100, 200), environment=environment) as terminal:
        terminal.wait_for("flagtui>")
        terminal.press("flags list new-nav\r", until=r"(?s)KEY; ID; .*new-nav; \d+; on; .*sidebar\n.*>")
        terminal.press("flags disable new-nav\r", until=r"\[y/N\]")
        terminal.press("n\r", until="(?s)y/N.*flagtui>")
        terminal.press("nothing like that\r", until="(?s)No such command.*ended with 2")
        terminal.press("flags get 'new\r", until="The line cannot be read")
        terminal.press("profiles\r", until="There is no profile yet")
        sent = bytes(terminal.sent)
        # Colours and the ends of lines alone.
        assert re.findall(rb"\x1b\[[\d;?]*[A-HJKSTfhlsu]", sent) == []
        assert re.findall("[\u2500-\u257f]", sent.decode()) == []
        assert KEY.encode() not in sent
        terminal.press("\x1b[A\x1b[A", until="flagtui> flags get 'new")
        terminal.press("\x15? flags disable\r", until="(?s)Turn flags off.*flagtui>")
        assert terminal.press_to_end("quit\r") == 0


def test_linear_mode_keeps_the_guard_of_its_options(signed_in: Run) -> None:
    done = signed_in("--read-only", "--linear", stdin="flags disable new-nav --yes\n")
    assert "ended with 3" in done.out, done.err


@pytest.mark.usefixtures("demo_data")
@pytest.mark.parametrize("words", [("demo", "--linear"), ("--linear", "demo")])
def test_linear_demo_has_a_journal_of_its_own(words: tuple[str, ...], run_demo: Run, tmp_path: Path) -> None:
    def run_lines(*given: str, lines: str) -> list[str]:
        done = require_done(run_demo(*given, stdin=lines))
        return (done.out + done.err).replace("flagtui> ", "").splitlines()

    given = ("flags disable new-nav --yes", "flags get new-nav --fields active", "flags get gone-nav --json")
    lines = run_lines(*words, lines="\n".join((*given, "undo --yes", "journal --fields verb\n")))
    assert lines[1:7] == [
        *("new-nav\tsaved\tis off\t", "false", "ended with 6", "new-nav\tsaved\tis on\t"),
        *("turn on", "turn off"),
    ]
    assert json.loads(lines[-1])["error"]["code"] == "not_found"
    refused = run_lines("--read-only", *words, lines="flags disable new-nav --yes\nundo --yes\n")
    assert [line for line in refused if line.startswith("ended")] == ["ended with 3"] * 2
    assert not (tmp_path / "flagtui/journal").exists()
    staged = "flags tag new-nav --add linear --stage\nflagtui demo staged drop new-nav\nflagtui\n"
    copied = "\n".join(run_lines(*words, lines=staged))
    assert "flagtui demo apply staged" in copied
    assert "ended with" not in copied
    assert "Usage: flagtui" in copied


PROGRAM: Final = Path(sys.executable).parent / "flagtui"
SETTINGS: Final = """
[profiles.production]
host = "https://us.posthog.com"
project = 34

[profiles.staging]
host = "https://eu.posthog.com"
"""
SHELLS: Final = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], 'eval "$(flagtui completion bash)"'),
    "zsh": (["zsh", "-f", "-i"], "autoload -Uz compinit; compinit -u -D; source <(flagtui completion zsh)"),
    "fish": (["fish", "--no-config", "-i"], "flagtui completion fish | source"),
}
COMPLETIONS: Final = {
    "flags disable 'new-n": "'new-nav'",
    "flags list is:arch": "is:archived",
    "experiments get Checkout\\ r": "Checkout\\ redesign",
    "experiments get 'Checkout r": "'Checkout redesign'",
    "flags list 'is:stale is:arch": "'is:stale is:archived'",
    "flags list --fields key,act": "key,active",
    "--profile prod": "--profile production",
    "flags edit new-nav --from note": "--from notes.json",
    "apply note": "notes.json",
}
"""Typed text, and what Tab makes of its end; tests/cli/test_completion.py has the other words."""


@pytest.fixture
def listed_home(home: Path, online: Run) -> Path:
    """A home with settings, a file and the list of flags that one command read."""
    assert online("flags", "list").code == online("experiments", "list").code == 0
    write_settings(home, SETTINGS)
    (home / "notes.json").write_text("{}")
    return home


@pytest.mark.parametrize("shell", SHELLS)
def test_shell_completes_after_one_list(listed_home: Path, shell: str) -> None:
    command, setup = SHELLS[shell]
    if shutil.which(shell) is None or not PROGRAM.exists():
        pytest.skip(f"{shell} or the script flagtui is not installed")
    variables = {"HOME": str(listed_home), "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"}
    with Terminal(command, size=(132, 40), environment=variables, is_cold=True) as terminal:
        terminal.press(f"cd; {setup}; echo rea''dy\r", until=r"(?m)^ready")
        for typed, completed in COMPLETIONS.items():
            terminal.press(f"flagtui {typed}\t", until=rf"flagtui .*{re.escape(completed)}")
            # Removes the line.
            terminal.press("\x15")

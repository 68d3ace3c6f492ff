"""`flagtui pick` in a real terminal: the screen on the terminal, the key on standard output."""

import json
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import FLAGTUI, KEY, Service, service, small_sample
from tests.doubles.command_tree import all_commands, is_on_a_screen
from tests.doubles.terminal import FOLDERS, Terminal

__all__ = ["service", "small_sample"]


@pytest.mark.parametrize(
    ("keys", "code"), [("\r", 0), ("\x11", 130)], ids=["enter chooses", "leaving chooses nothing"]
)
def test_standard_output_gets_only_chosen_key(keys: str, code: int, service: Service, tmp_path: Path) -> None:
    chosen = tmp_path / "chosen.txt"
    line = f"{sys.executable} -m flagtui pick > {chosen}"
    environment = {
        "HOME": str(tmp_path),
        "FLAGTUI_HOST": service.address,
        "FLAGTUI_API_KEY": KEY,
        "FLAGTUI_PROJECT": "1",
        "PYTHONPATH": ":".join(path for path in sys.path if path),
    }
    with Terminal(["sh", "-c", line], size=(60, 15), environment=environment) as terminal:
        terminal.wait_for("checkout-redesign")
        terminal.wait_for("⏎ choose")
        # Drawn for this terminal, not for the size of a pipe.
        assert "■ read-only" in terminal.lines[0]
        terminal.press("/redesign\r", until="1/1 of")
        assert terminal.press_to_end(keys) == code
    output = chosen.read_text()
    assert output.count("\n") == (1 if code == 0 else 0)
    assert "\x1b" not in output
    assert bool(output) == (code == 0)
    remembered = json.loads((tmp_path / ".local/state/flagtui/remembered.json").read_text())
    assert remembered["history"] == ["redesign"]
    assert not remembered["left"]


def test_project_has_its_name_and_commands_their_keys(service: Service, tmp_path: Path) -> None:
    file = tmp_path / "flagtui" / "config.toml"
    file.parent.mkdir()
    file.write_text('[keys]\n"lists.open" = "f6"\n')
    variables = {"FLAGTUI_HOST": service.address, "FLAGTUI_API_KEY": KEY, "FLAGTUI_PROJECT": "Mobile"}
    folders = dict.fromkeys(FOLDERS, str(tmp_path))
    with Terminal([*FLAGTUI, "pick"], size=(100, 30), environment=folders | variables) as terminal:
        terminal.wait_for("Mobile #2.*synced")
        assert terminal.press_to_end("\x1b[17~") == 0


@pytest.mark.parametrize(
    "example",
    [
        each
        for name, command in all_commands().items()
        for each in command.examples
        if is_on_a_screen(name, each)
    ],
)
def test_examples_of_what_needs_terminal_show_list(example: str, service: Service, tmp_path: Path) -> None:
    folder = tmp_path / ".config" / "flagtui"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(
        f'[profiles.prod]\nhost = "{service.address}"\nproject = 1\nkey_command = "echo {KEY}"\n'
    )
    command = [sys.executable, "-m", "flagtui", *example.split()]
    variables = {"HOME": str(tmp_path), "PYTHONPATH": ":".join(path for path in sys.path if path)}
    with Terminal(command, environment=variables) as terminal:
        terminal.wait_for("checkout-redesign")
        terminal.press("\x11")
        assert terminal.wait_for_end() in (0, 130)

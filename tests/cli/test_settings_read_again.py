"""The settings file is edited while the program runs, and read again by a key."""

from pathlib import Path

from tests.cli.conftest import FLAGTUI, KEY, Service
from tests.doubles.terminal import FOLDERS, Terminal

F4, F6 = "\x1bOS", "\x1b[17~"


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
        terminal.press(F4)
        terminal.wait_for("settings reloaded")
        terminal.wait_for("THERE")
        terminal.wait_until(lambda: terminal.screen.buffer[20][5].bg == "ffffff", "a light screen")
        terminal.wait_until(lambda: "% rollout" not in terminal.text, "no keys that write")
        terminal.press(F6)
        terminal.wait_for("KEY ↑|KEY ↓")

        file.write_text('theme = "puce"\n')
        terminal.press(F4)
        # A toast breaks its lines where the path of the file ends them.
        terminal.wait_for("puce'")
        assert "THERE" in terminal.text
        terminal.press("q")
        assert terminal.wait_for_end() == 0

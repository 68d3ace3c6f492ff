"""Keys that a command prints or a private file holds."""

from pathlib import Path

import pytest
from tests.doubles.keyring_shelf import python

from flagtui.config.key_sources import (
    CommandFailed,
    KeyFileRefused,
    key_path,
    read_key_file,
    run_key_command,
    write_key_file,
)

KEY = "phx_canary_0123456789abcdef"
OWNER = "prod @ https://eu.posthog.com"


@pytest.mark.parametrize(("command", "message"), [
    ("no-such-program-here x", "There is no program no-such-program-here."),
    (python("import sys; sys.exit(3)"), "ended with code 3."),
    (python('import sys; print("no\\x1b[J", file=sys.stderr); sys.exit(1)'), "ended with code 1: no␛[J."),
    *(("true", "printed nothing"), ("", "empty"), ("pass 'show", "a quote that is not closed")),
    *(("/", "cannot be run"), ("a\0b", "cannot be run"), (KEY, "The command is a key")),
])  # fmt: skip
def test_a_command_that_gives_no_key_says_why(command: str, message: str) -> None:
    with pytest.raises(CommandFailed) as caught:
        run_key_command(command)
    assert message in str(caught.value)
    assert KEY not in str(caught.value)


def test_command_runs_without_shell_key_or_end(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_key_command("printf '%s\\n' 'phx_$HOME;x' second") == "phx_$HOME;x"
    with pytest.raises(CommandFailed, match="did not finish"):
        run_key_command("sleep 60", seconds=0.05)
    monkeypatch.setenv("FLAGTUI_API_KEY", KEY)
    assert run_key_command(python('import os; print(os.environ.get("FLAGTUI_API_KEY"))')) == "None"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_key_file_readable_by_others_is_refused_with_the_remedy(tmp_path: Path, mode: int) -> None:
    home = tmp_path / "a home"
    path = write_key_file(home, OWNER, KEY)
    path.chmod(mode)
    with pytest.raises(KeyFileRefused, match=f"others may read it; do: chmod 600 '{path}'"):
        read_key_file(home, OWNER)


def test_key_file_stays_in_its_folder_or_is_refused(tmp_path: Path) -> None:
    assert key_path(tmp_path, "../../x @ https://h/").parent == tmp_path / "keys"
    (tmp_path / "state").write_text("")
    for home, reason in ((tmp_path / "state", "the key cannot be kept"), (None, "Set HOME")):
        with pytest.raises(KeyFileRefused, match=reason):
            write_key_file(home, OWNER, KEY)
    assert read_key_file(tmp_path / "state", OWNER) is None

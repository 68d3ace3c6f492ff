import pytest
from tests.doubles.keyring_shelf import python

from flagtui.config.key_sources import CommandFailed, run_key_command

KEY = "phx_canary_0123456789abcdef"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("no-such-program-here x", "There is no program no-such-program-here."),
        (python("import sys; sys.exit(3)"), "ended with code 3."),
        (python('import sys; print("no\\x1b[J", file=sys.stderr); sys.exit(1)'), "ended with code 1: no␛[J."),
        ("true", "printed nothing"),
        ("pass 'show", "a quote that is not closed"),
        ("/", "cannot be run"),
        ("", "empty"),
        (KEY, "The command is a key"),
        ("a\0b", "cannot be run"),
    ],
)  # fmt: skip
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

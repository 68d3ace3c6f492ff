"""Completion in real shells: a fresh home in which `flagtui flags list` ran once."""

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Final

import pytest
from tests.cli.conftest import Run
from tests.doubles.terminal import Terminal

from flagtui.config.locations import find_locations

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
    settings = find_locations().settings_file
    assert settings is not None
    settings.parent.mkdir(parents=True)
    settings.write_text(SETTINGS)
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

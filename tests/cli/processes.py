"""Commands in processes of their own."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.cli.conftest import FLAGTUI, Done
from tests.doubles import warm_start
from tests.doubles.terminal import usual_environment


def run_apart(
    *words: str, stdin: str = "", folder: Path | None = None, variables: Mapping[str, str] | None = None
) -> Done:
    """Run a command in a process of its own, with these variables added to the usual ones."""
    environment = usual_environment() | dict(variables or {})
    done = warm_start.run([*FLAGTUI, *words], environment, stdin=stdin, folder=folder)
    return Done(done.returncode, done.stdout, done.stderr)


def loaded_by(*lines: str, **variables: str) -> set[str]:
    """The modules that are loaded when these commands have ended, in a process of their own."""
    program = (
        "import sys\n"
        "from flagtui.cli import main\n"
        f"for line in {lines or ('',)!r}:\n"
        "    sys.argv = ['flagtui', *line.split()]\n"
        "    try:\n        main()\n    except SystemExit:\n        pass\n"
        "print('LOADED', *sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": ":".join(filter(None, sys.path)), **variables}
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
        check=False,
    )
    loaded, *names = done.stdout.splitlines()[-1].split()
    assert loaded == "LOADED", done.stderr
    return set(names)


def run_shell(line: str, environment: Mapping[str, str], folder: Path, shell: str = "sh") -> Done:
    """A line of a shell, without a terminal."""
    command = [shell, "-c", line]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return Done(done.returncode, done.stdout, done.stderr)

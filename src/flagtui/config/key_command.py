"""The key from a command such as `pass show flagtui`."""

import os
import shlex
import subprocess
from typing import Final

from flagtui.config.locations import KEY_VARIABLE
from flagtui.safe_text import safe_text

SECONDS: Final = 60.0
"""Long enough to touch a security key or to type a passphrase into a window."""


class CommandFailed(Exception):
    """The command gave no key; the text says why, and never what it printed as key."""


def run_key_command(command: str, seconds: float = SECONDS) -> str:
    """The first line the command prints. No shell reads it, and it gets no input. Raises CommandFailed."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise CommandFailed(f"{safe_text(command, 80)} has a quote that is not closed.") from error
    if not words:
        raise CommandFailed("The command is empty.")
    name = safe_text(words[0], 80)
    environment = {name: value for name, value in os.environ.items() if name != KEY_VARIABLE}
    try:
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
            env=environment,
        )
    except FileNotFoundError:
        raise CommandFailed(f"There is no program {name}.") from None
    except subprocess.TimeoutExpired:
        raise CommandFailed(f"{name} did not finish within {seconds:g} seconds.") from None
    except (OSError, ValueError) as error:
        raise CommandFailed(f"{name} cannot be run: {getattr(error, 'strerror', None) or error}.") from None
    if done.returncode != 0:
        said = safe_text(done.stderr.decode("utf-8", "replace").strip().partition("\n")[0], 160)
        raise CommandFailed(f"{name} ended with code {done.returncode}{': ' + said if said else ''}.")
    first = done.stdout.decode("utf-8", "replace").partition("\n")[0].strip()
    if not first:
        raise CommandFailed(f"{name} printed nothing.")
    return first

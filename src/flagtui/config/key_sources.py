"""Sources of a key other than the keyring: a command, or a file if the user chose one."""

import os
import re
import shlex
from pathlib import Path
from typing import Final

from flagtui.config.files import replace_file
from flagtui.config.locations import KEY_VARIABLE, FolderUnusable, make_folder
from flagtui.safe_text import KEY_STARTS, safe_text

SECONDS: Final = 60.0
"""Long enough to touch a security key or to type a passphrase."""


class CommandFailed(Exception):
    """The command printed no key; the text has the reason, and never its output."""


def run_key_command(command: str, seconds: float = SECONDS) -> str:
    """Return the first line that the command prints, without a shell or input. Raises CommandFailed."""
    # Most profiles have no command.
    import subprocess

    try:
        words = shlex.split(command)
    except ValueError as error:
        raise CommandFailed("The command has a quote that is not closed.") from error
    if not words:
        raise CommandFailed("The command is empty.")
    if words[0].startswith(KEY_STARTS):
        # Its name would be in every message.
        raise CommandFailed("The command is a key; it has to be a program that prints one.")
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
        message = safe_text(done.stderr.decode("utf-8", "replace").strip().partition("\n")[0], 160)
        raise CommandFailed(f"{name} ended with code {done.returncode}{': ' + message if message else ''}.")
    first = done.stdout.decode("utf-8", "replace").partition("\n")[0].strip()
    if not first:
        raise CommandFailed(f"{name} printed nothing.")
    return first


_SIZE_LIMIT: Final = 4_096


class KeyFileRefused(Exception):
    """A key file that cannot be used; the text is a sentence with the next step."""


def key_path(folder: Path, username: str) -> Path:
    """Return the path of the key file, one for each profile and host, with a readable name."""
    # Most keys are in the keyring, and OpenSSL takes longer to load than a command to start.
    from hashlib import sha256

    readable = re.sub(r"[^a-z0-9.]+", "-", username.lower()).strip("-.")[:60]
    return folder / "keys" / f"{readable}-{sha256(username.encode()).hexdigest()[:8]}"


def why_not_private(path: Path) -> str:
    """Return why others could read or write the file; empty when only its owner can. Raises OSError."""
    status = path.stat()
    if not hasattr(os, "getuid"):
        return ""
    if status.st_uid != os.getuid():
        return "it belongs to another user"
    if status.st_mode & 0o077:
        return f"others may read it; do: chmod 600 {shlex.quote(str(path))}"
    return ""


def read_key_file(folder: Path | None, username: str) -> str | None:
    """Return the key of this profile and host, or None. Raises KeyFileRefused when others could read it."""
    if folder is None:
        return None
    path = key_path(folder, username)
    try:
        reason = why_not_private(path)
        if reason:
            raise KeyFileRefused(f"{path} is not used: {reason}.")
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_SIZE_LIMIT).strip()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise KeyFileRefused(f"{path} cannot be read: {error.strerror}.") from error


def write_key_file(folder: Path | None, username: str, value: str) -> Path:
    """Write the key for its owner only and return the path. Raises KeyFileRefused."""
    try:
        path = key_path(make_folder(folder, "the key"), username)
        make_folder(path.parent, "the key")
        replace_file(path, value + "\n")
    except FolderUnusable as unusable:
        raise KeyFileRefused(str(unusable)) from unusable
    except OSError as error:
        raise KeyFileRefused(f"The key cannot be kept in {folder}: {error.strerror}.") from error
    return path


def forget_key_file(folder: Path | None, username: str) -> bool:
    """Remove the file; return False when there was none. Raises KeyFileRefused."""
    if folder is None:
        return False
    path = key_path(folder, username)
    try:
        path.unlink()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise KeyFileRefused(f"{path} cannot be removed: {error.strerror}.") from error
    return True

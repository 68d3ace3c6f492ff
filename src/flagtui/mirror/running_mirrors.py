"""The mirrors of this user on this machine: a private file each, by which commands and the app find them."""

import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from flagtui.config.files import replace_file
from flagtui.config.locations import FolderUnusable, Locations, make_folder

FOLDER: Final = "mirrors"
_CONTENT: Final = "the address of the mirror"


@dataclass(frozen=True, slots=True)
class RunningMirror:
    """The address of a mirror, and the secret for changing its overrides."""

    port: int
    secret: str = field(repr=False)
    pid: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def make_mirror_secret() -> str:
    return secrets.token_urlsafe(24)


@contextmanager
def announce(places: Locations, port: int, secret: str) -> Iterator[None]:
    """Keep the file of a mirror while it runs. Raises FolderUnusable."""
    folder = make_folder(make_folder(places.state, _CONTENT) / FOLDER, _CONTENT)
    path, text = folder / f"{port}.json", json.dumps({"port": port, "secret": secret, "pid": os.getpid()})
    try:
        replace_file(path, text)
    except OSError as error:
        raise FolderUnusable(f"{path} cannot be written: {error.strerror}.") from error
    try:
        yield
    finally:
        with suppress(OSError):
            # A newer mirror may have the port already.
            if path.read_text(encoding="utf-8") == text:
                path.unlink()


def find_mirrors(places: Locations) -> list[RunningMirror]:
    """Return the mirrors that have a file and whose process exists, by port. Raises FolderUnusable."""
    if places.state is None:
        return []
    folder = places.state / FOLDER
    try:
        # `glob` lists nothing in a folder that may not be read.
        paths = [*folder.iterdir()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise FolderUnusable(f"{folder} cannot be read: {error.strerror}.") from error
    mirrors = [mirror for path in paths if path.suffix == ".json" and (mirror := _read(path))]
    return sorted(mirrors, key=lambda mirror: mirror.port)


def _read(path: Path) -> RunningMirror | None:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        mirror = RunningMirror(int(values["port"]), str(values["secret"]), int(values["pid"]))
        os.kill(mirror.pid, 0)
    except (OSError, OverflowError, ValueError, KeyError, TypeError):
        return None
    return mirror

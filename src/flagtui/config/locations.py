"""Where this person's files live, and what the environment says instead of them."""

import os
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from platformdirs import PlatformDirs

from flagtui.private_folders import ForeignFolder, make_private

KEY_VARIABLE: Final = "FLAGTUI_API_KEY"
_APP: Final = "flagtui"


class _State:
    """Where the state is kept instead of the usual folder."""

    folder: Path | None = None


class FolderUnusable(Exception):
    """A folder that cannot be written; the text is a sentence with what to do."""


@dataclass(frozen=True, slots=True)
class Locations:
    """Folders, none of which has to exist yet. None where this system names no place for it."""

    config: Path | None
    """Settings, written by the person."""
    data: Path | None
    """The demo's database."""
    state: Path | None
    """The journal, keys kept in files, what the program remembers."""
    cache: Path | None
    """Copies of rows; may be deleted at any time."""

    @property
    def settings_file(self) -> Path | None:
        """`config.toml`, whether or not it is there."""
        return self.config / "config.toml" if self.config else None


@dataclass(frozen=True, slots=True)
class Given:
    """What the environment says. It wins over the settings file, and the header names it."""

    host: str = ""
    project: str = ""
    profile: str = ""
    has_key: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that are set, without their values."""
        said = {
            "FLAGTUI_HOST": self.host,
            KEY_VARIABLE: self.has_key,
            "FLAGTUI_PROJECT": self.project,
            "FLAGTUI_PROFILE": self.profile,
        }
        return tuple(name for name, value in said.items() if value)


def find_locations() -> Locations:
    """The folders this system has for programs; XDG variables move them on Linux."""
    dirs = PlatformDirs(_APP, appauthor=False)
    return Locations(
        config=_absolute(lambda: dirs.user_config_dir),
        data=_absolute(lambda: dirs.user_data_dir),
        state=_State.folder or _absolute(lambda: dirs.user_state_dir),
        cache=_absolute(lambda: dirs.user_cache_dir),
    )


def use_state(folder: Path) -> None:
    """The state is kept there from now on, such as that of the demo."""
    _State.folder = folder


def read_environment(environment: Mapping[str, str] = os.environ) -> Given:
    """What the FLAGTUI variables say; empty ones count as not set."""
    return Given(
        host=environment.get("FLAGTUI_HOST", "").strip(),
        project=environment.get("FLAGTUI_PROJECT", "").strip(),
        profile=environment.get("FLAGTUI_PROFILE", "").strip(),
        has_key=bool(environment.get(KEY_VARIABLE, "").strip()),
    )


def take_variable(name: str, environment: MutableMapping[str, str] = os.environ) -> str:
    """The variable's value, which is gone from the environment afterwards, so that no child inherits it."""
    return environment.pop(name, "").strip()


def make_folder(folder: Path | None, purpose: str) -> Path:
    """Make the folder, or the one that exists, private, and return it. Raises FolderUnusable.

    `purpose` says what is kept in it, for the sentence.
    """
    if folder is None:
        raise FolderUnusable(f"There is no home folder, so {purpose} cannot be kept. Set HOME.")
    try:
        make_private(folder)
    except ForeignFolder as error:
        whose = "is a link that another user made" if folder.is_symlink() else "belongs to another user"
        raise FolderUnusable(f"{folder} {whose}, so {purpose} cannot be kept there. Remove it.") from error
    except OSError as error:
        raise FolderUnusable(
            f"{folder} cannot be made ({error.strerror}), so {purpose} cannot be kept. "
            "Make it writable, or set HOME to a folder that is."
        ) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise FolderUnusable(f"{folder} is read-only, so {purpose} cannot be kept. Make it writable.")
    return folder


def _absolute(place: Callable[[], str]) -> Path | None:
    """Without a home the answer is an error, or begins with `~` and would land in the current folder."""
    try:
        path = Path(place())
    except RuntimeError:
        return None
    return path if path.is_absolute() else None

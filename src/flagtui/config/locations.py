"""The folders of the user's files, and the environment variables that override settings."""

import os
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from platformdirs import PlatformDirs

from flagtui.private_folders import ForeignFolder, make_private

KEY_VARIABLE: Final = "FLAGTUI_API_KEY"
_APP: Final = "flagtui"


class _State:
    """The folder of the state, if not the default."""

    folder: Path | None = None


WRITABLE: Final = "Make it writable, or set HOME to a folder that is."


class FolderUnusable(Exception):
    """A folder that cannot be used; the text is a sentence with the next step."""


class FolderUnwritable(FolderUnusable):
    """A folder that cannot be made or written."""


class Locations(NamedTuple):
    """Folders, none of which needs to exist. None where this system has no location for it."""

    config: Path | None
    """Settings, written by the user."""
    data: Path | None
    """The demo's database."""
    state: Path | None
    """The journal, key files, remembered state."""
    cache: Path | None
    """Cached rows; may be deleted at any time."""

    @property
    def settings_file(self) -> Path | None:
        """Return the path of `config.toml`, whether or not it exists."""
        return self.config / "config.toml" if self.config else None


class Given(NamedTuple):
    """Settings from the environment. They override the settings file, and the header names them."""

    host: str = ""
    project: str = ""
    profile: str = ""
    has_key: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        values = {
            "FLAGTUI_HOST": self.host,
            KEY_VARIABLE: self.has_key,
            "FLAGTUI_PROJECT": self.project,
            "FLAGTUI_PROFILE": self.profile,
        }
        return tuple(name for name, value in values.items() if value)


def find_locations() -> Locations:
    """Return the system's folders for programs; XDG variables move them on Linux."""
    dirs = PlatformDirs(_APP, appauthor=False)
    return Locations(
        config=_absolute(lambda: dirs.user_config_dir),
        data=_absolute(lambda: dirs.user_data_dir),
        state=_State.folder or _absolute(lambda: dirs.user_state_dir),
        cache=_absolute(lambda: dirs.user_cache_dir),
    )


def use_state(folder: Path) -> None:
    """Use this folder for the state from now on, such as that of the demo."""
    _State.folder = folder


@contextmanager
def state_in(folder: Path | None) -> Iterator[None]:
    """Use this folder for the state until the block ends; None for the default one."""
    before, _State.folder = _State.folder, folder
    try:
        yield
    finally:
        _State.folder = before


def has_other_state() -> bool:
    """Return whether the state is that of the demo, not that of the user."""
    return _State.folder is not None


def read_environment(environment: Mapping[str, str] = os.environ) -> Given:
    """Return the values of the FLAGTUI variables; empty ones count as not set."""
    return Given(
        host=environment.get("FLAGTUI_HOST", "").strip(),
        project=environment.get("FLAGTUI_PROJECT", "").strip(),
        profile=environment.get("FLAGTUI_PROFILE", "").strip(),
        has_key=bool(environment.get(KEY_VARIABLE, "").strip()),
    )


def take_variable(name: str, environment: MutableMapping[str, str] = os.environ) -> str:
    """Return the variable's value and remove it from the environment, so that no child inherits it."""
    return environment.pop(name, "").strip()


def make_folder(folder: Path | None, purpose: str) -> Path:
    """Create the folder, or make an existing one private, and return it. Raises FolderUnusable.

    `purpose` names its content in the sentence.
    """
    if folder is None:
        raise FolderUnusable(f"There is no home folder, so {purpose} cannot be kept. Set HOME.")
    try:
        make_private(folder)
    except ForeignFolder as error:
        whose = "is a link that another user made" if folder.is_symlink() else "belongs to another user"
        raise FolderUnusable(f"{folder} {whose}, so {purpose} cannot be kept there. Remove it.") from error
    except OSError as error:
        why = f"{folder} cannot be made ({error.strerror}), so {purpose} cannot be kept."
        raise FolderUnwritable(f"{why} {WRITABLE}") from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise FolderUnwritable(f"{folder} is read-only, so {purpose} cannot be kept. {WRITABLE}")
    return folder


def _absolute(place: Callable[[], str]) -> Path | None:
    """Return the absolute path; None without a home, where the library fails or returns `~`."""
    try:
        path = Path(place())
    except RuntimeError:
        return None
    return path if path.is_absolute() else None

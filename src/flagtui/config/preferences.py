"""Preferences of lists: chosen in the settings, or remembered from run to run automatically."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from msgspec import Meta, Struct, ValidationError, convert, to_builtins
from msgspec.structs import fields, replace

from flagtui.config.files import replace_file
from flagtui.private_folders import make_private

if TYPE_CHECKING:
    from flagtui.config.settings import SavedQuery

_FILE: Final = "remembered.json"
_SIZE_LIMIT: Final = 256 * 1024
HISTORY_LIMIT: Final = 50
LONGEST_LINE: Final = 1_000


class LeftList(Struct, frozen=True):
    """The state of a list at exit."""

    line: str = ""
    record: int | str | None = None
    """The record under the cursor."""


class LeftLists(Struct, frozen=True):
    """The state of a profile's lists at exit."""

    tab: str = ""
    """The key of the open tab."""
    lists: Mapping[str, LeftList] = {}
    """By the key of their tab."""


class Remembered(Struct, frozen=True):
    """The state at the end of the last run."""

    projects: Mapping[str, str] = {}
    """The last project by profile and host, see `place_of`."""
    preview: bool | None = None
    sorts: Mapping[str, str] = {}
    """Order by list; a leading minus reverses it."""
    history: Annotated[tuple[str, ...], Meta(max_length=HISTORY_LIMIT)] = ()
    """Search lines, newest first."""
    toured: bool = False
    """Whether the tour was completed or skipped."""
    left: Mapping[str, LeftLists] = {}
    """State of the lists at exit, by profile and host."""


def place_of(profile: str, host: str) -> str:
    """Return the key of a profile and host: a project id is valid at one host only."""
    return f"{profile} {host}"


def recall(folder: Path | None) -> Remembered:
    """Return the remembered state, as far as it can be read."""
    if folder is None:
        return Remembered()
    path = folder / _FILE
    try:
        # A pipe at this path would block the start.
        if not path.is_file() or path.stat().st_size > _SIZE_LIMIT:
            return Remembered()
        stored = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return Remembered()
    if not isinstance(stored, dict):
        return Remembered()
    values = {}
    for each in fields(Remembered):
        with suppress(ValidationError, KeyError):
            values[each.name] = convert(stored[each.name], each.type)
    return Remembered(**values)


def remember(folder: Path | None, remembered: Remembered) -> bool:
    """Write the remembered state; return False when that is impossible, which needs no message."""
    if folder is None:
        return False
    try:
        make_private(folder)
        replace_file(folder / _FILE, json.dumps(to_builtins(remembered), indent=1))
    except (OSError, UnicodeEncodeError):
        return False
    return True


def _with_newest(history: tuple[str, ...], line: str) -> tuple[str, ...]:
    return (line, *(other for other in history if other != line))[:HISTORY_LIMIT]


NOTHING_LEFT: Final = LeftLists()


@dataclass
class Preferences:
    """Chosen preferences are written to the settings file; others are remembered automatically."""

    settings_file: Path | None = None
    """The file for choices; None keeps them until the program ends."""
    memory: Path | None = None
    """The folder of the remembered state."""
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Columns by list; a list without an entry shows its default."""
    queries: "Sequence[SavedQuery]" = ()
    preview: bool | None = None
    """The setting; None uses the remembered value."""
    theme: str = "auto"
    """The theme as set; `auto` is light or dark, like the terminal."""
    resumes: bool = True
    """Whether tab, search and cursor are restored at the next start."""
    is_light: bool | None = None
    """Background reported by the terminal; None when it reported none."""
    remembered: Remembered = field(init=False)

    def __post_init__(self) -> None:
        self.remembered = recall(self.memory)

    @property
    def shows_preview(self) -> bool:
        """Return whether the preview pane is open at the start."""
        if self.preview is not None:
            return self.preview
        return self.remembered.preview is not False

    def queries_of(self, list_name: str) -> "list[SavedQuery]":
        """Return the saved searches of a list, oldest first."""
        return [query for query in self.queries if query.list == list_name]

    def keep_columns(self, list_name: str, names: Sequence[str]) -> str:
        """Show these columns in this order, none for the default. Return the error text, or empty."""
        from flagtui.config.settings_writer import write_columns

        self.columns = {**self.columns, list_name: tuple(names)}
        return self._write(lambda file: write_columns(file, list_name, names))

    def keep_query(self, name: str, line: str, list_name: str) -> str:
        """Save a search line under a name, or give the name another line. Return the error text, or empty."""
        from flagtui.config.settings import SavedQuery
        from flagtui.config.settings_writer import save_query

        names, kept = [(query.name, query.list) for query in self.queries], SavedQuery(name, line, list_name)
        place = names.index((name, list_name)) if (name, list_name) in names else len(names)
        self.queries = [*self.queries[:place], kept, *self.queries[place + 1 :]]
        return self._write(lambda file: save_query(file, name, line, list_name))

    def keep_theme(self, name: str) -> str:
        """Use the theme from now on. Return the error text, or empty."""
        from flagtui.config.settings_writer import write_theme

        self.theme = name
        return self._write(lambda file: write_theme(file, name))

    def keep_preview(self, is_open: bool) -> None:
        """Remember for the next run whether the preview is open."""
        self._remember(lambda stored: replace(stored, preview=is_open))

    def keep_sort(self, list_name: str, sort: str) -> None:
        """Remember the order for the next run; a leading minus reverses it."""
        self._remember(lambda stored: replace(stored, sorts={**stored.sorts, list_name: sort}))

    def left_lists(self, profile: str, host: str) -> LeftLists:
        """Return the state of the lists at the end of the last run."""
        left = self.remembered.left if self.resumes else {}
        return left.get(place_of(profile, host), NOTHING_LEFT)

    def keep_left(self, profile: str, host: str, left: LeftLists) -> None:
        """Remember the state of the lists; a line that is too long is dropped."""
        if self.resumes:
            lists = {
                tab: state if len(state.line) <= LONGEST_LINE else replace(state, line="")
                for tab, state in left.lists.items()
            }
            here = {place_of(profile, host): replace(left, lists=lists)}
            self._remember(lambda stored: replace(stored, left={**stored.left, **here}))

    def keep_toured(self) -> None:
        """Remember that the tour is not offered again."""
        self._remember(lambda stored: replace(stored, toured=True))

    def keep_line(self, line: str) -> None:
        """Add the line to the history, unless it is blank."""
        line = line.strip()
        if line and len(line) <= LONGEST_LINE:
            self._remember(lambda stored: replace(stored, history=_with_newest(stored.history, line)))

    def keep_project(self, profile: str, host: str, project: int | str) -> None:
        """Remember the project for the next run of this profile."""
        here = {place_of(profile, host): str(project)}
        self._remember(lambda stored: replace(stored, projects={**stored.projects, **here}))

    def last_project(self, profile: str, host: str) -> int | None:
        """Return the id of the project open at the end of the last run."""
        project = self.remembered.projects.get(place_of(profile, host), "")
        return int(project) if project.isascii() and project.isdigit() else None

    def _remember(self, change: Callable[[Remembered], Remembered]) -> None:
        """Change what this program remembers, and the file as it is now: another one may have written it."""
        self.remembered = change(self.remembered)
        stored = recall(self.memory)
        if (changed := change(stored)) != stored:
            remember(self.memory, changed)

    def _write(self, write: Callable[[Path], None]) -> str:
        if self.settings_file is None:
            return ""
        from flagtui.config.toml_source import SettingsError

        try:
            write(self.settings_file)
        except SettingsError as wrong:
            reason = str(wrong)
        except OSError as fault:
            reason = f"{self.settings_file}: {fault.strerror or fault}"
        else:
            return ""
        return f"kept only until you quit; the settings file cannot be written: {reason}"

"""What a person likes of the lists: chosen in the settings, or kept from run to run by itself."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

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
    """How a list was left."""

    line: str = ""
    record: int | str | None = None
    """The one under the cursor."""


class LeftLists(Struct, frozen=True):
    """How the lists of a profile were left."""

    tab: str = ""
    """The key of the one in front."""
    lists: Mapping[str, LeftList] = {}
    """By the key of their tab."""


class Remembered(Struct, frozen=True):
    """How things stood at the end of the last run."""

    projects: Mapping[str, str] = {}
    """The last project by profile and host, see `place_of`."""
    preview: bool | None = None
    sorts: Mapping[str, str] = {}
    """Order by list; a minus in front turns it round."""
    history: Annotated[tuple[str, ...], Meta(max_length=HISTORY_LIMIT)] = ()
    """Search lines, newest first."""
    toured: bool = False
    """Whether the tour was taken or skipped."""
    left: Mapping[str, LeftLists] = {}
    """How the lists were left, by profile and host."""


def place_of(profile: str, host: str) -> str:
    """A project number means something at one host only."""
    return f"{profile} {host}"


def recall(folder: Path | None) -> Remembered:
    """What was remembered, as far as it can be read."""
    if folder is None:
        return Remembered()
    path = folder / _FILE
    try:
        # A pipe in its place would keep the start waiting.
        if not path.is_file() or path.stat().st_size > _SIZE_LIMIT:
            return Remembered()
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return Remembered()
    if not isinstance(found, dict):
        return Remembered()
    known = {}
    for each in fields(Remembered):
        with suppress(ValidationError, KeyError):
            known[each.name] = convert(found[each.name], each.type)
    return Remembered(**known)


def remember(folder: Path | None, remembered: Remembered) -> bool:
    """Writes it down; False when that is not possible, which is not worth a message."""
    if folder is None:
        return False
    try:
        make_private(folder)
        replace_file(folder / _FILE, json.dumps(to_builtins(remembered), indent=1))
    except (OSError, UnicodeEncodeError):
        return False
    return True


NOTHING_LEFT: Final = LeftLists()


@dataclass
class Preferences:
    """Chosen things go to the settings file; the rest is remembered from run to run without being told."""

    settings_file: Path | None = None
    """Where choices are written; None keeps them until the program ends."""
    memory: Path | None = None
    """The folder of what is remembered."""
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By list; a list without an entry shows its own."""
    queries: "Sequence[SavedQuery]" = ()
    preview: bool | None = None
    """What the settings say; None leaves it as it was."""
    theme: str = "auto"
    """As asked for; `auto` is light or dark, as the terminal is."""
    resumes: bool = True
    """Whether tab, search and cursor come back at the next start."""
    is_light: bool | None = None
    """What the terminal said of its background; None when it said nothing."""
    remembered: Remembered = field(init=False)

    def __post_init__(self) -> None:
        self.remembered = recall(self.memory)

    @property
    def shows_preview(self) -> bool:
        """Whether the pane beside the list is open at the start."""
        if self.preview is not None:
            return self.preview
        return self.remembered.preview is not False

    def queries_of(self, list_name: str) -> "list[SavedQuery]":
        """The named searches of a list, oldest first."""
        return [query for query in self.queries if query.list == list_name]

    def keep_columns(self, list_name: str, names: Sequence[str]) -> str:
        """Show these from now on, in this order; none for the list's own. The answer says what went wrong."""
        from flagtui.config.settings_writer import write_columns

        self.columns = {**self.columns, list_name: tuple(names)}
        return self._write(lambda file: write_columns(file, list_name, names))

    def keep_query(self, name: str, line: str, list_name: str) -> str:
        """Give a search line a name, or a name another line. The answer says what went wrong."""
        from flagtui.config.settings import SavedQuery
        from flagtui.config.settings_writer import save_query

        known = [query for query in self.queries if (query.name, query.list) != (name, list_name)]
        self.queries = [*known, SavedQuery(name, line, list_name)]
        return self._write(lambda file: save_query(file, name, line, list_name))

    def keep_theme(self, name: str) -> str:
        """Use it from now on. The answer says what went wrong."""
        from flagtui.config.settings_writer import write_theme

        self.theme = name
        return self._write(lambda file: write_theme(file, name))

    def keep_preview(self, is_open: bool) -> None:
        """For the next run."""
        self._remember(preview=is_open)

    def keep_sort(self, list_name: str, sort: str) -> None:
        """For the next run; a minus in front turns it round."""
        self._remember(sorts={**self.remembered.sorts, list_name: sort})

    def left_lists(self, profile: str, host: str) -> LeftLists:
        """How the lists were left at the end of the last run."""
        return (
            self.remembered.left.get(place_of(profile, host), NOTHING_LEFT) if self.resumes else NOTHING_LEFT
        )

    def keep_left(self, profile: str, host: str, left: LeftLists) -> None:
        """For the next run; a line that is too long is left out."""
        if self.resumes:
            lists = {
                tab: one if len(one.line) <= LONGEST_LINE else replace(one, line="")
                for tab, one in left.lists.items()
            }
            here = {place_of(profile, host): replace(left, lists=lists)}
            self._remember(left={**self.remembered.left, **here})

    def keep_toured(self) -> None:
        """The tour is not offered any more."""
        self._remember(toured=True)

    def keep_line(self, line: str) -> None:
        """In front of the history, unless it is blank."""
        line = line.strip()
        if line and len(line) <= LONGEST_LINE:
            others = [other for other in self.remembered.history if other != line]
            self._remember(history=(line, *others)[:HISTORY_LIMIT])

    def keep_project(self, profile: str, host: str, project: int | str) -> None:
        """For the next run of this profile."""
        self._remember(projects={**self.remembered.projects, place_of(profile, host): str(project)})

    def last_project(self, profile: str, host: str) -> int | None:
        """The one that was open at the end of the last run."""
        found = self.remembered.projects.get(place_of(profile, host), "")
        return int(found) if found.isascii() and found.isdigit() else None

    def _remember(self, **changed: Any) -> None:
        remembered = replace(self.remembered, **changed)
        if remembered != self.remembered:
            self.remembered = remembered
            remember(self.memory, remembered)

    def _write(self, write: Callable[[Path], None]) -> str:
        if self.settings_file is None:
            return ""
        from flagtui.config.toml_source import SettingsError

        try:
            write(self.settings_file)
        except (SettingsError, OSError) as fault:
            return f"kept until you leave only; the settings file cannot be written: {fault}"
        return ""

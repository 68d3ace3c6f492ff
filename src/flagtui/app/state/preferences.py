"""What a person likes of the lists: columns, named searches, preview, order, lines searched for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from flagtui.config.remembered_state import LeftLists, Remembered, place_of, recall, remember

if TYPE_CHECKING:
    from flagtui.config.settings import SavedQuery


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
        self._remember(replace(self.remembered, preview=is_open))

    def keep_sort(self, list_name: str, sort: str) -> None:
        """For the next run; a minus in front turns it round."""
        if self.remembered.sorts.get(list_name) != sort:
            self._remember(replace(self.remembered, sorts={**self.remembered.sorts, list_name: sort}))

    def left_lists(self, profile: str, host: str) -> LeftLists:
        """How the lists were left at the end of the last run."""
        return (
            self.remembered.left.get(place_of(profile, host), NOTHING_LEFT) if self.resumes else NOTHING_LEFT
        )

    def keep_left(self, profile: str, host: str, left: LeftLists) -> None:
        """For the next run."""
        if self.resumes:
            self._remember(self.remembered.with_left(profile, host, left))

    def keep_toured(self) -> None:
        """The tour is not offered any more."""
        self._remember(replace(self.remembered, toured=True))

    def keep_line(self, line: str) -> None:
        """For the next run."""
        self._remember(self.remembered.with_line(line))

    def keep_project(self, profile: str, host: str, project: int | str) -> None:
        """For the next run of this profile."""
        self._remember(self.remembered.with_project(profile, host, str(project)))

    def last_project(self, profile: str, host: str) -> int | None:
        """The one that was open at the end of the last run."""
        found = self.remembered.projects.get(place_of(profile, host), "")
        return int(found) if found.isascii() and found.isdigit() else None

    def _remember(self, remembered: Remembered) -> None:
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

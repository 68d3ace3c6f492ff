"""The settings file: read and checked, or an error with its line."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec

from flagtui.config.profiles import CODE_FIELDS, PROFILE_FIELDS, Profile, read_profiles
from flagtui.config.toml_source import (
    SettingField,
    SettingsError,
    TomlSource,
    WrongSetting,
    one_of,
    parse_source,
    read_source,
    read_table,
    read_value,
    settings_of,
    table_at,
    text,
    texts,
    yes_or_no,
)
from flagtui.local_time import is_zone
from flagtui.store.kinds import KINDS

__all__ = ["SavedQuery", "Settings", "SettingsError", "parse_settings", "read_settings"]

LISTS: Final = (*KINDS, "activity", "deleted", "journal", "my_flags", "ids", "code")
"""Lists with columns and saved queries."""


class SavedQuery(msgspec.Struct, frozen=True):
    """A named search line, shown as a tab."""

    name: Annotated[str, text(24), "The word on the tab."]
    line: Annotated[str, text(1_000), "The search line."]
    list: Annotated[str, one_of(*LISTS), "The list it belongs to; flags unless given."] = "flags"


def _time_zone(value: object) -> str:
    if not isinstance(value, str) or not is_zone(value):
        raise WrongSetting('use a name of the time zone database, such as "Europe/Berlin" or "UTC"')
    return value


class Settings(msgspec.Struct, frozen=True):
    """The values of the file, with defaults for missing ones."""

    source: TomlSource
    profiles: Mapping[str, Profile]
    default_profile: Annotated[str, text(40), "The profile to open when none is named."] = ""
    theme: Annotated[
        str, text(60), "The colours: `auto`, light or dark as the terminal is, or one by name."
    ] = ""
    """Empty for `auto`."""
    mouse: Annotated[bool, yes_or_no, "Whether the mouse is used; without it the terminal selects text."] = (
        True
    )
    preview: Annotated[
        bool | None, yes_or_no, "Whether the preview is open at start; unset: as at the last exit."
    ] = None
    """None uses the state at the end of the last run."""
    resume: Annotated[bool, yes_or_no, "Whether tab, search and cursor come back at the next start."] = True
    snapshots: Annotated[bool, yes_or_no, "Whether rows are cached on disk for the next start."] = True
    time_zone: Annotated[
        str, _time_zone, "The zone in which times are read and shown, such as `Europe/Berlin`."
    ] = ""
    """Empty for the time zone of the process."""
    columns: Mapping[str, tuple[str, ...]] = {}
    """By list."""
    keys: Mapping[str, str] = {}
    """Command to keys, as written; `read_keymap` checks them."""
    queries: tuple[SavedQuery, ...] = ()

    def check_theme(self, themes: tuple[str, ...]) -> str:
        """Return the theme's name if the theme exists. Raises SettingsError."""
        if self.theme and self.theme not in themes:
            raise self.source.error(("theme",), f"there is no theme {self.theme!r}; use {', '.join(themes)}")
        return self.theme

    def check_columns(self, name: str, columns: tuple[str, ...]) -> tuple[str, ...]:
        """Return the columns of a list if all exist; empty for the default. Raises SettingsError."""
        chosen = self.columns.get(name, ())
        for column in chosen:
            if column not in columns:
                reason = f"{name} has no column {column!r}; use {', '.join(columns)}"
                raise self.source.error(("columns", name), reason)
        return chosen


_FIELDS: Final = settings_of(Settings)
_QUERY_FIELDS: Final = settings_of(SavedQuery)
_TABLES: Final = {
    "profiles": "One table for each place to work.",
    "keys": "Other keys for commands.",
    "columns": "Which columns a list shows, in which order.",
    "queries": "Search lines with a name.",
}


def read_settings(file: Path | None) -> Settings:
    """Read and check the file; a missing one gives the defaults. Raises SettingsError."""
    return _settings(read_source(file))


def parse_settings(toml: str, file: Path | None = None) -> Settings:
    """Read and check TOML text. Raises SettingsError."""
    return _settings(parse_source(toml, file))


def documented_settings() -> dict[str, Mapping[str, SettingField]]:
    """Return every setting by table, for the documents and their test."""
    profile = {"profiles.NAME": PROFILE_FIELDS, "profiles.NAME.code": CODE_FIELDS}
    return {"": _FIELDS, **profile, "queries": _QUERY_FIELDS}


def _settings(source: TomlSource) -> Settings:
    for name in source.values:
        if name not in _FIELDS and name not in _TABLES:
            raise source.unknown((name,), (*_FIELDS, *_TABLES), PROFILE_FIELDS, "under [profiles.NAME]")
    values: dict[str, Any] = {
        name: read_value(source, (name,), _FIELDS[name].read, value)
        for name, value in source.values.items()
        if name in _FIELDS
    }
    profiles = read_profiles(source, _FIELDS)
    default = values.get("default_profile", "")
    if default and default not in profiles:
        names = ", ".join(profiles) or "none is written down yet"
        raise source.error(("default_profile",), f"there is no profile {default!r}; profiles: {names}")
    columns = read_table(source, ("columns",), {name: SettingField(texts, "") for name in LISTS})
    return Settings(source, profiles, columns=columns, keys=_keys(source), queries=_queries(source), **values)


def _keys(source: TomlSource) -> dict[str, str]:
    """Return the keys by command; tables are joined by dots, so that `flags.toggle = "t"` needs no quotes."""
    keys: dict[str, str] = {}
    tables: list[tuple[tuple[str, ...], Mapping[str, Any]]] = [((), table_at(source, ("keys",)))]
    for path, table in tables:
        for name, value in table.items():
            if isinstance(value, dict):
                tables.append(((*path, name), value))
            else:
                keys[".".join((*path, name))] = read_value(source, ("keys", *path, name), _keys_text, value)
    return keys


def _keys_text(value: object) -> str:
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ",".join(value)
    if not isinstance(value, str):
        raise WrongSetting('use the name of a key such as "ctrl+s", several with commas, or "" for none')
    return value


def _queries(source: TomlSource) -> tuple[SavedQuery, ...]:
    tables = source.values.get("queries", [])
    if not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
        raise source.error(("queries",), "has to be tables: [[queries]]")
    queries: list[SavedQuery] = []
    for place, table in enumerate(tables):
        path = ("queries", place)
        values = read_table(source, path, _QUERY_FIELDS)
        missing = [name for name in ("name", "line") if name not in table]
        if missing:
            raise source.error(path, f"{missing[0]} is missing")
        query = SavedQuery(**values)
        if any(query.name == other.name and query.list == other.list for other in queries):
            raise source.error((*path, "name"), f"{query.name!r} is there twice")
        queries.append(query)
    return tuple(queries)

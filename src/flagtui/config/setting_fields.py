"""How single values of the settings are checked. Each reader raises WrongSetting with what is allowed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from flagtui.config.toml_source import KeyPath, TomlSource
from flagtui.safe_text import safe_text

Choice = TypeVar("Choice", bound=str)
Reader = Callable[[object], Any]


class WrongSetting(ValueError):
    """A value that cannot be used; the text says what is allowed."""


@dataclass(frozen=True, slots=True)
class SettingField:
    """One setting."""

    read: Reader
    meaning: str
    """One sentence for the documents."""


def read_table(source: TomlSource, path: KeyPath, fields: Mapping[str, SettingField]) -> dict[str, Any]:
    """The values of the table at the path that are set, checked. Raises SettingsError."""
    table = table_at(source, path)
    values = {}
    for name, value in table.items():
        if name not in fields:
            raise source.unknown((*path, name), fields)
        values[name] = read_value(source, (*path, name), fields[name].read, value)
    return values


def table_at(source: TomlSource, path: KeyPath) -> dict[str, Any]:
    """The table there; empty when it is missing. Raises SettingsError for anything else."""
    found: Any = source.values
    for part in path:
        found = found[part] if isinstance(part, int) else found.get(part, {})
        if not isinstance(found, dict) and part is path[-1]:
            raise source.error(path, f"has to be a table: [{'.'.join(map(str, path))}]")
    return dict(found)


def read_value(source: TomlSource, path: KeyPath, read: Reader, value: object) -> Any:
    """The value checked. Raises SettingsError."""
    try:
        return read(value)
    except WrongSetting as wrong:
        shown = safe_text(repr(value) if isinstance(value, str) else value, 60)
        raise source.error(path, f"{shown} cannot be used; {wrong}") from wrong


def text(limit: int = 200) -> Reader:
    """Any text on one line that is not empty."""

    def read(value: object) -> str:
        if not isinstance(value, str) or not value.strip() or len(value) > limit or "\n" in value:
            raise WrongSetting(f"use text on one line, at most {limit:,} characters")
        return value.strip()

    return read


def one_of(*allowed: str) -> Reader:
    """One word of a closed set."""

    def read(value: object) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise WrongSetting(f"use {', '.join(allowed[:-1])} or {allowed[-1]}")
        return value

    return read


def yes_or_no(value: object) -> bool:
    """`true` or `false`."""
    if not isinstance(value, bool):
        raise WrongSetting("use true or false, without quotes")
    return value


def number(low: int, high: int) -> Reader:
    """A whole number."""

    def read(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise WrongSetting(f"use a whole number from {low} to {high}")
        return value

    return read


def texts(value: object) -> tuple[str, ...]:
    """A list of texts."""
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise WrongSetting('use a list of texts, such as ["key", "rollout"]')
    return tuple(value)

"""`overrides.toml`: overrides as a file, reloaded when it is saved."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from flagtui.config.toml_source import KeyPath, SettingsError, TomlSource, read_source
from flagtui.models.override import InvalidOverride, Override, make_override, read_value

EVERYONE: Final = "everyone"
PERSONS: Final = "persons"
_TABLES: Final = (EVERYONE, PERSONS)


def read_override_file(file: Path) -> list[Override]:
    """Return the overrides of a file; a missing file has none. Raises SettingsError with the line."""
    source = read_source(file)
    overrides: list[Override] = []
    for name, table in source.values.items():
        if name not in _TABLES:
            raise source.unknown((name,), _TABLES)
        if not isinstance(table, dict):
            raise source.error((name,), f"has to be a table: [{name}]")
        if name == EVERYONE:
            overrides += _read_table(source, (name,), table, None)
            continue
        for person, own in table.items():
            if not isinstance(own, dict):
                raise source.error((name, person), f'has to be a table: [{name}."{person}"]')
            overrides += _read_table(source, (name, person), own, person)
    return overrides


def _read_table(
    source: TomlSource, path: KeyPath, table: Mapping[str, Any], person: str | None
) -> list[Override]:
    overrides = []
    for key, value in table.items():
        try:
            # A text is a word as on the command line, so that "20%" is a share.
            overrides.append(make_override(key, read_text(value), person))
        except InvalidOverride as wrong:
            raise source.error((*path, key), str(wrong)) from None
    return overrides


def read_text(value: Any) -> Any:
    """Return the value of a setting: a share for `"20%"`, otherwise the file's value."""
    if isinstance(value, str) and value.endswith("%"):
        return read_value(value)
    if isinstance(value, bool | str | int | float | dict):
        return value
    raise InvalidOverride("a value is true, false, a text, a number or a table")


class OverrideFile:
    """Reads a file again after each save; a bad one leaves the last good overrides in place."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.overrides: list[Override] = []
        self.trouble = ""
        """Why the file as it is now is not used; empty when it is."""
        self._seen: tuple[int, int, int] | None = None

    def reload(self) -> bool:
        """Read the file if it changed since the last look; return whether anything is different."""
        seen = self._look()
        if seen == self._seen:
            return False
        self._seen = seen
        try:
            overrides = read_override_file(self.path)
        except SettingsError as wrong:
            is_news, self.trouble = self.trouble != str(wrong), str(wrong)
            return is_news
        is_news = bool(self.trouble) or overrides != self.overrides
        self.trouble, self.overrides = "", overrides
        return is_news

    def _look(self) -> tuple[int, int, int] | None:
        try:
            facts = self.path.stat()
        except OSError:
            return (0, 0, 0)
        return (facts.st_mtime_ns, facts.st_size, facts.st_ino)

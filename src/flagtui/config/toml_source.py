"""A settings file with line numbers, so that errors name the line."""

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from flagtui.private_folders import read_file
from flagtui.safe_text import KEY_STARTS, safe_text

LARGEST: Final = 1
"""MiB of a settings file that are read."""
KeyPath = tuple[str | int, ...]
"""The path of a value: table names, then the key; a number for the n-th of an array of tables."""

_HEADER: Final = re.compile(r"\s*\[(\[)?\s*([^\]]+?)\s*\]")
_KEY: Final = re.compile(
    r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*="""
)
_PART: Final = re.compile(r"""[A-Za-z0-9_-]+|"[^"]*"|'[^']*'""")
_AT_LINE: Final = re.compile(r"\s*\(at line (\d+), column \d+\)|\s*\(at end of document\)")


class SettingsError(Exception):
    """An invalid value in the settings file: `config.toml:12: profiles.prod.guard: …`."""

    def __init__(self, file: Path | None, line: int | None, key: str, reason: str) -> None:
        place = safe_text(file or "settings", 300) + (f":{line}" if line else "")
        super().__init__(": ".join(part for part in (place, safe_text(key), reason) if part))
        self.file = file
        self.line = line
        self.key = key
        self.reason = reason


class TomlSource(msgspec.Struct, frozen=True):
    """A parsed file, or none."""

    file: Path | None
    values: Mapping[str, Any]
    text: str = ""

    def error(self, path: KeyPath, reason: str) -> SettingsError:
        """Return the error for the value, with its line or that of the nearest table around it."""
        lines = find_lines(self.text)
        around = (lines.get(_join(path[:end])) for end in range(len(path), 0, -1))
        line = next((number for number in around if number), None)
        return SettingsError(self.file, line, path_text(path), reason)

    def unknown(
        self, path: KeyPath, valid_names: Iterable[str], elsewhere: Collection[str] = (), place: str = ""
    ) -> SettingsError:
        """Return the error for an unknown key, with the place of one from elsewhere, or the closest one."""
        if path[-1] in elsewhere:
            return self.error(path, f"it belongs {place}")
        names = sorted(valid_names)
        near = difflib.get_close_matches(str(path[-1]), names, 1, 0.6)
        hint = f"did you mean {near[0]}?" if near else f"known here: {', '.join(names)}"
        return self.error(path, f"there is no such setting; {hint}")


def read_source(file: Path | None) -> TomlSource:
    """Read the file; a missing one is empty. Raises SettingsError."""
    if file is None:
        return TomlSource(None, {})
    try:
        if file.is_fifo():
            # Reading it would block the start.
            raise SettingsError(file, None, "", "is no file")
        content = read_file(file, LARGEST)
        text = content.decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return TomlSource(file, {})
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SettingsError(file, line, "", "it is not UTF-8; save the file as UTF-8") from error
    except OSError as error:
        raise SettingsError(file, None, "", f"cannot be read: {error.strerror}") from error
    return parse_source(text, file)


def parse_source(text: str, file: Path | None) -> TomlSource:
    """Parse TOML text. Raises SettingsError."""
    # Many runs have no file.
    import tomllib

    try:
        values = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        place = _AT_LINE.search(str(error))
        line = int(place[1]) if place and place[1] else max(1, len(text.splitlines()))
        reason = _AT_LINE.sub("", str(error)).strip().rstrip(".")
        raise SettingsError(file, line, "", f"not valid TOML: {safe_text(reason)}") from error
    return TomlSource(file, values, text)


def path_text(path: KeyPath) -> str:
    """Return the path as users write it."""
    return ".".join(f'"{part}"' if isinstance(part, str) and "." in part else str(part) for part in path)


def find_lines(text: str) -> dict[str, int]:
    """Return the first line of each table and key by its path, joined with dots, quoted or not.

    Keys inside inline tables have the line of the table.
    """
    lines: dict[str, int] = {}
    table: KeyPath = ()
    counts: dict[KeyPath, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            table = _parts(header[2])
            if header[1]:
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            path = table
        elif key := _KEY.match(line):
            path = (*table, *_parts(key[1]))
        else:
            continue
        for end in range(1, len(path) + 1):
            lines.setdefault(_join(path[:end]), number)
    return lines


def _join(path: KeyPath) -> str:
    return ".".join(map(str, path))


def _parts(written: str) -> KeyPath:
    return tuple(part.strip("\"'") for part in _PART.findall(written))


Reader = Callable[[object], Any]


class WrongSetting(ValueError):
    """An invalid value; the text names the valid ones."""


class SettingField(msgspec.Struct, frozen=True):
    read: Reader
    meaning: str
    """One sentence for the documents."""


def settings_of(kind: type[msgspec.Struct]) -> dict[str, SettingField]:
    """Return the fields of a table that are settings, such as `mouse: Annotated[bool, yes_or_no, "…"]`."""
    settings = {name: getattr(hint, "__metadata__", ()) for name, hint in kind.__annotations__.items()}
    return {name: SettingField(*about) for name, about in settings.items() if about}


def read_table(
    source: TomlSource,
    path: KeyPath,
    fields: Mapping[str, SettingField],
    tables: Collection[str] = (),
    elsewhere: Collection[str] = (),
    place: str = "",
) -> dict[str, Any]:
    """Return the values set in the table at the path, checked; `tables` in it are skipped.

    `elsewhere` has the settings that belong to another place. Raises SettingsError.
    """
    values = {}
    for name, value in table_at(source, path).items():
        if name in tables:
            continue
        if name not in fields:
            raise source.unknown((*path, name), (*fields, *tables), elsewhere, place)
        values[name] = read_value(source, (*path, name), fields[name].read, value)
    return values


def table_at(source: TomlSource, path: KeyPath) -> dict[str, Any]:
    """Return the table; empty when it is missing. Raises SettingsError for another value."""
    value: Any = source.values
    for part in path:
        value = value[part] if isinstance(part, int) else value.get(part, {})
        if not isinstance(value, dict) and part is path[-1]:
            raise source.error(path, f"has to be a table: [{'.'.join(map(str, path))}]")
    return dict(value)


def read_value(source: TomlSource, path: KeyPath, read: Reader, value: object) -> Any:
    """Return the checked value. Raises SettingsError."""
    try:
        return read(value)
    except WrongSetting as wrong:
        is_key = isinstance(value, str) and value.strip().startswith(KEY_STARTS)
        shown = "a key" if is_key else safe_text(repr(value) if isinstance(value, str) else value, 60)
        raise source.error(path, f"{shown} cannot be used; {wrong}") from wrong


def text(limit: int = 200) -> Reader:
    """Return a reader of non-empty text on one line."""

    def read(value: object) -> str:
        if not isinstance(value, str) or not value.strip() or len(value) > limit or "\n" in value:
            raise WrongSetting(f"use text on one line, at most {limit:,} characters")
        return value.strip()

    return read


def one_of(*allowed: str) -> Reader:
    """Return a reader of one word of a closed set."""

    def read(value: object) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise WrongSetting(f"use {', '.join(allowed[:-1])} or {allowed[-1]}")
        return value

    return read


def yes_or_no(value: object) -> bool:
    if not isinstance(value, bool):
        raise WrongSetting("use true or false, without quotes")
    return value


def number(low: int, high: int) -> Reader:
    """Return a reader of whole numbers."""

    def read(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise WrongSetting(f"use a whole number from {low} to {high}")
        return value

    return read


def texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise WrongSetting('use a list of texts, such as ["key", "rollout"]')
    return tuple(value)

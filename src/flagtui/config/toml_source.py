"""A settings file with its lines, so that whatever is wrong in it can be pointed at."""

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from flagtui.safe_text import safe_text

KeyPath = tuple[str | int, ...]
"""Where a value stands: table names, then the key; a number for the n-th of an array of tables."""

_HEADER: Final = re.compile(r"\s*\[(\[)?\s*([^\]]+?)\s*\]")
_KEY: Final = re.compile(
    r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*="""
)
_PART: Final = re.compile(r"""[A-Za-z0-9_-]+|"[^"]*"|'[^']*'""")
_AT_LINE: Final = re.compile(r"\s*\(at line (\d+), column \d+\)|\s*\(at end of document\)")


class SettingsError(Exception):
    """Something in the settings file that cannot be used: `config.toml:12: profiles.prod.guard: …`."""

    def __init__(self, file: Path | None, line: int | None, key: str, reason: str) -> None:
        place = safe_text(file or "settings", 300) + (f":{line}" if line else "")
        super().__init__(": ".join(part for part in (place, safe_text(key), reason) if part))
        self.file = file
        self.line = line
        self.key = key
        self.reason = reason


@dataclass(frozen=True)
class TomlSource:
    """A file that was read, or none."""

    file: Path | None
    values: Mapping[str, Any]
    lines: Mapping[str, int] = field(default_factory=dict, repr=False)
    """By path, joined with dots whether or not parts were quoted."""

    def error(self, path: KeyPath, reason: str) -> SettingsError:
        """What is wrong with the value there, with the line it or the nearest table around it stands in."""
        lines = (self.lines.get(_joined(path[:end])) for end in range(len(path), 0, -1))
        line = next((found for found in lines if found), None)
        return SettingsError(self.file, line, dotted(path), reason)

    def unknown(self, path: KeyPath, known: Iterable[str]) -> SettingsError:
        """A key that means nothing here, with the one that was probably meant."""
        names = sorted(known)
        near = difflib.get_close_matches(str(path[-1]), names, 1, 0.6)
        hint = f"did you mean {near[0]}?" if near else f"known here: {', '.join(names)}"
        return self.error(path, f"there is no such setting; {hint}")


def read_source(file: Path | None) -> TomlSource:
    """Reads the file; one that is not there is empty. Raises SettingsError."""
    if file is None:
        return TomlSource(None, {})
    if file.is_fifo():
        # It would keep the start waiting.
        raise SettingsError(file, None, "", "is no file")
    try:
        text = file.read_bytes().decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return TomlSource(file, {})
    except UnicodeDecodeError as error:
        raise SettingsError(file, None, "", f"is not UTF-8 text at byte {error.start}") from error
    except OSError as error:
        raise SettingsError(file, None, "", f"cannot be read: {error.strerror}") from error
    return parse_source(text, file)


def parse_source(text: str, file: Path | None) -> TomlSource:
    """The values of TOML text and their lines. Raises SettingsError."""
    try:
        values = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        place = _AT_LINE.search(str(error))
        line = int(place[1]) if place and place[1] else max(1, len(text.splitlines()))
        reason = _AT_LINE.sub("", str(error)).strip().rstrip(".")
        raise SettingsError(file, line, "", f"not valid TOML: {safe_text(reason)}") from error
    return TomlSource(file, values, _find_lines(text))


def dotted(path: KeyPath) -> str:
    """The path as one would write it."""
    return ".".join(f'"{part}"' if isinstance(part, str) and "." in part else str(part) for part in path)


def _find_lines(text: str) -> dict[str, int]:
    """The line of each table and key. Keys inside of inline tables have the line of the table."""
    lines: dict[str, int] = {}
    table: KeyPath = ()
    counts: dict[KeyPath, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            table = _parts(header[2])
            if header[1]:
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            lines.setdefault(_joined(table), number)
        elif key := _KEY.match(line):
            lines.setdefault(_joined((*table, *_parts(key[1]))), number)
    return lines


def _joined(path: KeyPath) -> str:
    return ".".join(map(str, path))


def _parts(written: str) -> KeyPath:
    return tuple(part.strip("\"'") for part in _PART.findall(written))

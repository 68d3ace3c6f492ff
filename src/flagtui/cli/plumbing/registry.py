"""The registry of the commands: an index in a file made from them, and the commands loaded so far."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

FILE: Final = Path(__file__).parents[1] / "commands.tsv"
"""Columns: words, module, kind of records, options for tags, line. `make generate` writes it."""

COMMANDS: Final[dict[str, Any]] = {}
"""The commands whose modules are loaded, by the words that name them; the decorator adds them."""


class IndexedCommand(NamedTuple):
    """A command, or a group of commands, which has the package as its module."""

    module: str
    """Its name within `flagtui.cli`."""
    records: str
    """The kind of the records that its arguments name: `flags`; empty for others."""
    tag_options: tuple[str, ...]
    """The options that take a tag of these records."""
    line: str
    """Its summary."""


@cache
def command_index() -> Mapping[str, IndexedCommand]:
    """Return the commands and groups by the words that name them: `flags`, `flags archive`."""
    rows = (line.split("\t") for line in FILE.read_text(encoding="utf-8").splitlines())
    return {
        words: IndexedCommand(module, records, tuple(options.split()), line)
        for words, module, records, options, line in rows
    }


def is_command(words: str) -> bool:
    """Return whether the words name a command, not a group."""
    index = command_index()
    return words in index and not any(other.startswith(f"{words} ") for other in index)


def load_command(words: str) -> Any:
    """Import the module that declares a command; return the command."""
    import_module(f"flagtui.cli.{command_index()[words].module}")
    return COMMANDS[words]

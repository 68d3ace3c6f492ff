"""`.flagtui.toml` in a repository: the settings of the scan, without secrets."""

import re
from pathlib import Path
from typing import Annotated, Final

import msgspec

from flagtui.code.languages import LANGUAGES
from flagtui.code.path_patterns import SETTINGS_FILE, match_patterns
from flagtui.config.toml_source import (
    WrongSetting,
    read_source,
    read_table,
    settings_of,
    table_at,
    texts,
)

_FUNCTION: Final = re.compile(r"[A-Za-z_$][\w$]*(?:[.:]{1,2}[A-Za-z_$][\w$]*)*[?!]?")


def _functions(value: object) -> tuple[str, ...]:
    names = texts(value)
    if wrong := [name for name in names if not _FUNCTION.fullmatch(name)]:
        raise WrongSetting(f"{wrong[0]!r} is no name of a function")
    return names


def _patterns(value: object) -> tuple[str, ...]:
    patterns = texts(value)
    try:
        match_patterns(patterns)
    except ValueError as error:
        raise WrongSetting(f"use patterns as in .gitignore: {error}") from None
    return patterns


def _languages(value: object) -> tuple[str, ...]:
    names = texts(value)
    if unknown := [name for name in names if name not in LANGUAGES]:
        raise WrongSetting(f"{unknown[0]!r} is not among {', '.join(LANGUAGES)}")
    return names


class RepositorySettings(msgspec.Struct, frozen=True):
    """The table `[code]`. Patterns are those of `.gitignore`."""

    wrappers: Annotated[
        tuple[str, ...], _functions, "Your functions whose first argument is a flag key."
    ] = ()
    event_wrappers: Annotated[
        tuple[str, ...], _functions, "Your functions whose first argument is the name of an event."
    ] = ()
    constants: Annotated[tuple[str, ...], _patterns, "Files whose constants are flag keys."] = ()
    ignore: Annotated[tuple[str, ...], _patterns, "Files that are not read."] = ()
    generated: Annotated[tuple[str, ...], _patterns, "Generated files: keys in them are not a use."] = ()
    tests: Annotated[tuple[str, ...], _patterns, "Test files: keys in them are not a use."] = ()
    languages: Annotated[tuple[str, ...], _languages, "The languages that are parsed; all unless given."] = ()


def read_repository_settings(root: Path) -> RepositorySettings:
    """Return the settings of the repository. Raises SettingsError with file, line and key."""
    source = read_source(root / SETTINGS_FILE)
    for name in table_at(source, ()):
        if name != "code":
            raise source.unknown((name,), ["code"])
    return RepositorySettings(**read_table(source, ("code",), settings_of(RepositorySettings)))

"""Changes of the settings file by the program. The user's comments and order are preserved."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Table

from flagtui.config.files import replace_file
from flagtui.config.profiles import CURRENT_PROJECT, PROFILE_FIELDS, Profile
from flagtui.config.settings import parse_settings
from flagtui.config.toml_source import SettingsError, find_lines, parse_source, read_source
from flagtui.private_folders import make_private

_HEADER: Final = "# Settings of flagtui; docs/settings.md lists them.\n"
_FORMS: Final = {"profiles": "[profiles.NAME]", "columns": "[columns]", "queries": "[[queries]]"}
"""The header under which each is written."""


def write_profile(
    file: Path, profile: Profile, *, default: str = "", before: Callable[[], object] | None = None
) -> None:
    """Add or update the profile, and name the one to open by default.

    A value equal to its default is omitted, unless the file has it. `before` runs once nothing but the
    replacement of the file is left to do; if it raises, the file stays as it is.

    Raises SettingsError, OSError.
    """
    with _edit(file, "profiles", before) as document:
        if default:
            document["default_profile"] = default
        table = _table(_table(document, "profiles", is_super=True), profile.name)
        usual = Profile(profile.name)
        for name in PROFILE_FIELDS:
            value = getattr(profile, name)
            if name in table or value != getattr(usual, name) or name == "host":
                table[name] = int(value) if name == "project" and value != CURRENT_PROJECT else value


def write_columns(file: Path, list_name: str, names: Sequence[str]) -> None:
    """Set the columns of a list; none restores the default. Raises SettingsError, OSError."""
    with _edit(file, "columns") as document:
        table = _table(document, "columns")
        if names:
            table[list_name] = list(names)
        else:
            table.pop(list_name, None)


def write_theme(file: Path, name: str) -> None:
    """Set the theme. Raises SettingsError, OSError."""
    with _edit(file, "theme") as document:
        document["theme"] = name


def save_query(file: Path, name: str, line: str, list_name: str = "flags") -> None:
    """Save a search line under a name, replacing its previous line. Raises SettingsError, OSError."""
    with _edit(file, "queries") as document:
        queries = document.setdefault("queries", tomlkit.aot())
        for query in queries:
            if query.get("name") == name and query.get("list", "flags") == list_name:
                query["line"] = line
                return
        query = tomlkit.table()
        query.update({"name": name, "line": line} | ({} if list_name == "flags" else {"list": list_name}))
        queries.append(query)


@contextmanager
def _edit(file: Path, key: str, before: Callable[[], object] | None = None) -> Iterator[tomlkit.TOMLDocument]:
    """Yield the document to change at `key`; it is checked before it is written.

    Raises SettingsError, also for a form that the library cannot change, such as tables on one line.
    """
    current = read_source(file).text or _HEADER
    parse_settings(current, file)
    after = ""
    try:
        document = tomlkit.parse(current)
        yield document
        after = tomlkit.dumps(document)
        read, meant = parse_source(after, file).values, document.unwrap()
        # An emptied table may be absent.
        is_as_meant = all(read.get(name, {}) == meant.get(name, {}) for name in {*read, *meant})
    except (TOMLKitError, ValueError, SettingsError):
        # The library refuses tables in inline ones with a plain ValueError.
        is_as_meant = False
    if not is_as_meant:
        lines = find_lines(current)
        line = next((line for name, line in lines.items() if name.partition(".")[0] == key), None)
        form = _FORMS.get(key, "a line of its own")
        reason = f"nothing can be added in this form, and nothing was changed; write each under {form} first"
        raise SettingsError(file, line, key, reason)
    try:
        parse_settings(after, file)
    except SettingsError as error:
        # The line is that of a text that no one has seen.
        raise SettingsError(file, None, error.key, error.reason) from None
    if not file.is_symlink():
        make_private(file.parent)
    # A link to settings elsewhere stays a link.
    replace_file(file.resolve(), after, before)


def _table(parent: tomlkit.TOMLDocument | Table, name: str, *, is_super: bool = False) -> Table:
    table = parent.get(name)
    if table is None:
        parent[name] = tomlkit.table(is_super)
        table = parent[name]
    return table  # type: ignore[no-any-return]  # checked before: profiles are tables

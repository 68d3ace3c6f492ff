"""Changes of the settings file by the program. The user's comments and order are preserved."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Table

from flagtui.config.files import replace_file
from flagtui.config.profiles import CURRENT_PROJECT, PROFILE_FIELDS, Profile
from flagtui.config.settings import parse_settings
from flagtui.config.toml_source import SettingsError
from flagtui.private_folders import make_private

_HEADER: Final = "# Settings of flagtui; docs/settings.md lists them.\n"


def write_profile(file: Path, profile: Profile, *, make_default: bool = False) -> None:
    """Add or update the profile. A value equal to the default is omitted, unless the file has it.

    Raises SettingsError, OSError.
    """
    with _edit(file) as document:
        if make_default:
            document["default_profile"] = profile.name
        table = _table(_table(document, "profiles", is_super=True), profile.name)
        usual = Profile(profile.name)
        for name in PROFILE_FIELDS:
            value = getattr(profile, name)
            if name in table or value != getattr(usual, name) or name == "host":
                table[name] = int(value) if name == "project" and value != CURRENT_PROJECT else value


def write_columns(file: Path, list_name: str, names: Sequence[str]) -> None:
    """Set the columns of a list; none restores the default. Raises SettingsError, OSError."""
    with _edit(file) as document:
        table = _table(document, "columns")
        if names:
            table[list_name] = list(names)
        else:
            table.pop(list_name, None)


def write_theme(file: Path, name: str) -> None:
    """Set the theme. Raises SettingsError, OSError."""
    with _edit(file) as document:
        document["theme"] = name


def save_query(file: Path, name: str, line: str, list_name: str = "flags") -> None:
    """Save a search line under a name, replacing its previous line. Raises SettingsError, OSError."""
    with _edit(file) as document:
        queries = document.setdefault("queries", tomlkit.aot())
        for query in queries:
            if query.get("name") == name and query.get("list", "flags") == list_name:
                query["line"] = line
                return
        query = tomlkit.table()
        query.update({"name": name, "line": line} | ({} if list_name == "flags" else {"list": list_name}))
        queries.append(query)


@contextmanager
def _edit(file: Path) -> Iterator[tomlkit.TOMLDocument]:
    """Yield the document; it is checked before it is written, so that a bug never spoils the file."""
    try:
        before = file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        before = _HEADER
    parse_settings(before, file)
    try:
        document = tomlkit.parse(before)
        yield document
        after = tomlkit.dumps(document)
    except (TOMLKitError, ValueError) as error:
        # The library refuses tables in inline ones with a plain ValueError.
        raise SettingsError(file, None, "", f"cannot be changed: {error}") from error
    try:
        parse_settings(after, file)
    except SettingsError as error:
        # The line is that of a text that no one has seen.
        reason = ": ".join(part for part in (error.key, error.reason) if part)
        raise SettingsError(file, None, "", f"cannot be changed as it is written: {reason}") from None
    if not file.is_symlink():
        make_private(file.parent)
    # A link to settings elsewhere stays a link.
    replace_file(file.resolve(), after)


def _table(parent: tomlkit.TOMLDocument | Table, name: str, *, is_super: bool = False) -> Table:
    table = parent.get(name)
    if table is None:
        parent[name] = tomlkit.table(is_super)
        table = parent[name]
    return table  # type: ignore[no-any-return]  # checked before: profiles are tables

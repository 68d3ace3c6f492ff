"""Changes to the settings file made by the program. Comments and order stay as the person wrote them."""

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

_HEADER: Final = "# Settings of flagtui; docs/settings.md says what there is.\n"


def write_profile(file: Path, profile: Profile, *, make_default: bool = False) -> None:
    """Adds the profile or brings it up to date. What equals the default is left out, unless it was written.

    Raises SettingsError, OSError.
    """
    with _changed(file) as document:
        if make_default:
            document["default_profile"] = profile.name
        table = _table(_table(document, "profiles", is_super=True), profile.name)
        usual = Profile(profile.name)
        for name in PROFILE_FIELDS:
            value = getattr(profile, name)
            if name in table or value != getattr(usual, name) or name == "host":
                table[name] = int(value) if name == "project" and value != CURRENT_PROJECT else value


def write_columns(file: Path, list_name: str, names: Sequence[str]) -> None:
    """Sets which columns a list shows; none gives it its own back. Raises SettingsError, OSError."""
    with _changed(file) as document:
        table = _table(document, "columns")
        if names:
            table[list_name] = list(names)
        else:
            table.pop(list_name, None)


def write_theme(file: Path, name: str) -> None:
    """Sets the theme. Raises SettingsError, OSError."""
    with _changed(file) as document:
        document["theme"] = name


def save_query(file: Path, name: str, line: str, list_name: str = "flags") -> None:
    """Keeps a search line under a name, replacing the one that had it. Raises SettingsError, OSError."""
    with _changed(file) as document:
        queries = document.setdefault("queries", tomlkit.aot())
        for query in queries:
            if query.get("name") == name and query.get("list", "flags") == list_name:
                query["line"] = line
                return
        query = tomlkit.table()
        query.update({"name": name, "line": line} | ({} if list_name == "flags" else {"list": list_name}))
        queries.append(query)


@contextmanager
def _changed(file: Path) -> Iterator[tomlkit.TOMLDocument]:
    """The file to be changed; checked and only then written, so that a mistake of ours never spoils it."""
    try:
        before = file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        before = _HEADER
    parse_settings(before, file)
    try:
        document = tomlkit.parse(before)
        yield document
        after = tomlkit.dumps(document)
    except TOMLKitError as error:
        raise SettingsError(file, None, "", f"cannot be changed: {error}") from error
    parse_settings(after, file)
    if not file.is_symlink():
        make_private(file.parent)
    # Settings kept elsewhere behind a link stay there.
    replace_file(file.resolve(), after)


def _table(parent: tomlkit.TOMLDocument | Table, name: str, *, is_super: bool = False) -> Table:
    found = parent.get(name)
    if found is None:
        parent[name] = tomlkit.table(is_super)
        found = parent[name]
    return found  # type: ignore[no-any-return]  # checked before: profiles are tables

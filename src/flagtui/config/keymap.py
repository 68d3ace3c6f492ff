"""The user's key bindings, checked against the registry of commands."""

import difflib
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from flagtui.config.settings import Settings
from flagtui.config.toml_source import KeyPath, SettingsError
from flagtui.safe_text import safe_text


class KnownCommand(Protocol):
    """The fields of a command that bindings need."""

    @property
    def id(self) -> str: ...
    @property
    def keys(self) -> str: ...
    @property
    def places(self) -> Sequence[str]: ...


_EVERYWHERE: Final = frozenset({"everywhere", "lists"})
"""Places whose keys work together with those of every other place."""
_NAMED_KEYS: Final = frozenset(
    ["enter", "escape", "tab", "space", "backspace", "insert", "delete", "home", "end", "pageup", "pagedown"]
    + ["up", "down", "left", "right"]
    + [f"f{number}" for number in range(1, 25)]
)
_ALIASES: Final = {
    "esc": "escape",
    "return": "enter",
    "del": "delete",
    "ins": "insert",
    "pgup": "pageup",
    "pgdn": "pagedown",
    "page_up": "pageup",
    "page_down": "pagedown",
    "control": "ctrl",
    "option": "alt",
    "meta": "alt",
}
_MODIFIERS: Final = ("ctrl", "alt", "shift", "super")
_SAME_KEY: Final = {
    "ctrl+i": "tab",
    "ctrl+m": "enter",
    "ctrl+left_square_bracket": "escape",
    "ctrl+h": "backspace",
}
"""Keys that a terminal cannot distinguish."""
_KEY_NAMES: Final = {
    "solidus": "slash",
    "reverse_solidus": "backslash",
    "commercial_at": "at",
    "hyphen_minus": "minus",
    "plus_sign": "plus",
    "low_line": "underscore",
}
"""Names of keys in the terminal library that differ from Unicode."""
_FIXED: Final = frozenset({"ctrl+c", "ctrl+z"})
"""Interrupt and suspend keep their meaning."""


class UnknownKey(ValueError):
    """No keyboard sends this; the text has the valid names."""


def read_keymap(settings: Settings, commands: Sequence[KnownCommand]) -> dict[str, str]:
    """Return command ids with their new keys, separated by commas. Raises SettingsError.

    A default key yields to the same key of the user: its command is listed with the keys it has left.
    """
    by_id = {command.id: command for command in commands}
    changed: dict[str, str] = {}
    for command_id, written in settings.keys.items():
        path = ("keys", *command_id.split("."))
        if command_id not in by_id:
            raise _unknown_command(settings, path, command_id, by_id)
        try:
            changed[command_id] = ",".join(read_key(key) for key in split_keys(written))
        except UnknownKey as unknown:
            raise settings.source.error(path, str(unknown)) from unknown
    _refuse_collisions(settings, commands, changed)
    return changed | _yielding(commands, changed)


def split_keys(written: str) -> list[str]:
    """Return the single keys of `a,ctrl+b`; a comma alone or at an end is the comma key."""
    stripped = written.strip()
    if stripped == ",":
        return [","]
    return [key.strip() for key in stripped.split(",") if key.strip()]


def read_key(written: str) -> str:
    """Return the terminal library's name of a key: `/` is slash, `Ctrl+X` is ctrl+x. Raises UnknownKey."""
    head, _plus, last = (
        (written[:-1].rstrip("+"), "", "+") if written.endswith("+") else written.rpartition("+")
    )
    modifiers = head.split("+") if head else []
    names = [_ALIASES.get(each.strip().lower(), each.strip().lower()) for each in modifiers]
    if any(name not in _MODIFIERS for name in names) or len(set(names)) < len(names):
        raise UnknownKey(f"{safe_text(written, 40)!r} is not a key; modifiers are {', '.join(_MODIFIERS)}")
    base = _base(last.strip() or last, is_modified=bool(names))
    if names == ["shift"] and len(base) == 1:
        return base.upper()
    key = "+".join([*(name for name in _MODIFIERS if name in names), base])
    if key in _FIXED:
        raise UnknownKey(f"{key} keeps its meaning in every terminal")
    return _SAME_KEY.get(key, key)


def _base(last: str, *, is_modified: bool) -> str:
    if len(last) == 1 and last.isprintable():
        if last.isalnum():
            return last.lower() if is_modified else last
        name = unicodedata.name(last, "").lower().replace("-", "_").replace(" ", "_")
        return _KEY_NAMES.get(name, name) or last
    name = _ALIASES.get(last.lower(), last.lower())
    if name in _NAMED_KEYS or _is_character_name(name):
        return name
    near = difflib.get_close_matches(name, sorted(_NAMED_KEYS), 1, 0.6)
    hint = (
        f"did you mean {near[0]}?" if near else "write a letter, a sign, f1 to f24, enter, pageup and so on"
    )
    raise UnknownKey(f"{safe_text(last, 40)!r} is not a key; {hint}")


def _is_character_name(name: str) -> bool:
    if name in _KEY_NAMES.values():
        return True
    for spelling in (name.replace("_", " "), name.replace("_", "-")):
        try:
            character = unicodedata.lookup(spelling.upper())
        except KeyError:
            continue
        return character.isprintable() and not character.isalnum()
    return False


def _unknown_command(
    settings: Settings, path: KeyPath, command_id: str, commands: Mapping[str, KnownCommand]
) -> SettingsError:
    near = difflib.get_close_matches(command_id, sorted(commands), 1, 0.5)
    hint = f"did you mean {near[0]}?" if near else "the help screen lists them all"
    return settings.source.error(path, f"there is no command {safe_text(command_id, 60)}; {hint}")


def _refuse_collisions(
    settings: Settings, commands: Sequence[KnownCommand], changed: Mapping[str, str]
) -> None:
    """Raise SettingsError when the user gave one key to two commands that work on the same screen."""
    chosen = [command for command in commands if command.id in changed]
    keys = {command.id: _plain_keys(changed[command.id]) for command in chosen}
    for command in chosen:
        for other in chosen:
            shared = sorted(keys[command.id] & keys[other.id])
            if shared and other.id != command.id and _meet(command.places, other.places):
                path = ("keys", *command.id.split("."))
                raise settings.source.error(path, f"{shared[0]} is taken by {other.id} already")


def _yielding(commands: Sequence[KnownCommand], changed: Mapping[str, str]) -> dict[str, str]:
    """Return the commands whose default keys the user gave to others, with the keys they have left."""
    left = {}
    for command in commands:
        if command.id in changed:
            continue
        used: set[str] = set()
        for other in commands:
            if other.id in changed and _meet(command.places, other.places):
                used |= _plain_keys(changed[other.id])
        defaults = split_keys(command.keys)
        kept = [key for key in defaults if _plain_keys(key).isdisjoint(used)]
        if kept != defaults:
            left[command.id] = ",".join(kept)
    return left


def _plain_keys(written: str) -> set[str]:
    """Return one name for each key; the program's own table may have keys that users cannot write."""
    names = set()
    for key in split_keys(written):
        try:
            names.add(read_key(key))
        except UnknownKey:
            names.add(key)
    return names


def _meet(some: Sequence[str], others: Sequence[str]) -> bool:
    return not set(some).isdisjoint(others) or not _EVERYWHERE.isdisjoint((*some, *others))

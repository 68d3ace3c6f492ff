"""Findings of `flagtui doctor`: facts to paste into a report. None holds a key."""

import locale
import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from shlex import quote
from typing import Final, Literal

import msgspec

from flagtui.config.credentials import FoundSecret, KeyPlaces, KeyringUnusable, NoCredential, Owner
from flagtui.config.key_sources import why_not_private
from flagtui.config.locations import Given, Locations
from flagtui.config.profiles import NEUTRAL, ChosenProfile
from flagtui.config.settings import Settings
from flagtui.config.toml_source import SettingsError
from flagtui.local_time import label, why_not_zone, zone_name

State = Literal["fine", "note", "wrong"]

_LEVELS: Final = {
    "read_only": "read-only",
    "relaxed": "relaxed: y",
    "guarded": "guarded: the full dialog, y",
    "strict": "strict: type the key",
}
CORRECT: Final = "Correct that line, or move the file away."
_TERMINAL: Final = (
    "TERM",
    "COLORTERM",
    "TERM_PROGRAM",
    "NO_COLOR",
    "TMUX",
    "STY",
    "SSH_CONNECTION",
    "LANG",
    "LC_ALL",
)
_PRESENCE_ONLY: Final = frozenset({"TMUX", "STY", "SSH_CONNECTION"})
"""Variables whose values name sockets and addresses, which do not belong in a report."""


class Finding(msgspec.Struct, frozen=True):
    """One line of the report. Raw text; make it safe to print."""

    subject: str
    value: str
    state: State = "fine"
    next: str = ""
    """The next step."""


def find_program(version: str) -> list[Finding]:
    """Return the program's version and its platform."""
    return [
        Finding("flagtui", version),
        Finding("python", f"{platform.python_version()} at {sys.executable}"),
        Finding("system", f"{platform.system()} {platform.release()} {platform.machine()}"),
    ]


def find_folders(locations: Locations) -> list[Finding]:
    """Return the folders and whether they are usable."""
    places = {
        "settings": locations.config,
        "journal and keys": locations.state,
        "demo data": locations.data,
        "cached rows": locations.cache,
    }
    return [_folder(subject, folder) for subject, folder in places.items()]


def find_settings(locations: Locations, settings: Settings | SettingsError) -> list[Finding]:
    file = locations.settings_file
    if isinstance(settings, SettingsError):
        return [Finding("settings file", str(settings), "wrong", CORRECT)]
    if file is None or not file.exists():
        return [
            Finding("settings file", f"{file or 'nowhere'}: not there, everything has its default", "note")
        ]
    profiles = ", ".join(settings.profiles) or "no profile"
    return [
        Finding("settings file", f"{file}: {profiles}"),
        *([Finding("own keys", f"{len(settings.keys):,}")] if settings.keys else []),
        *([Finding("saved queries", f"{len(settings.queries):,}")] if settings.queries else []),
    ]


def find_time_zone(chosen: str, now: float) -> Finding:
    """Return the time zone of shown times, and its source."""
    given = os.environ.get("TZ", "")
    named_by = "time_zone" if chosen else "TZ" if given else "the system"
    zone = " ".join(dict.fromkeys(part for part in (zone_name(), label(now)) if part))
    if not chosen and (why := why_not_zone(given)):
        return Finding("time zone", f"{zone}: {why}", "note", "Set TZ, or time_zone in the settings.")
    return Finding("time zone", f"{zone} ({named_by})")


def find_choice(given: Given, chosen: ChosenProfile) -> list[Finding]:
    """Return the chosen profile, and the variables and options that override the settings file."""
    profile, sources = chosen.profile, chosen.sources
    named = Finding("profile", f"{profile.name} ({sources.get('profile', '')})")
    if not chosen.has_own_host:
        words = "none is named for this host"
        if chosen.named:
            named_by = f"{chosen.named} ({sources['profile']})"
            words = f"{named_by} is not for this host: its badge, guard and key stay out"
        named = Finding("profile", words, "note")
    colour = NEUTRAL if profile.is_stand_in else profile.badge_colour
    findings = [
        named,
        Finding("host", f"{profile.host} ({sources.get('host', '')})"),
        Finding("project", f"{profile.project} ({sources.get('project', '')})"),
        Finding("badge", f"{profile.word}, {colour}"),
        Finding("changes", f"{_LEVELS.get(profile.level, profile.level)} ({sources.get('guard', '')})"),
    ]
    if given.names:
        findings.append(Finding("environment", ", ".join(given.names), "note"))
    if profile.allow_plain_http:
        findings.append(
            Finding("plain http", "the key may be sent unencrypted", "note", "Use https if you can.")
        )
    return findings


def find_key(
    secret: FoundSecret | NoCredential,
    keys: KeyPlaces,
    owner: Owner,
    how_to_get: Callable[[NoCredential], str],
) -> list[Finding]:
    """Return the source of the key and the name of the keyring. Takes as long as the keyring does.

    `how_to_get` returns the next step without a key.
    """
    match secret:
        case FoundSecret(key, source):
            first = Finding("key", f"{key.mask} from {source}")
        case NoCredential(reasons):
            why = " ".join(reasons) or f"none for {owner.profile} at {owner.origin}"
            first = Finding("key", why, "wrong", how_to_get(secret))
    return [first, *_keyring(keys)]


def find_terminal(
    environment: Mapping[str, str] = os.environ,
    size: Callable[[], os.terminal_size] = shutil.get_terminal_size,
) -> list[Finding]:
    """Return the terminal's size and description."""
    columns, lines = size()
    room: Finding = Finding("size", f"{columns}×{lines}")
    if columns < 40 or lines < 10:
        room = Finding("size", f"{columns}×{lines}", "wrong", "The app needs 40×10.")
    variables = [
        Finding(name, "set" if name in _PRESENCE_ONLY else environment[name])
        for name in _TERMINAL
        if environment.get(name) and name != "TERM"
    ]
    return [room, _term(environment.get("TERM", "")), *variables, _encoding()]


def _folder(subject: str, folder: Path | None) -> Finding:
    if folder is None:
        return Finding(subject, "no place for them", "wrong", "Set HOME.")
    try:
        os.scandir(folder).close()
    except FileNotFoundError:
        parent = next((each for each in folder.parents if each.exists()), folder)
        if os.access(parent, os.W_OK | os.X_OK):
            return Finding(subject, f"{folder}: not created yet")
        return Finding(
            subject, f"{folder}: cannot be made, {parent} is read-only", "wrong", "Make it writable."
        )
    except OSError as fault:
        return Finding(subject, f"{folder}: {fault.strerror}", "wrong", "Check its access rights.")
    if not os.access(folder, os.W_OK | os.X_OK):
        return Finding(subject, f"{folder}: read-only", "wrong", "Make it writable.")
    reason = why_not_private(folder)
    if reason:
        advice = f"chmod 700 {quote(str(folder))}"
        return Finding(subject, f"{folder}: others may look into it", "note", advice)
    return Finding(subject, str(folder))


def _keyring(keys: KeyPlaces) -> Iterator[Finding]:
    if keys.keyring is None:
        return
    try:
        yield Finding("keyring", keys.keyring.describe())
    except KeyringUnusable as unusable:
        advice = "Keys come from FLAGTUI_API_KEY, a key_command, or a file by your choice."
        yield Finding("keyring", str(unusable), "note", advice)


def _encoding() -> Finding:
    encoding = locale.getpreferredencoding(do_setlocale=False)
    if encoding.upper().replace("-", "") == "UTF8":
        return Finding("encoding", encoding)
    return Finding("encoding", encoding, "note", "Set LANG to one that ends in .UTF-8.")


def _term(term: str) -> Finding:
    if term in ("", "dumb", "unknown"):
        advice = "Set it to what the terminal is, such as xterm-256color."
        return Finding("TERM", term or "not set", "wrong", advice)
    return Finding("TERM", term)

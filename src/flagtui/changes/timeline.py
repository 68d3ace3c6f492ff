"""The journal for others to read: a Markdown timeline for the incident report."""

from collections.abc import Iterable
from itertools import groupby
from typing import Final

from flagtui import local_time
from flagtui.changes.journal_entries import Entry
from flagtui.changes.verbs import verb
from flagtui.safe_text import safe_text

_ENDINGS: Final = {
    "saved": "Saved",
    "conflicted": "Not applied: it was changed first",
    "awaiting approval": "Waits for approval",
    "refused": "Refused",
    "failed": "Not applied",
    "unknown": "**not known whether it was applied**",
    "": "**not known whether it was applied**",
}


def markdown(entries: Iterable[Entry], title: str = "Changes") -> str:
    """Return a timeline, oldest first, a heading for each day. Nothing in it is markup but ours."""
    lines = [f"# {plain(title)}", ""]
    ordered = sorted(entries, key=lambda entry: entry.at)
    for day, some in groupby(ordered, key=lambda entry: day_heading(entry.at)):
        lines += [f"## {day}", ""]
        for entry in some:
            lines += _entry_lines(entry)
        lines.append("")
    if not ordered:
        lines += ["Nothing was changed.", ""]
    return "\n".join(lines)


def summary(entry: Entry) -> str:
    """Format an entry on a line: `checkout-v2: turn off, saved, v12 → v13`. Raw."""
    versions = ""
    if entry.version is not None and entry.saved_version not in (None, entry.version):
        versions = f", v{entry.version} → v{entry.saved_version}"
    return f"{entry.key}: {entry.change}, {entry.ending or 'not known'}{versions}"


def _entry_lines(entry: Entry) -> list[str]:
    # Whose key it is was not asked for every change.
    who = f" by {plain(entry.signature.by)}" if entry.signature.by else ""
    where = plain(entry.signature.profile or entry.signature.project)
    place = f" in {where}" if where else ""
    change = plain(verb(entry.verb).name)
    is_counted = entry.ending == "saved" and entry.saved_version not in (None, entry.version)
    versions = f" as version {entry.saved_version}" if is_counted else ""
    ended = f"{_ENDINGS[entry.ending]}{versions}{entry.direction and f' ({entry.direction})'}."
    first = f"- {clock_words(entry.at)} {code(entry.key)}: {change}{who}{place}. {ended}"
    more = [f"  - {plain(words)}" for words in entry.words]
    if entry.reason:
        more.append(f"  - why: {plain(entry.reason)}")
    if entry.note:
        more.append(f"  - {plain(entry.note)}")
    return [first, *more]


_SPECIAL: Final = str.maketrans({character: f"\\{character}" for character in "\\`*_{}[]<>#|~"})


def plain(text: str) -> str:
    """Format as running text on one line."""
    return safe_text(text, 500).translate(_SPECIAL)


def code(text: str) -> str:
    """Format as code on one line."""
    return f"`{safe_text(text, 200).replace('`', 'ˋ')}`"


def day_heading(at: float) -> str:
    """Return `2026-03-01 (Europe/Berlin)`, the day in the user's zone."""
    return f"{local_time.day(at)} ({local_time.zone_name() or local_time.label(at)})"


def clock_words(at: float) -> str:
    """Return `**15:03:12 CET** (14:03:12 UTC)` for below a heading with the date; `**14:03:12**` in UTC."""
    zone = "" if local_time.is_utc(at) else f" {local_time.label(at)}"
    clock = f"{local_time.clock(at, seconds=True)}{zone}"
    return f"**{clock}**{local_time.beside(at, seconds=True)}"

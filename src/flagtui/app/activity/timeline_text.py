"""Entries for a chat or an incident report: as plain lines, or as a Markdown timeline."""

from collections.abc import Callable, Iterable
from itertools import groupby

from flagtui import local_time
from flagtui.changes.timeline import clock_words, code, day_heading, plain
from flagtui.models.activity_rows import ChangeRow
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.safe_text import safe_text
from flagtui.text.activity_words import STAFF, activity_words


def as_lines(rows: Iterable[ChangeRow], names: Names = NO_NAMES) -> str:
    """Return a line per change, oldest first: `2026-03-01 14:03:12 UTC  checkout  sam@acme.com  turned off`.

    Where the user's zone differs, UTC is shown beside it.
    """
    ordered = sorted(rows, key=lambda row: row.place)
    return "\n".join(one_line(row, names) for row in ordered)


def one_line(row: ChangeRow, names: Names = NO_NAMES) -> str:
    """Format one entry on a line, without any payload."""
    when = "time not known"
    if row.at is not None:
        when = f"{local_time.second(row.at)}{local_time.beside(row.at, seconds=True)}"
    version = f"v{row.version}" if row.version is not None else ""
    parts = (
        when,
        safe_text(row.key, 400),
        safe_text(_who(row), 200),
        activity_words(row.entry, 400, names),
        version,
    )
    return "  ".join(part for part in parts if part)


def as_markdown(
    rows: Iterable[ChangeRow], title: str, link: Callable[[ChangeRow], str], names: Names = NO_NAMES
) -> str:
    """Return the changes as Markdown, oldest first, with a heading for each local day and links to flags."""
    ordered = sorted(rows, key=lambda row: row.place)
    lines = [f"# {plain(title)}", ""]
    for day, some in groupby(ordered, key=_day):
        lines += [f"## {day}", "", *(_item(row, link, names) for row in some), ""]
    return "\n".join(lines if ordered else [*lines, "Nothing was changed.", ""])


def _who(row: ChangeRow) -> str:
    return f"{STAFF if row.was_impersonated else ''}{row.email or row.who}"


def _day(row: ChangeRow) -> str:
    return day_heading(row.at) if row.at is not None else "Time not known"


def _item(row: ChangeRow, link: Callable[[ChangeRow], str], names: Names) -> str:
    clock = f"{clock_words(row.at)} " if row.at is not None else ""
    who = plain(_who(row))
    version = f" (v{row.version})" if row.version is not None else ""
    address = link(row)
    where = f" <{address}>" if address else ""
    words = plain(activity_words(row.entry, 400, names))
    return f"- {clock}{code(row.key)}: {words} by {who}{version}{where}"

"""Entries as plain lines for a chat or an incident report."""

from collections.abc import Iterable
from datetime import UTC, datetime

from flagtui.app.history_words import activity_words
from flagtui.models.activity_rows import ChangeRow
from flagtui.safe_text import safe_text


def copied(rows: Iterable[ChangeRow]) -> str:
    """Oldest first, one line each: `2026-03-01 14:03:12 UTC  checkout  sam@acme.com  turned off  v12`."""
    ordered = sorted(rows, key=lambda row: row.place)
    return "\n".join(one_line(row) for row in ordered)


def one_line(row: ChangeRow) -> str:
    """One entry; nothing of a payload is in its words."""
    when = "unknown time"
    if row.at is not None:
        when = f"{datetime.fromtimestamp(row.at, UTC):%Y-%m-%d %H:%M:%S} UTC"
    version = f"v{row.version}" if row.version is not None else ""
    parts = (
        when,
        safe_text(row.key, 400),
        safe_text(row.email or row.who, 200),
        activity_words(row.entry, 400),
        version,
    )
    return "  ".join(part for part in parts if part)

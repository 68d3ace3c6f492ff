"""Where an experiment is between draft and end, as one line and its dates."""

from collections.abc import Iterator

from flagtui import local_time
from flagtui.app.experiments.experiment_columns import days_of
from flagtui.models.rows import ExperimentRow
from flagtui.safe_text import safe_text
from flagtui.text.formats import share_bar
from flagtui.text.styled import Piece

SHORT = 5
SLIVER = 1e-9
"""A share that is neither nothing nor all: one that runs has begun, and has not ended."""


def lifecycle_lines(
    row: ExperimentRow, now: float, planned: float | None, width: int
) -> Iterator[list[Piece]]:
    """`draft ━━━━━ running ━━━━━━━━──── ended`, and beneath it since when and for how long."""
    room = max(8, min(24, width - 34))
    if row.status == "draft" or row.started_at is None:
        yield [
            ("draft", "bold"),
            (f" {'─' * SHORT} ", "$track"),
            ("running", "$faint"),
            (f" {'─' * room} ", "$track"),
            ("ended", "$faint"),
        ]
        yield [("not launched yet", "$text-muted"), *_archived(row)]
        return
    colour, word = _present(row)
    is_over = row.status == "stopped"
    days = days_of(row, now) or 0.0
    gone = 1.0 if is_over else min(max(_share(days, planned), SLIVER), 1 - SLIVER)
    yield [
        ("draft", colour),
        (f" {'━' * SHORT} ", colour),
        (word, f"bold {colour}" if not is_over else colour),
        (" ", ""),
        *share_bar(gone, room, colour),
        (" ended", "bold" if is_over else "$faint"),
    ]
    yield [
        (f"      {date_of(row.started_at)}", "$text-muted"),
        *_how_long(row, days, planned),
        *_archived(row),
    ]


def date_of(then: float | None) -> str:
    """`3 Nov 2026`."""
    if then is None:
        return ""
    on = local_time.wall(then)
    return f"{on.day} {on:%b %Y}"


def _present(row: ExperimentRow) -> tuple[str, str]:
    known = {
        "running": ("$success", "running"),
        "exposure_frozen": ("$primary", "exposure frozen"),
        "paused": ("$warning", "paused: its flag is off"),
        "stopped": ("$success", "running"),
    }
    return known.get(row.status, ("$primary", safe_text(row.status, 20)))


def _share(days: float, planned: float | None) -> float:
    return days / planned if planned else days / (days + 7)


def _how_long(row: ExperimentRow, days: float, planned: float | None) -> Iterator[Piece]:
    if row.status == "stopped":
        yield f"   {days:.0f} days, until {date_of(row.ended_at)}", "$text-muted"
        return
    of = f" of ~{planned:.0f}" if planned else ""
    yield f"   day {days:.0f}{of}", "$text-muted"
    # In the whole days that are shown: no more than planned, in the same line, would be a riddle.
    if planned and round(days) > round(planned):
        yield " · longer than planned", "$warning"


def _archived(row: ExperimentRow) -> list[Piece]:
    return [("   archived", "$warning")] if row.archived else []

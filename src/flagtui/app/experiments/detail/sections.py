"""The parts of an experiment around its table: head, lifecycle, variants, sizing, conclusion, JSON."""

from collections.abc import Iterator, Mapping
from typing import Final

from flagtui import local_time
from flagtui.app.experiments.detail.exposures import analysed_count
from flagtui.app.experiments.detail.metric_table import COLOURS
from flagtui.app.experiments.experiment_columns import RESULT_LOOKS, days_of
from flagtui.app.widgets.line import cells_of
from flagtui.changes.experiments.step_consequences import NO_CODE
from flagtui.details.metric_findings import Findings
from flagtui.evaluate import wire
from flagtui.local_time import JUST_NOW, ago
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON, as_dict, as_number
from flagtui.models.rows import ExperimentRow
from flagtui.safe_text import safe_lines, safe_text
from flagtui.text.formats import count, share_bar
from flagtui.text.judgement import (
    Sizing,
    days_left,
    needed_people,
)
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Piece

Lines = Iterator[list[Piece]]
LABEL: Final = 14
MOST_VARIANTS: Final = 100
APART: Final = 3
"""Cells between the name and its flag."""


def head_lines(row: ExperimentRow, width: int) -> Lines:
    """Name, number, flag and question."""
    flag = safe_text(row.key, 60) or "none"
    off = " (off)" if row.flag_active is False and row.status != "draft" else ""
    off = " (deleted: no one gets a variant)" if row.flag_deleted else off
    number = f"  #{row.id}"
    name: list[Piece] = [(safe_text(row.name, max(12, width - len(number))), "bold"), (number, "$text-muted")]
    behind: list[Piece] = [("flag ", "$text-muted"), (flag, "$primary"), (off, "$warning")]
    if cells_of((*name, *behind)) + APART <= width:
        yield [*name, (" " * APART, ""), *behind]
    else:
        yield name
        yield behind
    for line in safe_lines(row.description, 400, 2) if row.description else []:
        yield [(line, "$text-muted")]


def conclusion_lines(experiment: Experiment) -> Lines:
    """Yield the conclusion, which can be set while the experiment still runs."""
    if not experiment.conclusion and not experiment.conclusion_comment:
        return
    word = experiment.conclusion or ""
    look = RESULT_LOOKS.get(word)
    yield [
        (f"{'CONCLUSION':<{LABEL}}", "$text-muted"),
        (safe_text(word.replace("_", " "), 30), f"bold {COLOURS[look] if look else '$primary'}"),
    ]
    for line in safe_lines(experiment.conclusion_comment or "", 4000, 6):
        yield [(" " * LABEL, ""), (line, "")]
    yield []


def hint_lines(findings: Findings) -> Lines:
    """Yield what a draft still lacks before it can measure anything."""
    if findings.needs_code and findings.row.status == "draft":
        yield [("! no code yet: ", "bold $warning"), (NO_CODE, "$warning")]
        yield [(f"  make it ask for {safe_text(findings.row.key, 60)} before you launch", "$text-muted")]


def sizing_of(findings: Findings) -> Sizing | None:
    """Return the planned sample size: the server's, else the one computed from the first metric."""
    experiment = findings.experiment
    if experiment is None:
        return None
    planned = experiment.running_time_calculation or experiment.parameters
    effect = as_number(planned.get("minimum_detectable_effect"))
    size = as_number(planned.get("recommended_sample_size"))
    days = as_number(planned.get("recommended_running_time"))
    least = f"to see {effect:g} %" if effect else "as planned"
    if size:
        return Sizing(size, f"{least}, planned", days)
    reading = findings.leading
    if reading is None or reading.result is None or reading.result.baseline is None or not effect:
        return None
    baseline, variants = reading.result.baseline, max(2, len(experiment.variants))
    # A share of fewer users than were exposed, such as retention, is a ratio.
    is_share = reading.metric.is_share and baseline.raw.get("denominator_sum") is None
    needed = needed_people(baseline, effect / 100, variants, is_share=is_share)
    if needed is None:
        return None
    variance = "p·(1−p)" if is_share else "variance"
    return Sizing(needed, f"{least}: 16 · {variance} / (effect · value)² for each variant", days)


def sizing_lines(findings: Findings, now: float) -> Lines:
    """Yield `SAMPLE   2,600 of 4,333 users (to see 14 %, planned) · about 8 days left at 217 a day`."""
    sizing, experiment = sizing_of(findings), findings.experiment
    if sizing is None or experiment is None:
        return
    seen = analysed_count(findings)
    days = days_of(findings.row, now) or 0.0
    left = days_left(sizing.needed, seen, days)
    is_known = bool(findings.exposed) or findings.row.started_at is None
    so_far = f"{seen:,.0f}" if is_known else "not known how many"
    yield [
        (f"{'SAMPLE':<{LABEL}}", "$text-muted"),
        (f"{so_far} of {sizing.needed:,.0f} {experiment.unit}", "bold" if seen >= sizing.needed else ""),
        (f"  {sizing.formula}", "$faint"),
    ]
    if findings.row.status == "running" and left is not None:
        pace = f"{seen / days:,.0f} a day" if days else ""
        words = (
            f"enough {experiment.unit} have been seen"
            if left == 0
            else f"about {count(max(1, round(left)), 'day')} left at {pace}"
        )
        yield [(" " * LABEL, ""), (words, "$success" if left == 0 else "$text-muted")]


def results_line(findings: Findings, now: float, *, can_cancel: bool = True) -> list[Piece]:
    """Return the progress of the results, or their age."""
    experiment, key = findings.experiment, key_sign("experiments.read")
    is_old = experiment is not None and experiment.uses_legacy_metrics
    if is_old and not any(reading.result for reading in findings.readings):
        words = "measured by an older engine: its numbers are only shown in the browser"
        return [(words, "$warning")]
    if findings.awaited:
        done = len(findings.readings) - findings.awaited
        cancels = f"  {key} cancels" if can_cancel else ""
        return [(f"results {done:,} of {len(findings.readings):,}…{cancels}", "$text-muted")]
    if findings.at is None:
        return []
    if not findings.readings:
        return [("no metric is set", "$warning")]
    if experiment is not None and experiment.start_date is None:
        return [("nothing is measured before it is launched", "$faint")]
    when = ago(findings.at, now)
    age_words = f"results from {'this minute' if when == JUST_NOW else when}  {key} refreshes"
    if findings.calculated_at is not None:
        age_words = f"results calculated {ago(findings.calculated_at, now)}  {key} recalculates"
    if stored := max(findings.readings, key=lambda reading: reading.as_of).as_of:
        why = next(reading.trouble for reading in findings.readings if reading.as_of)
        age_words = f"as stored by the server until {safe_text(stored, 12)}  {key} refreshes"
        age_words += f"; no newer results: {safe_text(why, 200)}"
    return [(age_words, "$faint")]


def shown_record(experiment: Experiment) -> Mapping[str, JSON]:
    """Return the record as the server sent it, without encrypted payloads."""
    raw = experiment.raw
    flag = as_dict(raw.get("feature_flag"))
    if not flag.get("has_encrypted_payloads"):
        return raw
    shown = wire.with_payloads(flag.get("filters"), "••••••  encrypted, not shown")
    return {**raw, "feature_flag": {**flag, "filters": shown}}


SHORT = 5
SLIVER = 1e-9
"""A share that is neither nothing nor all: one that runs has begun, and has not ended."""


WORDS: Final = 27
"""Cells of a lifecycle beside the bar and the word for its state."""
LEAST: Final = 8
"""Cells of its bar."""


def lifecycle_lines(
    row: ExperimentRow, now: float, planned: float | None, width: int
) -> Iterator[list[Piece]]:
    """Yield `draft ━━━━━ running ━━━━━━━━──── ended`, and below it the start and the duration."""
    colour, word = _present(row)
    if width - WORDS - len(word) < LEAST:
        word = word.partition(":")[0].rpartition(" ")[2]
    room = max(LEAST, min(24, width - WORDS - len(word)))
    if row.status == "draft" or row.started_at is None:
        yield [
            ("draft", "bold"),
            (f" {'─' * SHORT} ", "$track"),
            ("running", "$faint"),
            (f" {'─' * room} ", "$track"),
            ("ended", "$faint"),
        ]
        yield [("not launched yet", "$text-muted"), *_archived_badge(row)]
        return
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
        *_archived_badge(row),
    ]


def date_of(then: float | None) -> str:
    """Format a time as `3 Nov 2026`; empty without one."""
    if then is None:
        return ""
    on = local_time.wall(then)
    return f"{on.day} {on:%b %Y}"


def _present(row: ExperimentRow) -> tuple[str, str]:
    looks = {
        "running": ("$success", "running"),
        "exposure_frozen": ("$primary", "exposure frozen"),
        "paused": ("$warning", "paused: its flag is off"),
        "stopped": ("$success", "running"),
    }
    return looks.get(row.status, ("$primary", safe_text(row.status, 20)))


def _share(days: float, planned: float | None) -> float:
    return days / planned if planned else days / (days + 7)


def _how_long(row: ExperimentRow, days: float, planned: float | None) -> Iterator[Piece]:
    if row.status == "stopped":
        yield f"   {count(round(days), 'day')}, until {date_of(row.ended_at)}", "$text-muted"
        return
    of = f" of ~{planned:.0f}" if planned else ""
    yield f"   day {days:.0f}{of}", "$text-muted"
    # In the whole days that are shown: no more than planned, in the same line, would be a riddle.
    if planned and round(days) > round(planned):
        yield " · longer than planned", "$warning"


def _archived_badge(row: ExperimentRow) -> list[Piece]:
    return [("   archived", "$warning")] if row.archived else []

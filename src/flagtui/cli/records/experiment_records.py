"""Experiments and what they measure, as they are printed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from flagtui.cli.output.record_kind import RecordField, RecordKind
from flagtui.cli.records.field_words import age_words, commas, on_or_off, percent_words, stamped

if TYPE_CHECKING:
    from flagtui.models.experiment import Experiment
    from flagtui.models.rows import ExperimentRow

JSON = Any


@dataclass(frozen=True)
class WholeExperiment:
    """An experiment with its metrics."""

    experiment: "Experiment"
    row: "ExperimentRow"


@dataclass(frozen=True)
class MetricValue:
    """One variant of one metric, at the end or on one day."""

    experiment: int
    metric: str
    uuid: str
    role: str
    variant: str
    value: float | None = None
    samples: float | None = None
    lift: float | None = None
    interval: tuple[float, float] | None = None
    chance_to_win: float | None = None
    p_value: float | None = None
    significant: bool | None = None
    is_baseline: bool = False
    day: str | None = None
    why: str = ""


_ROW: Final["tuple[RecordField[ExperimentRow], ...]"] = (
    RecordField("name", "text", "Its name.", lambda row: row.name, True),
    RecordField("id", "whole", "Its number.", lambda row: row.id, True),
    RecordField("status", "text", "draft, running, paused, stopped, …", lambda row: row.status, True),
    RecordField("flag", "text", "The key of its flag.", lambda row: row.key, True),
    RecordField(
        "flag_active", "truth?", "Whether that is on.", lambda row: row.flag_active, False, on_or_off
    ),
    RecordField("conclusion", "text", "won, lost, …; empty for none.", lambda row: row.conclusion, True),
    RecordField("variants", "texts", "Their keys.", lambda row: list(row.variants), True, commas),
    RecordField(
        "started_at", "time?", "When it began.", lambda row: stamped(row.started_at), True, age_words
    ),
    RecordField("ended_at", "time?", "When it ended.", lambda row: stamped(row.ended_at), False, age_words),
    RecordField(
        "updated_at", "time?", "When it was changed.", lambda row: stamped(row.updated_at), False, age_words
    ),
    RecordField(
        "created_at", "time?", "When it was made.", lambda row: stamped(row.created_at), False, age_words
    ),
    RecordField("creator", "text", "Who made it.", lambda row: row.creator),
    RecordField("description", "text", "What it is about.", lambda row: row.description),
    RecordField("archived", "truth", "Whether it is archived.", lambda row: row.archived),
    RecordField("type", "text", "product or web.", lambda row: row.type),
    RecordField("legacy", "truth", "Whether an older engine measures it.", lambda row: row.is_legacy),
)

EXPERIMENT: Final["RecordKind[ExperimentRow]"] = RecordKind(
    "experiment", "An experiment as the list has it.", _ROW
)


def _of_row(one: "RecordField[ExperimentRow]") -> "RecordField[WholeExperiment]":
    return RecordField(
        one.name, one.type, one.about, lambda whole: one.value(whole.row), one.is_shown, one.words
    )


def _objects(items: Sequence[JSON]) -> list[Mapping[str, JSON]]:
    return [dict(item) for item in items if isinstance(item, Mapping)]


WHOLE_EXPERIMENT: Final[RecordKind[WholeExperiment]] = RecordKind(
    "whole-experiment",
    "An experiment with its variants, metrics and settings.",
    (
        *map(_of_row, _ROW),
        RecordField(
            "shares",
            "objects",
            "Each variant: key, share.",
            lambda one: [{"key": each.key, "share": each.rollout} for each in one.experiment.variants],
            True,
            lambda found: ", ".join(f"{each['key']} {percent_words(each['share'])}" for each in found),
        ),
        RecordField("metrics", "objects", "Primary metrics.", lambda one: _objects(one.experiment.metrics)),
        RecordField(
            "metrics_secondary",
            "objects",
            "Secondary metrics.",
            lambda one: _objects(one.experiment.metrics_secondary),
        ),
        RecordField(
            "exposure_criteria",
            "object",
            "Who counts as having met it.",
            lambda one: dict(one.experiment.exposure_criteria),
        ),
        RecordField(
            "stats_config", "object", "How it is measured.", lambda one: dict(one.experiment.stats_config)
        ),
        RecordField("parameters", "object", "Its split.", lambda one: dict(one.experiment.parameters)),
        RecordField("holdout_id", "whole?", "Its holdout.", lambda one: one.row.holdout_id),
        RecordField("comment", "text?", "On its conclusion.", lambda one: one.experiment.conclusion_comment),
    ),
)

_VALUES: "tuple[RecordField[MetricValue], ...]" = (
    RecordField("experiment", "whole", "Its number.", lambda one: one.experiment),
    RecordField("metric", "text", "What is measured.", lambda one: one.metric, True),
    RecordField("role", "text", "primary or secondary.", lambda one: one.role),
    RecordField(
        "variant", "text", "Whose number it is; empty where there is none.", lambda one: one.variant, True
    ),
    RecordField(
        "value",
        "number?",
        "A share, or an average.",
        lambda one: one.value,
        True,
        lambda value: _short(value),
    ),
    RecordField(
        "lift",
        "number?",
        "Over the baseline: 0.1 is 10 % more.",
        lambda one: one.lift,
        True,
        lambda value: _signed(value),
    ),
    RecordField(
        "interval",
        "any",
        "Lower and upper bound of the lift; null where it is not known.",
        lambda one: list(one.interval) if one.interval else None,
    ),
    RecordField(
        "chance_to_win",
        "number?",
        "From 0 to 1.",
        lambda one: one.chance_to_win,
        True,
        lambda value: _short(value),
    ),
    RecordField(
        "p_value",
        "number?",
        "Of the frequentist engine.",
        lambda one: one.p_value,
        True,
        lambda value: _short(value),
    ),
    RecordField("significant", "truth?", "As the server says.", lambda one: one.significant),
    RecordField("baseline", "truth", "Whether others are compared with it.", lambda one: one.is_baseline),
    RecordField(
        "samples",
        "number?",
        "How many were counted.",
        lambda one: one.samples,
        True,
        lambda value: _short(value),
    ),
    RecordField("uuid", "text", "Of the metric.", lambda one: one.uuid),
    RecordField("why", "text", "Why there is no number.", lambda one: one.why, True),
)

RESULT: Final[RecordKind[MetricValue]] = RecordKind(
    "experiment-result",
    "One variant of one metric, as of now.",
    (
        *_VALUES,
        RecordField("as_of", "text?", "The day it is of, where that is not today.", lambda one: one.day),
    ),
)
DAY: Final[RecordKind[MetricValue]] = RecordKind(
    "experiment-day",
    "One variant of one metric, cumulative up to a day.",
    (RecordField("day", "text?", "The day.", lambda one: one.day, True), *_VALUES),
)


def _short(value: JSON) -> str:
    return "" if value is None else f"{value:,.4g}" if abs(value) < 10_000 else f"{value:,.0f}"


def _signed(value: JSON) -> str:
    return "" if value is None else f"{value * 100:+.1f} %"

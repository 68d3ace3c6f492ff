"""The settings of an experiment: metrics, exposure, statistics."""

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Final

from flagtui.changes.experiments.metric_words import (
    activated_by,
    counts_test_accounts,
    exposed_by,
    several_words,
)
from flagtui.details.metric_findings import Metric
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON, as_dict, as_number, as_text
from flagtui.safe_text import safe_text
from flagtui.text.formats import percent
from flagtui.text.judgement import confidence, is_frequentist
from flagtui.text.long_lists import shorten
from flagtui.text.styled import Piece

Lines = Iterator[list[Piece]]
LABEL: Final = 14
LONG: Final = 600
"""Characters of what one metric measures, or of one setting."""


def measures_lines(metrics: Sequence[Metric], width: int) -> Lines:
    """Yield `MEASURES` and each metric with its events, wrapped below its name where it is too long."""
    blocks = (_metric_lines(place, metric, width) for place, metric in enumerate(metrics))
    yield from shorten(blocks, len(metrics), "metrics")


def _metric_lines(place: int, metric: Metric, width: int) -> Lines:
    label = "MEASURES" if place == 0 else ""
    first, *rest = _wrap_metric(metric, max(20, width - LABEL))
    yield [(f"{label:<{LABEL}}", "$text-muted"), *first]
    for line in rest:
        yield [(" " * LABEL, ""), *line]


def _wrap_metric(metric: Metric, width: int) -> Iterator[list[Piece]]:
    name = safe_text(as_text(metric.raw.get("name")) or metric.saved_name, 60)
    words = safe_text(metric.measures, LONG)
    text = words if name in ("", words) or words.startswith(f"{name},") else f"{name}: {words}"
    lines = wrap(text, width, subsequent_indent="  ", break_long_words=True) or [""]
    named = min(len(name), len(lines[0]))
    yield [(lines[0][:named], "bold"), (lines[0][named:], "")]
    yield from ([(line, "")] for line in lines[1:])


def settings_lines(experiment: Experiment, width: int) -> Lines:
    """Yield the settings for exposure and statistics, wrapped beside the labels."""
    for label, text in _settings(experiment):
        first, *rest = wrap(safe_text(text, LONG), max(20, width - LABEL)) or [""]
        yield [(f"{label:<{LABEL}}", "$text-muted"), (first, "")]
        yield from ([(" " * LABEL, ""), (line, "")] for line in rest)


def _settings(experiment: Experiment) -> Iterator[tuple[str, str]]:
    criteria = experiment.exposure_criteria
    tests = "with test accounts" if counts_test_accounts(criteria) else "without test accounts"
    yield (
        "EXPOSED BY",
        f"{exposed_by(criteria)}, {tests}; several variants seen: {several_words(criteria)}",
    )
    if then := activated_by(criteria):
        yield "ACTIVATED BY", f"{then}: only who does that afterwards counts, and from then on"
    yield "STATISTICS", ", ".join(_statistics(experiment))
    if experiment.holdout is not None:
        share = f"{percent(experiment.holdout.share)} held out"
        yield "HOLDOUT", f"{experiment.holdout.name or f'#{experiment.holdout.id}'}, {share}"
    if experiment.exposure_cohort:
        yield "COHORT", f"exposed users: cohort #{experiment.exposure_cohort}"
    if experiment.unit == "groups":
        yield "COUNTED", "groups, not users: each group gets one variant"
    if experiment.created_by is not None:
        yield "CREATED BY", experiment.created_by.email or experiment.created_by.first_name


def _statistics(experiment: Experiment) -> Iterator[str]:
    settings = experiment.stats_config
    yield "frequentist" if is_frequentist(experiment) else "bayesian"
    yield f"{confidence(experiment) * 100:g} % intervals"
    if baseline := as_text(settings.get("baseline_variant_key")):
        yield f"compared with {baseline}"
    if experiment.only_count_matured_users:
        yield f"only {experiment.unit} whose window is over"
    if (cuped := _cuped(as_dict(settings.get("cuped")), experiment.unit)) is not None:
        yield cuped
    if _is_sequential(settings) or _is_sequential(as_dict(settings.get("frequentist"))):
        yield "sequential testing: results may be read anytime"


def _cuped(settings: Mapping[str, JSON], unit: str) -> str | None:
    """Return the words of CUPED, which adjusts for behaviour before exposure; None without it."""
    if settings.get("enabled") is not True:
        return None
    days = as_number(settings.get("lookback_days"))
    span = f" in {days:g} days" if days is not None else ""
    return f"CUPED: adjusted for what {unit} did{span} before exposure"


def _is_sequential(settings: Mapping[str, JSON]) -> bool:
    """Return whether testing is sequential: servers use several names, a boolean or an object."""
    values = (value for name, value in settings.items() if name.startswith("sequential"))
    return any(value is True or as_dict(value).get("enabled") is True for value in values)

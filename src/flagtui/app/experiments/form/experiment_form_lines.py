"""An experiment being edited as lines."""

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from flagtui.app.forms.form_lines import (
    FormLine,
    field_line,
    heading_line,
    label_piece,
)
from flagtui.app.forms.shortened_lines import shortened_lines, variant_lines
from flagtui.changes.experiments.experiment_draft import ExperimentCopy, Place
from flagtui.changes.experiments.experiment_fields import baseline_of
from flagtui.changes.experiments.metric_words import (
    activated_by,
    counts_test_accounts,
    exposed_by,
    further_words,
    metric_words,
    several_words,
)
from flagtui.models.experiment import Holdout, SavedMetric
from flagtui.models.json_value import JSON, as_dict, as_number, as_text
from flagtui.models.record_fields import EXPERIMENT_FIELDS
from flagtui.safe_text import safe_text
from flagtui.text.formats import percent
from flagtui.text.judgement import stated_confidence
from flagtui.text.styled import Piece

EXPOSURE: Final[tuple[tuple[str, str], ...]] = (
    ("exposure_config", "exposed by"),
    ("filterTestAccounts", "test accounts"),
    ("multiple_variant_handling", "variant mix"),
)
STATISTICS: Final[tuple[tuple[str, str], ...]] = (
    ("method", "method"),
    ("confidence", "intervals"),
    ("baseline_variant_key", "compared with"),
)
METRICS: Final[tuple[tuple[Place, str, str], ...]] = (
    ("metrics", "PRIMARY METRICS", "they decide the result"),
    ("metrics_secondary", "SECONDARY METRICS", "they should not get worse"),
    ("saved_metrics_ids", "SHARED METRICS", "reused in several experiments"),
)


class Companions(msgspec.Struct, frozen=True):
    """Shared metrics and holdouts of the project. Both are empty until they have been read."""

    saved_metrics: Mapping[int, SavedMetric] = {}
    holdouts: Mapping[int, Holdout] = {}


def experiment_lines(copy: ExperimentCopy, companions: Companions) -> Iterator[FormLine]:
    """Yield the whole form, top to bottom."""
    yield from (
        field_line(EXPERIMENT_FIELDS[name], copy.values.get(name)) for name in ("name", "description")
    )
    yield from _flag(copy)
    if "metrics" in copy.values:
        for place, word, about in METRICS:
            yield from _metrics(copy, companions, place, (word, about))
    if "exposure_criteria" in copy.values:
        yield heading_line("EXPOSURE", "which users count as exposed")
        for name, label in EXPOSURE:
            yield _field(name, label, _setting(copy, copy.settings("exposure_criteria"), name))
        if then := activated_by(copy.settings("exposure_criteria")):
            activated = label_piece("activated by")
            yield FormLine(
                "heading", (activated, (safe_text(then, 120), ""), ("   stays as it is", "$faint"))
            )
    if "stats_config" in copy.values:
        yield heading_line("STATISTICS", "how results are judged")
        for name, label in STATISTICS:
            yield _field(name, label, _setting(copy, copy.settings("stats_config"), name))
    if "holdout_id" in copy.values:
        yield _field("holdout_id", "holdout", _holdout(copy, companions))
    yield from _conclusion(copy)


def _field(name: str, label: str, *pieces: Piece) -> FormLine:
    return FormLine("field", (label_piece(label), *pieces), name)


def _flag(copy: ExperimentCopy) -> Iterator[FormLine]:
    key = safe_text(copy.fresh.feature_flag_key, 80)
    about = "created with it, off" if copy.is_new and copy.has_own_flag else "stays as it is"
    if copy.has_own_flag and not copy.is_new:
        about = "off; its variants are set here"
    if copy.is_new:
        yield _field("feature_flag_key", "flag", (key, "$primary"), (f"   {about}", "$faint"))
    else:
        yield FormLine("heading", (label_piece("flag"), (key, "$primary"), (f"   {about}", "$faint")))
    if not copy.has_own_flag:
        return
    yield heading_line("VARIANTS", "shares of users")
    yield from variant_lines(copy)
    if "rollout_percentage" in copy.settings("parameters"):
        share = as_number(copy.settings("parameters").get("rollout_percentage"))
        yield _field("rollout_percentage", "users", (percent(100 if share is None else share), ""))


def _metrics(
    copy: ExperimentCopy, companions: Companions, place: Place, words: tuple[str, str]
) -> Iterator[FormLine]:
    yield heading_line(*words)
    metrics = copy.metrics(place) if place in copy.values else []

    def draw(at: int) -> Iterator[FormLine]:
        item = as_dict(metrics[at])
        pieces = _shared_pieces(item, companions) if place == "saved_metrics_ids" else _metric(item)
        yield FormLine("metric", tuple(pieces), place, at)

    yield from shortened_lines(copy, len(metrics), "metrics", draw)
    noun = "a shared metric" if place == "saved_metrics_ids" else "a metric"
    yield FormLine("add metric", ((f" + {noun}", "$faint"),), place)


def _metric(metric: Mapping[str, JSON]) -> Iterator[Piece]:
    name, words = as_text(metric.get("name")), metric_words(metric)
    yield f" {safe_text(name or words, 60)}", "bold"
    if name not in ("", words):
        yield f"   {safe_text(words, 120)}", "$text-muted"
    for more in further_words(metric):
        yield f", {safe_text(more, 120)}", "$text-muted"


def _shared_pieces(link: Mapping[str, JSON], companions: Companions) -> Iterator[Piece]:
    id = link.get("id")
    metric = companions.saved_metrics.get(id) if isinstance(id, int) else None
    yield f" {safe_text(metric.name, 60) if metric else 'shared metric'}", "bold"
    yield f" #{id}", "$faint"
    yield (
        f"   {safe_text(as_text(as_dict(link.get('metadata')).get('type')) or 'primary', 20)}",
        "$text-muted",
    )
    if metric:
        yield f"   {safe_text(metric_words(metric.query), 120)}", "$text-muted"


def _setting(copy: ExperimentCopy, settings: Mapping[str, JSON], name: str) -> Piece:
    """Return a setting of a field that holds several."""
    match name:
        case "exposure_config":
            return safe_text(exposed_by(settings), 120), ""
        case "filterTestAccounts":
            return ("excluded", "") if leaves_test_accounts_out(copy) else ("counted", "")
        case "multiple_variant_handling":
            return safe_text(several_words(settings), 40), ""
        case "method":
            method = as_text(settings.get("method"))
            return (safe_text(method, 20), "") if method else ("project default", "$text-muted")
        case "confidence":
            level = confidence_of(settings)
            return (
                f"{95 if level is None else level:g} % confidence",
                "" if level is not None else "$text-muted",
            )
    key = as_text(settings.get("baseline_variant_key"))
    compared = baseline_of(settings, copy.variant_keys)
    return safe_text(compared, 40), "" if key == compared else "$text-muted"


def leaves_test_accounts_out(copy: ExperimentCopy) -> bool:
    """Return whether results exclude them. Servers exclude them in a new experiment without the setting."""
    criteria = copy.settings("exposure_criteria")
    is_unset = copy.is_new and "filterTestAccounts" not in criteria
    return is_unset or not counts_test_accounts(criteria)


def confidence_of(settings: Mapping[str, JSON]) -> float | None:
    """Return the confidence level in percent; None where it is not set."""
    level = stated_confidence(settings)
    return None if level is None else round(level * 100, 6)


def _holdout(copy: ExperimentCopy, companions: Companions) -> Piece:
    id = copy.values["holdout_id"]
    if not isinstance(id, int):
        return "none", "$text-muted"
    holdout = companions.holdouts.get(id)
    if holdout is None:
        return f"#{id}", ""
    return f"{safe_text(holdout.name, 60)} #{id}, {percent(holdout.share)} held out", ""


def _conclusion(copy: ExperimentCopy) -> Iterator[FormLine]:
    if "conclusion" not in copy.values:
        return
    yield heading_line("CONCLUSION", "the outcome")
    for name in ("conclusion", "conclusion_comment"):
        yield field_line(EXPERIMENT_FIELDS[name], copy.values.get(name))

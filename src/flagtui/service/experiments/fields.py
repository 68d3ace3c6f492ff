"""The fields of an experiment, in the order in which faults are reported, and what each must be like."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from flagtui.service.bodies import Fields, whole_number
from flagtui.service.errors import Json, invalid
from flagtui.service.experiments.flag_config import FLAG_KEYS, read_flag_input
from flagtui.service.experiments.metric_rules import METRIC, checked_metrics
from flagtui.service.experiments.nested_fields import HOLDOUT, LINK
from flagtui.service.experiments.saved_metrics import checked_links
from flagtui.service.field_kinds import (
    HIDDEN,
    TAGS,
    Field,
    Kind,
    Table,
    Target,
    Use,
    checked_kind,
    choice,
    moment,
    text,
    truth,
)
from flagtui.service.flags.fields import SUMMARY_SCHEMA
from flagtui.service.resources import find_row
from flagtui.service.shapes import (
    MAYBE_NUMBER,
    MAYBE_OBJECT,
    MAYBE_TEXT,
    MAYBE_TEXTS,
    MOMENT,
    NUMBER,
    OBJECT,
    OBJECTS,
    SHARE,
    TEXT,
    TRUTH,
    USER,
    list_of,
    nullable,
    record,
    words,
)

CONCLUSIONS = ("won", "lost", "inconclusive", "stopped_early", "invalid")
TYPES = ("product", "web")
METHODS = ("bayesian", "frequentist")
EXPOSURE_KINDS = ("ExperimentEventExposureConfig", "ActionsNode")
RUNNING_TIME_KEYS = (
    "minimum_detectable_effect",
    "recommended_running_time",
    "recommended_sample_size",
    "exposure_estimate_config",
)
LONGEST_NAME = 400
LONGEST_DESCRIPTION = 3_000
LONGEST_COMMENT = 4_000
LONGEST_FOLDER = 1_000
IN_A_LIST: Final = "experiment in a list"
"""Of an experiment as a row, in the table of generations."""
Faults = Callable[[Mapping[str, Json]], Iterator[str]]


def _read_flag(fields: Fields, name: str, target: Target) -> Json:
    generation = target.call.generation
    return read_flag_input(fields.sent[name], generation) if generation.projects_flag_config else None


def _read_holdout(fields: Fields, name: str, target: Target) -> Json:
    value = fields.sent[name]
    if value is None:
        return None
    if isinstance(value, str) and len(value) > 1_000:
        raise invalid("String value too large.", name, "max_string_length")
    number = whole_number(value)
    if number is None:
        raise fields.not_a_pk(name, value)
    if find_row(target.call.db, "holdouts", target.call.project.id, number) is None:
        raise fields.unknown_pk(name, value)
    return number


def _read_parameters(fields: Fields, name: str, target: Target) -> Json:
    """Return the parameters without the keys that the flag stores."""
    value = fields.sent[name]
    if value is not None and not isinstance(value, dict):
        raise invalid("parameters must be an object", name)
    if value is None or not target.call.generation.projects_flag_config:
        return value
    return {key: inner for key, inner in value.items() if key not in FLAG_KEYS}


def _settings(
    faults: Faults, schema: Json = MAYBE_OBJECT, empty: Json = None, *, names: bool = False
) -> Kind:
    """Return an object of which the first of the faults is raised; `empty` is kept for null.

    `names`: those faults name the field; the product finds the others after it has read all fields.
    """

    def read(body: Fields, name: str, _: Target) -> Json:
        sent = body.sent[name]
        if sent is None:
            return empty
        if not isinstance(sent, dict):
            raise invalid(f"{name} must be an object", name)
        for detail in faults(sent):
            raise invalid(detail, name if names else None)
        return sent

    return Kind(read, schema, "json")


def _criteria_faults(sent: Mapping[str, Json]) -> Iterator[str]:
    if not isinstance(sent.get("filterTestAccounts", False), bool):
        yield "exposure_criteria.filterTestAccounts must be a boolean"
    if sent.get("multiple_variant_handling") not in (None, "exclude", "first_seen"):
        yield "exposure_criteria.multiple_variant_handling must be 'exclude' or 'first_seen'"
    config = sent.get("exposure_config")
    if config is None:
        return
    if not isinstance(config, dict):
        yield "exposure_criteria.exposure_config must be an object"
    if config.get("kind", EXPOSURE_KINDS[0]) not in EXPOSURE_KINDS:
        yield f"exposure_criteria.exposure_config.kind must be one of {list(EXPOSURE_KINDS)}"
    filters = config.get("properties", [])
    is_filters = isinstance(filters, list) and all(isinstance(item, dict) for item in filters)
    if config.get("kind") == "ActionsNode":
        is_right = isinstance(config.get("id"), int) and not isinstance(config["id"], bool)
    else:
        is_right = isinstance(config.get("event"), str) and is_filters
    if not is_right:
        yield "Invalid exposure_criteria.exposure_config"


def _stats_faults(sent: Mapping[str, Json]) -> Iterator[str]:
    method = sent.get("method")
    if method is not None and method not in METHODS:
        yield f"Invalid stats method: '{method}'. Must be one of: {', '.join(METHODS)}"


def _running_time_faults(sent: Mapping[str, Json]) -> Iterator[str]:
    if unknown := [name for name in sent if name not in RUNNING_TIME_KEYS]:
        yield f"running_time_calculation got unknown keys: {unknown}"


def _filter_faults(sent: Mapping[str, Json]) -> Iterator[str]:
    if sent.get("properties"):
        yield "Experiments do not support global filter properties"


def _texts(name: str, what: str, sent: Json) -> list[str] | None:
    """Return texts in a list, or null."""
    if sent is not None and (not isinstance(sent, list) or not all(isinstance(key, str) for key in sent)):
        raise invalid(f"{name} must be a list of {what}", name)
    return sent


def _checked_excluded(sent: Json) -> list[str] | None:
    excluded = _texts("excluded_variants", "strings", sent)
    holdouts = [key for key in excluded or () if key.startswith("holdout-")]
    if holdouts:
        raise invalid(f"cannot exclude holdout pseudo-variants: {holdouts}")
    return excluded


def check_baseline(stats: Json, variant_keys: Sequence[str]) -> None:
    key = (stats or {}).get("baseline_variant_key")
    if key is not None and key not in variant_keys:
        listed = ", ".join(variant_keys)
        raise invalid(f"Invalid baseline_variant_key: '{key}'. Must be one of: {listed}")


def check_included(baseline: str, excluded: Sequence[str] | None) -> None:
    if baseline in (excluded or ()):
        raise invalid(f"baseline variant cannot be excluded ('{baseline}')")


def check_excluded(excluded: Sequence[str] | None, variant_keys: Sequence[str], baseline: str) -> None:
    """Check the excluded variants: they must exist, and the baseline and one more must remain."""
    if not excluded:
        return
    check_included(baseline, excluded)
    unknown = [key for key in excluded if key not in variant_keys]
    if unknown:
        raise invalid(f"unknown variants for this experiment: {unknown}")
    if all(key in excluded for key in variant_keys if key != baseline):
        raise invalid("at least one test variant must remain in analysis")


_VARIANT: Final = record({"key": TEXT, "rollout_percentage": SHARE}, ("key", "rollout_percentage"))
_PARAMETERS: Final[Json] = {
    **MAYBE_OBJECT,
    "properties": {"feature_flag_variants": list_of(_VARIANT), "rollout_percentage": SHARE},
}
_STATS: Final[Json] = {**MAYBE_OBJECT, "properties": {"method": words(METHODS)}}
_LINKS: Final[Json] = {"type": ["array", "null"], "items": OBJECT}
_RUNNING_TIME: Final = _settings(_running_time_faults)
_KEY: Final = text(blank=False, pattern="^[a-zA-Z0-9_-]{1,400}$")
_METRICS: Final = Kind(lambda body, name, _: checked_metrics(body.sent[name], name), list_of(METRIC), "json")
_ORDER: Final = Kind(lambda body, name, _: _texts(name, "UUIDs", body.sent[name]), MAYBE_TEXTS, "json")
_OBJECT: Final = Kind(lambda body, name, _: body.mapping(name, null=True), MAYBE_OBJECT, "json")
_SAVED: Final = Kind(lambda body, name, target: checked_links(target.call, body.sent[name]), _LINKS, "json")
_DELETED: Final = Kind(lambda body, name, _: bool(body.flag(name, null=True)), TRUTH, "truth")

_LOGGED, _COPIED, _ALWAYS = Use.LOGGED, Use.COPIED, Use.ALWAYS

EXPERIMENTS: Final = Table(
    "experiment",
    (
        Field("id", None, _ALWAYS, NUMBER),
        Field("name", text(LONGEST_NAME, blank=False), _ALWAYS | _LOGGED | Use.NEEDED),
        Field("description", text(LONGEST_DESCRIPTION, null=True), _LOGGED | _COPIED, default=""),
        Field("start_date", moment(), _ALWAYS | _LOGGED),
        Field("end_date", moment(), _ALWAYS | _LOGGED),
        Field("feature_flag_key", _KEY, _ALWAYS | Use.NEEDED, TEXT),
        Field("feature_flag", Kind(_read_flag, MAYBE_OBJECT), _ALWAYS, SUMMARY_SCHEMA),
        Field("holdout", shown=nullable(HOLDOUT)),
        Field("holdout_id", Kind(_read_holdout, MAYBE_NUMBER), _LOGGED),
        Field("exposure_cohort", None, _LOGGED, MAYBE_NUMBER, column="exposure_cohort_id"),
        Field("parameters", Kind(_read_parameters, _PARAMETERS, "json"), _LOGGED | _COPIED, MAYBE_OBJECT),
        Field("running_time_calculation", _RUNNING_TIME, _LOGGED | _COPIED, OBJECT),
        Field("excluded_variants", checked_kind(_checked_excluded, MAYBE_TEXTS), _LOGGED),
        Field("secondary_metrics", checked_kind(lambda sent: sent, {}), _COPIED, {}, []),
        Field("saved_metrics", shown=list_of(LINK)),
        Field("saved_metrics_ids", _SAVED, _LOGGED, {"type": ["array", "null"]}),
        Field("filters", _settings(_filter_faults, empty={}), _LOGGED | _COPIED, OBJECT),
        Field("archived", truth(), _ALWAYS | _LOGGED),
        Field("deleted", _DELETED, _ALWAYS | _LOGGED),
        Field("created_by", None, shown=USER, column="created_by_id"),
        Field("created_at", None, shown=MOMENT),
        Field("updated_at", None, shown=MOMENT),
        Field("type", choice(TYPES, null=True), _COPIED),
        Field("exposure_criteria", _settings(_criteria_faults, names=True), _LOGGED | _COPIED | _ALWAYS),
        Field("metrics", _METRICS, _LOGGED | _ALWAYS, OBJECTS, []),
        Field("metrics_secondary", _METRICS, _LOGGED | _ALWAYS, OBJECTS, []),
        Field("stats_config", _settings(_stats_faults, _STATS), _LOGGED | _COPIED | _ALWAYS, MAYBE_OBJECT),
        Field("scheduling_config", _OBJECT, _LOGGED | _COPIED),
        Field("conclusion", choice(CONCLUSIONS, null=True), _LOGGED),
        Field("conclusion_comment", text(LONGEST_COMMENT, null=True), _LOGGED),
        Field("primary_metrics_ordered_uuids", _ORDER, _LOGGED),
        Field("secondary_metrics_ordered_uuids", _ORDER, _LOGGED),
        Field("only_count_matured_users", truth(), _LOGGED | _COPIED),
        Field("status", None, shown=words(("draft", "running", "paused", "stopped", "exposure_frozen"))),
        Field("is_legacy", None, shown=TRUTH),
        Field("tags", TAGS, _LOGGED),
        Field("can_freeze_exposure", None, shown=TRUTH),
        Field("flag_cleanup_task_id", None, shown=MAYBE_TEXT),
        Field("user_access_level", None, shown=words(("none", "viewer", "editor", "manager"))),
        Field("_create_in_folder", text(LONGEST_FOLDER), shown=HIDDEN, column="folder"),
    ),
)
CONCLUSION: Final = Table(
    "experiment", (field for field in EXPERIMENTS.fields if field.name.startswith("conclusion"))
)
"""The conclusions an ended experiment may have."""

"""The fields of an experiment, in the order in which faults are reported."""

from typing import Final

from flagtui.service.bodies import Fields, whole_number
from flagtui.service.errors import Json, invalid
from flagtui.service.experiments import settings_rules as rules
from flagtui.service.experiments.flag_config import FLAG_KEYS
from flagtui.service.experiments.flag_input import read_flag_input
from flagtui.service.experiments.metric_rules import METRIC, checked_metrics
from flagtui.service.experiments.saved_metrics import checked_links
from flagtui.service.field_kinds import Field, Kind, Table, Target, Use, checked, choice, moment, text, truth
from flagtui.service.resources import find_row
from flagtui.service.shapes import (
    MAYBE_NUMBER,
    MAYBE_OBJECT,
    MAYBE_TEXTS,
    MOMENT,
    NUMBER,
    OBJECT,
    OBJECTS,
    SHARE,
    TEXT,
    TRUTH,
    USER,
    listed,
    record,
    words,
)

LONGEST_NAME = 400
LONGEST_DESCRIPTION = 3_000
LONGEST_COMMENT = 4_000


def _read_flag(fields: Fields, name: str, target: Target) -> Json:
    return read_flag_input(fields.sent[name]) if target.call.generation.projects_flag_config else None


def _read_holdout(fields: Fields, name: str, target: Target) -> Json:
    value = fields.sent[name]
    if value is None:
        return None
    if isinstance(value, str) and len(value) > 1_000:
        raise invalid("String value too large.", name, "max_string_length")
    number = whole_number(value)
    if number is None:
        detail = f"Incorrect type. Expected pk value, received {type(value).__name__}."
        raise invalid(detail, name, "incorrect_type")
    if find_row(target.call.db, "holdouts", target.call.project.id, number) is None:
        raise invalid(f'Invalid pk "{value}" - object does not exist.', name, "does_not_exist")
    return number


def _read_parameters(fields: Fields, name: str, target: Target) -> Json:
    """What the flag keeps is not kept twice."""
    value = fields.sent[name]
    if value is not None and not isinstance(value, dict):
        raise invalid("parameters must be an object", name)
    if value is None or not target.call.generation.projects_flag_config:
        return value
    return {key: inner for key, inner in value.items() if key not in FLAG_KEYS}


_VARIANT: Final = record({"key": TEXT, "rollout_percentage": SHARE}, ("key", "rollout_percentage"))
_PARAMETERS: Final[Json] = {
    **MAYBE_OBJECT,
    "properties": {"feature_flag_variants": listed(_VARIANT), "rollout_percentage": SHARE},
}
_STATS: Final[Json] = {**MAYBE_OBJECT, "properties": {"method": words(rules.METHODS)}}
_LINKS: Final[Json] = {"type": ["array", "null"], "items": OBJECT}
_RUNNING_TIME: Final = checked(rules.checked_running_time, MAYBE_OBJECT)
_KEY: Final = text(blank=False, pattern="^[a-zA-Z0-9_-]{1,400}$")
_METRICS: Final = Kind(lambda body, name, _: checked_metrics(body.sent[name], name), listed(METRIC), "json")
_ORDER: Final = Kind(lambda body, name, _: rules.checked_order(body.sent[name], name), MAYBE_TEXTS, "json")
_OBJECT: Final = Kind(lambda body, name, _: body.mapping(name, null=True), MAYBE_OBJECT, "json")
_SAVED: Final = Kind(lambda body, name, target: checked_links(target.call, body.sent[name]), _LINKS, "json")
_DELETED: Final = Kind(lambda body, name, _: bool(body.flag(name, null=True)), TRUTH, "truth")

_BASIC, _LOGGED, _COPIED, _ALWAYS = Use.BASIC, Use.LOGGED, Use.COPIED, Use.ALWAYS
_FIRST: Final = _BASIC | _ALWAYS
_TOLD: Final = _BASIC | _LOGGED

EXPERIMENTS: Final = Table(
    "experiment",
    (
        Field("id", None, _FIRST, NUMBER),
        Field("name", text(LONGEST_NAME, blank=False), _FIRST | _LOGGED | Use.NEEDED),
        Field("description", text(LONGEST_DESCRIPTION, null=True), _TOLD | _COPIED, default=""),
        Field("start_date", moment(), _FIRST | _LOGGED),
        Field("end_date", moment(), _FIRST | _LOGGED),
        Field("feature_flag_key", _KEY, _FIRST | Use.NEEDED, TEXT),
        Field("feature_flag", Kind(_read_flag, MAYBE_OBJECT), _FIRST, OBJECT),
        Field("holdout", None, _BASIC, MAYBE_OBJECT),
        Field("holdout_id", Kind(_read_holdout, MAYBE_NUMBER), _LOGGED),
        Field("exposure_cohort", None, _TOLD, MAYBE_NUMBER, column="exposure_cohort_id"),
        Field("parameters", Kind(_read_parameters, _PARAMETERS, "json"), _TOLD | _COPIED, MAYBE_OBJECT),
        Field("running_time_calculation", _RUNNING_TIME, _TOLD | _COPIED, OBJECT),
        Field("excluded_variants", checked(rules.checked_excluded, MAYBE_TEXTS), _TOLD),
        Field("secondary_metrics", checked(lambda sent: sent, {}), _COPIED, {}, []),
        Field("saved_metrics", shown=OBJECTS),
        Field("saved_metrics_ids", _SAVED, _LOGGED, {"type": ["array", "null"]}),
        Field("filters", checked(rules.checked_filters, MAYBE_OBJECT), _LOGGED | _COPIED, OBJECT),
        Field("archived", truth(), _FIRST | _LOGGED),
        Field("deleted", _DELETED, _FIRST | _LOGGED),
        Field("created_by", None, _BASIC, USER, column="created_by_id"),
        Field("created_at", None, _BASIC, MOMENT),
        Field("updated_at", None, _BASIC, MOMENT),
        Field("type", choice(rules.TYPES, null=True), _BASIC | _COPIED),
        Field(
            "exposure_criteria", checked(rules.checked_criteria, MAYBE_OBJECT), _LOGGED | _COPIED | _ALWAYS
        ),
        Field("metrics", _METRICS, _LOGGED | _ALWAYS, OBJECTS, []),
        Field("metrics_secondary", _METRICS, _LOGGED | _ALWAYS, OBJECTS, []),
        Field(
            "stats_config", checked(rules.checked_stats, _STATS), _LOGGED | _COPIED | _ALWAYS, MAYBE_OBJECT
        ),
        Field("scheduling_config", _OBJECT, _LOGGED | _COPIED),
        Field("conclusion", choice(rules.CONCLUSIONS, null=True), _TOLD),
        Field("conclusion_comment", text(LONGEST_COMMENT, null=True), _TOLD),
        Field("primary_metrics_ordered_uuids", _ORDER, _LOGGED),
        Field("secondary_metrics_ordered_uuids", _ORDER, _LOGGED),
        Field("only_count_matured_users", truth(), _LOGGED | _COPIED),
        Field("status", None, _BASIC, words(("draft", "running", "paused", "stopped"))),
        Field("is_legacy", None, _BASIC, TRUTH),
        Field("user_access_level", None, _BASIC, words(("none", "viewer", "editor", "manager"))),
    ),
)
CONCLUSION: Final = Table(
    "experiment", (field for field in EXPERIMENTS.fields if field.name.startswith("conclusion"))
)
"""What ending an experiment may say."""

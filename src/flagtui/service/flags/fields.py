"""The fields of a flag in the order of their faults, the rules that need more than one, and its schema."""

import re
import sqlite3
from collections.abc import Mapping
from typing import Final

from flagtui.service.bodies import Fields, whole_number
from flagtui.service.call import Call
from flagtui.service.errors import Json, invalid
from flagtui.service.field_kinds import (
    HIDDEN,
    TAGS,
    Field,
    Kind,
    Table,
    Target,
    Use,
    Values,
    choice,
    number,
    text,
    truth,
)
from flagtui.service.flags.filter_storage import read_filters
from flagtui.service.flags.rollout_summary import apply_summary, read_share
from flagtui.service.flags.rows import check_free
from flagtui.service.responses import text_of, value_of
from flagtui.service.shapes import (
    MAYBE_MOMENT,
    MAYBE_NUMBER,
    MAYBE_OBJECT,
    MAYBE_TEXT,
    MOMENT,
    NUMBER,
    NUMBERS,
    OBJECT,
    OBJECTS,
    SHARE,
    TEXT,
    TEXTS,
    TRUTH,
    USER,
    list_of,
    page_of,
    record,
    whole,
    words,
)

LONGEST_KEY = 400
LONGEST_FOLDER = 1_000
MOST_CONTEXTS = 50
MAKES_DASHBOARD: Final = "_should_create_usage_dashboard"
"""Parameters of the request, which are not stored."""
_KEY = re.compile(r"[a-zA-Z0-9_-]+")
RUNTIMES = ("server", "client", "all")
_CONTEXT_NAMES: Final = ("evaluation_contexts", "evaluation_tags")
MATCH_MODE: Final = "evaluation_contexts_match_mode"
MATCH_MODES = ("any", "all")
"""Whether a request must declare any (the default) or all of the flag's evaluation contexts."""
BUCKETINGS = ("distinct_id", "device_id")
CREATION_CONTEXTS = (
    *("feature_flags", "experiments", "surveys", "early_access_features", "web_experiments", "product_tours"),
)


def _read_key(fields: Fields, name: str, target: Target) -> Json:
    call, row = target
    key = fields.text(name, longest=LONGEST_KEY, blank=False)
    if row is not None and key == row["key"] and not row["deleted"]:
        return key
    check_free(call, key, row)
    if _KEY.fullmatch(key or "") is None:
        detail = "Only letters, numbers, hyphens (-) & underscores (_) are allowed."
        raise fields.fault(name, detail, "invalid_key")
    return key


def _read_contexts(fields: Fields, name: str, target: Target) -> Json:
    """Return the list under either of its names.

    If one name repeats the stored value, the other name wins.
    """
    unread = target.call.generation.body("flag").unread(is_new=target.row is None)
    names = [each for each in _CONTEXT_NAMES if each in fields and each not in unread]
    lists = [_checked_contexts(fields.sent[each], each) for each in names]
    stored = None if target.row is None else value_of(target.row["evaluation_contexts"])
    changed = [each for each in lists if each != stored] or lists
    if any(each != changed[0] for each in changed):
        raise fields.fault(
            name,
            "evaluation_contexts and evaluation_tags are one list under two names, and these differ. "
            "Send one of them.",
        )
    return changed[0]


def _checked_contexts(items: Json, name: str) -> list[str]:
    if not isinstance(items, list) or len(items) > MOST_CONTEXTS:
        raise invalid(f"{name} must be a list of at most {MOST_CONTEXTS} items.")
    for item in items:
        if not isinstance(item, str) or not item.strip() or len(item.strip()) > 255:
            raise invalid("Invalid evaluation context name.")
    return sorted({item.strip().lower() for item in items})


def _read_evaluation_tags(fields: Fields, name: str, target: Target) -> Json:
    """Read evaluation tags; on older servers they must be among the tags sent."""
    if not target.call.generation.is_older:
        return _read_contexts(fields, name, target)
    names = {str(item).strip().lower() for item in fields.items(name) or ()}
    unknown = sorted(names - set(fields.tags()))
    if unknown:
        detail = f"Evaluation tags must be a subset of tags. Invalid evaluation tags: {', '.join(unknown)}"
        raise invalid(detail)
    return sorted(names)


def _read_dashboards(fields: Fields, name: str, target: Target) -> Json:
    numbers = []
    for item in fields.items(name) or ():
        pk = whole_number(item)
        if pk is None:
            raise fields.not_a_pk(name, item)
        numbers.append(pk)
    rows = target.call.db.execute(
        "SELECT id FROM dashboards WHERE project_id = ? AND deleted = 0"
        " AND id IN (SELECT value FROM json_each(?))",
        (target.call.project.id, text_of(numbers)),
    ).fetchall()
    for pk in numbers:
        if pk not in {row["id"] for row in rows}:
            raise fields.unknown_pk(name, pk)
    return sorted(set(numbers))


_LOGGED, _COPIED, _VERSIONED, _SUMMARY = Use.LOGGED, Use.COPIED, Use.VERSIONED, Use.SUMMARY
_SORTED, _ALWAYS = Use.SORTED, Use.ALWAYS
_RECORDED: Final = _LOGGED | _VERSIONED
_KEPT: Final = _RECORDED | _SUMMARY
_FILTERS: Final = Kind(lambda body, _, target: read_filters(target.call, body, target.row), OBJECT, "json")
_ANY: Final = Kind(lambda body, name, _: body.sent[name], {}, "json")
_SHARE: Final = Kind(
    lambda body, name, _: read_share(body, name), {**MAYBE_NUMBER, "minimum": 0, "maximum": 100}
)
_NAMED: Final = text(LONGEST_KEY, blank=False, pattern="^[a-zA-Z0-9_-]+$").schema

FLAGS: Final = Table(
    "flag",
    (
        Field("id", None, _VERSIONED | _SUMMARY | _SORTED | _ALWAYS, NUMBER),
        Field("name", text(), _KEPT | _COPIED | _SORTED | _ALWAYS, default=""),
        Field("key", Kind(_read_key, _NAMED), _KEPT | _SORTED | _ALWAYS | Use.NEEDED),
        Field("filters", _FILTERS, _KEPT | _COPIED | _ALWAYS, default={"groups": []}),
        Field("deleted", truth(), _KEPT | _ALWAYS, default=False),
        Field("active", truth(), _KEPT | _SORTED | _ALWAYS, default=True),
        Field("archived", truth(), _LOGGED | _SORTED, default=False),
        Field("created_by", None, _SORTED, USER, column="created_by_id"),
        Field("created_at", None, _VERSIONED | _SORTED, MOMENT),
        Field("updated_at", None, _SORTED, MAYBE_MOMENT),
        Field("version", number(null=True), _KEPT | _SORTED, default=1),
        Field("last_modified_by", shown=USER),
        Field("is_simple_flag", truth(), shown=TRUTH, column="is_simple"),
        Field("rollout_percentage", _SHARE, shown=MAYBE_NUMBER, column="simple_rollout"),
        Field("ensure_experience_continuity", truth(null=True), _KEPT | _COPIED, default=False),
        Field("rollback_conditions", _ANY, _LOGGED),
        Field("performed_rollback", truth(null=True), _LOGGED),
        Field("experiment_set", shown=NUMBERS),
        Field("experiment_set_metadata", shown=OBJECTS),
        Field("surveys", shown=OBJECTS),
        Field("features", shown=OBJECTS),
        Field("can_edit", shown=truth().schema),
        Field("tags", TAGS, _COPIED | _ALWAYS, default=[]),
        Field("evaluation_contexts", Kind(_read_contexts, TEXTS, "json"), _LOGGED | _SUMMARY, default=[]),
        Field(
            "evaluation_tags", Kind(_read_evaluation_tags, TEXTS, "json"), _SUMMARY,
            column="evaluation_contexts",
        ),
        Field(MATCH_MODE, choice(MATCH_MODES), _LOGGED, default="any"),
        Field("usage_dashboard", shown=number(null=True).schema),
        Field("analytics_dashboards", Kind(_read_dashboards, NUMBERS, "json"), default=[]),
        Field("has_enriched_analytics", truth(null=True), _RECORDED, default=False),
        Field("creation_context", choice(CREATION_CONTEXTS), default="feature_flags"),
        Field("user_access_level", shown=words(("none", "viewer", "editor", "manager"), None)),
        Field("is_remote_configuration", truth(null=True), _RECORDED | _COPIED, default=False),
        Field("has_encrypted_payloads", truth(null=True), _KEPT | _COPIED, default=False),
        Field("status", None, _ALWAYS, TEXT),
        Field(
            "evaluation_runtime", choice(RUNTIMES, null=True), _KEPT | _COPIED | _SORTED,
            words(RUNTIMES, "", None), "all",
        ),
        Field(
            "bucketing_identifier", choice(BUCKETINGS, null=True), _KEPT | _COPIED,
            words(BUCKETINGS, "", None), "distinct_id",
        ),
        Field("last_called_at", None, _VERSIONED | _SORTED, MAYBE_MOMENT),
        Field("is_used_in_replay_settings", shown=truth().schema),
        Field("is_eligible_for_experiment", shown=truth().schema),
        Field("_create_in_folder", text(LONGEST_FOLDER), shown=HIDDEN, column="folder"),
        Field(MAKES_DASHBOARD, truth(), shown=HIDDEN),
    ),
)  # fmt: skip
SUMMARY_SCHEMA: Final = record(
    {**FLAGS.answer_schema(Use.SUMMARY), "team_id": NUMBER}, ("id", "team_id", "key"), of="flag summary"
)
"""A flag nested in an experiment, and in responses of evaluation."""


def read_fields(call: Call, fields: Fields, row: sqlite3.Row | None) -> Values:
    """Return the columns that the body sets. `row` is the flag to change; None for a new one.

    `filters` are merged with the stored ones and absent where sending them changes nothing.
    """
    values = FLAGS.read(fields, Target(call, row), needed=row is None)
    values.pop("version", None)
    if values.get("filters", ...) is None:
        del values["filters"]
    return apply_summary(call, values, row)


def check_together(merged: Mapping[str, Json]) -> None:
    """Raise for faults between fields. `merged` is the flag after the change."""
    if merged["bucketing_identifier"] == "device_id" and merged["ensure_experience_continuity"]:
        raise invalid(
            "Cannot enable 'persist across authentication steps' when using device ID bucketing. "
            "These features are incompatible."
        )
    if merged["has_encrypted_payloads"] and not merged["is_remote_configuration"]:
        raise invalid("Encrypted payloads require the flag to be a remote configuration.")


def check_required_marks(call: Call, sent: Values, row: sqlite3.Row | None) -> None:
    """Raise when tags or evaluation contexts that the project requires are missing."""
    settings = call.project.settings
    if settings.get("require_flag_tags"):
        _check_required_tags(sent, row)
    if settings.get("require_evaluation_contexts"):
        _check_required_contexts(sent, row)


STAY_TAGGED: Final = "Keep at least one tag. This project requires feature flags to stay tagged."


def _check_required_tags(sent: Values, row: sqlite3.Row | None) -> None:
    if row is None:
        if not sent.get("tags") and sent.get("creation_context", "feature_flags") == "feature_flags":
            detail = "Add at least one tag. This project requires new feature flags to be tagged."
            raise invalid(detail, "tags")
    elif sent.get("tags") == [] and row["tags"] != "[]":
        raise invalid(STAY_TAGGED, "tags")


def _check_required_contexts(sent: Values, row: sqlite3.Row | None) -> None:
    if row is None:
        if not sent.get("evaluation_contexts"):
            raise invalid("At least one evaluation context is required to create a new feature flag.")
    elif sent.get("evaluation_contexts") == [] and row["evaluation_contexts"] != "[]":
        raise invalid(
            "Cannot remove all evaluation contexts. At least one evaluation context is required because this "
            "flag already has evaluation contexts and the team requires them."
        )


FLAG: Final = record(FLAGS.answer_schema(), FLAGS.always(), of="flag")
FLAG_PAGE: Final = page_of(FLAG)
COPIES: Final = whole({"success": list_of(FLAG), "failed": OBJECTS})
FLAG_BODY: Final = record({**FLAGS.body_schema(), "original_flag": MAYBE_OBJECT}, of="flag")
ONE_SHARE: Final = whole(
    {"condition_index": {**NUMBER, "minimum": 0}, "rollout_percentage": SHARE, "version": NUMBER}
)
TO_EVERYONE: Final = record({"version": NUMBER, "variant_key": MAYBE_TEXT}, ("version",))

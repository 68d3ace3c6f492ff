"""The fields of an experiment in a body, checked in the order in which faults are reported."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from flagtui.service.bodies import Fields, whole_number
from flagtui.service.call import Call
from flagtui.service.clock import stamp
from flagtui.service.errors import Json, invalid
from flagtui.service.experiments import settings_rules as rules
from flagtui.service.experiments.flag_config import FLAG_KEYS, FlagConfig, from_parameters
from flagtui.service.experiments.flag_input import read_flag_input
from flagtui.service.experiments.metric_rules import ORDER_OF, checked_metrics
from flagtui.service.experiments.saved_links import Link, checked_links

LONGEST_NAME = 400
LONGEST_DESCRIPTION = 3_000
LONGEST_COMMENT = 4_000


@dataclass(frozen=True, slots=True)
class Input:
    """What a body says: columns that change, and what concerns other tables."""

    columns: dict[str, Json] = field(default_factory=dict)
    """Only what was sent."""
    flag_key: str | None = None
    flag: FlagConfig = field(default_factory=FlagConfig)
    says_variants: bool = False
    links: list[Link] | None = None
    order_given: frozenset[str] = frozenset()
    sent: frozenset[str] = frozenset()
    allow_unknown_events: bool = False
    update_flag: bool = False


def read_input(call: Call, sent: Mapping[str, Json], *, new: bool) -> Input:
    """Every field of the body; raises the fault of the first that is wrong."""
    fields = Fields(sent)
    columns: dict[str, Json] = {}
    for name, read in _BEFORE_FLAG.items():
        _read(fields, columns, name, read, required=new and name == "name")
    flag_key = _flag_key(fields, new)
    asked = None if call.settings.legacy else read_flag_input(sent.get("feature_flag"))
    if "holdout_id" in fields:
        columns["holdout_id"] = _holdout(call, fields)
    parameters = _parameters(fields) if "parameters" in fields else None
    if "parameters" in fields:
        columns["parameters"] = _stored_parameters(call, parameters)
    for name, read in _BEFORE_LINKS.items():
        _read(fields, columns, name, read)
    links = checked_links(call, sent["saved_metrics_ids"]) if "saved_metrics_ids" in sent else None
    if "saved_metrics_ids" in sent:
        columns["saved_metrics_ids"] = sent["saved_metrics_ids"]
    for name, read in _AFTER_LINKS.items():
        _read(fields, columns, name, read)
    orders = frozenset(name for name in ORDER_OF.values() if name in sent)
    return Input(
        columns={
            name: value for name, value in columns.items() if not (call.settings.legacy and name in _NEWER)
        },
        flag_key=flag_key,
        flag=asked or _from_parameters(call, parameters),
        says_variants=bool((parameters or {}).get("feature_flag_variants")),
        links=links,
        order_given=orders,
        sent=frozenset(sent),
        allow_unknown_events=bool(fields.flag("allow_unknown_events", False)),
        update_flag=bool(fields.flag("update_feature_flag_params", False)),
    )


_NEWER = ("running_time_calculation", "excluded_variants", "only_count_matured_users")
Reader = Callable[[Fields, str], Json]


def _read(fields: Fields, columns: dict[str, Json], name: str, read: Reader, required: bool = False) -> None:
    if required:
        fields.require(name)
    if name in fields:
        columns[name] = read(fields, name)


def _moment(fields: Fields, name: str) -> Json:
    found = fields.moment(name)
    return None if found is None else stamp(found)


def _comment(fields: Fields, name: str) -> Json:
    return fields.text(name, longest=LONGEST_COMMENT, null=True)


def _description(fields: Fields, name: str) -> Json:
    return fields.text(name, longest=LONGEST_DESCRIPTION, null=True)


def _name(fields: Fields, name: str) -> Json:
    return fields.text(name, longest=LONGEST_NAME, blank=False)


def _boolean(fields: Fields, name: str) -> Json:
    return int(bool(fields.flag(name, null=name == "deleted")))


def _type(fields: Fields, name: str) -> Json:
    return fields.choice(name, rules.TYPES, null=True)


def _conclusion(fields: Fields, name: str) -> Json:
    return fields.choice(name, rules.CONCLUSIONS, null=True)


def _primary(fields: Fields, name: str) -> Json:
    return checked_metrics(fields.sent[name], "metrics")


def _secondary(fields: Fields, name: str) -> Json:
    return checked_metrics(fields.sent[name], "metrics_secondary")


def _order(fields: Fields, name: str) -> Json:
    return rules.checked_order(fields.sent[name], name)


def _raw(check: Callable[[Json], Json]) -> Reader:
    return lambda fields, name: check(fields.sent[name])


def _object(fields: Fields, name: str) -> Json:
    return fields.mapping(name, null=True)


def _any(fields: Fields, name: str) -> Json:
    return fields.sent[name]


_BEFORE_FLAG: Mapping[str, Reader] = {
    "name": _name,
    "description": _description,
    "start_date": _moment,
    "end_date": _moment,
}
_BEFORE_LINKS: Mapping[str, Reader] = {
    "running_time_calculation": _raw(rules.checked_running_time),
    "excluded_variants": _raw(rules.checked_excluded),
    "secondary_metrics": _any,
}
_AFTER_LINKS: Mapping[str, Reader] = {
    "filters": _raw(rules.checked_filters),
    "archived": _boolean,
    "deleted": _boolean,
    "type": _type,
    "exposure_criteria": _raw(rules.checked_criteria),
    "metrics": _primary,
    "metrics_secondary": _secondary,
    "stats_config": _raw(rules.checked_stats),
    "scheduling_config": _object,
    "conclusion": _conclusion,
    "conclusion_comment": _comment,
    "primary_metrics_ordered_uuids": _order,
    "secondary_metrics_ordered_uuids": _order,
    "only_count_matured_users": _boolean,
}


def _flag_key(fields: Fields, new: bool) -> str | None:
    if new:
        fields.require("feature_flag_key")
    return fields.text("feature_flag_key", blank=False)


def _holdout(call: Call, fields: Fields) -> int | None:
    value = fields.sent["holdout_id"]
    if value is None:
        return None
    if isinstance(value, str) and len(value) > 1_000:
        raise invalid("String value too large.", "holdout_id", "max_string_length")
    number = whole_number(value)
    if number is None:
        detail = f"Incorrect type. Expected pk value, received {type(value).__name__}."
        raise invalid(detail, "holdout_id", "incorrect_type")
    found = None
    if abs(number) < 2**63:
        sql = "SELECT 1 FROM holdouts WHERE id = ? AND project_id = ?"
        found = call.db.execute(sql, (number, call.project.id)).fetchone()
    if found is None:
        raise invalid(f'Invalid pk "{value}" - object does not exist.', "holdout_id", "does_not_exist")
    return number


def _parameters(fields: Fields) -> dict[str, Json] | None:
    value = fields.sent["parameters"]
    if value is not None and not isinstance(value, dict):
        raise invalid("parameters must be an object", "parameters")
    return value


def _stored_parameters(call: Call, parameters: dict[str, Json] | None) -> Json:
    if parameters is None or call.settings.legacy:
        return parameters
    return {name: value for name, value in parameters.items() if name not in FLAG_KEYS}


def _from_parameters(call: Call, parameters: Mapping[str, Json] | None) -> FlagConfig:
    return from_parameters(parameters, legacy=call.settings.legacy)

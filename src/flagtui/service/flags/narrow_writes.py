"""Operations that change one value: on, off, archived, unarchived, or targeting without `filters`."""

import sqlite3
from collections.abc import Mapping

from flagtui.service.bodies import Fields, is_number
from flagtui.service.call import Call
from flagtui.service.errors import Fault, Json, conflict, invalid
from flagtui.service.flags.dependents import check_guards
from flagtui.service.flags.filter_storage import Filters, unsupported_config, with_changes
from flagtui.service.flags.representation import flag_answer
from flagtui.service.flags.rows import called_row
from flagtui.service.flags.rules.writes import is_rules_flag, refuse_rollout_action, update_rules_flag
from flagtui.service.flags.save import change_or_ask, opened_values
from flagtui.service.flags.status import groups_of, variants_of
from flagtui.service.operations import Handler
from flagtui.service.responses import Response

_INDEX = "aggregation_group_type_index"


def mover(doing: str, **values: bool) -> Handler:
    """Return the operation that sets these values of a flag.

    It writes nothing when the flag has them already.
    """

    def move(call: Call) -> Response:
        row = called_row(call, "editor")
        _check_not_deleted(row, doing)
        if is_rules_flag(call, row):
            if "archived" in values:
                raise unsupported_config(Fields({}))
            return update_rules_flag(call, row, {"version": call.body().get("version"), **values})
        before = opened_values(call, row)
        if all(before[name] == value for name, value in values.items()):
            return flag_answer(call, row)
        after = {**before, **values}
        check_guards(call, row, before, after)
        return change_or_ask(call, row, before, after)

    return move


def _check_not_deleted(row: sqlite3.Row, doing: str) -> None:
    """Raise a 400 in the words of these operations if the flag is deleted."""
    if row["deleted"]:
        text = f"This feature flag has been deleted. Restore it before {doing} it."
        raise Fault(400, {"success": False, "error": text})


def set_release_condition_rollout(call: Call) -> Response:
    """Set another share for one condition, which is named by its place."""
    row = called_row(call, "editor")
    refuse_rollout_action(row)
    fields = Fields(call.body())
    for name in ("condition_index", "rollout_percentage"):
        fields.require(name)
    place, share = fields.number("condition_index", least=0) or 0, _share(fields)
    _check_current(fields, row, "setting the rollout of")
    stored = opened_values(call, row)["filters"]
    groups = [dict(group) for group in groups_of(stored)]
    if place >= len(groups):
        raise invalid(_no_condition(place, len(groups)))
    groups[place]["rollout_percentage"] = share
    return _rewritten(call, row, {"groups": groups})


def roll_out_to_everyone(call: Call) -> Response:
    """Put a condition for everyone first, and give one variant the whole distribution."""
    row = called_row(call, "editor")
    refuse_rollout_action(row)
    fields = Fields(call.body())
    fields.require("version")
    variant = fields.text("variant_key", null=True)
    _check_current(fields, row, "rolling out")
    stored = opened_values(call, row)["filters"]
    if stored.get("feature_enrollment"):
        raise invalid("This feature flag is behind early access, which decides before its conditions do.")
    groups = groups_of(stored)
    opened: Filters = {"properties": [], "rollout_percentage": 100}
    changes: Filters = {"groups": groups if _is_open(stored, groups) else [opened, *groups]}
    if (shares := _shares(stored, variant)) is not None:
        changes["multivariate"] = {**stored["multivariate"], "variants": shares}
    return _rewritten(call, row, changes)


def _share(fields: Fields) -> float:
    name, sent = "rollout_percentage", fields.sent["rollout_percentage"]
    if sent is None:
        raise fields.fault(name, "This field may not be null.", "null")
    if not is_number(sent):
        raise fields.fault(name, "A valid number is required.")
    if sent < 0:
        raise fields.fault(name, "Ensure this value is greater than or equal to 0.", "min_value")
    if sent > 100:
        raise fields.fault(name, "Ensure this value is less than or equal to 100.", "max_value")
    return sent


def _check_current(fields: Fields, row: sqlite3.Row, doing: str) -> None:
    """Raise unless the flag exists and has the version that the caller read."""
    fields.require("version")
    version = fields.number("version")
    _check_not_deleted(row, doing)
    if version != row["version"]:
        raise conflict(
            f"The feature flag has changed since version {version}; it is at version {row['version']}. "
            "Read it again and decide again."
        )


def _no_condition(place: int, count: int) -> str:
    if not count:
        return "This feature flag has no release conditions."
    return f"This feature flag has no release condition {place}. It has {count}, counted from 0."


def _is_open(filters: Mapping[str, Json], groups: list[dict[str, Json]]) -> bool:
    """Return whether the first condition matches everyone.

    A missing share means all of them.
    """
    if not groups:
        return False
    first, index = groups[0], filters.get(_INDEX)
    share = first.get("rollout_percentage")
    is_plain = not first.get("properties") and not first.get("variant")
    return is_plain and share in (None, 100) and first.get(_INDEX, index) == index


def _shares(filters: Mapping[str, Json], variant: str | None) -> list[dict[str, Json]] | None:
    """Return the variants with everything given to one; None for a flag without any."""
    variants = variants_of(filters)
    keys = [item.get("key") for item in variants]
    listed = ", ".join(map(str, keys))
    if not variants:
        if variant is not None:
            raise invalid("This feature flag has no variants, so none can be given to everyone.")
        return None
    if variant is None:
        raise invalid(f"This feature flag has variants. Name the one for everyone in variant_key: {listed}")
    if variant not in keys:
        raise invalid(f"This feature flag has no variant '{variant}'. It has {listed}")
    return [{**item, "rollout_percentage": 100 if item.get("key") == variant else 0} for item in variants]


def _rewritten(call: Call, row: sqlite3.Row, changes: Filters) -> Response:
    """Return the flag with these keys of its filters, checked like an update.

    Writes nothing where all are so.
    """
    before = opened_values(call, row)
    if all(before["filters"].get(name) == value for name, value in changes.items()):
        return flag_answer(call, row)
    return change_or_ask(call, row, before, {**before, "filters": with_changes(call, row, changes)})

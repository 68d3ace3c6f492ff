"""How many stored people, or groups, the properties of one condition fit."""

from collections.abc import Iterable, Mapping

from flagtui.evaluate import Person, evaluate
from flagtui.service.answers import Answer, answer
from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.errors import Json, invalid
from flagtui.service.evaluation.definitions import load_definitions_for
from flagtui.service.evaluation.people import every_group, everybody
from flagtui.service.flags.describing import properties_of
from flagtui.service.flags.filter_shapes import check_shape

_ASKED = "\x00condition"
"""The key of a flag that is not stored: no stored flag can have it."""


def user_blast_radius(call: Call) -> Answer:
    """The percentage of the condition is not applied: whoever asks multiplies."""
    fields = Fields(call.body())
    if "condition" not in fields:
        raise invalid("Missing condition for which to get blast radius")
    condition = fields.mapping("condition", null=True) or {}
    index = fields.number("group_type_index", null=True)
    questions = condition.get("properties") or []
    check_shape({"groups": [{"properties": questions}], "aggregation_group_type_index": index})
    affected, total = _count(call, questions, index)
    if call.settings.legacy:
        return answer({"users_affected": affected, "total_users": total})
    return answer({"affected": affected, "total": total})


def _count(call: Call, questions: list[Json], index: int | None) -> tuple[int, int]:
    filters = {"groups": [{"properties": questions}], "aggregation_group_type_index": index}
    asked = {"id": 0, "key": _ASKED, "active": True, "filters": filters}
    definitions = load_definitions_for(call.db, call.project.id, asked)
    _refuse_missing_cohorts(filters, {*definitions.cohorts, *definitions.static_cohorts})
    found = [
        not questions or evaluate(_ASKED, person, definitions).value is True
        for person in _population(call, definitions.group_types, index)
    ]
    return sum(found), len(found)


def _population(call: Call, group_types: Mapping[str, str], index: int | None) -> Iterable[Person]:
    if index is None:
        return (person for _, person in everybody(call.db, call.project.id, call.now))
    name = group_types.get(str(index))
    return every_group(call.db, call.project.id, index, name, call.now) if name else ()


def _refuse_missing_cohorts(filters: Mapping[str, Json], known: set[str]) -> None:
    for item in properties_of(filters):
        if item.get("type") == "cohort" and str(item.get("value")) not in known:
            detail = f"Cohort with id {item.get('value')} does not exist"
            raise invalid(detail, "filters", "cohort_does_not_exist")

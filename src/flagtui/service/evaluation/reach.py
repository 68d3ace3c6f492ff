"""How many stored people, or groups, the properties of one condition fit."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from datetime import datetime

from flagtui.evaluate import Definitions, evaluate
from flagtui.service.answers import Answer, answer
from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.errors import Json, invalid
from flagtui.service.evaluation.definitions import load_definitions_for
from flagtui.service.evaluation.people import Stored, every_group, everybody
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
    if index is not None:
        name = definitions.group_types.get(str(index))
        groups = every_group(call.db, call.project.id, index, name, call.now) if name else ()
        answers = [not questions or evaluate(_ASKED, group, definitions).value is True for group in groups]
        return sum(answers), len(answers)
    people = everybody(call.db, call.project.id)
    affected = _count_people(people, definitions, call.now) if questions else len(people)
    return affected, len(people)


def _count_people(people: Sequence[Stored], definitions: Definitions, now: datetime) -> int:
    """People who are alike in all that is asked about are asked once."""
    if len(definitions.flags) > 1:
        # Another flag that is asked for draws lots: nobody is like anybody else.
        return sum(evaluate(_ASKED, one.at(now), definitions).value is True for one in people)
    names = _asked_about(definitions)
    alike: dict[Hashable, list[Stored]] = {}
    for one in people:
        # Their spelling, since 1, 1.0 and true are equal here but not to every operator.
        values = tuple(repr(one.properties[name]) if name in one.properties else None for name in names)
        own = one.distinct_id if "distinct_id" in names else None
        alike.setdefault((values, own, one.cohorts), []).append(one)
    return sum(
        len(group)
        for group in alike.values()
        if evaluate(_ASKED, group[0].at(now), definitions).value is True
    )


def _asked_about(definitions: Definitions) -> frozenset[str]:
    """The properties that the condition, or any cohort it may lead to, asks about."""
    conditions = definitions.flags[_ASKED].conditions
    names = {question.key for condition in conditions for question in condition.filters}
    if any(question.kind == "cohort" for condition in conditions for question in condition.filters):
        names |= set(_keys_in(list(definitions.cohorts.values())))
    return frozenset({*names, f"$feature_enrollment/{_ASKED}"})


def _keys_in(conditions: Json) -> Iterator[str]:
    if isinstance(conditions, dict):
        if isinstance(key := conditions.get("key"), str):
            yield key
        for value in conditions.values():
            yield from _keys_in(value)
    elif isinstance(conditions, list):
        for value in conditions:
            yield from _keys_in(value)


def _refuse_missing_cohorts(filters: Mapping[str, Json], known: set[str]) -> None:
    for item in properties_of(filters):
        if item.get("type") == "cohort" and str(item.get("value")) not in known:
            detail = f"Cohort with id {item.get('value')} does not exist"
            raise invalid(detail, "filters", "cohort_does_not_exist")

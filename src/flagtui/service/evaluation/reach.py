"""Count the stored people, or groups, that match the properties of a condition."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.flags import evaluate, verdict_on
from flagtui.evaluate.parts import Filter
from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.errors import Json, invalid
from flagtui.service.evaluation.costly import holds, is_on
from flagtui.service.evaluation.stored import StoredPerson, every_group, load_definitions_for, load_people
from flagtui.service.flags.filter_shapes import check_shape
from flagtui.service.flags.representation import properties_of
from flagtui.service.responses import Response, respond

_FEW: Final = 200
_ASKED: Final = "\x00condition"
"""The key of a flag that is not stored: no stored flag can have it."""


def user_blast_radius(call: Call) -> Response:
    """Count people who match the condition; its percentage is not applied, the caller multiplies."""
    fields = Fields(call.body())
    if "condition" not in fields:
        raise invalid("Missing condition for which to get blast radius")
    condition = fields.mapping("condition", null=True) or {}
    index = fields.number("group_type_index", null=True)
    properties = condition.get("properties") or []
    check_shape({"groups": [{"properties": properties}], "aggregation_group_type_index": index})
    affected, total = _count(call, properties, index)
    return respond(call.generation.adapt_record("reach", {"affected": affected, "total": total}))


def _count(call: Call, properties: list[Json], index: int | None) -> tuple[int, int]:
    filters = {"groups": [{"properties": properties}], "aggregation_group_type_index": index}
    trial = {"id": 0, "key": _ASKED, "active": True, "filters": filters}
    definitions = load_definitions_for(call.db, call.project.id, trial)
    _refuse_missing_cohorts(filters, {*definitions.cohorts, *definitions.static_cohorts})
    if index is not None:
        name = definitions.group_types.get(str(index))
        groups = every_group(call.db, call.project.id, index, name, call.now) if name else ()
        matches = [not properties or is_on(evaluate(_ASKED, group, definitions)) for group in groups]
        return sum(matches), len(matches)
    people = load_people(call.db, call.project.id)
    affected = _count_people(people, definitions, call.now) if properties else len(people)
    return affected, len(people)


def _count_people(people: Sequence[StoredPerson], definitions: Definitions, now: datetime) -> int:
    """Narrow the people filter by filter: a match passes every filter of the condition, in any order."""
    conditions = definitions.flags[_ASKED].conditions
    depends = any(filter_.kind == "flag" for condition in conditions for filter_ in condition.filters)
    if depends or len(definitions.flags) > 1 or any(condition.problem for condition in conditions):
        # A dependency hashes each person: no two are alike.
        return sum(is_on(evaluate(_ASKED, person.at(now), definitions)) for person in people)
    steps = [_FilterStep(filter_, definitions) for condition in conditions for filter_ in condition.filters]
    for step in sorted(steps, key=lambda step: step.kinds_among(people[:_FEW])):
        people = step.matching(people, now)
    return len(people)


class _FilterStep:
    """A step that divides people into few kinds, so that few are left for the others."""

    def __init__(self, filter_: Filter, definitions: Definitions) -> None:
        self._asked = filter_
        self._definitions = definitions
        is_cohort = filter_.kind == "cohort"
        self._cohort_keys = sorted(set(_keys_in(list(definitions.cohorts.values())))) if is_cohort else ()
        self._is_of_person = filter_.type == "person_metadata"
        """Whether it compares person metadata instead of a property."""

    def kinds_among(self, people: Sequence[StoredPerson]) -> int:
        return len(set(map(self._likeness, people)))

    def matching(self, people: Sequence[StoredPerson], now: datetime) -> list[StoredPerson]:
        """Return the matching people; those with equal compared values are evaluated once."""
        verdicts: dict[Hashable, bool] = {}
        matches = []
        for person in people:
            likeness = self._likeness(person)
            if likeness not in verdicts:
                verdicts[likeness] = holds(verdict_on(self._asked, person.at(now), self._definitions))
            if verdicts[likeness]:
                matches.append(person)
        return matches

    def _likeness(self, person: StoredPerson) -> Hashable:
        """Return the person's values that the filter compares: a property, or all properties of cohorts."""
        if self._is_of_person:
            return person.created_at
        if self._asked.kind == "property":
            return _comparable(person, self._asked.key)
        # A cohort may ask for the person's own creation, under the name that a property may have too.
        created = person.created_at if "created_at" in self._cohort_keys else ""
        return person.cohorts, created, *[_comparable(person, key) for key in self._cohort_keys]


def _comparable(person: StoredPerson, name: str) -> Hashable:
    # The spelling, since 1, 1.0 and true are equal here but not to every operator.
    if name in person.properties:
        return repr(person.properties[name])
    return (person.distinct_id,) if name == "distinct_id" else None


def _keys_in(conditions: Json) -> Iterator[str]:
    if isinstance(conditions, dict):
        if isinstance(key := conditions.get("key"), str):
            yield key
        for value in conditions.values():
            yield from _keys_in(value)
    elif isinstance(conditions, list):
        for value in conditions:
            yield from _keys_in(value)


def _refuse_missing_cohorts(filters: Mapping[str, Json], cohort_ids: set[str]) -> None:
    for item in properties_of(filters):
        if item.get("type") == "cohort" and str(item.get("value")) not in cohort_ids:
            detail = f"Cohort with id {item.get('value')} does not exist"
            raise invalid(detail, "filters", "cohort_does_not_exist")

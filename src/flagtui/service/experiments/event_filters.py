"""Which stored events a metric's source, an exposure criterion or an action's step means."""

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flagtui.evaluate.filters import compare, without_property
from flagtui.evaluate.run import Manner
from flagtui.service.answers import value_of
from flagtui.service.errors import Json
from flagtui.service.experiments.analysis.metric import NotComputable

Properties = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Pattern:
    """Events of one name, or of any, with properties that meet every filter."""

    event: str | None
    filters: tuple[Mapping[str, Json], ...] = ()


class People:
    """Properties and cohorts of persons, read when first asked for."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._properties: dict[int, Properties] = {}
        self._cohorts: dict[int, frozenset[int]] = {}

    def properties(self, person_id: int | None) -> Properties:
        if person_id is None:
            return {}
        if person_id not in self._properties:
            row = self._db.execute("SELECT properties FROM persons WHERE id = ?", (person_id,)).fetchone()
            self._properties[person_id] = value_of(row["properties"]) if row else {}
        return self._properties[person_id]

    def is_in(self, person_id: int | None, cohort_id: int) -> bool:
        if cohort_id not in self._cohorts:
            sql = "SELECT person_id FROM cohort_members WHERE cohort_id = ?"
            rows = self._db.execute(sql, (cohort_id,)).fetchall()
            self._cohorts[cohort_id] = frozenset(row["person_id"] for row in rows)
        return person_id in self._cohorts[cohort_id]


def patterns_of(db: sqlite3.Connection, project_id: int, node: Mapping[str, Json]) -> list[Pattern]:
    """What an EventsNode, an ActionsNode or an exposure configuration means; any of the patterns counts."""
    filters = _filters(node.get("properties"))
    if node.get("kind") != "ActionsNode":
        return [Pattern(node.get("event"), filters)]
    row = db.execute(
        "SELECT steps FROM actions WHERE id = ? AND project_id = ? AND deleted = 0",
        (node.get("id"), project_id),
    ).fetchone()
    if row is None:
        raise NotComputable(f"Action {node.get('id')} does not exist here")
    steps = value_of(row["steps"])
    return [Pattern(step.get("event"), (*_filters(step.get("properties")), *filters)) for step in steps]


def matcher(
    filters: Iterable[Mapping[str, Json]], people: People, now: datetime
) -> Callable[[Properties, int | None], bool]:
    """Whether an event with these properties, of this person, meets every filter."""
    wanted = list(filters)
    manner = Manner(now=now)

    def matches(properties: Properties, person_id: int | None) -> bool:
        return all(_holds(one, properties, person_id, people, manner) for one in wanted)

    return matches


def _holds(
    one: Mapping[str, Json], properties: Properties, person_id: int | None, people: People, manner: Manner
) -> bool:
    kind = one.get("type") or "event"
    if kind == "cohort":
        return _in_cohort(one, person_id, people)
    if kind == "person":
        return _compares(one, people.properties(person_id), manner)
    if kind in ("event", "feature"):
        return _compares(one, properties, manner)
    raise NotComputable(f"Filters of type '{kind}' are not computed here")


def _compares(one: Mapping[str, Json], properties: Properties, manner: Manner) -> bool:
    operator, wanted = str(one.get("operator") or "exact"), one.get("value")
    actual = properties.get(str(one.get("key")))
    if actual is None:
        return without_property(operator, wanted)
    return compare(operator, wanted, actual, manner) is True


def _in_cohort(one: Mapping[str, Json], person_id: int | None, people: People) -> bool:
    number = one.get("value")
    if not isinstance(number, int):
        return False
    return people.is_in(person_id, number) == (one.get("operator") != "not_in")


def _filters(sent: Any) -> tuple[Mapping[str, Json], ...]:
    if not isinstance(sent, Sequence) or isinstance(sent, str):
        return ()
    return tuple(one for one in sent if isinstance(one, dict))

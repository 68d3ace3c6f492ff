"""Exposures and metric events of an experiment, read from the stored events that filters mean."""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from flagtui.evaluate.explanation import describe_unknown
from flagtui.evaluate.filters import compare, without_property
from flagtui.evaluate.run import Manner
from flagtui.service.bodies import whole_number
from flagtui.service.call import Call
from flagtui.service.clock import stamp
from flagtui.service.database import find
from flagtui.service.errors import Json
from flagtui.service.evaluation.costly import is_costly
from flagtui.service.experiments.analysis.metric import Metric, NotComputable, Source
from flagtui.service.experiments.analysis.values import Exposure, Handling, Occurrence, by_entity
from flagtui.service.experiments.metric_rules import find_action
from flagtui.service.experiments.records import Experiment
from flagtui.service.responses import value_of

Properties = Mapping[str, Json]


class EventPattern(msgspec.Struct, frozen=True):
    """Events of one name, or of any, with properties that meet every filter."""

    event: str | None
    filters: tuple[Mapping[str, Json], ...] = ()


class People:
    """Properties and cohorts of persons, read on first use."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._properties: dict[int, Properties] = {}
        self._cohorts: dict[int | None, frozenset[int]] = {}

    def properties(self, person_id: int | None) -> Properties:
        if person_id is None:
            return {}
        if person_id not in self._properties:
            row = self._db.execute("SELECT properties FROM persons WHERE id = ?", (person_id,)).fetchone()
            self._properties[person_id] = value_of(row["properties"]) if row else {}
        return self._properties[person_id]

    def is_in(self, person_id: int | None, cohort_id: Json) -> bool:
        """Return whether a cohort lists the person. Raises NotComputable for one without a list."""
        number = whole_number(cohort_id)
        if number not in self._cohorts:
            self._cohorts[number] = self._members_of(number)
        return person_id in self._cohorts[number]

    def _members_of(self, number: int | None) -> frozenset[int]:
        cohort = find(self._db, "cohorts", id=number, deleted=0)
        sql = "SELECT person_id FROM cohort_members WHERE cohort_id = ?"
        members = frozenset(row["person_id"] for row in self._db.execute(sql, (number,)))
        if cohort is None or not (members or cohort["is_static"]):
            raise NotComputable(f"The members of cohort {number} are not stored here")
        return members


def patterns_of(db: sqlite3.Connection, project_id: int, node: Mapping[str, Json]) -> list[EventPattern]:
    """Return what an EventsNode, an ActionsNode or an exposure configuration means.

    Any of the patterns counts.
    """
    filters = _filters(node.get("properties"))
    if node.get("kind") != "ActionsNode":
        return [EventPattern(node.get("event"), filters)]
    row = find_action(db, project_id, node.get("id"))
    if row is None:
        raise NotComputable(f"Action {node.get('id')} does not exist here")
    steps = value_of(row["steps"])
    return [EventPattern(step.get("event"), (*_filters(step.get("properties")), *filters)) for step in steps]


def matcher(
    filters: Iterable[Mapping[str, Json]], people: People, now: datetime
) -> Callable[[Properties, int | None], bool]:
    """Return whether an event with these properties, of this person, meets every filter."""
    conditions = list(filters)
    manner = Manner(now=now)

    def matches(properties: Properties, person_id: int | None) -> bool:
        return all(_holds(item, properties, person_id, people, manner) for item in conditions)

    return matches


def _holds(
    condition: Mapping[str, Json],
    properties: Properties,
    person_id: int | None,
    people: People,
    manner: Manner,
) -> bool:
    kind = condition.get("type") or "event"
    if kind == "cohort":
        return _in_cohort(condition, person_id, people)
    if kind == "person":
        return _compares(condition, people.properties(person_id), manner)
    if kind in ("event", "feature"):
        return _compares(condition, properties, manner)
    raise NotComputable(f"Filters of type '{kind}' are not computed here")


def _compares(condition: Mapping[str, Json], properties: Properties, manner: Manner) -> bool:
    """Raise NotComputable for a pattern that is too costly to evaluate here."""
    operator, operand = str(condition.get("operator") or "exact"), condition.get("value")
    actual = properties.get(str(condition.get("key")))
    if actual is None:
        return without_property(operator, operand)
    verdict = compare(operator, operand, actual, manner)
    if is_costly(verdict):
        raise NotComputable(f"The pattern is {describe_unknown(verdict)}")
    return verdict is True


def _in_cohort(condition: Mapping[str, Json], person_id: int | None, people: People) -> bool:
    return people.is_in(person_id, condition.get("value")) == (condition.get("operator") != "not_in")


def _filters(sent: Any) -> tuple[Mapping[str, Json], ...]:
    if not isinstance(sent, Sequence) or isinstance(sent, str):
        return ()
    return tuple(item for item in sent if isinstance(item, dict))


FLAG_CALLED = "$feature_flag_called"


class Reader(msgspec.Struct, frozen=True):
    """Reads the events of one experiment, from its start to a moment."""

    call: Call
    experiment: Experiment
    until: datetime

    @property
    def variants(self) -> list[str]:
        """Return those that are compared: the flag's without the excluded, and the people held back."""
        excluded = self.experiment.fields["excluded_variants"] or ()
        keys = [key for key in self.experiment.flag.variant_keys if key not in excluded]
        holdout = self.experiment.fields["holdout_id"]
        return keys if holdout is None else [*keys, f"holdout-{holdout}"]

    @property
    def handling(self) -> Handling:
        criteria = self.experiment.fields["exposure_criteria"] or {}
        return "first_seen" if criteria.get("multiple_variant_handling") == "first_seen" else "exclude"

    def exposures(self) -> dict[str, list[Exposure]]:
        """Return exposures by person, or by group if the flag is for groups; none for a draft."""
        if not self.experiment.is_launched:
            return {}
        variants = frozenset(self.variants)
        exposures = []
        for pattern, variant_property in self._exposure_patterns():
            for event in self._events(pattern):
                variant = event.properties.get(variant_property)
                entity = event.entity(self.group_type)
                if variant in variants and entity is not None:
                    exposures.append((entity, event.time, str(variant)))
        return by_entity(exposures)

    def people(self) -> set[int]:
        """Return persons with any exposure event of the flag, whatever their variant."""
        met = (event for pattern, _ in self._exposure_patterns() for event in self._events(pattern))
        return {event.person_id for event in met if event.person_id is not None}

    def occurrences(self, metric: Metric, entities: Collection[str]) -> dict[str, list[Occurrence]]:
        """Return events of those entities that a source of the metric counts, in order of time."""
        occurrences: dict[str, list[Occurrence]] = {}
        for role, source in enumerate(metric.sources):
            for pattern in patterns_of(self.call.db, self.experiment.project_id, source.node):
                for event in self._events(pattern):
                    entity = event.entity(self.group_type)
                    if entity in entities and entity is not None:
                        value = _value(source, event)
                        occurrences.setdefault(entity, []).append(
                            Occurrence(event.time, event.id, role, value)
                        )
        return {entity: _in_order(seen) for entity, seen in occurrences.items()}

    @property
    def group_type(self) -> int | None:
        """Return the kind of group the flag is for; None for persons."""
        index = self.experiment.flag.filters.get("aggregation_group_type_index")
        return index if isinstance(index, int) else None

    @property
    def _of_flag(self) -> dict[str, Json]:
        """Return the filter of events that are calls of the flag."""
        return {"key": "$feature_flag", "value": [self.experiment.flag.key], "operator": "exact"}

    def _exposure_patterns(self) -> Iterator[tuple[EventPattern, str]]:
        """Return which events expose, and which of their properties holds the variant."""
        key = self.experiment.flag.key
        criteria = self.experiment.fields["exposure_criteria"] or {}
        config = criteria.get("exposure_config") or {}
        accounts = self.call.project.settings.get("test_account_filters") or []
        tests = tuple(accounts) if criteria.get("filterTestAccounts") else ()
        if config.get("event", FLAG_CALLED) == FLAG_CALLED and config.get("kind") != "ActionsNode":
            filters = (self._of_flag, *(config.get("properties") or ()), *tests)
            yield EventPattern(FLAG_CALLED, filters), "$feature_flag_response"
            return
        for pattern in patterns_of(self.call.db, self.experiment.project_id, config):
            yield EventPattern(pattern.event, (*pattern.filters, *tests)), f"$feature/{key}"

    def _events(self, pattern: EventPattern) -> "Iterator[StoredEvent]":
        matches = matcher(pattern.filters, People(self.call.db), self.call.now)
        for row in self._rows(pattern):
            properties = value_of(row["properties"])
            if not pattern.filters or matches(properties, row["person_id"]):
                time = datetime.fromisoformat(row["timestamp"]).timestamp()
                yield StoredEvent(row["id"], time, row["person_id"], row["distinct_id"], properties)

    def _rows(self, pattern: EventPattern) -> sqlite3.Cursor:
        parts = ["project_id = :project", "timestamp >= :start", "timestamp <= :until"]
        if pattern.event is not None:
            parts.append("event = :event")
        if pattern.event == FLAG_CALLED and pattern.filters[:1] == (self._of_flag,):
            parts.append("flag_key = :flag")
        values: dict[str, Any] = {
            "project": self.experiment.project_id,
            "start": self.experiment.fields["start_date"],
            "until": stamp(self.until),
            "event": pattern.event,
            "flag": self.experiment.flag.key,
        }
        columns = "id, person_id, distinct_id, timestamp, properties"
        return self.call.db.execute(f"SELECT {columns} FROM events WHERE {' AND '.join(parts)}", values)


class StoredEvent(msgspec.Struct, frozen=True):
    """One event; `time` in Unix seconds."""

    id: int
    time: float
    person_id: int | None
    distinct_id: str
    properties: Mapping[str, Json]

    @property
    def person(self) -> str:
        """Identify the person; without a stored one, by the distinct id."""
        return f"id:{self.distinct_id}" if self.person_id is None else str(self.person_id)

    def entity(self, group_type: int | None) -> str | None:
        """Return the person or group that is counted; None for an event without the group."""
        if group_type is None:
            return self.person
        group = self.properties.get(f"$group_{group_type}")
        return None if group in (None, "") else str(group)


def _value(source: Source, event: StoredEvent) -> float | str | None:
    if source.aggregation == "total":
        return None
    if source.aggregation == "dau":
        return event.person
    value = event.properties.get(source.property or "")
    return value if isinstance(value, int | float | str) else None


def _in_order(seen: Sequence[Occurrence]) -> list[Occurrence]:
    return sorted(seen, key=lambda occurrence: occurrence[:3])

"""Evaluate flags for one user: by the server if it responds, else locally from the same data."""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from flagtui.api import Client
from flagtui.api.errors import ApiError
from flagtui.api.heavy_work import run_off_loop
from flagtui.details.local_definitions import LocalDefinitions
from flagtui.evaluate import wire
from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.evaluation import Evaluation, Reason, RuleReason
from flagtui.evaluate.flags import evaluate, evaluate_all
from flagtui.evaluate.pattern_budget import limited_patterns
from flagtui.evaluate.run import Group, Person, Rules
from flagtui.models.flag import Flag
from flagtui.models.flag_responses import EvaluatedFlag, Trial
from flagtui.models.json_value import JSON, as_id, as_list, as_text

HINT: Final = "distinct id   plan=pro   group:company=acme   group:company.plan=pro   device:ID   cohort:31"
LONGEST: Final = 2_000

EvaluatedT = TypeVar("EvaluatedT")


class InvalidSubject(ValueError):
    """The line names no user; the message is the reason."""


@dataclass(frozen=True)
class EvaluationSubject:
    """A user to evaluate flags for."""

    distinct_id: str
    properties: Mapping[str, JSON] = field(default_factory=dict)
    """Override the properties that the server has stored."""
    groups: Mapping[str, str] = field(default_factory=dict)
    group_properties: Mapping[str, Mapping[str, JSON]] = field(default_factory=dict)
    device_id: str | None = None
    cohorts: frozenset[str] = frozenset()

    @property
    def is_hypothetical(self) -> bool:
        """Whether part of the subject is hypothetical, so that the server cannot evaluate it."""
        return bool(self.properties or self.group_properties or self.device_id or self.cohorts)

    def person(self, stored: Mapping[str, JSON], *, is_complete: bool) -> Person:
        """Return the user for the evaluator; typed properties override `stored`, the server's."""
        groups = {name: Group(key, self.group_properties.get(name, {})) for name, key in self.groups.items()}
        return Person(
            self.distinct_id,
            {**stored, **self.properties},
            groups,
            self.device_id,
            self.cohorts,
            is_complete=is_complete,
        )


def read_subject(line: str) -> EvaluationSubject | None:
    """Parse a line such as `u-1 plan=pro group:company=acme`; None for an empty line.

    Raises:
        InvalidSubject: The line is malformed.
    """
    try:
        words = shlex.split(line[:LONGEST])
    except ValueError:
        raise InvalidSubject("a quote is not closed") from None
    if not words:
        return None
    properties: dict[str, JSON] = {}
    groups: dict[str, str] = {}
    group_properties: dict[str, dict[str, JSON]] = {}
    device: str | None = None
    cohorts: set[str] = set()
    for word in words[1:]:
        kind, _, rest = word.partition(":")
        name, is_given, value = rest.partition("=")
        if kind == "device" and rest:
            device = rest
        elif kind == "cohort" and rest:
            cohorts.add(rest)
        elif kind == "group" and is_given and "." in name:
            group, _, key = name.partition(".")
            group_properties.setdefault(group, {})[key] = read_value(value)
        elif kind == "group" and is_given:
            groups[name] = value
        else:
            key, is_given, value = word.partition("=")
            if not is_given or not key:
                raise InvalidSubject(f"after the distinct id: key=value, not {word}")
            properties[key] = read_value(value)
    if missing := set(group_properties) - set(groups):
        raise InvalidSubject(f"which {min(missing)}? add group:{min(missing)}=its key")
    return EvaluationSubject(words[0], properties, groups, group_properties, device, frozenset(cohorts))


def read_value(text: str) -> JSON:
    """Read `true`, `3` and `[1]` as JSON, everything else as text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


@dataclass(frozen=True)
class PersonEvaluation:
    """All flags evaluated for one user. The server's values win; local evaluation explains them."""

    subject: EvaluationSubject
    flag: Flag
    trial: Trial | None = None
    """The server's evaluation of this flag."""
    server_values: Mapping[str, EvaluatedFlag] = field(default_factory=dict)
    """The server's values of all flags."""
    local_values: Mapping[str, Evaluation] = field(default_factory=dict)
    """Local evaluations of all flags; empty without definitions."""
    definitions: Definitions | None = None
    refusals: tuple[str, ...] = ()
    """Why not reported by the server something, a sentence each."""
    by_library: Evaluation | None = None
    """This flag as a library with local evaluation evaluates it; it can disagree with the server."""
    before: PersonEvaluation | None = None
    """The current value, if this is the evaluation after a change set."""

    @property
    def here(self) -> Evaluation | None:
        """The local evaluation of this flag."""
        return self.local_values.get(self.flag.key)

    @property
    def by_server(self) -> Trial | None:
        """The server's evaluation; None for a hypothetical subject."""
        return None if self.subject.is_hypothetical else self.trial

    @property
    def is_from_server(self) -> bool:
        """Whether the value is the server's."""
        return self.by_server is not None

    @property
    def value(self) -> JSON:
        """True, false, a variant's key, any JSON for a flag with rules; None if not known."""
        if self.by_server is not None:
            return self._value_of_rules if self.flag.targeting.has_rules else self.by_server.result
        return self.here.value if self.here else None

    @property
    def _value_of_rules(self) -> JSON:
        """The server's value of rules, whose numbers and objects are `true` with a payload on the wire.

        Null and a failure are `false` there; a number or an object without its payload is not known.
        """
        trial = self.by_server
        if trial is None or self.flag.targeting.raw.get("return_type") in ("boolean", "string"):
            result = trial.result if trial else None
            is_null = result is False and self.flag.targeting.raw.get("return_type") == "string"
            return None if is_null else result
        return read_value(trial.payload) if isinstance(trial.payload, str) and trial.result is True else None

    @property
    def condition_index(self) -> int | None:
        """The index, from 0, of the condition that decided or was nearest."""
        if self.by_server is not None and self.by_server.condition_index is not None:
            return self.by_server.condition_index
        return self.here.condition_index if self.here else None

    @property
    def reason(self) -> str:
        """The server's code of the reason."""
        if self.by_server is not None and self.by_server.reason:
            is_rule = self.flag.targeting.has_rules and self.by_server.reason == Reason.CONDITION_MATCH
            return RuleReason.TARGETING_MATCH if is_rule else self.by_server.reason
        return self.here.reason.value if self.here else "unknown"

    @property
    def payload(self) -> JSON:
        """The stored payload of the value."""
        if self.by_server is not None and self.by_server.payload is not None:
            return self.by_server.payload
        return self.flag.targeting.payloads.get("true" if self.value is True else str(self.value))

    def value_of(self, key: str) -> JSON:
        """Return any flag's value; None if not known."""
        if not self.subject.is_hypothetical and key in self.server_values:
            return self.server_values[key].value
        return self.local_values[key].value if key in self.local_values else None


def limited_evaluation() -> AbstractContextManager[None]:
    """Limit the time for patterns of all evaluations inside, such as those of one command or one screen."""
    return limited_patterns()


async def evaluate_for(
    subject: EvaluationSubject, flag: Flag, client: Client, local: LocalDefinitions
) -> PersonEvaluation:
    """Evaluate a flag for the subject, on the server and locally. Errors become `refusals`."""
    refusals: list[str] = []
    request = client.evaluation.test_evaluation(flag.id, flag.key, subject.distinct_id, groups=subject.groups)
    trial, server_values, definitions = await asyncio.gather(
        _answer(request, refusals),
        _server_values(subject, client, refusals),
        definitions_of(local, [flag.raw]),
    )
    if local.trouble is not None:
        refusals.append(local.trouble.what)
    local_values, by_library = await evaluate_here(subject, flag.key, trial, definitions)
    once = tuple(dict.fromkeys(refusals))
    return PersonEvaluation(subject, flag, trial, server_values, local_values, definitions, once, by_library)


async def evaluate_here(
    subject: EvaluationSubject, key: str, trial: Trial | None, definitions: Definitions | None
) -> tuple[Mapping[str, Evaluation], Evaluation | None]:
    """Evaluate all flags locally, and the one with this key also as a library does."""
    if definitions is None:
        return {}, None
    stored = trial.person_properties if trial else {}
    person = subject.person(stored, is_complete=bool(trial and trial.conditions))
    # This flag comes first, before other flags can use up the time for patterns.
    here = await asyncio.to_thread(evaluate, key, person, definitions)
    by_library = await asyncio.to_thread(evaluate, key, person, definitions, Rules.LIBRARY)
    return {**await asyncio.to_thread(evaluate_all, person, definitions), key: here}, by_library


async def _answer(request: Awaitable[EvaluatedT], refusals: list[str]) -> EvaluatedT | None:
    """Return the response; None on an error, whose message is added to `refusals`."""
    try:
        return await request
    except ApiError as error:
        refusals.append(error.what)
        return None


async def _server_values(
    subject: EvaluationSubject, client: Client, refusals: list[str]
) -> Mapping[str, EvaluatedFlag]:
    if subject.is_hypothetical:
        return {}
    reasons = client.evaluation.evaluation_reasons(subject.distinct_id, groups=subject.groups)
    return await _answer(reasons, refusals) or {}


async def definitions_of(
    local: LocalDefinitions, also: Sequence[Mapping[str, JSON]] = ()
) -> Definitions | None:
    """Return the definitions for the evaluator, with `also` as newer flags; None without a document."""
    document, time_zone = await asyncio.gather(local.read(), local.zone())
    if document is None:
        return Definitions.of([dict(raw) for raw in also], time_zone=time_zone) if also else None
    if document.cohorts:
        await local.cohorts.learn()
    names = dict(local.cohorts.names)
    return await run_off_loop(lambda: _definitions(document.raw, also, names, time_zone))


def _definitions(
    raw: Mapping[str, Any], also: Sequence[Mapping[str, JSON]], names: Mapping[int, str], time_zone: str
) -> Definitions:
    flags = [flag for flag in as_list(raw.get("flags")) if isinstance(flag, dict)]
    # Flags read on their own are newer, and name their cohorts.
    newer = {as_text(flag.get("key")): dict(flag) for flag in also}
    kept = [with_cohort_names(flag, names) for flag in flags if as_text(flag.get("key")) not in newer]
    return Definitions.of_document({**raw, "flags": [*kept, *newer.values()]}, time_zone=time_zone)


def with_cohort_names(flag: dict[str, JSON], names: Mapping[int, str]) -> dict[str, JSON]:
    """Return the flag with the names of its cohorts, which a flag read on its own has."""

    def add_name(item: JSON) -> JSON:
        name = names.get(as_id(item.get("value")) or 0) if _is_cohort(item) else None
        return item if name is None else {**item, "cohort_name": name}

    def with_names(condition: JSON) -> JSON:
        has_cohort = any(map(_is_cohort, wire.properties(condition)))
        return wire.map_properties(condition, add_name) if has_cohort else condition

    stored = flag.get("filters")
    has_cohort = any(_is_cohort(item) for each in wire.conditions(stored) for item in wire.properties(each))
    return {**flag, "filters": wire.map_conditions(stored, with_names)} if names and has_cohort else flag


def _is_cohort(item: JSON) -> bool:
    return isinstance(item, dict) and item.get("type") == "cohort"

"""What one person gets: from the server where it answers, worked out here from the same data otherwise."""

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
from flagtui.details.local_definitions import LocalDefinitions
from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.evaluation import Evaluation
from flagtui.evaluate.flags import evaluate, evaluate_all
from flagtui.evaluate.pattern_budget import limited_patterns
from flagtui.evaluate.run import Group, Person, Rules
from flagtui.models.flag import Flag
from flagtui.models.flag_answers import EvaluatedFlag, Trial
from flagtui.models.json_value import JSON, as_dict, as_id, as_list

HINT: Final = "distinct id   plan=pro   group:company=acme   group:company.plan=pro   device:ID   cohort:31"
LONGEST: Final = 2_000

Answer = TypeVar("Answer")


class Misread(ValueError):
    """The line names nobody; the text says why."""


@dataclass(frozen=True)
class EvaluationSubject:
    """A person to evaluate flags for."""

    distinct_id: str
    properties: Mapping[str, JSON] = field(default_factory=dict)
    """Taken as true whatever the server knows."""
    groups: Mapping[str, str] = field(default_factory=dict)
    group_properties: Mapping[str, Mapping[str, JSON]] = field(default_factory=dict)
    device_id: str | None = None
    cohorts: frozenset[str] = frozenset()

    @property
    def is_supposed(self) -> bool:
        """True when the server cannot be asked, since part of the subject is supposed."""
        return bool(self.properties or self.group_properties or self.device_id or self.cohorts)

    def person(self, known: Mapping[str, JSON], *, is_complete: bool) -> Person:
        """For the evaluator, with what the server knows of them below what was typed."""
        groups = {name: Group(key, self.group_properties.get(name, {})) for name, key in self.groups.items()}
        return Person(
            self.distinct_id,
            {**known, **self.properties},
            groups,
            self.device_id,
            self.cohorts,
            is_complete=is_complete,
        )


def read_subject(line: str) -> EvaluationSubject | None:
    """The subject the line names, None for an empty one. Raises Misread."""
    try:
        words = shlex.split(line[:LONGEST])
    except ValueError:
        raise Misread("a quote is not closed") from None
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
                raise Misread(f"after the distinct id: key=value, not {word}")
            properties[key] = read_value(value)
    if missing := set(group_properties) - set(groups):
        raise Misread(f"which {min(missing)}? add group:{min(missing)}=its key")
    return EvaluationSubject(words[0], properties, groups, group_properties, device, frozenset(cohorts))


def read_value(text: str) -> JSON:
    """`true`, `3` and `[1]` as JSON, everything else as text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


@dataclass(frozen=True)
class PersonEvaluation:
    """One person before all flags. The server's word counts; ours explains it."""

    subject: EvaluationSubject
    flag: Flag
    trial: Trial | None = None
    """The server's own account of this flag."""
    said: Mapping[str, EvaluatedFlag] = field(default_factory=dict)
    """What the server says of every flag."""
    worked_out: Mapping[str, Evaluation] = field(default_factory=dict)
    """The same as the evaluator here finds it; empty without definitions."""
    definitions: Definitions | None = None
    refusals: tuple[str, ...] = ()
    """Why the server did not say something, a sentence each."""
    by_library: Evaluation | None = None
    """This flag as a library finds it that evaluates by itself; it does not always agree with the server."""

    @property
    def here(self) -> Evaluation | None:
        """This flag as worked out here."""
        return self.worked_out.get(self.flag.key)

    @property
    def by_server(self) -> Trial | None:
        """The server's account where it counts: not of a subject that is partly supposed."""
        return None if self.subject.is_supposed else self.trial

    @property
    def is_from_server(self) -> bool:
        """Whether the value is the server's own."""
        return self.by_server is not None

    @property
    def value(self) -> JSON:
        """True, false, a variant's key; None when it cannot be told."""
        if self.by_server is not None:
            return self.by_server.result
        return self.here.value if self.here else None

    @property
    def condition_index(self) -> int | None:
        """The condition that decided, or came nearest; from 0."""
        if self.by_server is not None and self.by_server.condition_index is not None:
            return self.by_server.condition_index
        return self.here.condition_index if self.here else None

    @property
    def reason(self) -> str:
        """The server's word for what decided."""
        if self.by_server is not None and self.by_server.reason:
            return self.by_server.reason
        return self.here.reason.value if self.here else "unknown"

    @property
    def payload(self) -> JSON:
        """What comes with the value, as stored."""
        if self.by_server is not None and self.by_server.payload is not None:
            return self.by_server.payload
        return self.flag.targeting.payloads.get("true" if self.value is True else str(self.value))

    def value_of(self, key: str) -> JSON:
        """Any flag's value; None when it is not known."""
        if not self.subject.is_supposed and key in self.said:
            return self.said[key].value
        return self.worked_out[key].value if key in self.worked_out else None


def limited_evaluation() -> AbstractContextManager[None]:
    """Let all evaluations inside share the time for patterns: those of one command or one screen."""
    return limited_patterns()


async def account_for(
    subject: EvaluationSubject, flag: Flag, client: Client, local: LocalDefinitions
) -> PersonEvaluation:
    """Asks the server as far as it answers, and works out the rest."""
    refusals: list[str] = []
    asked = client.evaluation.test_evaluation(flag.id, flag.key, subject.distinct_id, groups=subject.groups)
    trial, said, definitions = await asyncio.gather(
        _answer(asked, refusals),
        _said(subject, client, refusals),
        definitions_of(local, [flag.raw]),
    )
    if local.trouble is not None:
        refusals.append(local.trouble.what)
    worked_out: Mapping[str, Evaluation] = {}
    by_library: Evaluation | None = None
    if definitions is not None:
        known = trial.person_properties if trial else {}
        person = subject.person(known, is_complete=bool(trial and trial.conditions))
        # This flag comes first, before other flags can use up the time for patterns.
        here = await asyncio.to_thread(evaluate, flag.key, person, definitions)
        by_library = await asyncio.to_thread(evaluate, flag.key, person, definitions, Rules.LIBRARY)
        worked_out = {**await asyncio.to_thread(evaluate_all, person, definitions), flag.key: here}
    once = tuple(dict.fromkeys(refusals))
    return PersonEvaluation(subject, flag, trial, said, worked_out, definitions, once, by_library)


async def _answer(request: Awaitable[Answer], refusals: list[str]) -> Answer | None:
    """What the server answers; None, with the reason among the refusals, where it does not."""
    try:
        return await request
    except ApiError as error:
        refusals.append(error.what)
        return None


async def _said(
    subject: EvaluationSubject, client: Client, refusals: list[str]
) -> Mapping[str, EvaluatedFlag]:
    if subject.is_supposed:
        return {}
    reasons = client.evaluation.evaluation_reasons(subject.distinct_id, groups=subject.groups)
    return await _answer(reasons, refusals) or {}


async def definitions_of(
    local: LocalDefinitions, also: Sequence[Mapping[str, JSON]] = ()
) -> Definitions | None:
    """What the evaluator works with, with these flags as they were read; None without a document."""
    document, time_zone = await asyncio.gather(local.read(), local.zone())
    if document is None:
        return Definitions.of([dict(raw) for raw in also], time_zone=time_zone) if also else None
    if document.cohorts:
        await local.cohorts.learn()
    names = dict(local.cohorts.names)
    return await asyncio.to_thread(_definitions, document.raw, also, names, time_zone)


def _definitions(
    raw: Mapping[str, Any], also: Sequence[Mapping[str, JSON]], names: Mapping[int, str], time_zone: str
) -> Definitions:
    flags = [flag for flag in raw.get("flags") or () if isinstance(flag, dict)]
    # Read on their own they are newer, and name cohorts as people do.
    newer = {flag.get("key"): dict(flag) for flag in also}
    kept = [with_cohort_names(flag, names) for flag in flags if flag.get("key") not in newer]
    return Definitions.of_document({**raw, "flags": [*kept, *newer.values()]}, time_zone=time_zone)


def with_cohort_names(flag: dict[str, JSON], names: Mapping[int, str]) -> dict[str, JSON]:
    """The flag with the names of the cohorts it asks for, as a flag read by itself has them."""
    filters = as_dict(flag.get("filters"))
    groups = as_list(filters.get("groups"))
    if not names or not any(_asks_for_cohort(group) for group in groups):
        return flag
    named = [_named(group, names) if _asks_for_cohort(group) else group for group in groups]
    return {**flag, "filters": {**filters, "groups": named}}


def _asks_for_cohort(group: JSON) -> bool:
    return any(as_dict(item).get("type") == "cohort" for item in as_list(as_dict(group).get("properties")))


def _named(group: JSON, names: Mapping[int, str]) -> JSON:
    def named(item: JSON) -> JSON:
        known = names.get(as_id(as_dict(item).get("value")) or 0)
        is_nameless = known is not None and as_dict(item).get("type") == "cohort"
        return {**item, "cohort_name": known} if is_nameless else item

    return {**group, "properties": [named(item) for item in group["properties"]]}

"""Evaluate flags for a user, on the server and locally from the same data."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from flagtui.api import Client
from flagtui.api.errors import ApiError
from flagtui.api.heavy_work import run_off_loop
from flagtui.details.evaluations import EvaluationSubject, PersonEvaluation
from flagtui.details.local_definitions import LocalDefinitions
from flagtui.evaluate import wire
from flagtui.evaluate.definitions import Definitions, affected_keys, needed_flags
from flagtui.evaluate.evaluation import Evaluation
from flagtui.evaluate.flags import evaluate, evaluate_all
from flagtui.evaluate.run import Person, Rules
from flagtui.models.flag import Flag
from flagtui.models.flag_responses import Trial
from flagtui.models.json_value import JSON, as_dict, as_id, as_list, as_text

EvaluatedT = TypeVar("EvaluatedT")
MOST_TRIALS: Final = 8
"""Evaluations by the server that are requested for the stored properties of a hypothetical subject."""


class EvaluationResponse(NamedTuple):
    """A response of the server, or why there is none."""

    value: Any
    refusals: tuple[str, ...] = ()


class SubjectEvaluations:
    """Evaluates flags for one subject; what is the same for all of them is requested and computed once."""

    def __init__(
        self,
        subject: EvaluationSubject,
        client: Client,
        local: LocalDefinitions,
        definitions: asyncio.Task[Definitions | None],
        *,
        has_others: bool = True,
    ) -> None:
        """Evaluate each flag alone, or with all other flags of the project (`has_others`)."""
        self._subject = subject
        self._client = client
        self._local = local
        self._definitions = definitions
        self._has_others = has_others
        self._server_values: asyncio.Task[EvaluationResponse] | None = None
        self._trial = EvaluationResponse(None)
        """Of a hypothetical subject: the server's evaluation of any flag has its stored properties."""
        self._trials = 0
        self._turn = asyncio.Lock()
        self._values: tuple[Person, asyncio.Task[Mapping[str, Evaluation]]] | None = None

    async def evaluate(self, flag: Flag) -> PersonEvaluation:
        """Evaluate a flag for the subject. Errors become `refusals`."""
        subject = self._subject
        self._server_values = self._server_values or asyncio.ensure_future(self._read_server_values())
        trial, server_values, definitions = await asyncio.gather(
            self._read_trial(flag), self._server_values, self._definitions
        )
        refusals = [*trial.refusals, *server_values.refusals]
        if self._local.trouble is not None:
            refusals.append(self._local.trouble.what)
        local_values, by_library = await self._evaluate_here(flag.key, trial.value, definitions)
        once = tuple(dict.fromkeys(refusals))
        return PersonEvaluation(
            subject, flag, trial.value, server_values.value, local_values, definitions, once, by_library
        )

    async def _read_trial(self, flag: Flag) -> EvaluationResponse:
        subject = self._subject
        if not subject.is_hypothetical:
            return await self._request_trial(flag)
        async with self._turn:
            # A flag that is off is evaluated without properties, and old servers send none for any.
            is_complete = self._trial.value is not None and self._trial.value.has_properties
            if not self._trials or (not is_complete and flag.active and self._trials < MOST_TRIALS):
                self._trials += 1
                self._trial = await self._request_trial(flag)
            return self._trial

    async def _request_trial(self, flag: Flag) -> EvaluationResponse:
        subject, ask = self._subject, self._client.evaluation.test_evaluation
        return await _respond(ask(flag.id, flag.key, subject.distinct_id, groups=subject.groups), None)

    async def _read_server_values(self) -> EvaluationResponse:
        subject = self._subject
        if subject.is_hypothetical or not self._has_others:
            return EvaluationResponse({})
        ask = self._client.evaluation.evaluation_reasons
        return await _respond(ask(subject.distinct_id, groups=subject.groups), {})

    async def _evaluate_here(
        self, key: str, trial: Trial | None, definitions: Definitions | None
    ) -> tuple[Mapping[str, Evaluation], Evaluation | None]:
        """Evaluate flags locally, and the one with this key also as a library does."""
        if definitions is None:
            return {}, None
        person = person_of(self._subject, trial)
        # This flag comes first, before other flags can use up the time for patterns.
        here, by_library = await evaluate_key(key, person, definitions)
        if not self._has_others:
            return {key: here}, by_library
        if self._values is None or self._values[0] != person:
            every = asyncio.ensure_future(asyncio.to_thread(evaluate_all, person, definitions))
            self._values = (person, every)
        return {**await self._values[1], key: here}, by_library


async def evaluate_for(
    subject: EvaluationSubject, flag: Flag, client: Client, local: LocalDefinitions
) -> PersonEvaluation:
    """Evaluate a flag for the subject, on the server and locally. Errors become `refusals`."""
    definitions = asyncio.ensure_future(definitions_of(local, [flag.raw]))
    return await SubjectEvaluations(subject, client, local, definitions).evaluate(flag)


def person_of(subject: EvaluationSubject, trial: Trial | None) -> Person:
    """Return the user for the evaluator, with the properties that the server has stored."""
    stored = trial.person_properties if trial else {}
    return subject.person(stored, is_complete=trial is not None and trial.has_properties)


async def evaluate_key(key: str, person: Person, definitions: Definitions) -> tuple[Evaluation, Evaluation]:
    """Evaluate one flag locally, and as a library does."""
    here = await asyncio.to_thread(evaluate, key, person, definitions)
    return here, await asyncio.to_thread(evaluate, key, person, definitions, Rules.LIBRARY)


async def _respond(request: Awaitable[EvaluatedT], instead: EvaluatedT | None) -> EvaluationResponse:
    """Return the response; on an error `instead` with its message."""
    try:
        return EvaluationResponse(await request)
    except ApiError as error:
        return EvaluationResponse(instead, (error.what,))


async def definitions_of(
    local: LocalDefinitions, also: Sequence[Mapping[str, JSON]] = (), *, has_others: bool = True
) -> Definitions | None:
    """Return the definitions for the evaluator, with `also` as newer flags; None without a document.

    Unless `has_others`, other flags are there only if the newer ones depend on them.
    """
    document, time_zone = await asyncio.gather(local.read(), local.zone())
    if document is None:
        return Definitions.of([dict(raw) for raw in also], time_zone=time_zone) if also else None
    if document.cohorts:
        await local.cohorts.learn()
    names = dict(local.cohorts.names)
    return await run_off_loop(lambda: _definitions(document.raw, also, has_others, names, time_zone))


def _definitions(
    raw: Mapping[str, Any],
    also: Sequence[Mapping[str, JSON]],
    has_others: bool,
    names: Mapping[int, str],
    time_zone: str,
) -> Definitions:
    every: Iterable[Mapping[str, Any]] = _with_newer(raw, also)
    if not has_others:
        every = needed_flags(every, map(_key_of, also), as_dict(raw.get("cohorts")))
    return _with_names(raw, every, names, time_zone)


async def definitions_around(
    local: LocalDefinitions, before: Sequence[Mapping[str, JSON]], after: Sequence[Mapping[str, JSON]]
) -> tuple[Definitions, Definitions, set[str]] | None:
    """Return the definitions with these flags before and after a change, and the keys that it can affect.

    Other flags are there only as far as those need them. None without a document.
    """
    document, time_zone = await asyncio.gather(local.read(), local.zone())
    keys = set(map(_key_of, (*before, *after)))
    if document is None:
        old, new = (Definitions.of(map(dict, side), time_zone=time_zone) for side in (before, after))
        return (old, new, keys) if keys else None
    if document.cohorts:
        await local.cohorts.learn()
    raw, names = document.raw, dict(local.cohorts.names)

    def read() -> tuple[Definitions, Definitions, set[str]]:
        cohorts = as_dict(raw.get("cohorts"))
        sides = [_with_newer(raw, side) for side in (before, after)]
        affected = set[str]().union(*(affected_keys(side, keys, cohorts) for side in sides))
        old, new = (
            _with_names(raw, needed_flags(side, affected, cohorts), names, time_zone) for side in sides
        )
        return old, new, affected

    return await run_off_loop(read)


def _with_newer(raw: Mapping[str, Any], also: Sequence[Mapping[str, JSON]]) -> list[Mapping[str, Any]]:
    """Return the flags of a document, with `also` in place of those of the same key."""
    newer = {_key_of(flag): flag for flag in also}
    flags = [flag for flag in as_list(raw.get("flags")) if isinstance(flag, dict)]
    return [*(flag for flag in flags if _key_of(flag) not in newer), *newer.values()]


def _with_names(
    raw: Mapping[str, Any], flags: Iterable[Mapping[str, Any]], names: Mapping[int, str], time_zone: str
) -> Definitions:
    named = [with_cohort_names(flag, names) for flag in flags]
    return Definitions.of_document({**raw, "flags": named}, time_zone=time_zone)


def _key_of(flag: Mapping[str, JSON]) -> str:
    return as_text(flag.get("key"))


def with_cohort_names(flag: Mapping[str, JSON], names: Mapping[int, str]) -> Mapping[str, JSON]:
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

"""Evaluate users before and after a change set, on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import msgspec

from flagtui.api import Client
from flagtui.api.errors import ApiError
from flagtui.changes.flags.flag_plan import live_key
from flagtui.changes.planner import read_each
from flagtui.changes.sets.after_set import flags_after
from flagtui.changes.sets.change_set import StagedChange
from flagtui.details.evaluations import EvaluationSubject, PersonEvaluation
from flagtui.details.local_definitions import LocalDefinitions
from flagtui.details.subject_evaluations import (
    definitions_around,
    evaluate_for,
    evaluate_key,
    person_of,
)
from flagtui.evaluate.flags import evaluate_all
from flagtui.evaluate.run import Person
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON
from flagtui.store.kinds import FLAGS


class ValueChange(msgspec.Struct, frozen=True):
    """The value of one flag for one user; None is not known, and no value before for a new flag."""

    key: str
    distinct_id: str
    before: JSON
    after: JSON


async def evaluate_set(
    subject: EvaluationSubject, changes: Sequence[StagedChange], client: Client, local: LocalDefinitions
) -> list[ValueChange]:
    """Evaluate the flags of the set, and others whose value it changes, by key. Raises ApiError."""
    flags = [flag for _, flag in await read_each(_flags_in(changes), client.flags.get)]
    raws = [flag.raw for flag in flags]
    around = await definitions_around(local, raws, flags_after(raws, changes))
    if around is None:
        return []
    *sides, keys = around
    person = await _person(subject, flags[0] if flags else None, client)
    evaluated = [
        await asyncio.to_thread(evaluate_all, person, side, keys & side.flags.keys()) for side in sides
    ]
    # A server may have renamed a deleted flag.
    names = {flag.key: live_key(flag) for flag in flags}
    old, new = [{names.get(key, key): each.value for key, each in side.items()} for side in evaluated]
    named = {str(change.values.get("key", change.key)) for change in changes if change.kind == FLAGS.entry}
    results = []
    for key in sorted(old.keys() | new.keys()):
        values = [side.get(key) for side in (old, new)]
        if key in named or values[0] != values[1]:
            results.append(ValueChange(key, subject.distinct_id, *values))
    return results


async def evaluate_with_set(
    subject: EvaluationSubject,
    flag: Flag,
    changes: Sequence[StagedChange],
    client: Client,
    local: LocalDefinitions,
) -> PersonEvaluation:
    """Evaluate a flag for the subject once the whole set is applied, and now. Errors become `refusals`."""
    try:
        ids = dict.fromkeys([flag.id, *_flags_in(changes)])
        flags = dict(await read_each([*ids], client.flags.get))
    except ApiError as error:
        return PersonEvaluation(subject, flag, refusals=(error.what,))
    now = await evaluate_for(subject, flags[flag.id], client, local)
    raws = [each.raw for each in flags.values()]
    around = await definitions_around(local, raws, flags_after(raws, changes))
    if around is None:
        return now
    _before, definitions, affected = around
    person = person_of(subject, now.trial)
    here, by_library = await evaluate_key(flag.key, person, definitions)
    changed = await asyncio.to_thread(
        evaluate_all, person, definitions, affected & definitions.flags.keys() - {flag.key}
    )
    # The set changes no other value.
    kept = {key: value for key, value in now.local_values.items() if key not in affected}
    return PersonEvaluation(
        subject,
        flag,
        local_values={**kept, **changed, flag.key: here},
        definitions=definitions,
        refusals=now.refusals,
        by_library=by_library,
        before=now,
    )


def _flags_in(changes: Sequence[StagedChange]) -> list[int]:
    return [
        change.record for change in changes if change.kind == FLAGS.entry and isinstance(change.record, int)
    ]


async def _person(subject: EvaluationSubject, flag: Flag | None, client: Client) -> Person:
    """Return the user with the properties that the server has stored, as far as it reports them."""
    trial = None
    if flag is not None and not subject.is_hypothetical:
        # Older servers do not evaluate a single flag, and some keys may not.
        with suppress(ApiError):
            trial = await client.evaluation.test_evaluation(
                flag.id, flag.key, subject.distinct_id, groups=subject.groups
            )
    return person_of(subject, trial)

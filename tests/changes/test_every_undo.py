"""Every kind of change the journal knows, made on the real service and taken back, or kept with a reason."""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace
from tests.changes.bench import GENERATIONS, HERE, Bench, State, working
from tests.changes.kinds import BACK
from tests.doubles.expected import expect, require
from tests.doubles.service_world import World
from tests.doubles.slices import ALL_MODES, cross

from flagtui.changes.event_definitions import definition_intent as event
from flagtui.changes.event_definitions.definition_intent import EventIntent
from flagtui.changes.experiments.steps import STEPS
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.guard import Confirmation, GuardRules, NotYet, Question, guard
from flagtui.changes.journal_entries import Entry
from flagtui.changes.planner import Planned
from flagtui.changes.related.creation import VERBS
from flagtui.changes.undo import kind_of, next_redo, next_undo, parts_left, undo_words, undoable, why_not
from flagtui.models.json_value import as_id
from flagtui.text.question_lines import question_lines

NOT_ON_OLDER: Final = {
    "copy": "an older server cannot copy a flag to another project",
    "experiment: copy": "an older server cannot copy an experiment to another project",
    "flag: archive": "an older server cannot archive a flag",
    "event: set property": "an older server keeps no primary property of an event",
    "event: delete": "an older server makes definitions from events alone, so none comes back",
    "event: create": "an older server makes definitions from events alone",
}


def of_generations() -> Iterator[tuple[str, str]]:
    """Each change with a generation, in a run of all modes with each that has it."""
    for what, generation in product(BACK, GENERATIONS) if ALL_MODES else cross(BACK, GENERATIONS):
        is_older = generation == "legacy" and what in NOT_ON_OLDER
        if not is_older or not ALL_MODES:
            yield what, "default" if is_older else generation


async def make_change(bench: Bench, what: str) -> tuple[State, object]:
    """Make the change; what reads the record, and how it was before."""
    prepared = await BACK[what](bench)
    was = await prepared.state()
    await bench.save(prepared.plan)
    assert await prepared.state() != was
    return prepared.state, was


@pytest.mark.parametrize(("what", "generation"), [*of_generations()])
async def test_undo_and_redo_restore_everything_a_change_touched(
    what: str, generation: str, tmp_path: Path
) -> None:
    async with working(tmp_path, **GENERATIONS[generation]) as bench:
        state, was = await make_change(bench, what)
        made, entry = await state(), bench.journal.entries()[0]
        (offered,) = next_undo(bench.journal.entries(), HERE)
        assert offered == entry
        # What the question promises is what u offers.
        promised = re.sub(r"\bit\b", entry.key, bench.questions[-1].undo_words, count=1)
        named = re.sub(r"\bits (\w+)", rf"the \1 of {entry.key}", promised)
        assert undo_words([offered]) in (promised, f"{promised} of {entry.key}", named)
        assert await bench.take_back(entry)
        assert await state() == was
        assert entry not in undoable(bench.journal.entries(), HERE)
        for newest, expected in ((next_redo, made), (next_undo, was)):
            for change in newest(bench.journal.entries(), HERE):
                await bench.take_back(change)
            assert await state() == expected
        assert [entry.ending for entry in bench.journal.entries()] == ["saved"] * len(bench.journal.entries())


KEPT: Final = {
    "cohort": "no server deletes a cohort",
    "dashboard": "no server deletes a dashboard",
    "enrich": "it is not known what was added",
    "experiment: cohort": "no server deletes a cohort",
}
ELSEWHERE: Final = {"experiment: freeze", "experiment: unfreeze"}
"""Undone in tests/changes/experiments/test_exposure_freezing.py."""
REJECTING: Final = "set enforcement"
"""The service knows one mode only."""


def test_every_kind_of_change_has_an_undo_or_a_reason() -> None:
    kinds = {f"event: {name}" for name in event.EVENT_VERBS if name not in (REJECTING, "recreate")}
    kinds |= {f"experiment: {name}" for name in STEPS if name != "reopen"}
    kinds |= {*VERBS, "copy", "scheduled_change: schedule", "scheduled_change: unschedule"}
    assert kinds <= {*BACK, *KEPT, *ELSEWHERE}


@pytest.mark.parametrize("what", KEPT)
def test_refused_undo_names_reason_and_next_step(what: str) -> None:
    kind, _, verb = what.partition(": ")
    verb_name = STEPS[verb].verb.name if verb else VERBS[kind].name  # type: ignore[index]  # one of the three
    entry = Entry("e", 1.0, 7, "k", verb_name, HERE, kind, ending="saved")
    refusal = require(why_not(entry, HERE))
    assert (KEPT[what] in refusal.reason, "in the browser" in refusal.next) == (True, True)
    assert undoable([entry], HERE) == []


async def colleague_changes(bench: Bench, what: str, entry: Entry) -> None:
    """Another person changes what was made."""
    client = bench.client.for_project(as_id(entry.after.get("project")) or 1)
    if what == "experiment: launch":
        await client.experiments.end(entry.record, conclusion="lost")
    elif entry.kind == "event_definition":
        await client.event_definitions.update(entry.uuid, {"description": "theirs", "verified": True})
    elif entry.kind == "experiment":
        await client.experiments.update(entry.record, {"description": "theirs"})
        await client.experiments.launch(entry.record)
    elif what == "scheduled_change: schedule":
        await client.schedule.update(as_id(entry.after["scheduled"]) or 0, {"payload": {"operation": "x"}})
    else:
        await client.flags.update(entry.record, {"active": True, "name": "theirs"})


async def test_own_later_changes_are_not_another_users(tmp_path: Path) -> None:
    async with working(tmp_path) as bench:
        state, was = await make_change(bench, "flag: create")
        (entry,) = bench.journal.entries()
        mine = Intent(entry.record, {"name": "Mine", "tags": ["ops"]}, "edit")
        await bench.save(await bench.plan_flag(mine))
        for changes, conflicts in ({}, []), ({"tags": ["ops", "theirs"]}, ["tags"]):
            if changes:
                await bench.client.flags.update(entry.record, changes)
            (left,) = await parts_left(entry, bench.journal.entries(), bench.client)
            undo = await kind_of(left.entry.kind).prepare_undo(left.entry, bench.undo_context)
            (plan,) = expect(undo, Planned).plans
            assert [conflict.where for conflict in plan.conflicts] == conflicts
        assert await state() != was


MADE: Final = {
    "flag: create": ("active", "name"),
    "copy": ("active", "name"),
    "event: create": ("description", "verified"),
    "experiment: launch": ("conclusion", "end_date"),
    "experiment: create": ("status",),
    "experiment: duplicate": ("status",),
    "experiment: copy": ("status",),
    "scheduled_change: schedule": ("payload",),
}


@pytest.mark.parametrize("what", MADE)
async def test_undo_shows_another_users_later_changes_before_overwriting(what: str, tmp_path: Path) -> None:
    async with working(tmp_path) as bench:
        state, was = await make_change(bench, what)
        (entry,) = bench.journal.entries()
        await colleague_changes(bench, what, entry)
        prepared = expect(await kind_of(entry.kind).prepare_undo(entry, bench.undo_context), Planned)
        (plan,) = prepared.plans
        assert tuple(sorted(conflict.where for conflict in plan.conflicts)) == MADE[what]
        question = expect(guard(prepared, GuardRules()), Question)
        assert isinstance(question.settle(Confirmation(yes=True, typed=plan.type_to_confirm)), NotYet)
        assert await state() != was
        await bench.take_back(entry, overwrite=True)
        assert await state() == was


def values(kind: str, value: Any) -> dict[str, Any]:
    """The field that a change of this kind sets."""
    if kind == "condition":
        return {"filters": {"groups": [{"properties": [], "rollout_percentage": value}]}}
    return {"name" if kind == "flag" else "description": value}


async def change(bench: Bench, kind: str, id: Any, value: Any, *, by: World | None = None) -> None:
    """The user sets one field of the record here, or the owner of a key with another program."""
    client, fields = bench.client, values(kind, value)
    if by is not None:
        records = {"event": "event_definitions", "experiment": "experiments"}.get(kind, "feature_flags")
        await by.patch(f"/api/projects/1/{records}/{id}/", fields)
    elif kind == "experiment":
        fresh = await client.experiments.get(id)
        seen = {"description": fresh.raw.get("description")}
        await bench.save(bench.plan_step("edit", fresh, fields=fields, seen=seen))
    elif kind == "event":
        await bench.save(await bench.plan_event(EventIntent(id, fields, "edit")))
    else:
        await bench.save(await bench.plan_flag(Intent(id, fields, "edit")))


async def question_of(bench: Bench, place: int) -> Question[Any]:
    """The question before the change at this place of the journal is undone."""
    entries = bench.journal.entries()
    context = replace(bench.undo_context, entries=entries, me=await bench.client.people.me())
    prepared = await kind_of(entries[place].kind).prepare_undo(entries[place], context)
    return expect(guard(expect(prepared, Planned), GuardRules()), Question)


@pytest.mark.parametrize("kind", ["flag", "condition", "experiment", "event"])
async def test_undo_names_the_author_of_later_changes_if_known(kind: str, tmp_path: Path) -> None:
    async with working(tmp_path) as bench:
        id: Any = bench.new_event() if kind == "event" else await bench.new_flag()
        if kind == "experiment":
            id = (await bench.in_state("draft")).id
        for value in (50, 75) if kind == "condition" else ("First", "Second"):
            await change(bench, kind, id, value)
        authors = [("you", None), ("you", bench.world), ("another user", bench.colleague)]
        for place, (who, by) in enumerate(authors):
            # No server logs changes of events, and a log has all targeting as one field.
            is_known = by is None or (kind != "event" and (kind != "condition" or by is bench.world))
            who = who if is_known else ""
            if by is not None:
                await change(bench, kind, id, 90 + place if kind == "condition" else f"v{place}", by=by)
            question = await question_of(bench, 1)
            why = expect(question.settle(Confirmation(yes=True)), NotYet).why
            assert why.startswith(f"{who} changed this" if who else "this was changed since")
            lines = ("".join(text for text, _style in line) for line in question_lines(question, 96, 0.0))
            assert (f"{who} changed" if who else "changed since:") in " ".join(lines)


@pytest.mark.parametrize("is_own", [True, False])
@pytest.mark.parametrize("kind", ["condition", "experiment", "event"])
async def test_undo_asks_about_values_that_another_user_restored(
    kind: str, is_own: bool, tmp_path: Path
) -> None:
    async with working(tmp_path) as bench:
        later, places = 0 if not is_own else 2, ["filters.groups[0].rollout_percentage"]
        values: tuple[Any, ...] = (50, 75) if kind == "condition" else ("First", "Second")
        id: Any = bench.new_event() if kind == "event" else await bench.new_flag()
        if kind == "experiment":
            id, places = (await bench.in_state("draft")).id, ["description"]
        for value in values:
            await change(bench, kind, id, value)
        bench.world.clock.pass_(minutes=1)
        for value in values:
            await change(bench, kind, id, value, by=None if is_own else bench.colleague)
        question = await question_of(bench, later)
        is_warned = any("another user changed it" in caution.text for caution in question.plans[0].cautions)
        assert is_warned is (kind == "event" and not is_own), "no server logs which field of it"
        if kind == "event":
            return
        assert [conflict.where for conflict in question.conflicts] == places * (not is_own)
        assert is_own or question.conflict_words == "another user changed this"


async def test_revert_of_another_users_edit_is_no_conflict_with_itself(tmp_path: Path) -> None:
    async with working(tmp_path) as bench:
        id = (await bench.in_state("draft")).id
        for is_own in (True, False):
            await change(bench, "experiment", id, f"own: {is_own}", by=None if is_own else bench.colleague)
        (logged, *_) = (await bench.client.experiments.activity(id)).entries
        kind = kind_of("experiment")
        context = replace(bench.undo_context, me=await bench.client.people.me())
        planned = await kind.prepare_undo(expect(kind.from_log(logged), Entry), context)
        (plan,) = expect(planned, Planned).plans
        assert (dict(plan.choices.fields), plan.conflicts) == ({"description": "own: True"}, ())

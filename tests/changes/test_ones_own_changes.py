"""Undo of an earlier change after later changes of the same user."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.changes.bench import Bench, working
from tests.doubles.expected import expect

from flagtui.changes.event_definitions.definition_intent import EventIntent
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.guard import Confirmation, GuardRules, NotYet, Question, guard
from flagtui.changes.planner import Planned
from flagtui.changes.undo import kind_of
from flagtui.text.question_lines import question_lines


def values(kind: str, value: Any) -> dict[str, Any]:
    """The field that a change of this kind sets."""
    if kind == "condition":
        return {"filters": {"groups": [{"properties": [], "rollout_percentage": value}]}}
    return {"name" if kind == "flag" else "description": value}


async def change(bench: Bench, kind: str, id: Any, value: Any, *, is_own: bool = True) -> None:
    """The user or another user sets one field of the record."""
    client, fields = bench.client, values(kind, value)
    if kind == "experiment" and is_own:
        fresh = await client.experiments.get(id)
        seen = {"description": fresh.raw.get("description")}
        await bench.save(bench.plan_step("edit", fresh, fields=fields, seen=seen))
    elif kind == "experiment":
        await client.experiments.update(id, fields)
    elif kind == "event" and is_own:
        await bench.save(await bench.plan_event(EventIntent(id, fields, "edit")))
    elif kind == "event":
        await client.event_definitions.update(id, fields)
    elif is_own:
        await bench.save(await bench.plan_flag(Intent(id, fields, "edit")))
    else:
        await client.flags.update(id, fields)


async def question_of(bench: Bench, place: int) -> Question[Any]:
    """The question before the change at this place of the journal is undone."""
    entries = bench.journal.entries()
    context = replace(bench.undo_context, entries=entries)
    prepared = await kind_of(entries[place].kind).prepare_undo(entries[place], context)
    return expect(guard(expect(prepared, Planned), GuardRules()), Question)


@pytest.mark.parametrize("kind", ["flag", "condition", "experiment", "event"])
async def test_own_later_change_is_named_own_and_still_asked_about(kind: str, tmp_path: Path) -> None:
    async with working(tmp_path) as bench:
        id: Any = bench.new_event() if kind == "event" else await bench.new_flag()
        if kind == "experiment":
            id = (await bench.in_state("draft")).id
        for value in (50, 75) if kind == "condition" else ("First", "Second"):
            await change(bench, kind, id, value)
        for words in ("you changed", "another user changed"):
            question = await question_of(bench, 1)
            assert expect(question.settle(Confirmation(yes=True)), NotYet).why.startswith(f"{words} this")
            lines = ("".join(text for text, _style in line) for line in question_lines(question, 96, 0.0))
            assert words in " ".join(lines)
            await change(bench, kind, id, 99 if kind == "condition" else "Theirs", is_own=False)


@pytest.mark.parametrize("is_own", [True, False])
async def test_undo_asks_about_values_that_another_user_restored(is_own: bool, tmp_path: Path) -> None:
    async with working(tmp_path) as bench:
        flag, later = await bench.new_flag(), 0 if not is_own else 2
        for share in (50, 75):
            await change(bench, "condition", flag, share)
        for share in (50, 75):
            await change(bench, "condition", flag, share, is_own=is_own)
        question = await question_of(bench, later)
        places = [] if is_own else ["filters.groups[0].rollout_percentage"]
        assert [conflict.where for conflict in question.conflicts] == places
        assert is_own or question.conflict_words == "another user changed this"

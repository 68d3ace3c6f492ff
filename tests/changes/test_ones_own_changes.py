"""Undo of an earlier change after later changes of the same user."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.changes.bench import Bench, working
from tests.doubles.expected import expect

from flagtui.changes.event_definitions.definition_intent import EventIntent
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.guard import Confirmation, GuardRules, NotYet, Question, guard
from flagtui.changes.planner import Planned
from flagtui.changes.proposal import Proposal
from flagtui.changes.undo import kind_of
from flagtui.models.json_value import JSON
from flagtui.text.question_lines import question_lines


def filters(share: int) -> JSON:
    return {"groups": [{"properties": [], "rollout_percentage": share}]}


async def change_twice(bench: Bench, kind: str) -> None:
    if kind == "event":
        id = bench.new_event()
        for text in ("First", "Second"):
            await bench.event(EventIntent(id, {"description": text}, "edit"))
    elif kind == "experiment":
        made = await bench.in_state("draft")
        for text in ("First", "Second"):
            fresh = await bench.client.experiments.get(made.id)
            seen = {"description": fresh.raw.get("description")}
            await bench.step("edit", fresh, fields={"description": text}, seen=seen)
    else:
        flag = await bench.new_flag()
        names: list[dict[str, JSON]] = [{"name": "First"}, {"name": "Second"}]
        conditions: list[dict[str, JSON]] = [{"filters": filters(share)} for share in (50, 75)]
        for changes in conditions if kind == "condition" else names:
            await bench.flag(Intent(flag, changes, "edit"))


async def somebody(bench: Bench, kind: str) -> None:
    """Changes the same thing."""
    entry, client = bench.journal.entries()[0], bench.client
    theirs: JSON = {"description": "Theirs"}
    if kind == "event":
        await client.event_definitions.update(entry.uuid, theirs)
    elif kind == "experiment":
        await client.experiments.update(entry.record, theirs)
    else:
        theirs = {"filters": filters(99)} if kind == "condition" else {"name": "Theirs"}
        await client.flags.update(entry.record, theirs)


async def the_question(bench: Bench) -> Question[Proposal]:
    """Before the older of two changes is taken back."""
    entries = bench.journal.entries()
    prepared = await kind_of(entries[1].kind).prepare_undo(
        entries[1], replace(bench.undo_context, entries=entries)
    )
    assert isinstance(prepared, Planned), prepared
    return expect(guard(prepared, GuardRules()), Question)


@pytest.mark.parametrize("kind", ["flag", "condition", "experiment", "event"])
async def test_own_later_change_is_named_own_and_still_asked_about(kind: str, tmp_path: Path) -> None:
    async with working(tmp_path) as bench:
        await change_twice(bench, kind)
        questions = {}
        for who in ("own", "theirs"):
            question = await the_question(bench)
            refused = expect(question.settle(Confirmation(yes=True)), NotYet)
            lines = ("".join(text for text, _style in line) for line in question_lines(question, 96, 0.0))
            questions[who] = refused.why, " ".join(lines)
            await somebody(bench, kind)
        assert questions["own"][0].startswith("you changed this later")
        assert "you changed" in questions["own"][1]
        assert questions["theirs"][0].startswith("another user changed this")
        assert "another user changed" in questions["theirs"][1]


@pytest.mark.parametrize("who", ["own", "theirs"])
async def test_undo_asks_about_values_that_another_user_restored(who: str, tmp_path: Path) -> None:
    async with working(tmp_path) as bench:
        flag = await bench.new_flag()
        for share in (50, 75):
            await bench.flag(Intent(flag, {"filters": filters(share)}, "edit"))
        entry = bench.journal.entries()[0]
        for share in (50, 75):
            changes: dict[str, JSON] = {"filters": filters(share)}
            if who == "own":
                await bench.flag(Intent(flag, changes, "edit"))
            else:
                await bench.client.flags.update(flag, changes)
        context = replace(bench.undo_context, entries=bench.journal.entries())
        prepared = await kind_of("flag").prepare_undo(entry, context)
        question = expect(guard(expect(prepared, Planned), GuardRules()), Question)
        places = ["filters.groups[0].rollout_percentage"] if who == "theirs" else []
        assert [conflict.where for conflict in question.conflicts] == places
        assert question.conflict_words == "another user changed this" or who == "own"

"""Records of more lines than are drawn: their forms, their tabs, and where the rest can be edited."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

from tests.doubles import heavy_records as heavy
from tests.doubles.counted_calls import counting_calls
from tests.doubles.expected import expect, require
from tests.doubles.heavy_server import HeavyServer
from tests.doubles.loop_blocks import LoopBlocks
from tests.doubles.whole_program import Program, Setting, running
from tests.journeys.flag_form import stand_on
from tests.journeys.steps import stand_on_experiment
from tests.journeys.test_late_answers import open_second_project
from textual.widgets import OptionList

from flagtui.app.forms.draft_form import LinesForm
from flagtui.app.forms.form_lines import FormLine, LineId
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import Plan, plan_flag
from flagtui.changes.sets.change_set import ChangeSet, ChangeSetError
from flagtui.changes.sets.project_set import StagedSet
from flagtui.models.flag import Flag

MOST_WORK = 0.5
"""Seconds of the processor between two looks at the keys: a tenth is meant, fourteen were needed before."""


def form_of(program: Program) -> LinesForm[Any, Any]:
    screen = program.app.screen
    assert isinstance(screen, LinesForm), program.screen
    return screen


def shown_lines(program: Program) -> list[FormLine]:
    return [*form_of(program).lines()]


def cursor_id(program: Program) -> LineId:
    place = require(form_of(program).query_one(OptionList).highlighted)
    return shown_lines(program)[place].id


def place_cursor(program: Program, id: LineId) -> None:
    ids = [line.id for line in shown_lines(program)]
    form_of(program).query_one(OptionList).highlighted = ids.index(id)


@asynccontextmanager
async def flag_form(setting: Setting, conditions: int) -> AsyncIterator[Program]:
    raw = heavy.with_conditions(conditions)
    async with running(setting, lambda wire: HeavyServer(wire, "feature_flags", [raw])) as program:
        await program.press("home", "e")
        yield program


async def test_condition_is_added_on_its_line_never_in_gaps(setting: Setting) -> None:
    async with flag_form(setting, 150) as program:
        for place, key in ((89, "greater_than_sign"), (140, "less_than_sign")):
            place_cursor(program, ("condition", "", place, -1))
            await program.press(key)
            assert cursor_id(program) == ("condition", "", place, -1)
            program.see(toast="the next place has no line in this form")
        await program.press("greater_than_sign")
        assert cursor_id(program) == ("condition", "", 141, -1)
        program.see("not saved yet")
        await stand_on(program, "+ a condition", "enter")
        assert cursor_id(program) == ("condition", "", 150, -1)
        await program.press("greater_than_sign")
        assert cursor_id(program) == ("condition", "", 150, -1)
        program.see(toast=">: this is the last condition")


async def test_heavy_form_is_saved_only_after_its_checks(setting: Setting) -> None:
    async with flag_form(setting, 1_000) as program:
        place_cursor(program, ("condition", "", 999, -1))
        form = form_of(program)
        form.action_remove()
        program.draw()
        program.see("not saved yet; its values are being checked")
        form.action_save()
        assert form_of(program) is form
        await program.settle(shows="condition 1000 removed")


async def test_draft_is_read_once_and_metrics_avoid_the_gap(setting: Setting) -> None:
    raw = heavy.experiment(150)
    async with running(setting, lambda wire: HeavyServer(wire, "experiments", [raw])) as program:
        await stand_on_experiment(program, raw["name"], "enter")
        assert [line for line in program.wire.passed if line.endswith(f"/experiments/{raw['id']}/")] == [
            f"GET /api/projects/1/experiments/{raw['id']}/"
        ]
        await program.press("e")
        place_cursor(program, ("metric", "metrics", 89, -1))
        await program.press("greater_than_sign")
        assert cursor_id(program) == ("metric", "metrics", 89, -1)
        program.see(toast="E edits the whole experiment as JSON")


async def test_question_of_heavy_flag_shows_what_others_changed(setting: Setting) -> None:
    raw = heavy.with_conditions(1_000)
    servers: list[HeavyServer] = []
    async with running(
        setting, lambda wire: servers.append(HeavyServer(wire, "feature_flags", [raw], [raw]))
    ) as program:
        async with LoopBlocks() as blocks:
            await program.press("home", "space")
            servers[0].change_as_other(raw["id"])
            await program.press("y")
        program.see("by Grace, just now")
        assert blocks.most_work < MOST_WORK
        await program.press("escape", "at", *"raise", "enter")
        program.see("Raise the rollout of conditions-1000: 200 of 1,000 conditions")


def heavy_plans(*ids: int) -> Iterator[Plan]:
    for id in ids:
        fresh = Flag.of(heavy.with_conditions(1_000, id=id))
        groups = [{**group, "rollout_percentage": 7} for group in fresh.filters["groups"]]
        intent = Intent(fresh.id, {"filters": {**fresh.filters, "groups": groups}}, "change targeting")
        yield expect(plan_flag(intent, fresh, Context(dependents=())), Plan)


async def test_heavy_changes_are_staged_in_a_thread_one_by_one(program: Program) -> None:
    plans = [*heavy_plans(901, 902)]
    await program.press("plus")
    staging = program.app.runner.staging
    with counting_calls() as calls:
        added = await staging.add(plans[:1])
    assert [change.record for change in added] == [901]
    assert calls.count < 5_000
    assert staging.change_set == expect(staging.file, StagedSet).read()
    with counting_calls() as calls:
        assert not any(map(staging.is_outdated, staging.changes))
    assert calls.count < 100
    await staging.add(plans[1:])
    await asyncio.gather(staging.step_back(is_redo=False), staging.step_back(is_redo=False))
    assert len(staging.changes) == 0
    await asyncio.gather(staging.step_back(is_redo=True), staging.step_back(is_redo=True))
    assert [change.record for change in staging.changes] == [901, 902]


async def test_waiting_steps_never_touch_the_project_opened_meanwhile(program: Program) -> None:
    first, second = heavy_plans(901, 902)
    await program.press("plus")
    staging, first_project = program.app.runner.staging, program.app.app_state.workspace
    left = expect(staging.file, StagedSet)
    with staging._turn:
        waiting = (staging.add([first]), staging.add([second]), staging.drop([]), staging.explain("why"))
        results = asyncio.gather(*waiting, return_exceptions=True)
        await open_second_project(program)
    refused = [isinstance(result, ChangeSetError) for result in await results]
    await program.settle()
    assert program.app.app_state.workspace is not first_project
    assert (refused, program.app.app_state.is_staging) == ([False, True, True, True], False)
    assert expect(staging.file, StagedSet).read() is None
    assert [change.record for change in expect(left.read(), ChangeSet).changes] == [901]


async def test_step_back_survives_the_end_of_staging(program: Program) -> None:
    await program.press("plus")
    staging = program.app.runner.staging
    await staging.add([*heavy_plans(901)])
    step = asyncio.ensure_future(staging.step_back(is_redo=False))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    staging.end()
    assert await step == ("conditions-1000", False)

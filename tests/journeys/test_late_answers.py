"""Answers that come late: the cursor, the project or the form may be another by then."""

import json
from typing import Any

import httpx
import pytest
from tests.doubles import quiet
from tests.doubles.code_source import FakeCode, make_scan
from tests.doubles.expected import require
from tests.doubles.targeting import group
from tests.doubles.whole_program import Program, Setting
from tests.journeys.flag_form import form, stand_on
from tests.journeys.steps import hold_flag, make_flag
from textual.widgets import OptionList

from flagtui.app.activity.activity_screen import ActivityScreen
from flagtui.app.events.event_list import EventsScreen
from flagtui.app.flags.flag_list import FlagsScreen
from flagtui.app.flags.flag_screen import FlagScreen
from flagtui.app.flags.form.flag_form import FormScreen
from flagtui.app.flags.tabs.history_tab import HistoryPane
from flagtui.app.state.code_search import CodeSearch
from flagtui.app.state.go_to import OpenRecord, RecordLink
from flagtui.models.activity import version_made

READ_ELSEWHERE = "Another project was opened while records were read"


async def open_second_project(program: Program) -> None:
    """Change to it while its requests wait."""
    await program.press_without_waiting("p", *"mobile", "enter")


async def answer_in_second_project(program: Program, **sight: Any) -> None:
    """Open it while a request of the first is held, and let that through."""
    await program.wire.is_holding.wait()
    await open_second_project(program)
    await program.let_go(**sight)
    program.see("Mobile #2", front=FlagsScreen)


async def test_history_is_read_again_after_failures_and_beside_comparisons(program: Program) -> None:
    program.wire.answer("/activity/$", httpx.Response(500, json={}))
    await program.go_to("new-nav", "h", shows="The server failed (500)")
    for key in "zx":
        await program.press(key, toast="there is no version under the cursor")
    program.wire.heal()
    await program.press("f5", "j", "x", "j", shows="rollout 10 % → 25 %")
    pane = program.app.screen.query_one(HistoryPane)
    here, before = pane.entry, program.row("new-nav")
    await program.colleague().flags.update(before.id, {"active": not before.active})
    await program.press("f5")
    assert version_made(pane._entries[0]) == (before.version or 0) + 1
    assert pane.entry == here


async def test_users_asked_for_early_are_evaluated_once_the_flag_arrives(program: Program) -> None:
    await program.go_to("new-nav")
    hold_flag(program, "new-nav")
    await program.press_without_waiting("w", *"u-1", "enter", shows="Waiting for the flag; then the value")
    await program.let_go(shows="decided by")


async def test_form_stays_still_while_a_question_is_prepared(setting: Setting) -> None:
    async with form(setting) as (program, id):
        await stand_on(program, "+ a property", "enter", "down", "enter")
        program.wire.hold("cohorts")
        await program.press_without_waiting("enter", "greater_than_sign", "d", "enter", "ctrl+s", "5")
        program.see(toast="5: a question about a line is still open")
        await program.let_go()
        await program.press("enter", "ctrl+s", "y")
        conditions = (await program.colleague().flags.get(id)).filters["groups"]
        assert [len(each["properties"]) for each in conditions] == [2, 0]


async def test_form_stays_still_until_it_is_saved_or_refused(setting: Setting) -> None:
    async with form(setting) as (program, id):
        await stand_on(program, "description", "enter", *"new", "enter", "ctrl+s")
        program.wire.hold("PATCH")
        program.wire.answer("PATCH", httpx.Response(403))
        await program.press_without_waiting("y", "enter", toast="⏎: the form is being saved")
        await program.let_go()
        program.wire.heal()
        await program.press("enter", *"newer", "enter", "ctrl+s", "y")
        assert (await program.colleague().flags.get(id)).name == "newer"


async def test_scan_that_ended_is_not_replaced_by_the_last_one() -> None:
    last, new = make_scan(taken_at=1.0), make_scan(taken_at=2.0)

    class SlowDisk(FakeCode):
        def obstacle(self) -> str:
            code.scan = new
            return ""

    code = CodeSearch(SlowDisk(last), "1", lambda: None)
    await code.load()
    assert code.scan is new


async def test_cursor_of_the_palette_stays_with_its_entry(program: Program) -> None:
    program.wire.hold("/projects/$")
    await program.press_without_waiting("colon", *"mo", "down", "down")
    options = program.app.screen.query_one(OptionList)

    def entry() -> str:
        return str(options.get_option_at_index(options.highlighted or 0).prompt)

    before, shown = entry(), options.option_count
    await program.let_go()
    assert options.option_count > shown
    assert entry() == before


async def test_rows_of_a_project_leave_with_it(program: Program) -> None:
    await program.press("ctrl+r")
    assert program.rows.shown
    program.wire.hold("/projects/2/.")
    await open_second_project(program)
    assert ("#2" in program.header, program.rows.shown) == (True, 0)
    await program.let_go(shows="shows no recently deleted flag")


async def test_record_of_a_left_project_is_not_opened(program: Program) -> None:
    late = await program.colleague().flags.create({"key": "late", "filters": {"groups": [group(100)]}})
    program.wire.hold(f"/feature_flags/{late.id}/$")
    program.app.post_message(OpenRecord(RecordLink("flags", late.id, late.key)))
    await answer_in_second_project(program)


@pytest.mark.parametrize(("keys", "slow"), [
    (("percent_sign",), "flag"),
    (("D", "enter", "enter"), "flag"),
    (("D", "enter", "enter"), "/scheduled_changes/$"),
    (("plus", "space"), "flag"),
])  # fmt: skip
async def test_flag_read_in_a_left_project_opens_nothing(
    program: Program, keys: tuple[str, ...], slow: str
) -> None:
    await program.go_to("new-nav", *keys[:-1])
    hold_flag(program, "new-nav") if slow == "flag" else program.wire.hold(slow)
    await program.press_without_waiting(keys[-1])
    await answer_in_second_project(program, toast=READ_ELSEWHERE)
    assert program.app.app_state.staged_set is None


async def test_secrecy_of_a_left_project_is_forgotten(program: Program) -> None:
    await program.press("4")
    screen: Any = program.front(ActivityScreen)
    row = require(screen.record)
    program.wire.hold(f"/feature_flags/{row.flag_id}/$")
    screen._learn_secrecy(row)
    await open_second_project(program)
    await program.let_go()
    assert row.flag_id not in screen._secrets


async def choose_project_late(program: Program, *keys: str, **sight: Any) -> None:
    """Ask for another project, press keys before the projects are listed, and choose one then."""
    screen = program.app.screen
    program.wire.hold("/projects/$")
    await program.press_without_waiting("p", *keys)
    await quiet.settle(program.app, lambda: program.app.screen is screen)
    await program.let_go()
    await program.press(*"mobile", "enter", **sight)


async def test_screens_of_a_left_project_close_unless_forms_are_open(program: Program) -> None:
    await program.go_to("new-nav")
    await choose_project_late(program, "e", shows="Web app #1", front=FormScreen)
    program.see(toasts="not switched: save or leave the form first, which is for this project")
    await program.press("escape", front=FlagsScreen)
    await choose_project_late(program, "space", shows="Mobile #2", front=FlagsScreen)
    await program.press("p", *"web app", "enter", "3", "i", "V")
    await open_second_project(program)
    await program.settle(shows="Mobile #2", front=EventsScreen)


async def test_plan_on_staged_values_is_not_sent(program: Program) -> None:
    await program.go_to("new-nav", "plus", "space")
    hold_flag(program, "new-nav")
    await program.press_without_waiting("space", "plus")
    await program.let_go(toast="not now: Staging began or ended while records were read", front=FlagsScreen)


async def test_shown_value_is_that_of_the_present_version(program: Program) -> None:
    def filters(word: str) -> dict[str, Any]:
        return {"groups": [{"properties": []}], "payloads": {"true": json.dumps({"word": word})}}

    config = await make_flag(program, "config", filters("sesame"), is_remote_configuration=True)
    program.wire.hold("blast_radius")
    await program.press_without_waiting("enter", "m")
    await program.let_go(lacks="counting…")
    screen = program.front(FlagScreen)
    assert "sesame" in json.dumps(screen._study.asked_value)
    await program.colleague().flags.update(config, {"filters": filters("poppy")})
    await program.press("f5")
    assert "poppy" in json.dumps(screen._study.asked_value)


@pytest.mark.parametrize("fault", [None, httpx.Response(401)])
async def test_poll_of_a_left_project_leaves_the_next_alone(
    program: Program, fault: httpx.Response | None
) -> None:
    polling, feed = program.app.server.polling, "/feature_flags/activity/"
    program.wire.hold(f"/projects/1{feed}$")
    program.wire.before = lambda request: fault if program.wire.held(request) else None
    program.app.run_worker(polling.poll())
    await answer_in_second_project(program, shows="synced just now")
    program.wire.passed.clear()
    await polling.poll()
    assert program.wire.passed == [f"GET /api/projects/2{feed}"]

"""Answers that come late: the cursor, the project or the form may be another by then."""

import json

import httpx
import pytest
from tests.doubles import quiet
from tests.doubles.code_source import FakeCode, make_scan
from tests.doubles.whole_program import Program, Setting, running, words
from tests.journeys.flag_form import form, stand_on
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


async def open_second_project(program: Program) -> None:
    """Change to it while its requests wait."""
    for key in ("p", *"mobile", "enter"):
        await program.press_without_waiting(key)


def is_of_second(request: httpx.Request) -> bool:
    return "/projects/2/" in request.url.path and not request.url.path.endswith("/2/")


async def test_history_is_read_again_beside_a_comparison(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav", "h", "j", "x", "j")
        pane = program.app.screen.query_one(HistoryPane)
        here, before = pane.entry, program.row("new-nav")
        await program.colleague().flags.update(before.id, {"active": not before.active})
        await program.press("f5")
        assert version_made(pane._entries[0]) == (before.version or 0) + 1
        assert pane.entry == here


async def test_history_that_failed_is_read_again_with_the_page(setting: Setting) -> None:
    async with running(setting) as program:
        program.wire.before = lambda request: (
            httpx.Response(500, json={}) if request.url.path.endswith("/activity/") else None
        )
        await program.go_to("new-nav", "h")
        assert "The server failed (500)" in program.screen
        for key in "zx":
            await program.press(key)
            assert program.notices.pop() == "there is no version under the cursor"
        program.wire.heal()
        await program.press("f5")
        assert "rollout 10 % → 25 %" in program.screen


async def test_users_asked_for_early_are_evaluated_once_the_flag_arrives(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        id = program.row("new-nav").id
        program.wire.held = lambda request: request.url.path.endswith(f"/feature_flags/{id}/")
        for key in ("w", *"u-1", "enter"):
            await program.press_without_waiting(key)
        assert "Waiting for the flag; then the value is shown." in program.screen
        await program.let_go()
        assert "decided by" in program.screen


async def test_form_stays_still_while_a_question_is_prepared(setting: Setting) -> None:
    async with form(setting) as (program, id):
        await stand_on(program, "+ a property", "enter", "down", "enter")
        program.wire.held = lambda request: "cohorts" in request.url.path
        await program.press_without_waiting("enter")
        for key in ("greater_than_sign", "d", "enter", "ctrl+s", "5"):
            await program.press_without_waiting(key)
        assert program.notices[-1] == "5: a question about a line is still open"
        await program.let_go()
        await program.press("enter", "ctrl+s", "y")
        conditions = (await program.colleague().flags.get(id)).filters["groups"]
        assert [len(each["properties"]) for each in conditions] == [2, 0]


async def test_form_stays_still_until_it_is_saved_or_refused(setting: Setting) -> None:
    async with form(setting) as (program, id):
        await stand_on(program, "description", "enter")
        await program.press(*"new", "enter", "ctrl+s")
        program.wire.held = lambda request: request.method == "PATCH"
        program.wire.before = lambda request: httpx.Response(403) if request.method == "PATCH" else None
        program.timing.now += 1
        for key in ("y", "enter"):
            await program.press_without_waiting(key)
        assert program.notices[-1] == "⏎: the form is being saved"
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


async def test_cursor_of_the_palette_stays_with_its_entry(setting: Setting) -> None:
    async with running(setting) as program:
        program.wire.held = lambda request: request.url.path.endswith("/projects/")
        for key in ("colon", *"mo", "down", "down"):
            await program.press_without_waiting(key)
        options = program.app.screen.query_one(OptionList)

        def entry() -> str:
            return str(options.get_option_at_index(options.highlighted or 0).prompt)

        before, shown = entry(), options.option_count
        await program.let_go()
        assert options.option_count > shown
        assert entry() == before


async def test_rows_of_a_project_leave_with_it(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("ctrl+r")
        assert program.rows.shown
        program.wire.held = is_of_second
        await open_second_project(program)
        assert "#2" in program.header
        assert program.rows.shown == 0
        await program.let_go()
        assert "shows no recently deleted flag" in words(program.screen)


async def test_record_of_a_left_project_is_not_opened(setting: Setting) -> None:
    async with running(setting) as program:
        body = {"key": "late", "filters": {"groups": [{"properties": []}]}}
        late = await program.colleague().flags.create(body)
        program.wire.held = lambda request: request.url.path.endswith(f"/feature_flags/{late.id}/")
        program.app.post_message(OpenRecord(RecordLink("flags", late.id, late.key)))
        await open_second_project(program)
        await program.let_go()
        assert "Mobile #2" in program.header
        assert isinstance(program.app.screen, FlagsScreen)


async def test_change_read_in_a_left_project_is_not_staged(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav", "plus")
        slow = f"/feature_flags/{program.row('new-nav').id}/"
        program.wire.held = lambda request: request.url.path.endswith(slow)
        await program.press_without_waiting("space")
        await open_second_project(program)
        await program.press_without_waiting("plus")
        await program.let_go()
        assert program.notices[-1].startswith("Another project was opened while records were read")
        assert program.app.app_state.staged_set is None


async def list_projects_late(program: Program, *keys: str) -> None:
    """Ask for another project, press keys before the projects are listed, and choose one then."""
    screen = program.app.screen
    program.wire.held = lambda request: request.url.path.endswith("/projects/")
    for key in ("p", *keys):
        await program.press_without_waiting(key)
    await quiet.settle(program.app, lambda: program.app.screen is screen)
    await program.let_go()
    await program.press(*"mobile", "enter")


async def test_question_about_a_left_project_is_closed(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        await list_projects_late(program, "space")
        assert "Mobile #2" in program.header
        assert isinstance(program.app.screen, FlagsScreen)


async def test_project_stays_open_for_a_form(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        await list_projects_late(program, "e")
        assert "not switched: save or leave the form first, which is for this project" in program.notices
        assert "Web app #1" in program.header
        assert isinstance(program.app.screen, FormScreen)


async def test_inbox_closes_with_its_project(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("3", "i", "V")
        await open_second_project(program)
        await program.settle()
        assert "Mobile #2" in program.header
        assert isinstance(program.app.screen, EventsScreen)


async def test_plan_on_staged_values_is_not_sent(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav", "plus", "space")
        slow = f"/feature_flags/{program.row('new-nav').id}/"
        program.wire.held = lambda request: request.url.path.endswith(slow)
        for key in ("space", "plus"):
            await program.press_without_waiting(key)
        await program.let_go()
        assert program.notices[-1].startswith("not now: Staging began or ended while records were read")
        assert not program.app.screen.is_modal


@pytest.mark.parametrize(
    ("keys", "slow"),
    [(("percent_sign",), "flag"), (("D", "enter", "enter"), "flag"), (("D", "enter", "enter"), "due")],
)
async def test_flag_read_in_a_left_project_opens_nothing(
    setting: Setting, keys: tuple[str, ...], slow: str
) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav", *keys[:-1])
        ends = {"flag": f"/feature_flags/{program.row('new-nav').id}/", "due": "/scheduled_changes/"}
        program.wire.held = lambda request: request.url.path.endswith(ends[slow])
        await program.press_without_waiting(keys[-1])
        await program.wire.is_holding.wait()
        await open_second_project(program)
        await program.let_go()
        assert program.notices[-1].startswith("Another project was opened while records were read")
        assert isinstance(program.app.screen, FlagsScreen)


async def test_secrecy_of_a_left_project_is_forgotten(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("4")
        screen = program.front(ActivityScreen)
        row = screen.record
        assert row is not None
        program.wire.held = lambda request: request.url.path.endswith(f"/feature_flags/{row.flag_id}/")
        screen._learn_secrecy(row)
        await open_second_project(program)
        await program.let_go()
        assert row.flag_id not in screen._secrets


async def test_shown_value_is_that_of_the_present_version(setting: Setting) -> None:
    async with running(setting) as program:
        filters = {"groups": [{"properties": []}], "payloads": {"true": json.dumps({"word": "sesame"})}}
        body = {"key": "config", "is_remote_configuration": True, "filters": filters}
        config = await program.colleague().flags.create(body)
        await program.press("f5")
        await program.go_to("config")
        program.wire.held = lambda request: "blast_radius" in request.url.path
        await program.press_without_waiting("enter")
        await program.press_without_waiting("m")
        await program.let_go()
        screen = program.front(FlagScreen)
        assert "counting…" not in program.screen
        assert "sesame" in json.dumps(screen._study.asked_value)
        changed = {**filters, "payloads": {"true": json.dumps({"word": "poppy"})}}
        await program.colleague().flags.update(config.id, {"filters": changed})
        await program.press("f5")
        assert "poppy" in json.dumps(screen._study.asked_value)


@pytest.mark.parametrize("fault", [None, httpx.Response(401)])
async def test_poll_of_a_left_project_leaves_the_next_alone(
    setting: Setting, fault: httpx.Response | None
) -> None:
    async with running(setting) as program:
        polling, feed = program.app.server.polling, "/feature_flags/activity/"
        program.wire.held = lambda request: request.url.path.endswith(f"/projects/1{feed}")
        program.wire.before = lambda request: fault if program.wire.held(request) else None
        program.app.run_worker(polling.poll())
        await program.wire.is_holding.wait()
        await open_second_project(program)
        await program.let_go()
        assert "● synced just now" in program.header
        program.wire.passed.clear()
        await polling.poll()
        assert program.wire.passed == [f"GET /api/projects/2{feed}"]

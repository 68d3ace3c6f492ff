"""From one profile to another, and a key that stops working replaced without losing what was open."""

import re
from typing import Unpack

import httpx
from msgspec.structs import replace
from tests.doubles import quiet
from tests.doubles.sights import Sight
from tests.doubles.slices import long
from tests.doubles.turned_clock import start_polling
from tests.doubles.whole_program import KEY, WIDE, Program, Setting, running, words
from tests.journeys.flag_form import edit, fill
from tests.journeys.steps import REVOKED, another_key, revoke
from textual.widgets import Static

from flagtui.app.dialogs.picker import PickerScreen
from flagtui.app.experiments.detail.series import SeriesScreen
from flagtui.app.experiments.experiment_screen import ExperimentScreen
from flagtui.app.flags.flag_list import FlagsScreen
from flagtui.app.flags.form.flag_form import FormScreen
from flagtui.app.shell.sign_in import SignInScreen
from flagtui.app.writing.question import ConfirmScreen
from flagtui.changes.guard import Level
from flagtui.local_time import MINUTE
from flagtui.service.keys import NewKey, create_key


async def test_key_revoked_while_reading_results_is_replaced_without_loss(any_mode: Setting) -> None:
    async with running(replace(any_mode, size=WIDE)) as program:
        await program.press("2")
        await program.go_to("is:running", "enter", front=ExperimentScreen)
        seen = results(program)
        assert seen
        revoke(program.wire)
        await program.press("R", front=SignInScreen)
        await fill(program, KEY)
        dialog = words("\n".join(str(text.render()) for text in program.app.screen.query(Static)))
        assert dialog.count("not accepted") == 1
        await program.press("escape")
        assert results(program) == seen
        program.see("not accepted")
        await program.press("R")
        first = another_key(program)
        await fill(program, first, front=ExperimentScreen)
        assert results(program) == seen
        program.see(lacks="not accepted")
        revoke(program.wire, first)
        await program.press("enter", front=SignInScreen)
        await program.press("escape", shows="not accepted", front=SeriesScreen)
        await program.press("f5")
        await fill(program, another_key(program), lacks="not accepted", front=SeriesScreen)
        assert re.search(r"\d+ of \d+ days", words(program.screen))


def results(program: Program) -> list[str]:
    """Each metric with its numbers and its interval."""
    return [line.rpartition("┤")[0].strip(" ▌") for line in program.screen.splitlines() if "(funnel)" in line]


async def test_key_revoked_around_a_question_is_replaced_and_sends_nothing(program: Program) -> None:
    await program.go_to("new-nav")
    revoke(program.wire)
    await program.press("space", front=SignInScreen)
    await fill(program, "phx_nobody_knows_this_one", shows="not accepted", front=SignInScreen)
    first, second = another_key(program), another_key(program)
    await fill(program, first, front=ConfirmScreen, sent=0)
    revoke(program.wire, first)
    await program.press("y", toasts="not saved", front=SignInScreen, sent=1)
    await fill(program, second, front=ConfirmScreen, sent=1)
    assert (program.row("new-nav").active, (await program.stored("new-nav")).active) == (True, True)
    await program.press("y", lacks=second)
    assert not (await program.stored("new-nav")).active
    program.see(sent=2)
    assert [entry.ending for entry in program.journal.entries()] == ["saved", "refused"]


async def test_refused_tab_loads_once_signed_in_again(program: Program) -> None:
    revoke(program.wire)
    await program.press("2", shows="not accepted")
    await program.press("1", "space")
    await fill(program, another_key(program))
    await program.press("escape", "2", shows=("Chart colours", "● synced"))


async def test_sign_in_names_all_its_keys_at_60_columns(setting: Setting) -> None:
    async with running(replace(setting, size=(60, 15))) as program:
        state = program.app.app_state
        state.session = replace(state.session, keep_key=str)
        await program.press("ctrl+l", front=SignInScreen)
        keys = "⏎ sign in and keep key · ctrl+n once · esc later"
        program.see(f" {keys} ─")
        assert program.last_line.split() == keys.replace("·", "").split()


@long
async def test_escape_leaves_the_prompt_for_a_key_above_reads(program: Program) -> None:
    await program.press("x", "x", "x")
    revoke(program.wire)
    await program.press_without_waiting("percent_sign")
    await quiet.settle(program.app, lambda: not program.app.app_state.reading)
    program.see(front=SignInScreen)
    await program.press_without_waiting("escape")
    assert not isinstance(program.app.screen, SignInScreen)


async def test_key_revoked_around_schedules_costs_no_schedule(program: Program) -> None:

    async def count_scheduled() -> int:
        changes = program.colleague().schedule.all({"record_id": program.row("new-nav").id})
        return len(await changes)

    await program.go_to("new-nav")
    revoke(program.wire)
    await program.press("at")
    first = await give_another_key(program)
    await program.press("enter", *"+2h", "enter", shows="Schedule a change in TEST")
    revoke(program.wire, first)
    await program.press("y")
    second = await give_another_key(program, shows="Schedule a change in TEST")
    assert await count_scheduled() == 0
    await program.press("y")
    assert await count_scheduled() == 1
    revoke(program.wire, second)
    await program.press("J", "z")
    third = await give_another_key(program, shows="Undo: drop the change scheduled for new-nav")
    revoke(program.wire, third)
    await program.press("y")
    await give_another_key(program)
    assert await count_scheduled() == 1
    await program.press("y")
    assert await count_scheduled() == 0
    endings = [entry.ending for entry in program.journal.entries()]
    assert endings == ["saved", "refused", "saved", "refused"]


async def give_another_key(program: Program, **sight: Unpack[Sight]) -> str:
    program.see(front=SignInScreen)
    key = another_key(program)
    await fill(program, key, **sight)
    return key


async def test_form_and_list_stay_while_the_key_is_replaced(program: Program) -> None:
    revoke(program.wire)
    await program.press("f5", front=SignInScreen)
    await program.press("escape", shows="sign in again", front=FlagsScreen, rows=248)
    await program.press("ctrl+l")
    await fill(program, another_key(program, "feature_flag:read", "user:read"), shows="● synced")
    program.see(toast="change flags: the key lacks feature_flag:write")
    await program.press("ctrl+l")
    await fill(program, another_key(program))
    await program.go_to("new-nav", "e")
    await edit(program, "description", "careful")
    program.wire.answer("PATCH", httpx.Response(401, json=REVOKED))
    await program.press("ctrl+s", "y")
    program.wire.heal()
    await give_another_key(program, shows="careful", front=ConfirmScreen)
    assert (await program.stored("new-nav")).name != "careful"
    await program.press("escape", shows="careful", front=FormScreen)
    await program.press("ctrl+s", "y")
    assert (await program.stored("new-nav")).name == "careful"


async def test_another_profile_replaces_badge_and_rows(setting: Setting) -> None:
    async with running(replace(setting, neighbours=("prod",))) as program:
        await program.go_to("checkout", "x", "P", shows="prod")
        await program.press("down", "enter", shows="PROD", lacks="TEST")
        assert program.app.app_state.session.rules.level is Level.READ_ONLY
        assert not program.rows.marks
        await program.press("P", "up", "enter", "3", shows="TEST")
        assert program.rows.shown > 0
        program.wire.cut()
        await program.press("P", "down", "enter")
        for tab in ("3", "1"):
            await program.press(tab, shows="PROD", lacks="new-nav", rows=0)


async def test_profile_without_a_key_shows_no_earlier_rows(setting: Setting) -> None:
    async with running(replace(setting, neighbours=("keyless",))) as program:
        await program.press("P", "down", "enter", front=SignInScreen)
        await program.press("escape", shows=("KEYLESS", "There is no API key."), rows=0)
        await program.press("ctrl+l")
        await fill(program, another_key(program), shows=("#1 ", "#2 "), front=PickerScreen)
        await program.press(*"Web", "enter", shows=("KEYLESS", "Web app #1"), rows=248)


async def test_key_for_other_projects_asks_which_to_open(program: Program) -> None:
    await program.press("P", toast="flagtui auth login")
    other = max(project.id for project in await program.colleague().projects.list())
    key = create_key(program.database, NewKey("elsewhere", ("*",), teams=(other,)))
    await program.press("ctrl+l")
    await fill(program, key, front=PickerScreen)
    await program.press("enter", shows=f"#{other}")
    assert 0 < program.rows.shown < 248


async def test_frame_names_a_key_that_a_page_was_refused_for(program: Program) -> None:
    await program.go_to("new-nav", "enter")
    await start_polling(program, MINUTE)
    program.see("synced")
    revoke(program.wire)
    await program.press("h", shows=("not accepted", "sign in again"), lacks="synced")

"""From one profile to another, and a key that stops working replaced without losing what was open."""

import re

import httpx
from msgspec.structs import replace
from tests.doubles import quiet
from tests.doubles.slices import long
from tests.doubles.whole_program import KEY, WIDE, Program, Setting, running, words
from tests.doubles.wire import Wire
from tests.journeys import flag_form
from tests.journeys.keys import REVOKED, another_key, revoke, type_key
from textual.widgets import Static

from flagtui.app.dialogs.picker import PickerScreen
from flagtui.app.experiments.detail.series import SeriesScreen
from flagtui.app.experiments.experiment_screen import ExperimentScreen
from flagtui.app.flags.flag_list import FlagsScreen
from flagtui.app.flags.form.flag_form import FormScreen
from flagtui.app.shell.sign_in import SignInScreen
from flagtui.app.writing.question import ConfirmScreen
from flagtui.changes.guard import Level
from flagtui.service.keys import NewKey, create_key


async def test_key_revoked_while_reading_results_is_replaced_without_loss(any_mode: Setting) -> None:
    async with running(replace(any_mode, size=WIDE)) as program:
        await program.press("2")
        await program.go_to("is:running", "enter")
        assert isinstance(program.app.screen, ExperimentScreen)
        seen = results(program)
        assert seen
        revoke(program.wire)
        await program.press("R")
        assert isinstance(program.app.screen, SignInScreen)
        await type_key(program, KEY)
        dialog = words("\n".join(str(text.render()) for text in program.app.screen.query(Static)))
        assert dialog.count("not accepted") == 1
        await program.press("escape")
        assert results(program) == seen
        assert "not accepted" in words(program.screen)
        await program.press("R")
        first = another_key(program)
        await type_key(program, first)
        assert isinstance(program.app.screen, ExperimentScreen)
        assert results(program) == seen
        assert "not accepted" not in words(program.screen)
        revoke_key(program.wire, first)
        await program.press("enter")
        assert isinstance(program.app.screen, SignInScreen)
        await program.press("escape")
        assert isinstance(program.app.screen, SeriesScreen)
        assert "not accepted" in words(program.screen)
        await program.press("f5")
        await type_key(program, another_key(program))
        assert isinstance(program.app.screen, SeriesScreen)
        assert "not accepted" not in words(program.screen)
        assert re.search(r"\d+ of \d+ days", words(program.screen))


def revoke_key(wire: Wire, key: str) -> None:
    """The server knows this key no more; any other it still knows."""
    refusal = httpx.Response(401, json=REVOKED)
    wire.before = lambda request: refusal if request.headers["authorization"] == f"Bearer {key}" else None


def results(program: Program) -> list[str]:
    """Each metric with its numbers and its interval."""
    return [line.rpartition("┤")[0].strip(" ▌") for line in program.screen.splitlines() if "(funnel)" in line]


async def test_key_revoked_around_a_question_is_replaced_and_sends_nothing(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        revoke_key(program.wire, KEY)
        await program.press("space")
        assert isinstance(program.app.screen, SignInScreen)
        await type_key(program, "phx_nobody_knows_this_one")
        assert isinstance(program.app.screen, SignInScreen)
        assert "not accepted" in words(program.screen)
        first, second = another_key(program), another_key(program)
        await type_key(program, first)
        assert isinstance(program.app.screen, ConfirmScreen)
        assert program.wire.writes() == []
        revoke_key(program.wire, first)
        await program.press("y")
        assert isinstance(program.app.screen, SignInScreen)
        assert any("not saved" in notice for notice in program.notices)
        assert len(program.wire.writes()) == 1
        await type_key(program, second)
        assert isinstance(program.app.screen, ConfirmScreen)
        assert len(program.wire.writes()) == 1
        assert program.row("new-nav").active
        assert (await program.stored("new-nav")).active
        await program.press("y")
        assert not (await program.stored("new-nav")).active
        assert len(program.wire.writes()) == 2
        assert second not in program.screen
        assert [entry.ending for entry in program.journal.entries()] == ["saved", "refused"]


async def test_refused_tab_loads_once_signed_in_again(setting: Setting) -> None:
    async with running(setting) as program:
        revoke_key(program.wire, KEY)
        await program.press("2")
        assert "not accepted" in words(program.screen)
        await program.press("1", "space")
        await type_key(program, another_key(program))
        await program.press("escape", "2")
        assert "Chart colours" in program.screen
        assert "synced" in program.header


async def test_sign_in_names_all_its_keys_at_60_columns(setting: Setting) -> None:
    async with running(replace(setting, size=(60, 15))) as program:
        state = program.app.app_state
        state.session = replace(state.session, keep_key=str)
        await program.press("ctrl+l")
        assert isinstance(program.app.screen, SignInScreen)
        keys = "⏎ sign in and keep key · ctrl+n once · esc later"
        assert f" {keys} ─" in program.screen
        assert program.last_line.split() == keys.replace("·", "").split()


@long
async def test_escape_leaves_the_prompt_for_a_key_above_reads(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("x", "x", "x")
        revoke_key(program.wire, KEY)
        await program.press_without_waiting("percent_sign")
        await quiet.settle(program.app, lambda: not program.app.app_state.reading)
        assert isinstance(program.app.screen, SignInScreen)
        await program.press_without_waiting("escape")
        assert not isinstance(program.app.screen, SignInScreen)


async def test_key_revoked_around_schedules_costs_no_schedule(setting: Setting) -> None:
    async with running(setting) as program:

        async def count_scheduled() -> int:
            changes = program.colleague().schedule.all({"record_id": program.row("new-nav").id})
            return len(await changes)

        await program.go_to("new-nav")
        revoke_key(program.wire, KEY)
        await program.press("at")
        first = await give_another_key(program)
        await program.press("enter", *"+2h", "enter")
        assert "Schedule a change in TEST" in words(program.screen)
        revoke_key(program.wire, first)
        await program.press("y")
        second = await give_another_key(program)
        assert "Schedule a change in TEST" in words(program.screen)
        assert await count_scheduled() == 0
        await program.press("y")
        assert await count_scheduled() == 1
        revoke_key(program.wire, second)
        await program.press("J", "z")
        third = await give_another_key(program)
        assert "Undo: drop the scheduled change of new-nav" in words(program.screen)
        revoke_key(program.wire, third)
        await program.press("y")
        await give_another_key(program)
        assert await count_scheduled() == 1
        await program.press("y")
        assert await count_scheduled() == 0
        endings = [entry.ending for entry in program.journal.entries()]
        assert endings == ["saved", "refused", "saved", "refused"]


async def give_another_key(program: Program) -> str:
    assert isinstance(program.app.screen, SignInScreen)
    key = another_key(program)
    await type_key(program, key)
    return key


async def test_form_and_list_stay_while_the_key_is_replaced(setting: Setting) -> None:
    async with running(setting) as program:
        revoke(program.wire)
        await program.press("f5")
        assert isinstance(program.app.screen, SignInScreen)
        await program.press("escape")
        assert isinstance(program.app.screen, FlagsScreen)
        assert program.rows.shown == 248
        assert "sign in again" in program.header
        await program.press("ctrl+l")
        await type_key(program, another_key(program, "feature_flag:read", "user:read"))
        assert "synced" in program.header
        assert "change flags: the key lacks feature_flag:write" in program.notices[-1]
        await program.press("ctrl+l")
        await type_key(program, another_key(program))
        await program.go_to("new-nav", "e")
        edit = ("enter", "end", "ctrl+u", *"careful", "enter")
        await flag_form.stand_on(program, "description", *edit)
        refusal = httpx.Response(401, json=REVOKED)
        program.wire.before = lambda request: refusal if request.method == "PATCH" else None
        await program.press("ctrl+s", "y")
        program.wire.heal()
        await give_another_key(program)
        assert isinstance(program.app.screen, ConfirmScreen)
        assert "careful" in words(program.screen)
        assert (await program.stored("new-nav")).name != "careful"
        await program.press("escape")
        assert isinstance(program.app.screen, FormScreen)
        assert "careful" in words(program.screen)
        await program.press("ctrl+s", "y")
        assert (await program.stored("new-nav")).name == "careful"


async def test_another_profile_replaces_badge_and_rows(setting: Setting) -> None:
    async with running(replace(setting, neighbours=("prod",))) as program:
        await program.go_to("checkout", "x")
        await program.press("P")
        assert "prod" in words(program.screen)
        await program.press("down", "enter")
        header = program.header
        assert "PROD" in header
        assert "TEST" not in header
        assert program.app.app_state.session.rules.level is Level.READ_ONLY
        assert not program.rows.marks
        await program.press("P", "up", "enter")
        assert "TEST" in program.header
        await program.press("3")
        assert program.rows.shown > 0
        program.wire.before = lambda request: httpx.ConnectError("down")
        await program.press("P", "down", "enter")
        for tab in ("3", "1"):
            await program.press(tab)
            assert "PROD" in program.header
            assert program.rows.shown == 0
            assert "new-nav" not in program.screen


async def test_profile_without_a_key_shows_no_earlier_rows(setting: Setting) -> None:
    async with running(replace(setting, neighbours=("keyless",))) as program:
        await program.press("P", "down", "enter")
        assert isinstance(program.app.screen, SignInScreen)
        await program.press("escape")
        assert "KEYLESS" in program.header
        assert program.rows.shown == 0
        assert "There is no API key." in program.screen
        await program.press("ctrl+l")
        await type_key(program, another_key(program))
        assert isinstance(program.app.screen, PickerScreen)
        assert "#1 " in program.screen
        assert "#2 " in program.screen
        await program.press(*"Web", "enter")
        assert program.rows.shown == 248
        header = program.header
        assert "KEYLESS" in header
        assert "Web app #1" in header


async def test_key_for_other_projects_asks_which_to_open(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("P")
        assert "flagtui auth login" in program.notices[-1]
        await program.press("ctrl+l")
        other = max(project.id for project in await program.colleague().projects.list())
        key = create_key(program.database, NewKey("elsewhere", ("*",), teams=(other,)))
        await type_key(program, key)
        assert isinstance(program.app.screen, PickerScreen)
        await program.press("enter")
        assert f"#{other}" in program.header
        assert 0 < program.rows.shown < 248

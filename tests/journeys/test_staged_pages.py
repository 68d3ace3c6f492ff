"""Pages, questions and forms show the staged state, and what another user changes meanwhile."""

from dataclasses import replace
from typing import Final

from tests.doubles.turned_clock import pass_time, start_polling
from tests.doubles.whole_program import WIDE, Setting, running, words
from tests.journeys.flag_form import fill, stand_on
from tests.journeys.staged_changes import set_on_disk, stage_two

from flagtui.app.journal.staged_screen import StagedScreen
from flagtui.app.writing.question import ConfirmScreen

MINUTE: Final = 60.0


async def test_a_staged_change_is_edited_in_the_set(setting: Setting) -> None:
    async with running(setting) as program:
        await stage_two(program)
        await program.press("ampersand", "e")
        assert "Edit export-parquet" in program.screen
        stand_on(program, "40 %")
        await program.press("percent_sign")
        await fill(program, "55")
        await program.press("ctrl+s")
        assert isinstance(program.app.screen, StagedScreen)
        assert "rollout 75 % → 55 %" in program.screen
        assert len(set_on_disk(program).file.read().changes) == 2
        assert (await program.stored("export-parquet")).targeting.rollout == 75
        await program.press("escape", "u")
        assert "75 → 40 %" in program.screen


async def test_a_staged_new_flag_is_edited_in_the_set(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("plus", "n", "enter", *"brand-new", "enter", "ctrl+s")
        assert "STAGING 1" in program.screen
        await program.press("plus", "ampersand", "e")
        assert "STAGING 1" in program.screen
        stand_on(program, "description")
        await program.press("enter")
        await fill(program, "for everyone")
        await program.press("ctrl+s")
        assert "STAGING 1" in program.screen
        (change,) = set_on_disk(program).file.read().changes
        assert (change.key, change.values["name"]) == ("brand-new", "for everyone")


async def test_questions_begin_with_what_is_staged(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("export-parquet")
        await program.press("plus", "percent_sign", *"40", "enter", "percent_sign")
        assert "40 %" in program.screen
        await program.press("escape")
        flag = await program.stored("export-parquet")
        await program.colleague().flags.update(flag.id, {"name": "Theirs"})
        await program.press("e")
        assert "export-parquet changed since it was staged" in words(program.screen)


async def test_the_page_shows_the_staged_state_old_and_new(setting: Setting) -> None:
    async with running(replace(setting, size=WIDE)) as program:
        await stage_two(program)
        assert "STAGED      Δ condition 1: rollout 75 % →" in program.screen
        assert "REACH       about 206 of 515 users" in program.screen
        await program.press("enter")
        assert "server only   STAGED " in program.screen
        assert "STAGED      Δ condition 1: rollout 75 % → 40 %" in program.screen
        assert "about 206 of 515 users" in program.screen
        await program.press("u")
        assert " STAGED " not in program.screen
        assert "about 386 of 515 users" in program.screen


async def test_who_sees_it_is_evaluated_after_the_set(setting: Setting) -> None:
    async with running(setting) as program:
        await stage_two(program)
        await program.go_to("new-nav")
        await program.press("w", *"user_4", "enter")
        seen = words(program.screen)
        assert "now on" in seen
        assert "once applied off" in seen
        assert "WHAT IS STAGED CHANGES FOR user_4 1 of" in seen
        assert "new-nav on → off" in seen
        await program.press("escape", "escape", "plus", "w", *"user_4", "enter")
        assert "once applied" not in program.screen


async def test_the_page_of_a_staged_event_shows_old_and_new(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("3", "slash", *"export_", "enter", "plus", "V", "enter")
        assert "STAGED      Δ unverified → verified" in program.screen
        await program.press("u")
        assert "STAGED      " not in program.screen


async def test_the_page_of_a_staged_experiment_shows_old_and_new(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("2", "slash", *"is:stopped", "enter", "enter", "plus", "a", "enter")
        assert "STAGED      Δ in the list → archived" in program.screen
        await program.press("u")
        assert "STAGED      " not in program.screen


async def test_a_page_names_a_staged_change_that_is_outdated(setting: Setting) -> None:
    async with running(setting) as program:
        await stage_two(program)
        await program.press("enter")
        flag = await program.stored("export-parquet")
        await program.colleague().flags.update(flag.id, {"name": "Theirs"})
        await program.press("f5")
        assert "CHANGED SINCE" in program.screen
        assert "not shown below, because the record changed since" in words(program.screen)


async def test_a_change_by_another_user_is_marked_and_not_applied(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        await program.press("plus", "space")
        flag = await program.stored("new-nav")
        await program.colleague().flags.update(flag.id, {"name": "Theirs"})
        await program.press("f5")
        assert "○!" in program.screen
        await program.press("ampersand")
        assert "changed since" in program.screen
        await program.press("A")
        assert isinstance(program.app.screen, ConfirmScreen)
        shown = words(program.screen)
        assert "Applies the set to the current records. new-nav changed since (v4 → v5, last by" in shown
        await program.press("escape")
        assert (await program.stored("new-nav")).active
        assert len(set_on_disk(program).file.read().changes) == 1


async def test_polling_marks_a_staged_change_that_is_outdated(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        await program.press("plus", "space")
        clock = await start_polling(program, MINUTE)
        flag = await program.stored("new-nav")
        await program.colleague().flags.update(flag.id, {"name": "Theirs"})
        assert "○Δ" in program.screen
        await pass_time(program, clock, MINUTE)
        assert "○!" in program.screen


async def test_polling_marks_an_outdated_change_in_the_open_set(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        await program.press("plus", "space", "ampersand")
        clock = await start_polling(program, MINUTE)
        flag = await program.stored("new-nav")
        await program.colleague().flags.update(flag.id, {"name": "Theirs"})
        assert "ready" in program.screen
        await pass_time(program, clock, MINUTE)
        assert "changed since" in program.screen


async def test_a_conflict_is_asked_about_with_all_three_sides(setting: Setting) -> None:
    async with running(replace(setting, size=WIDE)) as program:
        await stage_two(program)
        flag = await program.stored("export-parquet")
        filters = {**flag.filters, "groups": [{"properties": [], "rollout_percentage": 90}]}
        await program.colleague().flags.update(flag.id, {"filters": filters})
        await program.press("ampersand", "A")
        shown = words(program.screen)
        assert "another user changed condition 1 since" in shown
        assert "was 75 % theirs 90 % yours 40 %" in shown
        assert "Overwrite theirs" in shown
        await program.press("y")
        assert isinstance(program.app.screen, ConfirmScreen)
        await program.press("o")
        assert (await program.stored("export-parquet")).targeting.rollout == 40
        assert not (await program.stored("new-nav")).active
        assert not set_on_disk(program).file.exists

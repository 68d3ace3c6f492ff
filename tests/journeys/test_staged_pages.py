"""Pages, questions and forms show the staged state, and what another user changes meanwhile."""

from typing import Final

from msgspec.structs import replace
from tests.doubles.expected import require
from tests.doubles.turned_clock import pass_time, start_polling
from tests.doubles.whole_program import WIDE, Program, Setting, running, words
from tests.journeys.flag_form import fill, stand_on
from tests.journeys.staged_changes import set_on_disk, stage_two
from tests.journeys.test_new_flags import other_project
from tests.journeys.test_staging import refuse_second_write
from tests.journeys.test_two_at_once import is_write

from flagtui.app.journal.staged_screen import StagedScreen
from flagtui.app.writing.question import ConfirmScreen

MINUTE: Final = 60.0


async def change_by_colleague(program: Program, key: str, share: int) -> None:
    """Another user sets the rollout of the first condition."""
    flag = await program.stored(key)
    (first, *others) = flag.filters["groups"]
    groups = [{**first, "rollout_percentage": share}, *others]
    await program.colleague().flags.update(flag.id, {"filters": {**flag.filters, "groups": groups}})


async def test_staged_state_is_shown_edited_and_unstaged(setting: Setting) -> None:
    async with running(replace(setting, size=WIDE)) as program:
        await stage_two(program)
        assert "STAGED      Δ condition 1: rollout 75 % →" in program.screen
        assert "REACH       about 206 of 515 users" in program.screen
        await program.press("percent_sign")
        assert "40 %" in program.screen
        await program.press("escape", "enter")
        assert "server only   STAGED " in program.screen
        assert "STAGED      Δ condition 1: rollout 75 % → 40 %" in program.screen
        assert "about 206 of 515 users" in program.screen
        await program.press("ampersand", "e")
        assert "Edit export-parquet" in program.screen
        await stand_on(program, "40 %", "percent_sign")
        await fill(program, "55")
        await program.press("ctrl+s")
        assert isinstance(program.app.screen, StagedScreen)
        assert "rollout 75 % → 55 %" in program.screen
        assert len(set_on_disk(program).file.read().changes) == 2
        assert (await program.stored("export-parquet")).targeting.rollout == 75
        await program.press("escape", "u")
        assert "rollout 75 % → 40 %" in program.screen
        await program.press("u")
        assert " STAGED " not in program.screen
        assert "about 386 of 515 users" in program.screen
        await program.press("escape")
        await program.go_to("new-nav", "w", *"user_4", "enter")
        seen = words(program.screen)
        assert "now on" in seen
        assert "once applied off" in seen
        assert "WHAT IS STAGED CHANGES FOR user_4 1 of" in seen
        assert "new-nav on → off" in seen
        await program.press("escape", "escape", "plus", "w", *"user_4", "enter")
        assert "once applied" not in program.screen


async def test_a_staged_new_flag_is_edited_in_the_set(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("plus", "n", "enter", *"brand-new", "enter", "ctrl+s")
        assert "STAGING 1" in program.screen
        await program.press("plus", "ampersand", "e")
        assert "STAGING 1" in program.screen
        await stand_on(program, "description", "enter")
        await fill(program, "for everyone")
        await program.press("ctrl+s")
        assert "STAGING 1" in program.screen
        (change,) = set_on_disk(program).file.read().changes
        assert (change.key, change.values["name"]) == ("brand-new", "for everyone")


async def test_outdated_changes_show_both_sides_until_the_record_has_them(setting: Setting) -> None:
    async with running(replace(setting, size=WIDE)) as program:
        await stage_two(program)
        await program.go_to("new-nav")
        clock = await start_polling(program, MINUTE)
        assert "○Δ" in program.screen
        navigation = await program.stored("new-nav")
        await program.colleague().flags.update(navigation.id, {"name": "Theirs"})
        await pass_time(program, clock, MINUTE)
        assert "○!" in program.screen
        await program.press("ampersand")
        assert "ready" in program.screen
        await change_by_colleague(program, "export-parquet", 90)
        await pass_time(program, clock, MINUTE)
        shown = words(program.screen)
        assert "ready" not in shown
        assert "now 90 % · condition 1: rollout 75 %" in shown
        assert "another user changed rollout of condition 1 since was 75 % now 90 % staged 40 %" in shown
        assert "e stages it again on the current record" in shown
        await change_by_colleague(program, "export-parquet", 40)
        await program.press("f5")
        assert "now as staged · condition 1" in words(program.screen)
        await program.press("e")
        assert "has these values already" in words(program.screen)
        assert "export-parquet: not staged any more; nothing was sent" in program.notices
        assert "and has these values already; nothing was sent" in words(" ".join(program.notices))
        (change,) = set_on_disk(program).file.read().changes
        assert change.key == "new-nav"


async def test_changes_made_by_others_leave_the_set(setting: Setting) -> None:
    async with running(replace(setting, size=WIDE)) as program:
        await stage_two(program)
        await change_by_colleague(program, "export-parquet", 40)
        await program.press("f5", "ampersand", "A")
        assert "1 skipped, unchanged" in program.screen
        assert "export-parquet changed since" in words(program.screen)
        await program.press("y")
        assert not (await program.stored("new-nav")).active
        assert not set_on_disk(program).file.exists
        assert len(program.wire.writes()) == 1
        await program.press("u", "y", "escape")

        await program.go_to("new-nav", "plus", "space")
        navigation = await program.stored("new-nav")
        await program.colleague().flags.update(navigation.id, {"active": False})
        await program.press("f5", "ampersand", "A")
        assert not program.app.screen.is_modal
        assert "new-nav has the staged values already: not staged any more" in program.notices[-1]
        assert not set_on_disk(program).file.exists
        assert len(program.wire.writes()) == 2


async def test_deleted_records_block_the_set_with_the_next_step(setting: Setting) -> None:
    async with running(replace(setting, size=WIDE)) as program:
        await stage_two(program)
        navigation = await program.stored("new-nav")
        await program.colleague().flags.update(navigation.id, {"deleted": True})
        await program.press("plus", "f5", "ampersand")
        assert "now deleted · on → off" in program.screen
        assert "deleted since" in program.screen
        await program.press("end")
        assert "restore the record first, or unstage the change with z" in words(program.screen)
        await program.press("A")
        notice = program.notices[-1]
        assert "new-nav: the flag has been deleted; nothing was sent" in notice
        assert "restore it first, or unstage it with z in &" in notice
        assert set_on_disk(program).file.exists


async def test_outdated_change_is_staged_again_or_asked_about(setting: Setting) -> None:
    async with running(setting) as program:
        await stage_two(program)
        before = set_on_disk(program).file.read().changes
        navigation = await program.stored("new-nav")
        await program.colleague().flags.update(navigation.id, {"name": "Theirs"})
        await change_by_colleague(program, "export-parquet", 90)
        await program.press("f5", "enter")
        shown = words(program.screen)
        assert "CHANGED SINCE" in shown
        assert "not shown below, because the record changed since" in shown
        assert "& e stages it again on the current record, & z unstages it" in shown
        await program.press("percent_sign")
        assert "flagtui staged" not in program.screen
        await program.press("escape", "e")
        assert "export-parquet changed since it was staged" in words(program.screen)
        await program.press("ampersand")
        assert "now 90 % · condition 1" in words(program.screen)
        await program.press("e")
        assert isinstance(program.app.screen, ConfirmScreen)
        await program.press("escape")
        assert set_on_disk(program).file.read().changes == before
        await program.press("A")
        shown = words(program.screen)
        assert "Applies the set to the current records. new-nav changed since (v4 → v5, last by" in shown
        assert "another user changed rollout of condition 1 since" in shown
        assert "was 75 % theirs 90 % yours 40 %" in shown
        await program.press("escape", "e")
        shown = words(program.screen)
        assert "Stage: change the rollout in" in shown
        assert "Nothing is sent" in shown
        assert "was 75 % theirs 90 % yours 40 %" in shown
        assert "Stage over theirs" in shown
        await program.press("o")
        assert "Edit export-parquet" in program.screen
        await stand_on(program, "40 %", "percent_sign")
        await fill(program, "55")
        await program.press("ctrl+s")
        assert "rollout 90 % → 55 %" in program.screen
        version = (await program.stored("export-parquet")).version
        changes = {change.key: change for change in set_on_disk(program).file.read().changes}
        assert (changes["export-parquet"].version, len(changes)) == (version, 2)
        await change_by_colleague(program, "export-parquet", 70)
        await program.press("A")
        assert "Overwrite theirs" in program.screen
        await program.press("y")
        assert isinstance(program.app.screen, ConfirmScreen)
        assert (await program.stored("new-nav")).active
        await program.press("o")
        assert (await program.stored("export-parquet")).targeting.rollout == 55
        assert not (await program.stored("new-nav")).active
        assert not set_on_disk(program).file.exists


async def test_empty_set_names_what_stages_now(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("ampersand")
        assert "Nothing is staged. + in a list" in words(program.screen)
        await program.press("escape", "plus", "ampersand")
        assert "Nothing is staged. Keys in a list or on a record stage changes." in words(program.screen)


async def test_staging_follows_the_profile(setting: Setting) -> None:
    async with running(replace(setting, neighbours=("prod",))) as program:
        await stage_two(program)
        earlier = program.app.app_state.workspace
        program.app.open_connection()
        await program.settle()
        assert program.app.app_state.workspace is not earlier
        program.app.runner.look_at_staged()
        await program.settle()
        assert "STAGING 2" in program.header
        assert "Δ" in program.screen, "rows that were read again show their staged changes"
        # Its profile changes nothing, so nothing can be staged in it.
        await program.press("P", *"prod", "enter")
        program.app.runner.look_at_staged()
        await program.settle()
        assert "STAGING" not in program.header
        assert "staged 2" in program.header


async def test_applied_changes_leave_their_set_while_another_project_is_open(setting: Setting) -> None:
    async with running(setting) as program:
        await stage_two(program)
        staged = set_on_disk(program)
        await program.press("plus", "ampersand", "A")
        program.wire.held = is_write
        program.timing.now += 1
        await program.press_without_waiting("y")
        await program.wire.is_holding.wait()
        program.app.show_project((await other_project(program)).id)
        await program.let_go()
        assert "2 applied" in program.notices[-1]
        assert not staged.file.exists


async def test_staging_ends_as_soon_as_another_project_is_opened(setting: Setting) -> None:
    async with running(setting) as program:
        await stage_two(program)
        staged = set_on_disk(program)
        program.app.show_project((await other_project(program)).id)
        await program.settle()
        assert "STAGING" not in program.screen
        with staged.hold_set():
            assert len(require(staged.read()).changes) == 2


async def test_set_applied_without_a_journal_offers_no_undo(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("replay-canvas", "space", "y")
        await stage_two(program)
        program.journal.path.unlink()
        program.journal.path.mkdir()
        await program.press("ampersand", "A", "y")
        assert "the journal cannot be written" in words(program.screen)
        refuse_second_write(program.wire)
        await program.press("y")
        assert isinstance(program.app.screen, StagedScreen)
        assert "1 applied, 1 refused" in program.notices[-1]

"""Pages, questions and forms show the staged state, and what another user changes meanwhile."""

from typing import Final

from msgspec.structs import replace
from tests.doubles.expected import require
from tests.doubles.turned_clock import pass_time, start_polling
from tests.doubles.whole_program import WIDE, Program, Setting, running, words
from tests.doubles.wire import WRITE
from tests.journeys.flag_form import edit, stand_on
from tests.journeys.steps import set_on_disk, stage_two
from tests.journeys.test_new_flags import other_project
from tests.journeys.test_staging import refuse_second_write

from flagtui.app.journal.staged_screen import StagedScreen
from flagtui.app.writing.question import ConfirmScreen

MINUTE: Final = 60.0
SIZE: Final = WIDE


async def change_by_colleague(program: Program, key: str, share: int) -> None:
    """Another user sets the rollout of the first condition."""
    flag = await program.stored(key)
    (first, *others) = flag.filters["groups"]
    groups = [{**first, "rollout_percentage": share}, *others]
    await program.colleague().flags.update(flag.id, {"filters": {**flag.filters, "groups": groups}})


async def test_staged_state_is_shown_edited_and_unstaged(program: Program) -> None:
    staged = await stage_two(program)
    program.see("STAGED      Δ condition 1: rollout 75 % →", "REACH       about 206 of 515 users")
    await program.press("percent_sign", shows="40 %")
    await program.press("escape", "enter", shows="server only   STAGED ")
    program.see("STAGED      Δ condition 1: rollout 75 % → 40 %", "about 206 of 515 users")
    await program.press("ampersand", "e", shows="Edit export-parquet")
    await stand_on(program, "40 %", "5", "5", "enter")
    await program.press("ctrl+s", shows="rollout 75 % → 55 %", front=StagedScreen)
    assert len(staged.file.read().changes) == 2
    assert (await program.stored("export-parquet")).targeting.rollout == 75
    await program.press("escape", "u", shows="rollout 75 % → 40 %")
    await program.press("u", shows="about 386 of 515 users", lacks=" STAGED ")
    await program.press("escape")
    await program.go_to("new-nav", "w", *"user_4", "enter", shows=("now on", "once applied off"))
    program.see("WHAT IS STAGED CHANGES FOR user_4 1 of", "new-nav on → off")
    await program.press("escape", "escape", "plus", "w", *"user_4", "enter", lacks="once applied")


async def test_a_staged_new_flag_is_edited_in_the_set(program: Program) -> None:
    await program.press("plus", "n", "enter", *"brand-new", "enter", "ctrl+s", shows="STAGING 1")
    await program.press("plus", "ampersand", "e", shows="STAGING 1")
    await edit(program, "description", "for everyone")
    await program.press("ctrl+s", shows="STAGING 1")
    (change,) = set_on_disk(program).file.read().changes
    assert (change.key, change.values["name"]) == ("brand-new", "for everyone")


async def test_outdated_changes_show_both_sides_until_the_record_has_them(program: Program) -> None:
    staged = await stage_two(program)
    await program.go_to("new-nav")
    clock = await start_polling(program, MINUTE)
    program.see("○Δ")
    navigation = await program.stored("new-nav")
    await program.colleague().flags.update(navigation.id, {"name": "Theirs"})
    await pass_time(program, clock, MINUTE)
    program.see("○!")
    await program.press("ampersand", shows="ready")
    await change_by_colleague(program, "export-parquet", 90)
    await pass_time(program, clock, MINUTE)
    program.see("now 90 % · condition 1: rollout 75 %", lacks="ready")
    program.see("changed since: rollout of condition 1 was 75 % now 90 % staged 40 %")
    program.see("e stages it again on the current record")
    await change_by_colleague(program, "export-parquet", 40)
    await program.press("f5", shows="now as staged · condition 1")
    await program.press("e", shows="has these values already")
    program.see(toasts="export-parquet: not staged any more; nothing was sent")
    assert "and has these values already; nothing was sent" in words(" ".join(program.notices))
    (change,) = staged.file.read().changes
    assert change.key == "new-nav"


async def test_changes_made_by_others_leave_the_set(program: Program) -> None:
    staged = await stage_two(program)
    await change_by_colleague(program, "export-parquet", 40)
    await program.press("f5", "ampersand", "A", shows="1 unchanged")
    program.see("export-parquet changed since")
    await program.press("y")
    assert not (await program.stored("new-nav")).active
    assert not staged.file.exists
    program.see(sent=1)
    await program.press("u", "y", "escape")

    await program.go_to("new-nav", "plus", "space")
    navigation = await program.stored("new-nav")
    await program.colleague().flags.update(navigation.id, {"active": False})
    await program.press("f5", "ampersand", "A")
    assert not program.app.screen.is_modal
    program.see(toast="new-nav has the staged values already: not staged any more")
    assert not staged.file.exists
    program.see(sent=2)


async def test_deleted_records_block_the_set_with_the_next_step(program: Program) -> None:
    staged = await stage_two(program)
    navigation = await program.stored("new-nav")
    await program.colleague().flags.update(navigation.id, {"deleted": True})
    await program.press("plus", "f5", "ampersand", shows=("now deleted · on → off", "deleted since"))
    await program.press("end", shows="restore the record first, or unstage the change with z")
    await program.press("A")
    notice = program.notices[-1]
    assert "new-nav: the flag has been deleted; nothing was sent" in notice
    assert "restore it first, or unstage it with z in &" in notice
    assert staged.file.exists


async def test_outdated_change_is_staged_again_or_asked_about(program: Program) -> None:
    staged = await stage_two(program)
    before = staged.file.read().changes
    navigation = await program.stored("new-nav")
    await program.colleague().flags.update(navigation.id, {"name": "Theirs"})
    await change_by_colleague(program, "export-parquet", 90)
    await program.press("f5", "enter", shows="CHANGED SINCE")
    program.see("not shown below, because the record changed since")
    program.see("& e stages it again on the current record, & z unstages it")
    await program.press("percent_sign", lacks="flagtui staged")
    await program.press("escape", "e", shows="export-parquet changed since it was staged")
    await program.press("ampersand", shows="now 90 % · condition 1")
    await program.press("e", front=ConfirmScreen)
    await program.press("escape")
    assert staged.file.read().changes == before
    await program.press("A")
    program.see("Applies the set to the current records. new-nav changed since (v4 → v5, last by")
    program.see("changed since: rollout of condition 1", "was 75 % now 90 % new 40 %")
    await program.press("escape", "e", shows=("Stage: change the rollout in", "Nothing is sent"))
    program.see("was 75 % now 90 % new 40 %", "Stage over it")
    await program.press("o", shows="Edit export-parquet")
    await stand_on(program, "40 %", "5", "5", "enter")
    await program.press("ctrl+s", shows="rollout 90 % → 55 %")
    version = (await program.stored("export-parquet")).version
    changes = {change.key: change for change in staged.file.read().changes}
    assert (changes["export-parquet"].version, len(changes)) == (version, 2)
    await change_by_colleague(program, "export-parquet", 70)
    await program.press("A", shows="Overwrite it")
    await program.press("y", front=ConfirmScreen)
    assert (await program.stored("new-nav")).active
    await program.press("o")
    assert (await program.stored("export-parquet")).targeting.rollout == 55
    assert not (await program.stored("new-nav")).active
    assert not staged.file.exists


async def test_empty_set_names_what_stages_now(program: Program) -> None:
    await program.press("ampersand", shows="Nothing is staged. + in a list")
    await program.press("escape", "plus", "ampersand")
    program.see("Nothing is staged. Keys in a list or on a record stage changes.")


async def test_staging_follows_the_profile(setting: Setting) -> None:
    async with running(replace(setting, neighbours=("prod",))) as program:
        await stage_two(program)
        earlier = program.app.app_state.workspace
        program.app.open_connection()
        await program.settle()
        assert program.app.app_state.workspace is not earlier
        program.app.runner.look_at_staged()
        await program.settle(shows="STAGING 2")
        assert "Δ" in program.screen, "rows that were read again show their staged changes"
        # Its profile changes nothing, so nothing can be staged in it.
        await program.press("P", *"prod", "enter")
        program.app.runner.look_at_staged()
        await program.settle()
        assert "STAGING" not in program.header
        program.see("staged 2")


async def test_the_set_of_another_program_is_shown(setting: Setting) -> None:
    async with running(setting) as earlier:
        await stage_two(earlier)
    async with running(setting) as program:
        program.app.runner.look_at_staged()
        await program.settle(shows="staged 2")


async def test_applied_changes_leave_their_set_while_another_project_is_open(program: Program) -> None:
    staged = await stage_two(program)
    await program.press("plus", "ampersand", "A")
    program.wire.hold(WRITE)
    await program.press_without_waiting("y")
    await program.wire.is_holding.wait()
    program.app.show_project((await other_project(program)).id)
    await program.let_go(toast="2 applied")
    assert not staged.file.exists


async def test_staging_ends_as_soon_as_another_project_is_opened(program: Program) -> None:
    staged = await stage_two(program)
    program.app.show_project((await other_project(program)).id)
    await program.settle(lacks="STAGING")
    with staged.hold_set():
        assert len(require(staged.read()).changes) == 2


async def test_set_applied_without_a_journal_offers_no_undo(program: Program) -> None:
    await program.go_to("replay-canvas", "space", "y")
    await stage_two(program)
    program.journal.path.unlink()
    program.journal.path.mkdir()
    await program.press("ampersand", "A", "y", shows="the journal cannot be written")
    refuse_second_write(program.wire)
    await program.press("y", toast="1 applied, 1 refused", front=StagedScreen)

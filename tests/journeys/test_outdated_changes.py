"""Staged changes whose record has changed since: both sides in the set, and staging them again."""

from dataclasses import replace

from tests.doubles.whole_program import WIDE, Program, Setting, running, words
from tests.journeys.flag_form import fill, stand_on
from tests.journeys.staged_changes import set_on_disk, stage_two

from flagtui.app.writing.question import ConfirmScreen


async def share_by_colleague(program: Program, key: str, share: int) -> None:
    """Another user sets the rollout, and the app has read the list since."""
    flag = await program.stored(key)
    (first, *others) = flag.filters["groups"]
    groups = [{**first, "rollout_percentage": share}, *others]
    await program.colleague().flags.update(flag.id, {"filters": {**flag.filters, "groups": groups}})
    await program.press("f5")


async def test_set_shows_both_sides_of_an_outdated_change(setting: Setting) -> None:
    async with running(replace(setting, size=WIDE)) as program:
        await stage_two(program)
        await share_by_colleague(program, "export-parquet", 90)
        await program.press("ampersand")
        shown = words(program.screen)
        assert "now 90 % · condition 1: rollout 75 %" in shown
        assert "another user changed rollout of condition 1 since was 75 % now 90 % staged 40 %" in shown
        assert "e stages it again on the current record" in shown


async def test_narrow_set_shows_the_current_value_in_its_row(setting: Setting) -> None:
    async with running(setting) as program:
        await stage_two(program)
        await share_by_colleague(program, "export-parquet", 90)
        await program.press("ampersand")
        assert "now 90 % · condition 1" in words(program.screen)


async def test_outdated_change_is_staged_again_and_edited(setting: Setting) -> None:
    async with running(setting) as program:
        await stage_two(program)
        await share_by_colleague(program, "export-parquet", 90)
        await program.press("ampersand", "e")
        assert isinstance(program.app.screen, ConfirmScreen)
        shown = words(program.screen)
        assert "Stage: change the rollout in" in shown
        assert "Nothing is sent" in shown
        assert "was 75 % theirs 90 % yours 40 %" in shown
        assert "Stage over theirs" in shown
        await program.press("o")
        assert "Edit export-parquet" in program.screen
        stand_on(program, "40 %")
        await program.press("percent_sign")
        await fill(program, "55")
        await program.press("ctrl+s")
        assert "rollout 90 % → 55 %" in program.screen
        assert "changed since" not in program.screen
        version = (await program.stored("export-parquet")).version
        changes = {change.key: change for change in set_on_disk(program).file.read().changes}
        assert (changes["export-parquet"].version, len(changes)) == (version, 2)


async def test_declined_question_keeps_the_outdated_change(setting: Setting) -> None:
    async with running(setting) as program:
        await stage_two(program)
        before = set_on_disk(program).file.read().changes
        await share_by_colleague(program, "export-parquet", 90)
        await program.press("ampersand", "e", "escape")
        assert set_on_disk(program).file.read().changes == before


async def test_change_that_the_record_has_already_is_unstaged(setting: Setting) -> None:
    async with running(setting) as program:
        await stage_two(program)
        await share_by_colleague(program, "export-parquet", 40)
        await program.press("ampersand", "e")
        assert "has these values already" in words(program.screen)
        (change,) = set_on_disk(program).file.read().changes
        assert change.key == "new-nav"


async def test_page_of_an_outdated_change_shows_the_current_record(setting: Setting) -> None:
    async with running(replace(setting, size=WIDE)) as program:
        await stage_two(program)
        await share_by_colleague(program, "export-parquet", 90)
        await program.press("enter")
        shown = words(program.screen)
        assert "CHANGED SINCE" in shown
        assert "not shown below, because the record changed since" in shown
        assert "& e stages it again on the current record, & z unstages it" in shown
        await program.press("percent_sign")
        assert "flagtui staged" not in program.screen

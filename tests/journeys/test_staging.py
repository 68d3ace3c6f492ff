"""Changes are staged with +, reviewed with & and applied together, with one undo."""

from dataclasses import replace

import httpx
from tests.doubles.whole_program import Setting, running, words
from tests.doubles.wire import Wire
from tests.journeys.staged_changes import set_on_disk, stage_two

from flagtui.app.journal.staged_screen import StagedScreen
from flagtui.app.writing.question import ConfirmScreen
from flagtui.changes.guard import GuardRules, Level


async def test_staged_changes_are_applied_with_one_question_and_one_undo(setting: Setting) -> None:
    async with running(setting) as program:
        await stage_two(program)
        assert "STAGING 2" in program.screen
        assert "end staging" in program.screen
        assert "75 → 40 %" in program.screen
        assert (await program.stored("new-nav")).active
        await program.press("ampersand")
        assert isinstance(program.app.screen, StagedScreen)
        assert "rollout 75 % → 40 %" in program.screen
        await program.press("A")
        assert isinstance(program.app.screen, ConfirmScreen)
        assert "Apply: 2 changes" in program.screen
        await program.press("y")
        assert not (await program.stored("new-nav")).active
        assert "Nothing is staged." in program.screen
        assert not set_on_disk(program).file.exists
        assert "STAGING" not in program.screen
        await program.press("escape", "u", "y")
        assert (await program.stored("new-nav")).active
        assert (await program.stored("export-parquet")).targeting.rollout == 75


def refuse_second_write(wire: Wire) -> None:
    """The server refuses the second change."""
    writes = list[httpx.Request]()

    def refuse(request: httpx.Request) -> httpx.Response | None:
        writes.extend([request] if request.method in ("PATCH", "PUT", "POST") else [])
        return httpx.Response(400, json={"detail": "No."}) if writes[1:] == [request] else None

    wire.before = refuse


async def test_undo_after_a_refusal_undoes_what_was_applied(setting: Setting) -> None:
    async with running(setting) as program:
        await stage_two(program)
        await program.press("ampersand", "A")
        refuse_second_write(program.wire)
        await program.press("y")
        shown = words(program.screen)
        assert "stop here" in shown
        assert "continue with the rest" not in shown
        await program.press("down", "enter")
        assert "Undo:" in program.screen
        await program.press("y")
        assert (await program.stored("new-nav")).active
        assert (await program.stored("export-parquet")).targeting.rollout == 75
        assert "staged 1" in program.screen.partition("\n")[0]


async def test_many_changes_are_planned_on_one_list(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("plus", "x", "down", "x", "down", "x", "down", "x", "down", "x", "space")
        assert "STAGING 5" in program.screen
        await program.press("ampersand")
        program.wire.passed.clear()
        await program.press("A")
        assert "Apply: 5 changes" in program.screen
        reads = [path for path in program.wire.passed if "feature_flags/" in path]
        assert reads
        assert all(path.endswith("/feature_flags/") for path in reads)


async def test_u_unstages_the_last_step(setting: Setting) -> None:
    async with running(setting) as program:
        await stage_two(program)
        await program.press("u")
        assert "STAGING 1" in program.screen
        assert "export-parquet: not staged any more" in words(program.screen)
        await program.press("u", "u")
        assert "STAGING 0" in program.screen
        assert "nothing was staged since staging began" in words(program.screen)
        assert not set_on_disk(program).file.exists


async def test_an_unstaged_step_is_staged_again(setting: Setting) -> None:
    async with running(setting) as program:
        await stage_two(program)
        before = set_on_disk(program).file.read().changes
        await program.press("u", "u", "U")
        assert "new-nav: staged as before" in words(program.screen)
        await program.press("U", "U")
        assert set_on_disk(program).file.read().changes == before
        assert "nothing was unstaged since the last step" in words(program.screen)
        await program.press("u", "space", "U")
        assert "nothing was unstaged" in program.notices[-1]


async def test_a_later_change_is_planned_on_the_staged_one(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        await program.press("plus", "space")
        assert "on → off" in program.screen
        await program.press("space")
        assert "STAGING 0" in program.screen
        await program.press("space", "e")
        assert "new-nav" in program.screen
        assert "off" in program.screen


async def test_marked_changes_are_unstaged_and_the_set_gets_a_reason(setting: Setting) -> None:
    async with running(setting) as program:
        await stage_two(program)
        await program.press("ampersand", "r", *"clean up", "enter", "x", "z")
        (change,) = set_on_disk(program).file.read().changes
        assert change.key == "new-nav"
        assert set_on_disk(program).file.read().reason == "clean up"
        assert "A apply" in program.screen
        await program.press("A")
        assert "1 change, clean up" in words(program.screen)
        await program.press("n", "z")
        assert "Nothing is staged" in program.screen
        assert "A apply" not in program.screen
        assert "r reason" not in program.screen


async def test_an_archived_experiment_is_staged(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("2", "slash", *"is:stopped", "enter", "plus", "a", "enter")
        assert "STAGING 1" in program.screen
        await program.press("ampersand")
        assert "in the list → archived" in program.screen
        await program.press("A", "y")
        assert "Nothing is staged." in program.screen
        assert not set_on_disk(program).file.exists


async def test_what_cannot_be_staged_is_refused_with_the_reason(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        await program.press("plus", "at")
        assert "cannot be staged: a schedule is kept by the server" in words(program.screen)
        await program.press("J", "escape", "2", "space")
        assert "experiments change in steps" in words(program.screen)
        await program.press("n")
        assert "a new experiment is made at once" in words(program.screen)


async def test_a_second_program_is_told_who_stages(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        staged = set_on_disk(program)
        with staged.held():
            await program.press("plus")
        assert "another program" in words(program.screen)
        assert "has this change set open" in words(program.screen)
        assert "STAGING" not in program.screen


async def test_what_another_program_stages_is_counted_in_the_header(setting: Setting) -> None:
    async with running(setting) as program:
        await stage_two(program)
        await program.press("plus")
        assert "staged 2" in program.screen.partition("\n")[0]
        staged = set_on_disk(program)
        with staged.held():
            staged.drop(lambda change_set: change_set.changes)
        program.app.runner.look_at_staged()
        await program.settle()
        assert "staged" not in program.screen.partition("\n")[0]


async def test_set_does_not_grow_over_the_profile_limit(setting: Setting) -> None:
    rules = GuardRules(Level.GUARDED, place="TEST", bulk_limit=1)
    async with running(replace(setting, rules=rules)) as program:
        await stage_two(program)
        assert "STAGING 1" in program.screen
        assert "this profile allows 1 at once" in words(program.screen)

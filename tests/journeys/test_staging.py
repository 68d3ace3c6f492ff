"""Changes are staged with +, reviewed with & and applied together, with one undo."""

import asyncio

import httpx
from msgspec.structs import replace
from tests.doubles import quiet
from tests.doubles.whole_program import Setting, running, words
from tests.doubles.wire import Wire
from tests.journeys.staged_changes import set_on_disk, stage_two
from tests.journeys.test_two_at_once import is_write

from flagtui.app.journal.staged_screen import StagedScreen
from flagtui.app.writing.question import ConfirmScreen
from flagtui.changes.guard import GuardRules, Level


async def test_steps_are_unstaged_restaged_and_applied_with_one_undo(setting: Setting) -> None:
    async with running(setting) as program:
        with set_on_disk(program).hold_set():
            await program.press("plus")
        assert "another program" in words(program.screen)
        assert "has this change set open" in words(program.screen)
        assert "STAGING" not in program.screen
        await stage_two(program)
        assert "STAGING 2" in program.screen
        for tab in "2", "3", "1":
            await program.press(tab)
            assert program.last_line.startswith("+ end staging")
        assert "75 → 40 %" in program.screen
        assert "nothing was sent · u undoes it" in words(program.screen)
        before = set_on_disk(program).file.read().changes
        await program.press("u")
        assert "STAGING 1" in program.screen
        assert "export-parquet: not staged any more" in words(program.screen)
        await program.press("u", "u")
        assert "STAGING 0" in program.screen
        assert "nothing was staged since staging began" in words(program.screen)
        assert not set_on_disk(program).file.exists
        await program.press("U")
        assert "new-nav: staged as before" in words(program.screen)
        await program.press("U", "U")
        assert set_on_disk(program).file.read().changes == before
        assert "nothing was undone since the last step" in words(program.screen)
        assert (await program.stored("new-nav")).active
        await program.press("plus", "ampersand")
        assert "staged 2" in program.screen.partition("\n")[0]
        assert isinstance(program.app.screen, StagedScreen)
        assert program.app.screen.leaves_out("app.staged")
        assert not program.app.screen.leaves_out("app.journal")
        assert "rollout 75 % → 40 %" in program.screen
        assert "A apply" in program.screen
        await program.press("A")
        assert isinstance(program.app.screen, ConfirmScreen)
        assert "Apply: 2 changes" in program.screen
        await program.press("y")
        assert not (await program.stored("new-nav")).active
        assert "Nothing is staged." in program.screen
        assert "A apply" not in program.screen
        assert "r reason" not in program.screen
        assert not set_on_disk(program).file.exists
        assert "taged" not in program.screen.partition("\n")[0]
        await program.press("escape", "u", "y")
        assert (await program.stored("new-nav")).active
        assert (await program.stored("export-parquet")).targeting.rollout == 75


async def test_other_kinds_share_the_set_and_steps_replace_another(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav", "plus", "at")
        assert "cannot be staged: a schedule is kept by the server" in words(program.screen)
        await program.press("space")
        assert "on → off" in program.screen
        await program.press("space")
        assert "STAGING 0" in program.screen
        await program.press("plus")
        assert "nothing is staged" in program.notices[-1]
        await program.press("plus", "space", "u", "space", "U")
        assert "nothing was undone" in program.notices[-1]
        await program.press("2", "space")
        assert "experiments change in steps" in words(program.screen)
        await program.press("n")
        assert "a new experiment is made at once" in words(program.screen)
        await program.go_to("is:stopped", "enter", "a", "enter")
        assert "STAGING 2" in program.screen
        assert "STAGED      Δ in the list → archived" in program.screen
        await program.press("escape", "3")
        await program.go_to("export_", "V", "enter")
        assert "STAGED      Δ unverified → verified" in program.screen
        await program.press("u")
        assert "STAGED      " not in program.screen
        await program.press("U", "ampersand", "r", *"clean up", "enter", "down", "x", "z")
        assert "in the list → archived" in program.screen
        assert "unverified → verified" not in program.screen
        assert set_on_disk(program).file.read().reason == "clean up"
        await program.press("A")
        assert "2 changes, clean up" in words(program.screen)
        await program.press("y")
        assert "Nothing is staged." in program.screen
        assert not set_on_disk(program).file.exists


async def test_unstaging_is_undone_also_after_staging_ended(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("space", "y")
        await stage_two(program)
        await program.press("plus", "ampersand")
        before = set_on_disk(program).file.read().changes
        await program.press("z")
        assert "staged 1" in program.screen.partition("\n")[0]
        await program.press("u")
        assert set_on_disk(program).file.read().changes == before
        await program.press("U", "U")
        assert "There is nothing to redo" in program.notices[-1]
        # What another program staged meanwhile is not overwritten.
        staged = set_on_disk(program)
        with staged.hold_set():
            staged.explain("by a command")
        await program.press("u")
        assert isinstance(program.app.screen, StagedScreen)
        assert set_on_disk(program).file.read().reason == "by a command"
        await program.press("u")
        assert "Undo: turn" in program.screen


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
        assert not program.app.runner.is_saving
        await program.press("down", "enter")
        assert "Undo:" in program.screen
        await program.press("y")
        assert (await program.stored("new-nav")).active
        assert (await program.stored("export-parquet")).targeting.rollout == 75
        assert "staged 1" in program.screen.partition("\n")[0]
        staged = set_on_disk(program)
        with staged.hold_set():
            staged.drop(lambda change_set: change_set.changes)
        program.app.runner.look_at_staged()
        await program.settle()
        assert "staged" not in program.screen.partition("\n")[0]


async def test_set_that_stops_reports_its_outcomes(setting: Setting) -> None:
    async with running(setting) as program:
        await stage_two(program)
        await program.press("ampersand", "A")
        refuse_second_write(program.wire)
        await program.press("y", "enter")
        assert "1 applied, 1 refused · u to undo\nexport-parquet: " in program.notices[-1]
        program.wire.before = lambda request: (
            httpx.Response(400, json={"detail": "No."}) if is_write(request) else None
        )
        await program.press("A", "y", "enter")
        assert "export-parquet: The server objects: No.\nNothing was changed." in program.notices[-1]


async def test_steps_are_undone_after_nothing_was_applied(setting: Setting) -> None:
    async with running(setting) as program:
        await stage_two(program)
        program.wire.before = lambda request: (
            httpx.Response(400, json={"detail": "No."}) if is_write(request) else None
        )
        await program.press("ampersand", "A", "escape", "A", "y")
        assert "continue with the rest" in words(program.screen)
        await program.press("enter", "escape")
        assert "STAGING 2" in program.screen
        await program.press("u", "u")
        assert "STAGING 0" in program.screen
        await program.press("u")
        assert "nothing was staged since staging began" in program.notices[-1]


async def test_steps_stay_after_an_earlier_run_applied_a_part(setting: Setting) -> None:
    async with running(setting) as program:
        await stage_two(program)
        staged = set_on_disk(program)
        both = staged.file.read()
        await program.press("ampersand", "A")
        refuse_second_write(program.wire)
        await program.press("y", "enter", "escape")
        # As if the run had ended before it dropped what was applied.
        with staged.hold_set():
            staged.keep(both)
        await program.go_to("checkout-redesign", "plus", "T", *"+later", "enter")
        assert "STAGING 3" in program.screen
        await program.press("ampersand", "A", "escape", "escape")
        assert "STAGING 2" in program.screen
        await program.press("u")
        assert [change.identity for change in staged.file.read().changes] == [both.changes[1].identity]
        await program.press("u")
        assert "nothing was staged since staging began" in program.notices[-1]
        await program.press("U")
        assert "STAGING 2" in program.screen


async def test_changes_up_to_the_limit_are_planned_on_one_list(setting: Setting) -> None:
    rules = GuardRules(Level.GUARDED, place="TEST", bulk_limit=5)
    async with running(replace(setting, rules=rules)) as program:
        await program.press("plus", *["x", "down"] * 4, "x", "space")
        assert "STAGING 5" in program.screen
        await program.press("escape", "down", "space")
        assert "STAGING 5" in program.screen
        assert "this profile allows 5 at once" in words(program.screen)
        await program.press("ampersand")
        program.wire.passed.clear()
        await program.press("A")
        assert "Apply: 5 changes" in program.screen
        reads = [path for path in program.wire.passed if "feature_flags/" in path]
        assert reads
        assert all(path.endswith("/feature_flags/") for path in reads)


async def test_keys_wait_for_a_set_that_is_being_applied(setting: Setting) -> None:
    async with running(setting) as program:
        await stage_two(program)
        await program.press("ampersand", "A")
        program.timing.now += 1
        program.wire.held = lambda _request: len(program.wire.writes()) > 1
        await program.press_without_waiting("y")
        await asyncio.wait_for(program.wire.is_holding.wait(), 5)
        await quiet.settle(program.app)
        assert "applied" in program.screen
        assert "changed since" not in program.screen
        for key in ("A", "z", "u", "escape", "plus"):
            await program.press_without_waiting(key)
            assert not isinstance(program.app.screen, ConfirmScreen)
            assert "the staged set is being applied.\nWait for the result." in program.notices[-1]
        assert len(set_on_disk(program).file.read().changes) == 2
        await program.let_go()
        assert not set_on_disk(program).file.exists
        assert "being applied" not in words(program.screen)
        assert len(program.wire.writes()) == 2


async def test_unreadable_set_names_the_command_that_discards_it(setting: Setting) -> None:
    async with running(setting) as program:
        await stage_two(program)
        await program.press("ampersand")
        screen = program.front(StagedScreen)
        assert screen.rows.shown == 2
        set_on_disk(program).file.path.write_text("{")
        program.app.runner.look_at_staged()
        await program.settle()
        assert "flagtui staged drop --all --profile test --project 1 discards it." in words(program.screen)
        assert screen.rows.shown == 0
        assert "Staged 0" not in program.screen
        assert "STAGING ?" in program.header
        assert "The staged set cannot be read" in program.notices[-1]
        # A step back would write over what the file has.
        await program.press("u")
        assert set_on_disk(program).file.path.read_text() == "{"
        assert "is truncated or not a change set" in program.notices[-1]
        # Nothing could be collected in it.
        await program.press("escape", "plus")
        assert "the staged set cannot be read: & shows why" in program.notices[-1]
        assert "staged ?" in program.header
        await program.press("plus")
        assert not program.app.app_state.is_staging
        assert "is truncated or not a change set" in program.notices[-1]


async def test_leaving_while_staging_names_what_was_not_sent(setting: Setting) -> None:
    async with running(setting) as program:
        await stage_two(program)
        await program.press("q")
        assert program.app.last_words == "not sent: 2 staged changes; & shows all"
    async with running(setting) as program:
        await program.press("q")
        assert program.app.last_words == ""

"""Changes are staged with +, reviewed with & and applied together, with one undo."""

import asyncio

import httpx
from msgspec.structs import replace
from tests.doubles import quiet
from tests.doubles.whole_program import Program, Setting, running
from tests.doubles.wire import WRITE, Wire
from tests.journeys.steps import set_on_disk, stage_two

from flagtui.app.journal.staged_screen import StagedScreen
from flagtui.app.writing.question import ConfirmScreen
from flagtui.changes.guard import GuardRules, Level


async def test_steps_are_unstaged_restaged_and_applied_with_one_undo(program: Program) -> None:
    with set_on_disk(program).hold_set():
        await program.press("plus")
    program.see("another program", "has this change set open", lacks="STAGING")
    staged = await stage_two(program)
    program.see("STAGING 2")
    for tab in "2", "3", "1":
        await program.press(tab)
        assert program.last_line.startswith("+ end staging")
    program.see("75 → 40 %", "nothing was sent · u undoes it")
    before = staged.file.read().changes
    await program.press("u", shows=("STAGING 1", "export-parquet: not staged any more"))
    await program.press("u", "u", shows=("STAGING 0", "nothing was staged since staging began"))
    assert not staged.file.exists
    await program.press("U", shows="new-nav: staged as before")
    await program.press("U", "U", shows="nothing was undone since the last step")
    assert staged.file.read().changes == before
    assert (await program.stored("new-nav")).active
    await program.press("plus", "ampersand", shows=("rollout 75 % → 40 %", "A apply", "staged 2"))
    screen = program.front(StagedScreen)
    assert (screen.leaves_out("app.staged"), screen.leaves_out("app.journal")) == (True, False)
    await program.press("A", shows="Apply: 2 changes", front=ConfirmScreen)
    await program.press("y", shows="Nothing is staged.", lacks=("A apply", "r reason"))
    assert not (await program.stored("new-nav")).active
    assert not staged.file.exists
    assert "taged" not in program.header
    await program.press("escape", "u", "y")
    assert (await program.stored("new-nav")).active
    assert (await program.stored("export-parquet")).targeting.rollout == 75


async def test_other_kinds_share_the_set_and_steps_replace_another(program: Program) -> None:
    await program.go_to("new-nav", "plus", "at", shows="cannot be staged: a schedule is kept by the server")
    await program.press("space", shows="on → off")
    await program.press("space", shows="STAGING 0")
    await program.press("plus", toast="nothing is staged")
    await program.press("plus", "space", "u", "space", "U", toast="nothing was undone")
    await program.press("2", "space", shows="experiments change in steps")
    await program.press("n", shows="a new experiment is created at once")
    await program.go_to("is:stopped", "enter", "a", "enter", shows="STAGING 2")
    program.see("STAGED      Δ in the list → archived")
    await program.press("escape", "3")
    await program.go_to("export_", "V", "enter", shows="STAGED      Δ unverified → verified")
    await program.press("u", lacks="STAGED      ")
    await program.press("U", "ampersand", "r", *"clean up", "enter", "down", "x", "z")
    program.see("in the list → archived", lacks="unverified → verified")
    assert set_on_disk(program).file.read().reason == "clean up"
    await program.press("A", shows="2 changes, clean up")
    await program.press("y", shows="Nothing is staged.")
    assert not set_on_disk(program).file.exists


async def test_unstaging_is_undone_also_after_staging_ended(program: Program) -> None:
    await program.press("space", "y")
    staged = await stage_two(program)
    await program.press("plus", "ampersand")
    before = staged.file.read().changes
    await program.press("z", shows="staged 1")
    await program.press("u")
    assert staged.file.read().changes == before
    await program.press("U", "U", toast="There is nothing to redo")
    # What another program staged meanwhile is not overwritten.
    with staged.hold_set():
        staged.explain("by a command")
    await program.press("u", front=StagedScreen)
    assert staged.file.read().reason == "by a command"
    await program.press("u", shows="Undo: turn")


LONG = "No: this project allows no change of a flag that the mobile apps use until the release"
REFUSAL = httpx.Response(400, json={"detail": LONG})


def refuse_second_write(wire: Wire) -> None:
    """The server refuses the second change."""
    writes = list[httpx.Request]()

    def refuse(request: httpx.Request) -> httpx.Response | None:
        writes.extend([request] if request.method in ("PATCH", "PUT", "POST") else [])
        return REFUSAL if writes[1:] == [request] else None

    wire.before = refuse


async def test_undo_after_a_refusal_undoes_what_was_applied(program: Program) -> None:
    staged = await stage_two(program)
    await program.press("ampersand", "A")
    refuse_second_write(program.wire)
    await program.press("y", shows=(LONG, "stop here"), lacks="continue with the rest")
    assert not program.app.runner.is_saving
    await program.press("down", "enter", shows="Undo:")
    await program.press("y")
    assert (await program.stored("new-nav")).active
    assert (await program.stored("export-parquet")).targeting.rollout == 75
    program.see("staged 1")
    with staged.hold_set():
        staged.drop(lambda change_set: change_set.changes)
    program.app.runner.look_at_staged()
    await program.settle()
    assert "staged" not in program.header


async def test_refused_set_reports_outcomes_and_its_steps_are_undone(program: Program) -> None:
    await stage_two(program)
    program.wire.answer(WRITE, REFUSAL)
    await program.press("ampersand", "A", "escape", "A", "y", shows="continue with the rest")
    await program.press("enter", "escape", shows="STAGING 2")
    await program.press("u", "u", shows="STAGING 0")
    await program.press("u", toast="nothing was staged since staging began")
    await program.press("U", "U", "ampersand", "A")
    refuse_second_write(program.wire)
    await program.press("y", "enter", toast="1 applied, 1 refused · u to undo\nexport-parquet: ")
    program.wire.answer(WRITE, REFUSAL)
    await program.press(
        "A", "y", "enter", toast=f"export-parquet: The server objects: {LONG}.\nNothing was changed."
    )


async def test_steps_stay_after_an_earlier_run_applied_a_part(program: Program) -> None:
    staged = await stage_two(program)
    both = staged.file.read()
    await program.press("ampersand", "A")
    refuse_second_write(program.wire)
    await program.press("y", "enter", "escape")
    # As if the run had ended before it dropped what was applied.
    with staged.hold_set():
        staged.keep(both)
    await program.go_to("checkout-redesign", "plus", "T", *"+later", "enter", shows="STAGING 3")
    await program.press("ampersand", "A", "escape", "escape", shows="STAGING 2")
    await program.press("u")
    assert [change.identity for change in staged.file.read().changes] == [both.changes[1].identity]
    await program.press("u", toast="nothing was staged since staging began")
    await program.press("U", shows="STAGING 2")


async def test_changes_up_to_the_limit_are_planned_on_one_list(setting: Setting) -> None:
    rules = GuardRules(Level.GUARDED, place="TEST", bulk_limit=5)
    async with running(replace(setting, rules=rules)) as program:
        await program.press("plus", *["x", "down"] * 4, "x", "space", shows="STAGING 5")
        await program.press("escape", "down", "space", shows=("STAGING 5", "this profile allows 5 at once"))
        await program.press("ampersand")
        program.wire.passed.clear()
        await program.press("A", shows="Apply: 5 changes")
        reads = [path for path in program.wire.passed if "feature_flags/" in path]
        assert reads
        assert all(path.endswith("/feature_flags/") for path in reads)


async def test_keys_wait_for_a_set_that_is_being_applied(program: Program) -> None:
    staged = await stage_two(program)
    await program.press("ampersand", "A")
    program.wire.held = lambda _request: len(program.wire.writes()) > 1
    await program.press_without_waiting("y")
    await asyncio.wait_for(program.wire.is_holding.wait(), 5)
    await quiet.settle(program.app)
    program.see("applied", lacks="changed since")
    for key in ("A", "z", "u", "escape", "plus"):
        await program.press_without_waiting(key)
        assert not isinstance(program.app.screen, ConfirmScreen)
        program.see(toast="the staged set is being applied.\nWait for the result.")
    assert len(staged.file.read().changes) == 2
    await program.let_go(lacks="being applied")
    assert not staged.file.exists
    program.see(sent=2)


async def test_unreadable_set_names_the_command_that_discards_it(program: Program) -> None:
    path = (await stage_two(program)).file.path
    await program.press("ampersand", rows=2)
    path.write_text("{")
    program.app.runner.look_at_staged()
    await program.settle(shows="flagtui staged drop --all --profile test --project 1 discards it.")
    program.see("STAGING ?", lacks="Staged 0", toast="The staged set cannot be read", rows=0)
    # A step back would write over what the file has.
    await program.press("u", toast="is truncated or not a change set")
    assert path.read_text() == "{"
    # Nothing could be collected in it.
    await program.press(
        "escape", "plus", shows="staged ?", toast="the staged set cannot be read: & shows why"
    )
    await program.press("plus", toast="is truncated or not a change set")
    assert not program.app.app_state.is_staging


async def test_leaving_while_staging_names_what_was_not_sent(setting: Setting) -> None:
    async with running(setting) as program:
        await stage_two(program)
        await program.press("q")
        assert program.app.last_words == "not sent: 2 staged changes; & shows all"
    async with running(setting) as program:
        await program.press("q")
        assert program.app.last_words == ""

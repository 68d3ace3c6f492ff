"""Undo and redo: one stack for everything a person changed in a project."""

from tests.doubles.whole_program import Program, Setting, running, words


async def is_verified(program: Program) -> bool:
    definition = await program.colleague().event_definitions.by_name("checkout completed")
    return definition.verified


async def test_u_walks_back_through_kinds_and_tabs_and_redo_forth(setting: Setting) -> None:
    async with running(setting) as program:
        was = await is_verified(program)
        await program.press("slash", *"new-nav", "enter", "space", "y")
        await program.press("3", "slash", *"checkout completed", "enter", "V", "y")
        assert await is_verified(program) is not was
        await program.press("1", "u")
        assert all(said in words(program.screen) for said in ("Undo: ", "checkout completed"))
        await program.press("y")
        assert "undone: checkout completed" in program.notices[-1]
        assert await is_verified(program) is was
        await program.press("2", "u", "y")
        assert (await program.stored("new-nav")).active
        await program.press("U")
        assert "Redo: turn new-nav off again in TEST" in words(program.screen)
        await program.press("y")
        assert not (await program.stored("new-nav")).active
        await program.press("U", "y")
        assert await is_verified(program) is not was
        await program.press("U")
        assert "There is nothing to redo" in program.notices[-1]


async def test_a_new_change_ends_what_could_be_made_again(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("slash", *"new-nav", "enter", "space", "y", "u", "y")
        await program.press("escape", "slash", *"export-parquet", "enter", "space", "y", "U")
        assert "There is nothing to redo" in program.notices[-1]
        assert (await program.stored("new-nav")).active


async def test_a_pause_of_hours_is_said_before_something_is_taken_back(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("slash", *"new-nav", "enter", "space", "y")
        program.timing.now += 14 * 3_600
        await program.press("u")
        assert "your last change was 14 h ago" in words(program.screen)

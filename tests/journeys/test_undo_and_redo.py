"""Undo and redo: one stack for everything a person changed in a project."""

from tests.doubles.whole_program import Setting, running, words
from tests.journeys.standing import stand_on_event, stored_event


async def test_u_walks_back_through_kinds_until_changes_end_redo(setting: Setting) -> None:
    async with running(setting) as program:
        was = (await stored_event(program, "checkout completed")).verified
        await program.go_to("new-nav")
        await program.press("space", "y")
        await stand_on_event(program, "checkout completed")
        await program.press("V", "y")
        assert (await stored_event(program, "checkout completed")).verified is not was
        await program.press("1", "u")
        assert all(said in words(program.screen) for said in ("Undo: ", "checkout completed"))
        await program.press("y")
        assert "undone: checkout completed" in program.notices[-1]
        assert (await stored_event(program, "checkout completed")).verified is was
        await program.press("2", "u", "y")
        assert (await program.stored("new-nav")).active
        await program.press("U")
        assert "Redo: turn new-nav off again in TEST" in words(program.screen)
        await program.press("y")
        assert not (await program.stored("new-nav")).active
        await program.press("U", "y")
        assert (await stored_event(program, "checkout completed")).verified is not was
        await program.press("U")
        assert "There is nothing to redo" in program.notices[-1]
        program.timing.now += 14 * 3_600
        await program.press("u")
        assert "your last change was 14 h ago" in words(program.screen)
        await program.press("y", "1", "escape", "escape")
        await program.go_to("export-parquet")
        await program.press("space", "y", "U")
        assert "There is nothing to redo" in program.notices[-1]
        assert (await stored_event(program, "checkout completed")).verified is was


async def test_three_of_five_changes_are_undone_with_five_keys(setting: Setting) -> None:
    async with running(setting) as program:
        await program.search("type:boolean is:off")
        await program.press(*["x"] * 5, "a", "y")
        entries = program.journal.entries()
        assert len(entries) == 5
        await program.press("u", "x", "x", "x")
        assert "Undo 3 of 5: " in words(program.screen)
        await program.press("y")
        undone = {entry.record for entry in program.journal.entries() if entry.undoes}
        flags = [await program.colleague().flags.get(entry.record) for entry in entries]
        assert (len(undone), {flag.id for flag in flags if not flag.archived}) == (3, undone)
        await program.press("u")
        assert "2 flags" in words(program.screen)

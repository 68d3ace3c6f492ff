"""One's own changes, searched and taken back."""

from dataclasses import replace

from tests.doubles.whole_program import WIDE, Setting, running, words

from flagtui.app.flags.flag_list import FlagsScreen
from flagtui.app.journal.journal_screen import JournalScreen
from flagtui.app.widgets.row_list import RowList
from flagtui.app.writing.question import ConfirmScreen
from flagtui.changes.journal_entries import Entry, Signature


async def test_the_journal_is_searched_while_typing_and_any_change_is_taken_back(setting: Setting) -> None:
    async with running(replace(setting, size=WIDE)) as program:
        await program.press("J")
        assert "You changed nothing yet." in program.screen
        await program.press("escape")
        assert isinstance(program.app.screen, FlagsScreen)
        for key in ("new-nav", "export-parquet"):
            await program.go_to(key)
            await program.press("space", "y", "escape")
        await program.press("J")
        assert isinstance(program.app.screen, JournalScreen)
        rows = program.app.screen.query_one(RowList)
        assert rows.shown == 2
        assert "z takes it back" in words(program.screen)
        await program.press("slash", *"nav turn")
        assert rows.shown == 1
        await program.press("enter", "z")
        assert isinstance(program.app.screen, ConfirmScreen)
        await program.press("y")
        assert (await program.stored("new-nav")).active
        assert not (await program.stored("export-parquet")).active
        await program.press("escape")
        assert rows.shown == 3
        await program.press("slash", *"zzz")
        assert "None of 3 matches  zzz" in program.screen


async def test_nothing_in_the_journal_is_obeyed_by_the_terminal(setting: Setting) -> None:
    nasty = "[bold]x\x1b]0;owned\x07\u202egnp.exe\x9b31m"
    async with running(setting) as program:
        signature = Signature(nasty, nasty, nasty, nasty)
        program.journal.begin(
            Entry("n", program.timing.now, 7, nasty, nasty, signature, reason=nasty, words=(nasty,))
        )
        await program.press("J")
        assert program.app.screen.query_one(RowList).shown == 1
        assert [each for each in program.screen if each != "\n" and not each.isprintable()] == []
        assert "[bold]x" in program.screen
        await program.press("z")
        assert isinstance(program.app.screen, JournalScreen)

"""What others wrote is only text in the journal, too."""

from dataclasses import replace

import pytest
from tests.doubles.whole_program import Setting, running

from flagtui.app.flags.flag_screen import FlagScreen
from flagtui.app.journal.journal_screen import JournalScreen
from flagtui.app.widgets.row_list import RowList
from flagtui.changes.journal_entries import Entry, Signature


@pytest.mark.parametrize(
    ("size", "change"), [((60, 15), "undo: chang…"), ((80, 24), "undo: change targeting")]
)
async def test_journal_shows_whole_keys_and_outcomes(
    size: tuple[int, int], change: str, setting: Setting
) -> None:
    async with running(replace(setting, size=size)) as program:
        await program.press("percent_sign", *"37", "enter", "y", "u", "y", "J")
        (row,) = [line for line in program.screen.splitlines() if "undo: " in line]
        assert row.split()[1] == "billing-usage-alerts"
        assert f" {change} saved" in " ".join(row.split())


async def test_hostile_entries_are_text_and_others_open_their_flag(setting: Setting) -> None:
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
        await program.press("escape")
        for id, undoes in (("a", ""), ("b", "a"), ("c", "b")):
            entry = Entry(id, program.timing.now, 7, "checkout", "turn off", Signature(), undoes=undoes)
            program.journal.begin(entry)
        await program.press("J")
        assert [words in program.screen for words in ("undo: turn off", "redo: turn off")] == [True, True]
        await program.go_to("is:undo")
        assert [words in program.screen for words in ("undo: turn off", "redo: turn off")] == [True, False]
        await program.press("escape", "escape")
        await program.go_to("new-nav")
        await program.press("at", "enter", *"+2h", "enter", "y")
        await program.press("J", "escape", "enter")
        assert isinstance(program.app.screen, FlagScreen)
        assert "new-nav" in program.screen
        await program.press("escape", "escape", "escape")
        elsewhere = Signature(profile="prod", host="https://other.test", project="1")
        program.journal.begin(Entry("e", program.timing.now, 812, "checkout", "disable", elsewhere))
        await program.press("J", "enter")
        assert isinstance(program.app.screen, JournalScreen)
        assert "checkout is in project 1 of prod; open that first" in program.notices[-1]

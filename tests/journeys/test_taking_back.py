"""Undo of any change in the journal by its path, on the current record; its hostile entries are only text."""

import pytest
from msgspec.structs import replace
from tests.doubles.whole_program import WIDE, Program, Setting, running, words
from tests.journeys.standing import stored_event

from flagtui.app.flags.flag_list import FlagsScreen
from flagtui.app.flags.flag_screen import FlagScreen
from flagtui.app.journal.journal_screen import JournalScreen
from flagtui.app.writing.question import ConfirmScreen
from flagtui.changes.event_definitions.definition_intent import KIND
from flagtui.changes.journal_entries import Entry, Signature
from flagtui.models.rows import ExperimentRow

SIZE = WIDE
EVENT = "checkout completed"


async def test_any_change_is_searched_and_taken_back_in_the_journal(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        await program.press("J")
        assert "You changed nothing yet." in program.screen
        await program.press("escape")
        assert isinstance(program.app.screen, FlagsScreen)
        experiment = await changed_earlier(program)
        await program.go_to("new-nav", "space", "y", "J")
        assert isinstance(program.app.screen, JournalScreen)
        rows = program.rows
        assert rows.shown == 3
        assert "z undoes it" in words(program.screen)
        await program.press("slash", *"nav turn")
        assert rows.shown == 1
        await program.press("enter", "x", "z")
        assert isinstance(program.app.screen, ConfirmScreen)
        await program.press("y")
        assert (await program.stored("new-nav")).active
        assert not rows.marks
        await program.press("escape", "home", "down", "down", "z", "y")
        assert rows.shown == 5
        flag = (await program.colleague().experiments.get(experiment)).feature_flag
        assert flag is not None
        assert flag.active
        await program.press("end", "z")
        question = words(program.screen)
        assert all(side in question for side in ("Mine", "Theirs", "Order paid", "Overwrite theirs"))
        await program.press("y")
        assert (await stored_event(program, EVENT)).description == "Theirs"
        await program.press("o")
        assert (await stored_event(program, EVENT)).description == "Order paid"
        assert "already undone" in words(program.screen)
        assert [entry.undoes != "" for entry in program.journal.entries()] == [True] * 3 + [False] * 3
        await program.press("slash", *"zzz")
        assert "No match in 6 rows for  zzz" in program.screen


async def changed_earlier(program: Program) -> int:
    """An event described, and described otherwise by another person since, and an experiment paused."""
    colleague, signature = program.colleague(), program.signature
    event = (await stored_event(program, EVENT)).id
    await colleague.event_definitions.update(event, {"description": "Theirs"})
    page = await colleague.experiments.page({"status": "running", "limit": 1})
    experiment = page.rows[0]
    await colleague.experiments.pause(experiment.id)
    before, after = {"description": "Order paid"}, {"description": "Mine"}
    began = program.timing.now
    entries = [
        Entry("d", began, 0, EVENT, "describe", signature, KIND, uuid=event, before=before, after=after),
        Entry("p", began + 1, experiment.id, "x", "pause experiment", signature, "experiment"),
    ]
    for entry in entries:
        program.journal.begin(entry)
        program.journal.finish(entry.id, "saved")
    return experiment.id


async def test_launch_is_undone_in_two_questions_flag_first(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        await program.press("2")
        await program.go_to("length of the tour", "L", "y")
        assert await at_hand(program) == ("running", True)
        await program.press("u")
        assert "on → off" in words(program.screen)
        await program.press("y")
        assert "Undo 2 of 2: Reset to a draft" in words(program.screen)
        await program.press("escape")
        assert await at_hand(program) == ("paused", False)
        await program.press("u")
        assert "1 of 2" not in words(program.screen), "the flag is off already"
        assert "paused → draft" in words(program.screen)
        await program.press("y")
        assert await at_hand(program) == ("draft", False)
        launched = program.journal.entries()[-1]
        assert [entry.undoes == launched.id for entry in program.journal.entries()] == [True, False, False]


async def at_hand(program: Program) -> tuple[str, bool]:
    """The state of the experiment under the cursor, and whether its flag is on."""
    row: ExperimentRow | None = program.rows.row
    assert row is not None
    experiment = await program.colleague().experiments.get(row.id)
    return experiment.state, experiment.feature_flag is not None and experiment.feature_flag.active


@pytest.mark.parametrize(
    ("size", "change"), [((60, 15), "undo: change …"), ((80, 24), "undo: change targeting")]
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
        assert program.rows.shown == 1
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
        await program.go_to("new-nav", "at", "enter", *"+2h", "enter", "y")
        await program.press("J", "escape", "enter")
        assert isinstance(program.app.screen, FlagScreen)
        assert "new-nav" in program.screen
        await program.press("escape", "escape", "escape")
        elsewhere = Signature(profile="prod", host="https://other.test", project="1")
        program.journal.begin(Entry("e", program.timing.now, 812, "checkout", "disable", elsewhere))
        await program.press("J", "enter")
        assert isinstance(program.app.screen, JournalScreen)
        assert "checkout is in project 1 of prod; open that first" in program.notices[-1]


async def test_place_of_a_change_is_shown_in_sixty_cells(setting: Setting) -> None:
    async with running(replace(setting, size=(60, 15))) as program:
        await program.go_to("new-nav", "space", "y")
        await program.press("J", "v")
        assert "where test http://127.0.0.1:1 #1" in words(program.screen)


async def test_damaged_journal_is_not_shown_as_empty(setting: Setting) -> None:
    async with running(setting) as program:
        path = program.journal.path
        await program.go_to("new-nav", "space", "y")
        with path.open("ab") as file:
            file.write(b"\xff cut off\n")
        await program.press("J")
        assert "Journal 1, 1 damaged line" in program.screen
        await program.press("escape")
        path.unlink()
        path.mkdir()
        await program.press("J")
        assert "The journal cannot be read, so nothing can be undone." in words(program.screen)
        assert "changed nothing yet" not in words(program.screen)
        await program.press("escape", "u")
        assert f"nothing can be undone: {path}: it is no file." in program.notices[-1]

"""Undo of any change in the journal by its path, on the current record; its hostile entries are only text."""

from msgspec.structs import replace
from tests.doubles.expected import require
from tests.doubles.whole_program import WIDE, Program, Setting, running, words
from tests.journeys.steps import stored_event

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
        await program.press("J", shows="You changed nothing yet.")
        await program.press("escape", front=FlagsScreen)
        experiment = await changed_earlier(program)
        await program.go_to("new-nav", "space", "y", "J", front=JournalScreen)
        rows = program.rows
        assert rows.shown == 3
        program.see("z undoes it")
        await program.press("slash", *"nav turn")
        assert rows.shown == 1
        await program.press("enter", "x", "z", front=ConfirmScreen)
        await program.press("y")
        assert (await program.stored("new-nav")).active
        assert not rows.marks
        await program.press("escape", "home", "down", "down", "z", "y")
        assert rows.shown == 5
        flag = require((await program.colleague().experiments.get(experiment)).feature_flag)
        assert flag.active
        await program.press("end", "z")
        question = words(program.screen)
        assert all(side in question for side in ("Mine", "Theirs", "Order paid", "Overwrite it"))
        await program.press("y")
        assert (await stored_event(program, EVENT)).description == "Theirs"
        await program.press("o")
        assert (await stored_event(program, EVENT)).description == "Order paid"
        program.see("already undone")
        assert [entry.undoes != "" for entry in program.journal.entries()] == [True] * 3 + [False] * 3
        await program.press("slash", *"zzz", shows="No match in 6 rows for  zzz")


async def changed_earlier(program: Program) -> int:
    """An event described, and described otherwise by another person since, and an experiment paused."""
    colleague, app_state = program.colleague(), program.app.app_state
    assert app_state.workspace is not None
    signature = app_state.signature(app_state.workspace)
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
        await program.press("u", shows="on → off")
        await program.press("y", shows="Undo 2 of 2: Reset to a draft")
        await program.press("escape")
        assert await at_hand(program) == ("paused", False)
        await program.press("u")
        assert "1 of 2" not in words(program.screen), "the flag is off already"
        program.see("paused → draft")
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


async def test_hostile_entries_are_text_and_others_open_their_flag(program: Program) -> None:
    nasty = "[bold]x\x1b]0;owned\x07\u202egnp.exe\x9b31m"
    signature = Signature(nasty, nasty, nasty, nasty)
    program.journal.begin(
        Entry("n", program.timing.now, 7, nasty, nasty, signature, reason=nasty, words=(nasty,))
    )
    await program.press("J", rows=1)
    assert [each for each in program.screen if each != "\n" and not each.isprintable()] == []
    program.see("[bold]x")
    await program.press("z", front=JournalScreen)
    await program.press("escape")
    for id, undoes in (("a", ""), ("b", "a"), ("c", "b")):
        entry = Entry(id, program.timing.now, 7, "checkout", "turn off", Signature(), undoes=undoes)
        program.journal.begin(entry)
    await program.press("J")
    assert [words in program.screen for words in ("undo: turn off", "redo: turn off")] == [True, True]
    await program.go_to("is:undo")
    assert [words in program.screen for words in ("undo: turn off", "redo: turn off")] == [True, False]
    await program.press("escape", "escape")
    await program.go_to("new-nav", "at", "enter", *"+2h", "enter", "y", "J", "escape", "enter")
    program.see("new-nav", front=FlagScreen)
    await program.press("escape", "escape", "escape")
    elsewhere = Signature(profile="prod", host="https://other.test", project="1")
    program.journal.begin(Entry("e", program.timing.now, 812, "checkout", "disable", elsewhere))
    await program.press("J", "enter", front=JournalScreen)
    program.see(toast="checkout is in project 1 of prod; open that first")


async def test_place_of_a_change_is_shown_in_sixty_cells(setting: Setting) -> None:
    async with running(replace(setting, size=(60, 15))) as program:
        await program.go_to("new-nav", "space", "y", "J", "v", shows="where test http://127.0.0.1:1 #1")


async def test_journal_looks_up_what_waited_for_approval(program: Program) -> None:
    flag, here = await program.stored("new-nav"), require(program.app.app_state.workspace)
    entry = Entry("w", program.timing.now, flag.id, flag.key, "turn off", version=flag.version,
                  signature=program.app.app_state.signature(here), after={"active": False})  # fmt: skip
    program.journal.begin(entry)
    program.journal.finish("w", "awaiting approval")
    await program.press("J", shows="awaiting approval")
    await program.press("escape")
    await program.colleague().flags.disable(flag.id)
    await program.press("J", shows="z undoes it", lacks="awaiting approval")


async def test_damaged_journal_is_not_shown_as_empty(program: Program) -> None:
    path = program.journal.path
    await program.go_to("new-nav", "space", "y")
    with path.open("ab") as file:
        file.write(b"\xff cut off\n")
    await program.press("J", shows="Journal 1, 1 damaged line")
    await program.press("escape")
    path.unlink()
    path.mkdir()
    await program.press("J", shows="The journal cannot be read, so nothing can be undone.")
    program.see(lacks="changed nothing yet")
    await program.press("escape", "u", toast=f"nothing can be undone: {path}: it is no file.")

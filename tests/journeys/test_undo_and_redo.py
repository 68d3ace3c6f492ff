"""Turning a flag off and on again with all that can come between; undo and redo of all kinds in one stack."""

import re

from tests.doubles import quiet
from tests.doubles.expected import require
from tests.doubles.whole_program import Program, words
from tests.doubles.wire import WRITE
from tests.journeys.steps import stand_on_event, stored_event
from textual.screen import ModalScreen

from flagtui.app.flags.flag_list import FlagsScreen
from flagtui.app.writing.question import ConfirmScreen
from flagtui.app.writing.typed_entry import Typed


async def test_u_walks_back_through_kinds_until_changes_end_redo(program: Program) -> None:
    was = (await stored_event(program, "checkout completed")).verified
    await program.go_to("new-nav", "space", "y")
    await stand_on_event(program, "checkout completed", "V", "y")
    assert (await stored_event(program, "checkout completed")).verified is not was
    await program.press("1", "u")
    assert all(phrase in words(program.screen) for phrase in ("Undo: ", "checkout completed"))
    await program.press("y", toast="undone: checkout completed")
    assert (await stored_event(program, "checkout completed")).verified is was
    await program.press("2", "u", "y")
    assert (await program.stored("new-nav")).active
    await program.press("U", shows="Redo: turn new-nav off again in TEST")
    await program.press("y")
    assert not (await program.stored("new-nav")).active
    await program.press("U", "y")
    assert (await stored_event(program, "checkout completed")).verified is not was
    await program.press("U", toast="There is nothing to redo")
    program.timing.now += 14 * 3_600 + 60
    await program.press("u", shows="your last change was 14 h ago")
    await program.press("y", "1", "escape", "escape")
    await program.go_to("export-parquet", "space", "y", "U", toast="There is nothing to redo")
    assert (await stored_event(program, "checkout completed")).verified is was


async def test_three_of_five_changes_are_undone_with_five_keys(program: Program) -> None:
    await program.search("type:boolean is:off", *["x"] * 5, "a", "y")
    entries = program.journal.entries()
    assert len(entries) == 5
    await program.press("u", "x", "x", "x", shows="Undo 3 of 5: ")
    await program.press("y")
    undone = {entry.record for entry in program.journal.entries() if entry.undoes}
    flags = [await program.colleague().flags.get(entry.record) for entry in entries]
    assert (len(undone), {flag.id for flag in flags if not flag.archived}) == (3, undone)
    await program.press("u", shows="2 flags")


async def test_results_of_an_undo_offer_no_undo_of_their_own(program: Program) -> None:
    await program.search("type:boolean is:on tag:web", "x", "x", "%", *"33", "enter", "y")
    first, _ = program.journal.entries()
    await program.colleague().flags.update(int(first.record), first.before)
    await program.press("u", "y", shows=("1 undone, 1 unchanged", "⏎ open · esc close"))


async def test_only_many_chosen_changes_are_confirmed_by_their_number(program: Program) -> None:
    await program.search("type:boolean is:off", *["x"] * 10, "a", *"10", "enter", "u")
    assert isinstance(program.app.focused, Typed)
    keys = program.last_line
    await program.press("x")
    assert program.last_line.startswith("y Undo")
    assert require(program.app.focused).id == "cancel"
    await program.press("up", "x")
    assert program.last_line == keys
    assert isinstance(program.app.focused, Typed)
    await program.press(*"10", "enter")
    undone = [entry for entry in program.journal.entries() if entry.undoes]
    assert [entry.ending for entry in undone] == ["saved"] * 10


async def test_undo_waits_for_the_change_in_flight(program: Program) -> None:
    await program.go_to("replay-canvas", "space", "y")
    await program.go_to("new-nav", "space")
    program.wire.hold(WRITE)
    await program.press_without_waiting("y")
    await program.wire.is_holding.wait()
    await program.press_without_waiting("u")
    await program.app.runner.prepared.wait()
    await quiet.settle(program.app)
    program.see(toast="Changes are still being saved.")
    await program.let_go()
    await program.press("u", shows="Undo: turn new-nav on again")


async def test_experiments_of_one_name_are_undone_each(program: Program) -> None:
    experiments = program.colleague().experiments
    for key in ("same-a", "same-b"):
        await experiments.launch((await experiments.create("Same name", key)).id)
    await program.press("2", "R")
    await program.search("Same name", "x", "x", "space", "y", "u", "y")
    entries = program.journal.entries()
    assert {entry.id for entry in entries if not entry.undoes} == {entry.undoes for entry in entries} - {""}
    await program.press("u", toast="You have no change left to undo")


async def test_flag_is_turned_off_in_the_database_and_undone(program: Program) -> None:
    await program.go_to("new-nav")
    for answer in (["escape"], ["n"], ["enter"], ["space", "escape"]):
        await program.press("space", front=ConfirmScreen)
        await program.press(*answer, front=FlagsScreen, sent=0)
    await program.colleague().flags.update(program.row("new-nav").id, {"name": "Somebody else was here"})
    question = ("Turn OFF in TEST", "Newer changes v", "on → off", "users lose it")
    await program.press("space", shows=question, lacks="true")
    # The same moment as the key before: a held key, or keys typed ahead.
    await program.pilot.press("y")
    await program.settle(shows="nothing was sent", sent=0)
    assert (await program.stored("new-nav")).active
    await program.press("y", toast="new-nav is off · u to undo")
    assert not (await program.stored("new-nav")).active
    assert not program.row("new-nav").active
    await program.press("u", shows="Undo: turn new-nav on again in TEST")
    await program.press("y")
    assert (await program.stored("new-nav")).active
    await program.colleague().flags.update(program.row("new-nav").id, {"active": False})
    await program.press("u", shows="You have no change left to undo")
    await program.press("U", shows="new-nav already has the values to restore; nothing was sent.")
    program.see(lacks="Undo again", sent=2)


async def test_flags_of_each_other_are_switched_together_and_asked_once(program: Program) -> None:

    def are_on() -> list[bool]:
        return [program.row(key).active for key in ("checkout-v2-banner", "checkout-redesign")]

    await program.go_to("checkout-redesign", "space", shows="Turn OFF 2 flags in TEST")
    program.see("also turned off: it depends on checkout-redesign")
    program.see("Reach: not known: only that of checkout-redesign is counted")
    assert re.search("Reach: up to [0-9,]+ of [0-9,]+ users lose it", words(program.screen))
    program.see(sent=0)
    await program.press("y")
    # The one that depends goes first, as the server wants it.
    ids = [program.row(key).id for key in ("checkout-v2-banner", "checkout-redesign")]
    assert [int(line.rstrip("/").rsplit("/", 1)[1]) for line in program.wire.writes()] == ids
    assert are_on() == [False, False]
    await program.press("u", "y")
    assert are_on() == [True, True]
    await program.press("space", "y")
    await program.go_to("checkout-v2-banner", "space")
    program.see("also turned on: checkout-v2-banner depends on it")
    await program.press("y")
    assert are_on() == [True, True]
    program.wire.hold("GET")
    for key in ("space", "u", "n"):
        program.wire.let_go.clear()
        await program.hold(key, times=6)
        await program.let_go(front=ModalScreen)
        # A held key asks once.
        await program.press("escape", front=FlagsScreen)

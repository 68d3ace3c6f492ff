"""The header while a question is prepared, facts that come late, and a journal that cannot be written."""

import asyncio
import shutil
from typing import Unpack

from tests.doubles import quiet
from tests.doubles.sights import Sight
from tests.doubles.whole_program import Program, Setting, words
from tests.journeys.steps import hold_flag

from flagtui.app.flags.form.rollout import RolloutScreen
from flagtui.app.writing.question import ConfirmScreen


async def begin(program: Program, key: str, **sight: Unpack[Sight]) -> None:
    """Press a key, and look once the header shows what is read, or that a change is saved."""
    state, event = program.app.app_state, asyncio.Event()

    def listen() -> None:
        if state.reading or state.saving:
            event.set()

    await program.press_without_waiting(key)
    stop = state.watch(listen)
    # On a busy machine it is there already.
    listen()
    try:
        async with asyncio.timeout(10):
            await event.wait()
    finally:
        stop()
    program.see(**sight)


async def cancel(program: Program, what: str) -> None:
    """Press Escape while something is read."""
    await quiet.press(program.app, "escape")
    await program.let_go(toast=f"The command was cancelled while reading {what}; it changed nothing.")
    assert not program.app.screen.is_modal


async def test_slow_list_of_projects_is_named_and_cancelled(program: Program) -> None:
    for lines, key in (("1", "p"), ("1", "D"), ("2", "D")):
        await program.press(lines)
        program.wire.hold("/projects/$")
        await begin(program, key, shows="reading the projects… esc cancels")
        await cancel(program, "the projects")


async def test_several_saves_in_flight_are_counted(program: Program) -> None:
    await program.go_to("type:boolean is:on", "x", "x", "space")
    program.wire.hold("PATCH")
    program.wire.held = lambda _request: len(program.wire.writes()) > 1
    await begin(program, "y", shows="saving 1 of 2…")
    await program.let_go(lacks="saving", toast="2 off")


async def test_slow_reads_and_saves_are_named_and_reads_cancelled(program: Program) -> None:
    wire = program.wire
    await program.go_to("new-nav")
    wire.hold("GET")
    await begin(program, "space", shows="reading new-nav…")
    await program.let_go(lacks="reading", front=ConfirmScreen)
    wire.hold("PATCH")
    await begin(program, "y", shows="saving…")
    # A fault that ended the program now would add this to its last words.
    assert "the next start checks" in program.app.words_about_open_changes()
    await program.let_go(lacks="saving…")
    assert program.app.words_about_open_changes() == ""

    await program.press("at", "enter", *"+2h")
    wire.hold("GET")
    await begin(program, "enter")
    await cancel(program, "new-nav")

    await program.press("escape", "x", "x", "x")
    hold_flag(program, "new-nav")
    await begin(program, "percent_sign")
    while "2 of 3 flags" not in program.app.app_state.reading:
        await quiet.settle(program.app)
    program.see("reading 2 of 3 flags… esc cancels")
    await cancel(program, "2 of 3 flags")
    assert "reading" not in words(program.header)
    await program.press("percent_sign", front=RolloutScreen)
    assert len(wire.writes()) == 1


async def test_leaving_waits_for_a_save_and_can_be_cancelled(program: Program) -> None:
    wire, app = program.wire, program.app
    await program.go_to("new-nav", "space")
    wire.hold("PATCH")
    await begin(program, "y")
    leaving = "Leaving once the change in flight is saved; q leaves at once, esc stays."
    await program.press_without_waiting("q", shows=leaving)
    await program.press_without_waiting("2")
    assert app.tabs.current == "2", "other keys work meanwhile"
    await program.press_without_waiting("escape", lacks="Leaving")
    await program.press_without_waiting("1")
    wire.hold("feature_flags")
    await program.press_without_waiting("space")
    while not app.app_state.reading:
        await quiet.settle(app)
    program.see("saving…, reading new-nav… esc cancels")
    await program.press_without_waiting("escape")
    await program.let_go()
    assert not (await program.stored("new-nav")).active

    await program.press("space")
    wire.let_go.clear()
    await begin(program, "y")
    await program.press_without_waiting("q")
    assert app.last_words == ""
    await program.press_without_waiting("q")
    assert app.last_words == "a change got no response; the journal lists it as not known"


async def test_late_facts_and_an_unwritable_journal_join_the_question(
    setting: Setting, program: Program
) -> None:
    wire = program.wire
    await program.go_to("new-nav")
    wire.hold("user_blast_radius|dependent_flags|/activity")
    await program.press("space", front=ConfirmScreen)
    await program.press("escape")
    await quiet.settle(program.app, lambda: bool(wire.waiting))
    assert program.app.app_state.reading == "", "a question that is declined asks for nothing more"
    await program.press("space", shows="Reach not known yet: still asking")
    await program.let_go(shows="lose it")
    # The same moment as the change of the question.
    await quiet.press(program.app, "y")
    await program.settle(shows="the question changed; read it and confirm again")
    assert wire.writes() == []
    await program.press("y")
    assert not (await program.stored("new-nav")).active
    wire.let_go.clear()
    await program.press("u", shows="not known yet")
    await program.let_go(shows="gain it")
    await program.press("y")
    assert (await program.stored("new-nav")).active

    wire.held = lambda request: False
    sent = len(wire.writes())
    shutil.rmtree(setting.folder / "journal")
    (setting.folder / "journal").write_text("")
    await program.press("space", "y", shows="the journal cannot be written", front=ConfirmScreen)
    program.see("the change then cannot be undone")
    assert len(wire.writes()) == sent
    await program.press("escape")
    assert (await program.stored("new-nav")).active
    await program.press("space", "y", "y")
    assert not (await program.stored("new-nav")).active
    assert "u to undo" not in program.notices[-1]


async def test_late_fact_of_a_question_that_closes_is_not_drawn(program: Program) -> None:
    await program.go_to("new-nav", "space")
    screen = program.front(ConfirmScreen)
    # What is on a screen that closes is removed before the screen itself.
    await screen.query("#question > *").remove()
    screen.show(screen.asked)
    await program.press("escape")
    assert program.app.return_code is None


async def test_change_goes_on_above_a_dialog_opened_meanwhile(program: Program) -> None:
    await program.go_to("new-nav")
    program.wire.hold("GET")
    await program.press_without_waiting("percent_sign", "question_mark")
    program.wire.let_go.set()
    await quiet.settle(program.app, lambda: not isinstance(program.app.screen, RolloutScreen))
    await program.press(*"50", "enter")
    await quiet.settle(program.app, lambda: not isinstance(program.app.screen, ConfirmScreen))
    await program.press("y")
    await quiet.settle(program.app, lambda: not program.wire.writes() or program.app.runner.is_saving)
    assert (await program.stored("new-nav")).targeting.rollout == 50

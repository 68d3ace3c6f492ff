"""The header while a question is prepared, facts that come late, and a journal that cannot be written."""

import asyncio

from httpx import Request
from tests.doubles import quiet
from tests.doubles.whole_program import Program, Setting, running, words

from flagtui.app.flags.form.rollout import RolloutScreen
from flagtui.app.writing.question import ConfirmScreen


async def heard(program: Program) -> None:
    """Until the header shows what is read, or that a change is saved."""
    state, event = program.app.app_state, asyncio.Event()

    def listen() -> None:
        if state.reading or state.shows_saving:
            event.set()

    stop = state.watch(listen)
    # On a busy machine it is there already.
    listen()
    try:
        async with asyncio.timeout(10):
            await event.wait()
    finally:
        stop()


async def test_slow_list_of_projects_is_named_and_cancelled(setting: Setting) -> None:
    async with running(setting) as program:
        for lines, key in (("1", "p"), ("1", "D"), ("2", "D")):
            await program.press(lines)
            program.wire.let_go.clear()
            program.wire.held = lambda request: request.url.path.endswith("/projects/")
            await program.press_without_waiting(key)
            await heard(program)
            assert "reading the projects… esc cancels" in words(program.screen)
            await quiet.press(program.app, "escape")
            await program.let_go()
            assert program.notices[-1].startswith("The command was cancelled while reading the projects;")
            assert not program.app.screen.is_modal


async def test_slow_reads_and_saves_are_named_and_reads_cancelled(setting: Setting) -> None:
    async with running(setting) as program:
        wire = program.wire
        await program.go_to("new-nav")
        wire.held = lambda request: request.method == "GET"
        await program.press_without_waiting("space")
        await heard(program)
        assert "reading new-nav…" in words(program.screen)
        await program.let_go()
        assert isinstance(program.app.screen, ConfirmScreen)
        assert "reading" not in words(program.screen)
        wire.let_go.clear()
        wire.held = lambda request: request.method == "PATCH"
        program.timing.now += 1
        await program.press_without_waiting("y")
        await heard(program)
        assert "saving…" in words(program.screen)
        # A fault that ended the program now would add this to its last words.
        assert "the next start checks" in program.app.words_about_open_changes()
        await program.let_go()
        assert "saving…" not in words(program.screen)
        assert program.app.words_about_open_changes() == ""

        await program.press("at", "enter", *"+2h")
        wire.let_go.clear()
        wire.held = lambda request: request.method == "GET"
        await program.press_without_waiting("enter")
        await heard(program)
        await quiet.press(program.app, "escape")
        await program.let_go()
        assert program.notices[-1] == "The command was cancelled while reading new-nav; it changed nothing."
        assert not program.app.screen.is_modal

        await program.press("escape", "x", "x", "x")
        slow = f"/feature_flags/{program.row('new-nav').id}/"
        wire.let_go.clear()
        wire.held = lambda request: request.url.path.endswith(slow)
        await program.press_without_waiting("percent_sign")
        await heard(program)
        while "2 of 3 flags" not in program.app.app_state.reading:
            await quiet.settle(program.app)
        assert "reading 2 of 3 flags… esc cancels" in words(program.screen)
        await quiet.press(program.app, "escape")
        await program.let_go()
        assert (
            program.notices[-1] == "The command was cancelled while reading 2 of 3 flags; it changed nothing."
        )
        assert not program.app.screen.is_modal
        assert "reading" not in words(program.header)
        await program.press("percent_sign")
        assert program.app.screen.is_modal
        assert len(wire.writes()) == 1


async def test_leaving_waits_for_a_save_and_can_be_cancelled(setting: Setting) -> None:
    async with running(setting) as program:
        wire, app = program.wire, program.app
        await program.go_to("new-nav", "space")
        wire.held = lambda request: request.method == "PATCH"
        program.timing.now += 1
        await program.press_without_waiting("y")
        await heard(program)
        await program.press_without_waiting("q")
        leaving = "Leaving once the change in flight is saved; q leaves at once, esc stays."
        assert leaving in words(program.screen)
        await program.press_without_waiting("2")
        assert app.tabs.current == "2", "other keys work meanwhile"
        await program.press_without_waiting("escape")
        assert "Leaving" not in words(program.screen)
        await program.press_without_waiting("1")
        wire.held = lambda request: "feature_flags" in request.url.path
        await program.press_without_waiting("space")
        while not app.app_state.reading:
            await quiet.settle(app)
        assert "saving…, reading new-nav… esc cancels" in words(program.screen)
        await program.press_without_waiting("escape")
        await program.let_go()
        assert not (await program.stored("new-nav")).active

        await program.press("space")
        wire.let_go.clear()
        program.timing.now += 1
        await program.press_without_waiting("y")
        await heard(program)
        await program.press_without_waiting("q")
        assert app.last_words == ""
        await program.press_without_waiting("q")
        assert app.last_words == "a change got no response; the journal lists it as not known"


def of_surroundings(request: Request) -> bool:
    """Whether it is about what surrounds a flag."""
    return any(part in request.url.path for part in ("user_blast_radius", "dependent_flags", "/activity"))


async def test_late_facts_and_an_unwritable_journal_join_the_question(setting: Setting) -> None:
    async with running(setting) as program:
        wire = program.wire
        await program.go_to("new-nav")
        wire.held = of_surroundings
        await program.press("space")
        assert isinstance(program.app.screen, ConfirmScreen)
        await program.press("escape")
        await quiet.settle(program.app, lambda: bool(wire.waiting))
        assert program.app.app_state.reading == "", "a question that is declined asks for nothing more"
        await program.press("space")
        assert "Reach not known yet: still asking" in words(program.screen)
        await program.let_go()
        assert "lose it" in words(program.screen)
        await program.press_without_waiting("y")
        assert "the question changed; read it and confirm again" in words(program.screen)
        assert wire.writes() == []
        await program.press("y")
        assert not (await program.stored("new-nav")).active
        wire.let_go.clear()
        await program.press("u")
        assert "not known yet" in words(program.screen)
        await program.let_go()
        assert "gain it" in words(program.screen)
        await program.press("y")
        assert (await program.stored("new-nav")).active

        wire.held = lambda request: False
        sent = len(wire.writes())
        folder = setting.folder / "journal"
        for file in folder.glob("*") if folder.is_dir() else ():
            file.unlink()
        if folder.is_dir():
            folder.rmdir()
        folder.write_text("")
        await program.press("space", "y")
        assert isinstance(program.app.screen, ConfirmScreen)
        question = words(program.screen)
        assert "the journal cannot be written" in question
        assert "the change then cannot be undone" in question
        assert len(wire.writes()) == sent
        await program.press("escape")
        assert (await program.stored("new-nav")).active
        await program.press("space", "y", "y")
        assert not (await program.stored("new-nav")).active
        assert "u to undo" not in program.notices[-1]


async def test_late_fact_of_a_question_that_closes_is_not_drawn(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav", "space")
        screen = program.front(ConfirmScreen)
        # What is on a screen that closes is removed before the screen itself.
        await screen.query("#question > *").remove()
        screen.show(screen.asked)
        await program.press("escape")
        assert program.app.return_code is None


async def test_change_goes_on_above_a_dialog_opened_meanwhile(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        program.wire.held = lambda request: request.method == "GET"
        for key in ("percent_sign", "question_mark"):
            await program.press_without_waiting(key)
        program.wire.let_go.set()
        await quiet.settle(program.app, lambda: not isinstance(program.app.screen, RolloutScreen))
        await program.press(*"50", "enter")
        await quiet.settle(program.app, lambda: not isinstance(program.app.screen, ConfirmScreen))
        await program.press("y")
        await quiet.settle(program.app, lambda: not program.wire.writes() or program.app.runner.is_saving)
        assert (await program.stored("new-nav")).targeting.rollout == 50

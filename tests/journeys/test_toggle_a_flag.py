"""Turning a flag off and on again, with everything that can come between."""

from tests.doubles.whole_program import Setting, running, words


async def test_flag_is_turned_off_in_the_database_and_undone(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        for answer in ("escape", "n", "enter", "space"):
            await program.press("space")
            assert program.app.screen.is_modal, answer
            await program.press(answer, *["escape"] * (answer == "space"))
            assert program.wire.writes() == [], answer
            assert not program.app.screen.is_modal, answer
        await program.colleague().flags.update(program.row("new-nav").id, {"name": "Somebody else was here"})
        await program.press("space")
        question = words(program.screen)
        assert "Turn OFF in TEST" in question
        assert "Newer changes v" in question
        assert "on → off" in question
        assert "true" not in question, "the phrase says it all"
        assert "users lose it" in question
        # The same moment as the key before: a held key, or keys typed ahead.
        await program.pilot.press("y")
        await program.settle()
        assert "nothing was sent" in program.screen
        assert program.wire.writes() == []
        assert (await program.stored("new-nav")).active
        await program.press("y")
        assert not (await program.stored("new-nav")).active
        assert not program.row("new-nav").active
        assert "new-nav is off · u to undo" in program.notices[-1]
        await program.press("u")
        assert "Undo: turn new-nav on again in TEST" in words(program.screen)
        await program.press("y")
        assert (await program.stored("new-nav")).active
        await program.colleague().flags.update(program.row("new-nav").id, {"active": False})
        await program.press("u")
        assert "You have no change left to undo" in words(program.screen)
        await program.press("U")
        assert "new-nav is unchanged already; nothing was sent. u goes on with" in words(program.screen)
        assert len(program.wire.writes()) == 2


async def test_flags_of_each_other_are_switched_together_and_asked_once(setting: Setting) -> None:
    async with running(setting) as program:

        def are_on() -> list[bool]:
            return [program.row(key).active for key in ("checkout-v2-banner", "checkout-redesign")]

        await program.go_to("checkout-redesign")
        await program.press("space")
        asked = words(program.screen)
        assert "Turn OFF 2 flags in TEST" in asked
        assert "also turned off: it depends on checkout-redesign" in asked
        assert program.wire.writes() == []
        await program.press("y")
        # The one that depends goes first, as the server wants it.
        ids = [program.row(key).id for key in ("checkout-v2-banner", "checkout-redesign")]
        assert [int(line.rstrip("/").rsplit("/", 1)[1]) for line in program.wire.writes()] == ids
        assert are_on() == [False, False]
        await program.press("u", "y")
        assert are_on() == [True, True]
        await program.press("space", "y")
        await program.go_to("checkout-v2-banner")
        await program.press("space")
        assert "also turned on: checkout-v2-banner depends on it" in words(program.screen)
        await program.press("y")
        assert are_on() == [True, True]
        program.wire.held = lambda request: request.method == "GET"
        for key in ("space", "u", "n"):
            program.wire.let_go.clear()
            await program.hold(key, times=6)
            program.wire.let_go.set()
            await program.settle()
            assert program.app.screen.is_modal, key
            await program.press("escape")
            assert not program.app.screen.is_modal, "a held key asks once"

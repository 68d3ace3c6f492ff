"""A change without a known outcome: what row and header say, and until when."""

import httpx
from msgspec.structs import replace
from tests.doubles import quiet
from tests.doubles.whole_program import Program, Setting, running, words

from flagtui.app.shell.status_line import link_of
from flagtui.changes.unanswered import LOOKS


def header(program: Program) -> str:
    """How the first line ends; no toast lies over it."""
    return program.header.rpartition("  ")[2].strip()


async def test_row_and_header_show_an_unresolved_change(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        path = f"/feature_flags/{program.row('new-nav').id}/"
        looks = len(LOOKS)

        def one_too_many(request: httpx.Request) -> bool:
            nonlocal looks
            looks -= request.method == "GET" and request.url.path.endswith(path)
            return looks < 0

        await program.press("space")
        program.wire.before = lambda request: httpx.ReadTimeout("lost") if request.method == "PATCH" else None
        program.wire.held = one_too_many
        program.timing.now += 1
        await quiet.press(program.app, "y")
        while looks >= 0:
            await quiet.settle(program.app)
        assert "not known: new-nav: no response" in program.notices[-1]
        assert header(program) == "◔ 1 change not known"
        assert " ●↻ new-nav " in program.screen
        app_state = program.app.app_state
        app_state.reading = "another-flag"
        assert link_of(app_state).words == "1 change not known"
        app_state.reading = ""
        assert any("whether the change was applied" in notice for notice in program.notices)
        await program.let_go()
        assert not any("whether the change was applied" in notice for notice in program.notices)
        assert "not saved: new-nav: the server did not apply it within 60 s" in program.notices[-1]
        assert header(program).startswith("● synced ")
        assert " ●  new-nav " in program.screen
        program.wire.heal()
        program.wire.held = lambda request: False
        program.wire.let_go.clear()
        program.app.clear_notifications()
        await program.press("space")
        lost: list[str] = []

        def lose(request: httpx.Request) -> httpx.ReadTimeout | None:
            if request.method != "PATCH":
                return None
            lost.append(request.url.path)
            return httpx.ReadTimeout("lost")

        program.wire.after = lose
        program.wire.held = lambda request: bool(lost)
        program.timing.now += 1
        await quiet.press(program.app, "y")
        while not any("checking whether it was applied" in notice for notice in program.notices):
            await quiet.settle(program.app)
        assert header(program).endswith("1 change not known")
        await program.let_go()
        assert "not known" not in header(program)
        assert "new-nav is off" in words(program.screen)
        assert "no response; checking" not in words(program.screen)


async def test_unreadable_change_stays_unresolved_and_offline_until_a_read(setting: Setting) -> None:
    async with running(replace(setting, size=(80, 24))) as program:
        await program.go_to("new-nav", "space")
        program.wire.after = lambda request: httpx.ReadTimeout("lost") if request.method == "PATCH" else None
        program.wire.before = lambda request: (
            None if request.method == "PATCH" else httpx.ConnectError("down")
        )
        await program.press("y")
        assert "new-nav: could not confirm whether the change was applied" in words(program.screen)
        assert "The record cannot be read. It was sent only once. F5 refreshes the list" in words(
            program.screen
        )
        assert not any("cannot be read at the moment" in notice for notice in program.notices)
        assert header(program) == "▲ offline, 1 change not known"
        assert " ●↻ new-nav " in program.screen
        program.wire.before = lambda request: None
        await program.press("f5")
        assert header(program) == "● synced just now"
        assert " ○• new-nav " in program.screen
        assert len(program.wire.writes()) == 1
        program.wire.after = lambda request: None
        await program.press("space")
        program.wire.before = lambda request: httpx.ConnectError("down")
        await program.press("y")
        assert header(program) == "▲ offline, data <1 min old"
        forbidden = httpx.Response(403, json={"detail": "No.", "code": "permission_denied"})
        program.wire.before = lambda request: forbidden if request.method == "PATCH" else None
        await program.press("space")
        assert header(program) == "● synced just now"
        await program.press("y")
        assert "not saved" in program.notices[-1]
        assert header(program) == "● synced just now"


async def test_experiments_and_events_stay_unresolved_until_they_are_read_again(setting: Setting) -> None:
    lost, down = httpx.ReadTimeout("lost"), httpx.ConnectError("down")

    def is_write(request: httpx.Request) -> bool:
        return request.method == "PATCH" or request.url.path.endswith("/pause/")

    async with running(setting) as program:
        for tab, name, key in (("2", "Pricing page test", "space"), ("3", "plan upgraded", "V")):
            await program.press(tab)
            await program.go_to(name, key)
            program.wire.after = lambda request: lost if is_write(request) else None
            program.wire.before = lambda request: None if is_write(request) else down
            await program.press("y")
            assert header(program) == "▲ offline, 1 change not known", tab
            assert next(line for line in program.screen.splitlines()[4:] if name in line)[3] == "↻", tab
            program.wire.before = program.wire.after = lambda request: None
            await program.press("f5")
            assert header(program) == "● synced just now", tab
            assert "↻" not in program.screen, tab


async def test_staged_event_stays_unresolved_in_the_list_of_events(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("3")
        await program.go_to("plan upgraded", "plus", "V", "ampersand", "A")
        program.wire.after = lambda request: httpx.ReadTimeout("lost") if request.method == "PATCH" else None
        # The set is read again before its first request.
        program.wire.before = lambda request: (
            httpx.ConnectError("down") if program.wire.writes() and request.method == "GET" else None
        )
        await program.press("y")
        assert "1 change not known" in header(program)
        await program.press("3")
        assert next(line for line in program.screen.splitlines()[4:] if "plan upgraded" in line)[3] == "↻"
        program.wire.before = program.wire.after = lambda request: None
        await program.press("f5")
        assert "not known" not in header(program)
        assert "↻" not in program.screen

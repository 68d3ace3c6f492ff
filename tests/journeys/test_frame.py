"""The frame of every screen: keys of a dialog, keys of the cursor, changes without a known outcome."""

import httpx
import pytest
from tests.doubles import quiet
from tests.doubles.whole_program import Program, Setting, running

from flagtui.app.shell.status_line import link_of
from flagtui.changes.unanswered import LOOKS


def last_line(program: Program) -> str:
    return program.screen.splitlines()[-1].strip()


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("opening", "keys"),
    [
        (("space",), "y Turn OFF  esc cancel"),
        (("colon",), "⏎ do it or go there  esc leave"),
        (("question_mark",), "⏎ do it  / search  esc close"),
        (("c",), "space check  < > move  ⏎ apply  esc leave"),
    ],
)
async def test_last_line_shows_the_keys_of_the_dialog(
    program: Program, opening: tuple[str, ...], keys: str
) -> None:
    await program.go_to("new-nav")
    before = last_line(program)
    await program.press(*opening)
    assert last_line(program) == keys
    await program.press("escape")
    assert last_line(program) == before


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("tab", "opening"), [("1", "x"), ("1", "t"), ("4", "t"), ("1", "enter"), ("1", "J")])
async def test_last_line_offers_escape_only_with_an_effect(program: Program, tab: str, opening: str) -> None:
    await program.press(tab)
    assert "esc back" not in last_line(program)
    await program.press(opening)
    assert "esc back" in last_line(program)
    await program.press("escape")
    assert "esc back" not in last_line(program)


@pytest.mark.asyncio(loop_scope="module")
async def test_keys_of_the_cursor_say_so_beside_marks(program: Program) -> None:
    assert "⏎ open  " in last_line(program)
    await program.press("x")
    assert "⏎ open at cursor  " in last_line(program)
    await program.press("escape")
    assert "⏎ open  " in last_line(program)


async def test_unknown_outcome_takes_over_the_header_and_its_toast(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        path, looks = f"/feature_flags/{program.row('new-nav').id}/", len(LOOKS)

        def last_look(request: httpx.Request) -> bool:
            nonlocal looks
            looks -= request.method == "GET" and request.url.path.endswith(path)
            return looks < 0

        await program.press("space")
        program.wire.before = lambda request: httpx.ReadTimeout("lost") if request.method == "PATCH" else None
        program.wire.held = last_look
        program.timing.now += 1
        await quiet.press(program.app, "y")
        while looks >= 0:
            await quiet.settle(program.app)
        app_state = program.app.app_state
        app_state.reading = "another-flag"
        assert link_of(app_state).words == "1 change not known"
        app_state.reading = ""
        assert any("whether the change was applied" in notice for notice in program.notices)
        program.wire.let_go.set()
        await program.settle()
        assert not any("whether the change was applied" in notice for notice in program.notices)
        assert "not saved" in program.notices[-1]

"""The last line of every screen: keys of a dialog, keys of the cursor, the way back."""

import pytest
from tests.doubles.whole_program import Program

pytestmark = pytest.mark.asyncio(loop_scope="module")


def last_line(program: Program) -> str:
    return program.screen.splitlines()[-1].strip()


DIALOGS = {
    "space": "y Turn OFF  esc cancel",
    "colon": "⏎ do it or go there  esc leave",
    "question_mark": "⏎ do it  / search  esc close",
    "c": "space check  < > move  ⏎ apply  esc leave",
}
"""By key that opens a dialog: its keys, on the last line."""


async def test_last_line_shows_the_keys_of_dialog_and_cursor(program: Program) -> None:
    await program.go_to("new-nav")
    before = last_line(program)
    for opening, keys in DIALOGS.items():
        await program.press(opening)
        assert last_line(program) == keys
        await program.press("escape")
        assert last_line(program) == before
    assert "⏎ open  " in before
    await program.press("x")
    assert "⏎ open at cursor  " in last_line(program)
    await program.press("escape", "escape")
    assert "⏎ open  " in last_line(program)


async def test_last_line_offers_escape_only_with_an_effect(program: Program) -> None:
    for tab, opening in (("1", "x"), ("1", "t"), ("4", "t"), ("1", "enter"), ("1", "J")):
        await program.press(tab)
        assert "esc back" not in last_line(program)
        await program.press(opening)
        assert "esc back" in last_line(program)
        await program.press("escape")
        assert "esc back" not in last_line(program)

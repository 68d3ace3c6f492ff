"""Changed cells leave on the screen what whole frames would; `make check-display` asks every journey."""

import pytest
from msgspec.structs import replace
from tests.doubles.slices import FULL, long
from tests.doubles.two_displays import COMPARED
from tests.doubles.whole_program import WIDTH, Setting, running


@long
@pytest.mark.parametrize("width", [132, 80] if FULL else [80])
async def test_nothing_is_erased_beside_what_was_drawn(setting: Setting, width: int) -> None:
    before = COMPARED[WIDTH or width]
    async with running(replace(setting, size=(width, 24), two_displays=True)) as program:
        await program.press("3", "i", "V", "j", "H", "u", "escape")
        await program.press("4", "slash", *"nav", "enter", "j", "v", "v", "escape")
        await program.press("1", "j", "ctrl+d", "g", "x", "v", "question_mark", "escape")
        await program.press("slash", *"check", "enter", "space", "escape", "enter", "tab", "tab", "escape")
        await program.press("2", "j", "R", "enter", "escape", "ctrl+p", *"sort", "escape")
    assert COMPARED[WIDTH or width] - before > 50

"""Another theme while the program runs, kept for the next start."""

from dataclasses import replace

import pytest
from tests.doubles.whole_program import Program, Setting, running

from flagtui.app.dialogs.picker import OptionLines
from flagtui.app.widgets.row_list import RowList
from flagtui.config.preferences import Preferences
from flagtui.config.settings import read_settings

pytestmark = pytest.mark.asyncio(loop_scope="module")


def ground(program: Program) -> str:
    """The colour beneath the rows."""
    return program.app.screen.query_one(RowList).background_colors[1].hex.lower()


async def test_theme_follows_the_terminal_until_another_is_chosen_and_kept(setting: Setting) -> None:
    file = setting.folder / "config.toml"
    file.write_text("# mine\nmouse = true\n")
    async with running(replace(setting, preferences=Preferences(file, is_light=True))) as program:
        assert ground(program) == "#ffffff"
        drawn = program.screen
        for name in ("high-contrast-light", "ansi-16", "dark"):
            program.app.look = name
            await program.settle()
            assert program.screen == drawn
            assert program.app.native_ansi_color is (name == "ansi-16")
        assert ground(program) == "#0d1117"
        await program.press("colon", *"theme", "enter", *"light", "enter")
        assert ground(program) == "#ffffff"
        await program.press("f2", *"high-contrast", "enter")
        assert ground(program) == "#000000"
    assert file.read_text() == '# mine\nmouse = true\ntheme = "high-contrast"\n'
    assert read_settings(file).theme == "high-contrast"


async def test_line_under_enter_is_highlighted_in_sixteen_colours(program: Program) -> None:
    await program.press("f2", *"ansi", "enter")
    for keys in (["n"], ["colon"], ["question_mark"], ["e"]):
        await program.press(*keys)
        lines = program.app.screen.query_one(OptionLines)
        first, second = (lines.render_line(y + (lines.highlighted or 0)) for y in (0, 1))
        assert all(piece.style is not None and piece.style.reverse for piece in first)
        assert not any(piece.style is not None and piece.style.reverse for piece in second)
        await program.press("escape")

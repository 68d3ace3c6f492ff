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


async def test_theme_is_chosen_by_name_drawn_at_once_and_kept(setting: Setting) -> None:
    file = setting.folder / "config.toml"
    file.write_text("# mine\nmouse = true\n")
    async with running(replace(setting, preferences=Preferences(file))) as program:
        assert ground(program) == "#0d1117"
        await program.press("colon", *"theme", "enter", *"light", "enter")
        assert ground(program) == "#ffffff"
        await program.press("f2", *"high-contrast", "enter")
        assert ground(program) == "#000000"
    assert file.read_text() == '# mine\nmouse = true\ntheme = "high-contrast"\n'
    assert read_settings(file).theme == "high-contrast"


async def test_light_terminal_gets_light_colours_and_themes_change_colours_only(
    setting: Setting,
) -> None:
    async with running(replace(setting, preferences=Preferences(is_light=True))) as program:
        assert ground(program) == "#ffffff"
        drawn = program.screen
        for name in ("dark", "high-contrast-light", "colour-vision-light", "ansi-16", "light"):
            program.app.look = name
            await program.settle()
            assert program.screen == drawn
            assert program.app.native_ansi_color is (name == "ansi-16")


async def test_line_under_enter_is_highlighted_in_sixteen_colours(program: Program) -> None:
    await program.press("f2", *"ansi", "enter")
    for keys in (["n"], ["colon"], ["question_mark"], ["e"]):
        await program.press(*keys)
        lines = program.app.screen.query_one(OptionLines)
        first, second = (lines.render_line(y + (lines.highlighted or 0)) for y in (0, 1))
        assert all(piece.style is not None and piece.style.reverse for piece in first)
        assert not any(piece.style is not None and piece.style.reverse for piece in second)
        await program.press("escape")

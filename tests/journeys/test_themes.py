"""Themes while the program runs, the screen below a dialog, and what small screens show whole."""

import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from tests.doubles.slices import at_most
from tests.doubles.whole_program import WIDE, Program, Setting, running
from textual.geometry import Size
from textual.renderables.background_screen import BackgroundScreen
from textual.strip import Strip
from textual.visual import RenderOptions

from flagtui.app.dialogs.picker import OptionLines
from flagtui.app.shell.themes import LIGHT, PLAIN
from flagtui.app.shell.toasts import show_toast
from flagtui.app.widgets.dialog import AnswerButton
from flagtui.app.widgets.search_line import SearchLine
from flagtui.app.writing.question import ConfirmScreen
from flagtui.changes.guard import GuardRules, Level
from flagtui.config.preferences import Preferences
from flagtui.config.settings import read_settings
from flagtui.text.styled import Notice


def ground(program: Program) -> str:
    """The colour beneath the rows."""
    return program.rows.background_colors[1].hex.lower()


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


async def test_line_under_enter_is_highlighted_in_sixteen_colours(shared: Program) -> None:
    await shared.press("f2", *"ansi", "enter")
    for keys in (["n"], ["colon"], ["question_mark"], ["e"]):
        await shared.press(*keys)
        lines = shared.app.screen.query_one(OptionLines)
        first, second = (lines.render_line(y + (lines.highlighted or 0)) for y in (0, 1))
        assert all(piece.style is not None and piece.style.reverse for piece in first)
        assert not any(piece.style is not None and piece.style.reverse for piece in second)
        # Reversed, black letters are as dark as the ground of a dark terminal.
        assert {piece.style.color.name for piece in first if piece.style and piece.style.color} == {"default"}
        await shared.press("escape")


def draw_dimmed(program: Program) -> list[Strip]:
    """As the dialog draws it."""
    program.draw()
    screen, style = program.app.screen, program.app.screen.visual_style
    assert isinstance(screen, ConfirmScreen)
    options = RenderOptions(lambda _name: style, screen.styles.base.get_rules())
    return screen._dimmed.render_strips(screen.size.width, screen.size.height, style, options)


def by_the_library(program: Program) -> list[Strip]:
    """Each cell tinted anew."""
    screen, below = program.app.screen, program.app.screen_stack[-2]
    console = Console(width=screen.size.width, height=screen.size.height)
    segments = console.render(BackgroundScreen(below, screen.styles.background))
    lines = Segment.split_lines(segments)
    return [Strip(line).simplify() for line in lines][: screen.size.height]


async def test_dimmed_background_equals_the_library_through_all_changes(setting: Setting) -> None:
    async with running(replace(setting, size=WIDE)) as program:
        await program.go_to("new-nav", "space")
        before = draw_dimmed(program)
        assert [line.simplify() for line in before] == by_the_library(program)
        await program.colleague().flags.update((await program.stored("new-nav")).id, {"active": False})
        await program.app.server.polling.poll()
        await program.settle()
        assert [line.simplify() for line in draw_dimmed(program)] == by_the_library(program)
        assert draw_dimmed(program) != before, "the change is not seen below"
        await program.pilot.resize_terminal(80, 24)
        await program.settle()
        assert program.app.size == Size(80, 24)
        assert [line.simplify() for line in draw_dimmed(program)] == by_the_library(program)
        program.app.look = LIGHT.name
        await program.settle()
        assert [line.simplify() for line in draw_dimmed(program)] == by_the_library(program)
        program.app.look = PLAIN.name
        await program.settle()
        behind = [segment for line in draw_dimmed(program) for segment in line if segment.text.strip()]
        assert "new-nav" in "".join(segment.text for segment in behind)
        assert all(segment.style is not None and segment.style.dim for segment in behind)


async def test_default_answer_and_field_cursor_are_marked_without_colours(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with running(replace(setting, size=(80, 24))) as program:
        await program.go_to("new-nav", "space")
        cancel, accept = program.app.screen.query(AnswerButton)
        assert (bool(cancel.visual_style.reverse), bool(accept.visual_style.reverse)) == (True, False)
        await program.press("tab")
        assert (bool(cancel.visual_style.reverse), bool(accept.visual_style.reverse)) == (False, True)
        await program.press("escape", "slash")
        field = program.app.screen.query_one(SearchLine)
        assert field.get_component_rich_style("input--cursor").reverse
        assert field.get_component_rich_style("input--selection").underline


SMALL = (60, 15)


async def test_last_word_of_a_toast_is_visible_beside_a_form(setting: Setting) -> None:
    async with running(replace(setting, size=SMALL)) as program:
        for columns in (60, 72):
            await program.pilot.resize_terminal(columns, 15)
            for length in range(min(columns, 66) - 9, min(columns, 66))[:: at_most(3, 1)]:
                program.app.clear_notifications()
                show_toast(program.app, Notice("a" * (length - 4) + " end"))
                await program.settle()
                assert program.screen.count(" end") == 1
        await program.go_to("billing-usage-alerts", "e", "down", "down", "down", "enter")
        for size in ((60, 15), (132, 40)):
            await program.pilot.resize_terminal(*size)
            show_toast(program.app, Notice("first line\n" + "second " * 20))
            await program.settle()
            assert "not saved yet; ctrl+s shows what would change" in program.screen.splitlines()[-2]


async def test_small_question_keeps_its_place_in_the_title(setting: Setting) -> None:
    rules = GuardRules(Level.GUARDED, place="PRODUCTION")
    async with running(replace(setting, size=SMALL, rules=rules)) as program:
        await program.go_to("billing-usage-alerts", "percent_sign", *"37", "enter", "y", "u")
        title = next(line for line in program.screen.splitlines() if "╭─" in line)
        assert "Undo: set the old rollout of bi" in title
        assert "… in PRODUCTION " in title
        assert cell_len(title.rstrip()) < SMALL[0]
        program.see(lacks="tab next")

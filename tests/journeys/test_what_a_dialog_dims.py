"""The screen below a dialog is drawn as the library would draw it."""

from dataclasses import replace

import pytest
from rich.console import Console
from rich.segment import Segment
from tests.doubles.whole_program import WIDE, Program, Setting, running
from textual.geometry import Size
from textual.renderables.background_screen import BackgroundScreen
from textual.strip import Strip
from textual.visual import RenderOptions

from flagtui.app.shell.themes import LIGHT, PLAIN
from flagtui.app.widgets.dialog import AnswerButton
from flagtui.app.writing.question import ConfirmScreen


def dimmed(program: Program) -> list[Strip]:
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
        await program.go_to("new-nav")
        await program.press("space")
        before = dimmed(program)
        assert [line.simplify() for line in before] == by_the_library(program)
        await program.colleague().flags.update((await program.stored("new-nav")).id, {"active": False})
        await program.app.server.polling.poll()
        await program.settle()
        assert [line.simplify() for line in dimmed(program)] == by_the_library(program)
        assert dimmed(program) != before, "the change is not seen below"
        await program.pilot.resize_terminal(80, 24)
        await program.settle()
        assert program.app.size == Size(80, 24)
        assert [line.simplify() for line in dimmed(program)] == by_the_library(program)
        program.app.look = LIGHT.name
        await program.settle()
        assert [line.simplify() for line in dimmed(program)] == by_the_library(program)
        program.app.look = PLAIN.name
        await program.settle()
        behind = [segment for line in dimmed(program) for segment in line if segment.text.strip()]
        assert "new-nav" in "".join(segment.text for segment in behind)
        assert all(segment.style is not None and segment.style.dim for segment in behind)


async def test_without_colours_the_answer_that_enter_would_choose_is_reversed(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with running(replace(setting, size=(80, 24))) as program:
        await program.go_to("new-nav")
        await program.press("space")
        cancel, accept = program.app.screen.query(AnswerButton)
        assert (bool(cancel.visual_style.reverse), bool(accept.visual_style.reverse)) == (True, False)
        await program.press("tab")
        assert (bool(cancel.visual_style.reverse), bool(accept.visual_style.reverse)) == (False, True)

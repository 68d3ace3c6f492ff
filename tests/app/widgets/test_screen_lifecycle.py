"""A screen looks as its size wants it from the first layout on, and follows what it shows."""

from collections.abc import Callable

import pytest
from tests.doubles import quiet
from textual.app import App, ComposeResult
from textual.widgets import Label

from flagtui.app.widgets.screen_lifecycle import OwnedScreen


class Fitted(OwnedScreen[None]):
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-tall")]

    def __init__(self) -> None:
        super().__init__()
        self.looks = [""]
        self.styled = 0

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.styled += 1

    def compose(self) -> ComposeResult:
        self.looks = sorted(self.classes)
        yield Label("rows")


@pytest.mark.parametrize(
    ("size", "looks"), [((80, 24), ["-narrow", "-tall"]), ((100, 10), ["-short", "-wide"])], ids=str
)
async def test_a_screen_is_composed_for_the_size_it_gets(size: tuple[int, int], looks: list[str]) -> None:
    app = App[None]()
    async with quiet.run_quietly(app, size=size) as pilot:
        screen = Fitted()
        await app.push_screen(screen)
        assert screen.looks == looks
        await pilot.resize_terminal(120, 40)
        assert sorted(screen.classes) == ["-tall", "-wide"]


async def test_styles_of_an_opened_screen_are_computed_once() -> None:
    app = App[None]()
    async with quiet.run_quietly(app) as pilot:
        first = Fitted()
        await app.push_screen(first)
        await pilot.pause()
        assert first.styled == 1
        await app.push_screen(Fitted())
        app.theme = "textual-light"
        await pilot.pause()
        app.pop_screen()
        await pilot.pause()
        assert first.styles.background == app.screen_stack[0].styles.background
        assert first.styled == 2


async def test_changes_of_all_that_a_screen_follows_are_one() -> None:
    subjects, calls = list[Callable[[], None]](), list[str]()

    def watch(report: Callable[[], None]) -> Callable[[], None]:
        subjects.append(report)
        return lambda: subjects.remove(report)

    def note() -> None:
        calls.append("changed")

    app, screen = App[None](), Fitted()
    async with quiet.run_quietly(app):
        await app.push_screen(screen)
        stop, stop_other = screen.follow(watch, note), screen.follow(watch, note)
        for report in subjects * 2:
            report()
        await quiet.settle(app)
        assert calls == ["changed"]
        stop()
        subjects[0]()
        await quiet.settle(app)
        assert calls == ["changed"] * 2
        subjects[0]()
        stop_other()
        await quiet.settle(app)
        assert calls == ["changed"] * 2

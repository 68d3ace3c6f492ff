"""Typed text: the search line, its history, and the editor of several lines."""

from collections.abc import AsyncIterator, Sequence

import pytest
from tests.doubles.flag_app import StyledApp
from tests.doubles.quiet import run_quietly
from textual import events
from textual.pilot import Pilot

from flagtui.app.widgets.search_line import Completion, LineHistory, Problem, SearchLine
from flagtui.app.widgets.text_editor import TextEditor


class SearchApp(StyledApp):
    pilot: Pilot[None]

    def __init__(self) -> None:
        self.found: list[str] = []
        self.times_left = 0
        self.wrong: list[Problem] = []
        self.line = SearchLine(self.find, self.leave, self.complete)
        super().__init__(self.line)

    def find(self, line: str) -> None:
        self.found.append(line)
        self.line.set_problems(self.wrong)

    def complete(self, line: str, cursor: int) -> list[Completion]:
        return [(line + more, len(line + more)) for more in (":boolean", ":config")] if "type" in line else []

    def leave(self) -> None:
        self.times_left += 1


@pytest.fixture
async def app() -> AsyncIterator[SearchApp]:
    app = SearchApp()
    async with run_quietly(app) as app.pilot:
        yield app


async def test_every_change_of_the_line_searches_at_once(app: SearchApp) -> None:
    await app.pilot.press("a", "b", "backspace")
    app.line.set_line("check")
    assert app.found == ["a", "ab", "a", "check"]
    assert not app.line.cursor_blink
    app.line.set_line("a\x1b]52;c;eA==\x07\x9b31m")
    assert app.line.value.isprintable()


async def test_a_wrong_part_is_underlined_and_its_reason_told(app: SearchApp) -> None:
    shown: list[tuple[str, list[Problem], str]] = [
        ("new type:x y", [(4, 10, "no such type")], "type:x"),
        ("new", [], ""),
    ]
    for line, problems, underlined in shown:
        app.wrong = problems
        app.line.set_line(line)
        await app.pilot.pause()
        drawn = [each.text for each in app.line.render_line(0) if each.style and each.style.underline]
        assert "".join(drawn) == underlined
        assert app.line.reason == ("no such type" if problems else "")


async def test_tab_puts_in_one_completion_after_the_other(app: SearchApp) -> None:
    app.line.set_line("type")
    for value in ("type:boolean", "type:config"):
        await app.pilot.press("tab")
        assert app.line.value == value
    app.line.set_line("nothing")
    await app.pilot.press("tab")
    assert (app.line.value, app.line.has_focus) == ("nothing", True)


async def test_down_and_enter_reach_the_list_and_keep_the_query(app: SearchApp) -> None:
    app.line.set_line("first")
    await app.pilot.press("enter")
    app.line.set_line("second")
    await app.pilot.press("down")
    assert app.times_left == 2
    app.line.set_line("third")
    await app.pilot.press("up", "up")
    assert app.line.value == "first"
    await app.pilot.press("down", "down")
    assert app.line.value == "third"
    assert app.times_left == 2


def test_history_keeps_each_line_once_and_starts_before_it() -> None:
    history = LineHistory()
    for line in ["a", "b", "a", " ", *(f"q{n}" for n in range(48))]:
        history.keep(line)
    assert history.lines[:3] == ["b", "a", "q0"]
    history.keep("new")
    assert history.lines[0] == "a"
    assert len(history.lines) == 50
    history = LineHistory(("a", "b"))
    assert [history.earlier("b"), history.earlier("a")] == ["a", None]
    assert [history.later() for _ in range(3)] == ["b", "b", None]


async def text_after(*packet: events.Event) -> str:
    """The text after events that arrived together."""
    editor = TextEditor("old")
    async with run_quietly(StyledApp(editor)) as pilot:
        editor.focus()
        for event in packet:
            pilot.app.post_message(event)
        await pilot.pause()
        return editor.text


def keys(text: Sequence[str]) -> list[events.Event]:
    return [events.Key(key, key if len(key) == 1 else None) for key in text]


async def test_keys_pastes_and_deletions_keep_their_order() -> None:
    assert await text_after(*keys(["home", "ctrl+k", *"new value"])) == "new value"
    assert await text_after(*keys(["end", "enter", "tab", "a", "enter", "b"])) == "old\n    a\nb"
    assert await text_after(*keys(["end", *"er", "backspace", "s"])) == "oldes"
    assert await text_after(*keys(["end"]), events.Paste("\n{\n}"), *keys(["x"])) == "old\n{\n}x"


async def test_line_follows_its_cursor_in_another_width(app: SearchApp) -> None:
    app.line.set_line("word " * 12 + "END")
    await app.pilot.press("end")
    for width in (60, 30, 50):
        await app.pilot.resize_terminal(width, 10)
        await app.pilot.pause()
        assert 20 < app.line.cursor_screen_offset.x <= width
    await app.pilot.press("alt+b", "alt+b", "x")
    assert app.line.value.endswith("xword END")

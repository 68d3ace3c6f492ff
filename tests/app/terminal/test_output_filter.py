"""Characters on their way to the terminal: none is obeyed, and joined ones stay whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from tests.doubles.joined_emoji import EMOJI, TEXTS, is_whole
from tests.doubles.quiet import run_quietly
from textual.app import App, ComposeResult
from textual.color import Color
from textual.content import Content
from textual.strip import Strip
from textual.widgets import Label

from flagtui.app.terminal.encoder import Encoder, Patch
from flagtui.app.terminal.output import ControlFence, JoinedCharacter
from flagtui.app.terminal.screen_cells import Pens
from flagtui.app.terminal.terminal_app import TerminalApp

OBEYED = [chr(code) for code in (*range(32), *range(0x7F, 0xA0), 0x202E, 0x2066, 0x200F, 0x2028, 0xD800)]
GROUND = Color(0, 0, 0)


@pytest.mark.parametrize("character", OBEYED, ids=[f"U+{ord(c):04X}" for c in OBEYED])
def test_no_character_a_terminal_obeys_gets_through(character: str) -> None:
    fence = ControlFence()
    (cleaned,) = fence.apply([Segment(f"a{character}b")], GROUND)
    assert character not in cleaned.text
    assert cleaned.cell_length == Segment(f"a{character}b").cell_length
    assert fence.removed == 1


def test_text_and_its_style_go_through_as_they_are() -> None:
    fence = ControlFence()
    segments = [Segment("checkout é 日本 👩‍🚀 ●", Style(bold=True)), Segment("plain")]
    drawn = fence.apply(segments, GROUND)
    assert list(Segment.simplify(drawn)) == segments
    assert [type(segment) for segment in drawn] == [Segment, JoinedCharacter, Segment, Segment]
    assert fence.removed == 0


def test_links_to_the_own_server_alone_stay_in_a_style() -> None:
    fence = ControlFence()
    fence.own_host = "https://eu.example.com"
    own = Segment("new-nav", Style(bold=True, link="https://eu.example.com/project/1/feature_flags/12"))
    assert fence.apply([own], GROUND) == [own]
    assert fence.removed == 0
    others = (
        "https://eu.example.com.evil.example/project/1",
        "https://eu.example.com/\x1b]52;c;eA==\x07",
        "https://eu.example.com@evil.example/",
        "http://eu.example.com/project/1",
        "https://us.example.com/project/1",
    )
    for other in others:
        (cleaned,) = fence.apply([Segment("here", Style(bold=True, link=other))], GROUND)
        assert cleaned.style == Style(bold=True)
    assert fence.removed == len(others)
    fence.own_host = ""
    (cleaned,) = fence.apply([own], GROUND)
    assert cleaned.style == Style(bold=True), "no server is its own yet"


def test_ascii_terminal_gets_replacements_of_the_same_width() -> None:
    for text, replaced in (
        ("│●─ 日é…", "|*- ???."),
        ("−4.1 % ± ≤ 0–1 χ² ■ a □ b ⏎ open", "-4.1 % ~ < 0-1 X2 # a _ b $ open"),
    ):
        fence = ControlFence(ascii_only=True)
        assert [segment.text for segment in fence.apply([Segment(text)], GROUND)] == [replaced]
        assert fence.removed == 0


@pytest.mark.parametrize("text", ["👨\u200d👩\u200d👧\u200d👦", "👍🏽", "🇩🇪", "❤\ufe0f", "e\u0301té"])
def test_ascii_terminal_gets_joined_characters_cell_for_cell(text: str) -> None:
    (cleaned,) = ControlFence(ascii_only=True).apply([Segment(text)], GROUND)
    assert cleaned.text.isascii()
    assert len(cleaned.text) == cell_len(text)


class Careless(TerminalApp[None]):
    def compose(self) -> ComposeResult:
        yield Label(Content("name \x1b]52;c;eA==\x07 \x9b31m\u202e"))


async def test_line_passes_all_filters_of_the_app_at_once() -> None:
    app = Careless(ansi_color=False)
    async with run_quietly(app):
        (chain,) = app.get_line_filters()
        segments = [Segment("on\x1b", Style.parse("red dim")), Segment("off", Style(bold=True))]
        one_by_one = Strip(segments)
        for each in (*App.get_line_filters(app), app.fence):
            one_by_one = one_by_one.apply_filter(each, GROUND)
        assert Strip(segments).apply_filter(chain, GROUND) == one_by_one != Strip(segments)
        assert app.get_line_filters() == [chain]


async def test_unsafe_text_of_a_widget_is_caught_and_counted() -> None:
    app = Careless()
    async with run_quietly(app) as pilot:
        await pilot.pause()
        drawn = "".join(strip.text for strip in app.screen._compositor.render_strips())
        assert "name ]52;c;eA== 31m" in drawn
        assert app.fence.removed >= 3


WIDTH = 40


def send(encoder: Encoder, text: str, x: int = 0) -> str:
    return encoder.encode(WIDTH, 1, [Patch(0, x, [Segment(text.ljust(WIDTH))])])


def cells_of(encoder: Encoder) -> list[str]:
    """The text of each cell; the second half of a wide character is empty."""
    return [cell[0] for cell in encoder.shown_lines()[0] if cell is not None]


@given(TEXTS, TEXTS, st.integers(0, 30), st.integers(0, 30))
def test_lines_cut_anywhere_show_whole_emoji_or_blanks(first: str, second: str, start: int, end: int) -> None:
    segments = ControlFence().apply([Segment(first), Segment(second)], Color(0, 0, 0))
    strip = Strip(segments).crop(start, end)
    encoder = Encoder(Pens(ColorSystem.TRUECOLOR))
    encoder.encode(WIDTH, 1, [Patch(0, 0, strip)])
    cells = cells_of(encoder)
    assert len(cells) == strip.cell_length
    assert all(is_whole(cell) for cell in cells)


@given(TEXTS, TEXTS, st.integers(0, WIDTH - 1))
def test_an_emoji_half_covered_leaves_a_blank(below: str, above: str, x: int) -> None:
    encoder = Encoder(Pens(ColorSystem.TRUECOLOR))
    send(encoder, below)
    encoder.encode(WIDTH, 1, [Patch(0, x, [Segment(above)])])
    cells = cells_of(encoder)
    assert all(is_whole(cell) for cell in cells)
    for place, cell in enumerate(cells):
        assert (cell == "") is (place > 0 and is_wide(cells[place - 1]))


def is_wide(cell: str) -> bool:
    return cell == "日" or (cell in EMOJI and cell != "e\u0301")


def test_changed_part_of_a_joined_emoji_sends_all_of_it() -> None:
    for before, emoji in (*((emoji[0], emoji) for emoji in EMOJI), ("🇩🇪", "🇩🇰")):
        encoder = Encoder(Pens(ColorSystem.TRUECOLOR))
        send(encoder, f"a {before} b")
        assert emoji in send(encoder, f"a {emoji} b")

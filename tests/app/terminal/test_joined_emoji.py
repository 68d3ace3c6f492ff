"""Joined characters are sent as a whole, wherever lines are cut and whatever changed in them."""

from hypothesis import given
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.segment import Segment
from tests.doubles.joined_emoji import EMOJI, TEXTS, is_whole
from textual.color import Color
from textual.strip import Strip

from flagtui.app.terminal.encoder import Encoder, Patch
from flagtui.app.terminal.output import ControlFence
from flagtui.app.terminal.screen_cells import Pens

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
    encoder = Encoder(Pens(ColorSystem.TRUECOLOR))
    for emoji in EMOJI:
        send(encoder, f"a {emoji[0]} b")
        assert emoji in send(encoder, f"a {emoji} b")
    encoder = Encoder(Pens(ColorSystem.TRUECOLOR))
    send(encoder, "in 🇩🇪 now")
    assert "🇩🇰" in send(encoder, "in 🇩🇰 now")

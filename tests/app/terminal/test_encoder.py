"""The terminal shows the same whether it was sent whole lines or only what changed, from bounded caches."""

from collections.abc import Iterable
from weakref import ref

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.color import ColorSystem
from rich.segment import ControlType, Segment
from rich.style import Style
from tests.doubles.slices import at_most

from flagtui.app.terminal.encoder import Encoder, Patch
from flagtui.app.terminal.screen_cells import KEPT_STYLES, CellMaker, Pens, Row

WIDTH, HEIGHT = 24, 12
STYLES = [
    None,
    Style(color="#ff0000"),
    Style(color="#00ff00", bgcolor="#000080"),
    Style(bgcolor="#000080"),
    Style(bold=True, color="#00ff00", bgcolor="#000080"),
    Style(underline=True, bgcolor="#000080"),
    Style(reverse=True),
    Style(strike=True, italic=True),
]
Line = tuple[int, int, list[tuple[str, Style | None]]]


class Terminal:
    """A terminal that is fed bytes and asked what a person sees."""

    def __init__(self, width: int = WIDTH, height: int = HEIGHT) -> None:
        self.screen = pyte.Screen(width, height)
        self.stream = pyte.Stream(self.screen)
        self.screen.set_mode(pyte.modes.LNM)
        self.stream.feed("\x1b[?7l")

    def read_cells(self) -> list[list[tuple[object, ...]]]:
        return [[self._cell(y, x) for x in range(self.screen.columns)] for y in range(self.screen.lines)]

    def _cell(self, y: int, x: int) -> tuple[object, ...]:
        cell = self.screen.buffer[y][x]
        look = (cell.bg, cell.underscore, cell.reverse, cell.strikethrough)
        blank_colour = cell.fg if cell.underscore or cell.reverse or cell.strikethrough else ""
        if cell.data == " ":
            return (" ", *look, blank_colour)
        return (cell.data, *look, cell.fg, cell.bold, cell.italics)


def plain(lines: Iterable[Line]) -> str:
    """The frame as whole segments, the way Textual sends it."""
    sent = []
    for y, x, pieces in lines:
        sent.append(f"\x1b[{y + 1};{x + 1}H")
        for text, style in pieces:
            sent.append(text if style is None else style.render(text, color_system=ColorSystem.TRUECOLOR))
    return "".join(sent)


def patches(lines: Iterable[Line]) -> list[Patch]:
    return [Patch(y, x, [Segment(text, style) for text, style in pieces]) for y, x, pieces in lines]


def make_encoder(*, erases: bool = True) -> Encoder:
    return Encoder(Pens(ColorSystem.TRUECOLOR), erases=erases)


pieces = st.lists(st.tuples(st.text("ab é●", min_size=1, max_size=9), st.sampled_from(STYLES)), max_size=3)
spot = st.tuples(st.integers(0, HEIGHT - 1), st.integers(0, WIDTH - 1), pieces)


def cut(line: Line) -> Line:
    y, x, pieces = line
    kept, room = [], WIDTH - x
    for text, style in pieces:
        kept.append((text[:room], style))
        room -= len(text[:room])
    return y, x, kept


wide_pieces = st.lists(st.tuples(st.sampled_from("ab 日本●"), st.sampled_from(STYLES)), max_size=WIDTH // 2)


def whole(y: int, pieces: list[tuple[str, Style | None]]) -> Line:
    return y, 0, [*pieces, (" " * (WIDTH - sum(cell_len(text) for text, _ in pieces)), None)]


wide_line = st.builds(whole, st.integers(0, HEIGHT - 1), wide_pieces)


def show_both(frames: list[list[Line]], *, erases: bool = True) -> None:
    reference, terminal, encoder = Terminal(), Terminal(), make_encoder(erases=erases)
    blank: list[Line] = [(y, 0, [(" " * WIDTH, None)]) for y in range(HEIGHT)]
    for frame in [blank, *frames]:
        reference.stream.feed(plain(frame))
        terminal.stream.feed(encoder.encode(WIDTH, HEIGHT, patches(frame)))
        assert terminal.read_cells() == reference.read_cells()


@settings(max_examples=at_most(15, 80), deadline=None)
@given(st.lists(st.lists(spot.map(cut), max_size=12), max_size=6), st.booleans())
def test_any_frames_look_as_if_sent_whole(frames: list[list[Line]], erases: bool) -> None:
    show_both(frames, erases=erases)


@settings(max_examples=at_most(15, 80), deadline=None)
@given(st.lists(st.lists(wide_line, max_size=12, unique_by=lambda line: line[0]), max_size=6))
def test_wide_characters_look_as_if_sent_whole(frames: list[list[Line]]) -> None:
    show_both(frames)


NAMES = ["checkout", "nav", "pricing", "kill 日本", "", "a b c"]
rows = st.lists(st.sampled_from(NAMES), min_size=40, max_size=40)
views = st.lists(st.tuples(st.integers(0, 28), st.integers(0, HEIGHT - 1), st.integers(0, 9)), max_size=5)


def list_frame(names: list[str], top: int, cursor: int, pane: int) -> list[Line]:
    frame: list[Line] = []
    for y, name in enumerate(names[top : top + HEIGHT]):
        style, side = STYLES[3] if y == cursor else None, f"{pane if y == 3 else '':<8}"
        frame.append((y, 0, [(name + " " * (16 - cell_len(name)), style), (side, None)]))
    return frame


@settings(max_examples=at_most(20, 100), deadline=None)
@given(rows, views)
def test_scrolled_lists_look_as_if_sent_whole(names: list[str], views: list[tuple[int, int, int]]) -> None:
    show_both([list_frame(names, *view) for view in views])


def numbered_lines(top: int) -> list[Line]:
    """A list in which no line is like the one above it."""
    words = [f"{(top + y) * 7919 * 104729 % 10**9:09} flag" for y in range(HEIGHT)]
    return [(y, 0, [(words[y].ljust(WIDTH), STYLES[2])]) for y in range(1, HEIGHT - 1)]


@pytest.mark.parametrize("step", [1, -1, 3, -3])
def test_scrolled_list_costs_little_more_than_its_new_lines(step: int) -> None:
    encoder, terminal, reference = make_encoder(), Terminal(), Terminal()
    for top in (50, 50 + step):
        sent = encoder.encode(WIDTH, HEIGHT, patches(numbered_lines(top)))
        terminal.stream.feed(sent)
    reference.stream.feed(plain(numbered_lines(50 + step)))
    assert terminal.read_cells() == reference.read_cells()
    assert len(sent) < 60 + abs(step) * (WIDTH + 50)
    assert "r" in sent


def test_repeated_frame_sends_nothing_until_it_is_forgotten() -> None:
    encoder = make_encoder()
    first = encoder.encode(WIDTH, HEIGHT, patches(numbered_lines(1)))
    assert encoder.encode(WIDTH, HEIGHT, patches(numbered_lines(1))) == ""
    encoder.forget()
    assert encoder.encode(WIDTH, HEIGHT, patches(numbered_lines(1))) == first


RED, BLUE = Style(color="red"), Style(color="blue", bold=True)
EMOJI = "👩\u200d🚀"


@pytest.mark.parametrize(("case", "before", "after", "sent"), [
    ("one cell", [("abcdef", None)], [("abXdef", None)], "\x1b[1;3HX\x1b[0m"),
    ("half of a wide character", [("日本", None)], [("x", None)], "\x1b[1;1Hx \x1b[0m"),
    ("emoji", [], [(f"{EMOJI}x", None)], f"\x1b[1;1H{EMOJI}\x1b[3Gx\x1b[0m"),
    ("blanks of another colour", [("a    b", RED)], [("a", RED), ("    ", BLUE), ("b", RED)], ""),
])  # fmt: skip
def test_only_what_changed_in_a_line_is_sent(
    case: str, before: list[tuple[str, Style | None]], after: list[tuple[str, Style | None]], sent: str
) -> None:
    encoder = make_encoder()
    encoder.encode(WIDTH, HEIGHT, patches([(0, 0, before)]))
    assert encoder.encode(WIDTH, HEIGHT, patches([(0, 0, after)])) == sent


def test_another_size_forgets_what_was_shown() -> None:
    encoder, terminal = make_encoder(), Terminal(12, 4)
    encoder.encode(WIDTH, HEIGHT, patches(numbered_lines(1)))
    terminal.stream.feed(encoder.encode(12, 4, patches([(y, 0, [("x" * 30, None)]) for y in range(6)])))
    assert terminal.screen.display == ["x" * 12] * 4


@pytest.mark.parametrize(("frames", "shown"), [
    ([(0, 0, [("日本日", None)]), (0, 1, [("xyz", None)])], " xyz日"),
    ([(0, 0, [("a" * (WIDTH - 1) + "日", None)])], "a" * (WIDTH - 1)),
], ids=["covered", "at the edge"])  # fmt: skip
def test_halves_of_wide_characters_become_blanks(frames: list[Line], shown: str) -> None:
    encoder, terminal = make_encoder(), Terminal()
    for line in frames:
        terminal.stream.feed(encoder.encode(WIDTH, HEIGHT, patches([line])))
    assert terminal.screen.display[0].rstrip() == shown


def test_control_segments_are_never_sent() -> None:
    segments = [Segment("a"), Segment("\x07", None, [(ControlType.BELL,)])]
    assert make_encoder().encode(WIDTH, HEIGHT, [Patch(0, 0, segments)]) == "\x1b[1;1Ha\x1b[0m"


def test_link_is_opened_once_and_closed_before_other_cells() -> None:
    link, other = (Style(bold=True, link=f"https://a.example/f/{number}") for number in (1, 2))
    encoder = make_encoder()
    sent = encoder.encode(WIDTH, HEIGHT, patches([(0, 0, [("new nav", link), (" v2", Style(bold=True))])]))
    opened, closed = "\x1b]8;;https://a.example/f/1\x1b\\", "\x1b]8;;\x1b\\"
    assert sent == f"\x1b[1;1H{opened}\x1b[1mnew nav{closed}\x1b[0m \x1b[1mv2\x1b[0m"
    # The same text that leads elsewhere is sent again, and closed before the frame ends.
    elsewhere = patches([(0, 0, [("new nav", other)])])
    again = encoder.encode(WIDTH, HEIGHT, elsewhere)
    assert again.startswith("\x1b[1;1H\x1b]8;;https://a.example/f/2\x1b\\")
    assert again.endswith(f"new nav{closed}\x1b[0m")
    assert encoder.encode(WIDTH, HEIGHT, elsewhere) == ""
    link = Style(link="https://a.example/f/1")
    erased = patches([(0, 0, [("key", link), (" " * (WIDTH - 3), None)])])
    sent = make_encoder().encode(WIDTH, HEIGHT, erased)
    assert sent.index(closed) < sent.index("\x1b[K"), "blanks that are erased after a link lead nowhere"


def test_cells_that_are_alike_are_one_object() -> None:
    made, row = CellMaker(Pens(ColorSystem.TRUECOLOR)), Row([None] * 20)
    red = Style(color="#ff0000")
    made.lay(row, 0, [Segment("nav 日", red), Segment("a 日v", red), Segment("a", None)])
    texts = [cell[0] for cell in row[:12] if cell is not None]
    assert texts == ["n", "a", "v", " ", "日", "", "a", " ", "日", "", "v", "a"]
    assert all(row[first] is row[later] for first, later in ((1, 6), (3, 7), (4, 8)))
    assert row[11] != row[1]


class Watched(Style):
    """A style of which it is known when it is let go."""


def test_styles_that_differ_invisibly_are_released() -> None:
    pens, drawn = Pens(ColorSystem.TRUECOLOR), set()
    given = []
    for place in range(3 * KEPT_STYLES):
        style = Watched(bold=True, meta={"offset": place})
        drawn.add(pens.of(style))
        given.append(ref(style))
    assert len(drawn) == 1
    assert 0 < sum(each() is not None for each in given) <= KEPT_STYLES

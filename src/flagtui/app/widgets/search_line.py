"""The line a query is typed in. The list changes within the same key press, so both are painted at once."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.highlighter import Highlighter
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message

from flagtui.app.widgets.field import TYPING_KEYS, Field, KeyWords, at_once
from flagtui.app.widgets.line import Line, Spot, cells_of, shorten_longest, styled
from flagtui.safe_text import safe_text
from flagtui.store.query.line_edits import Chip
from flagtui.text.styled import Piece

KEPT_LINES = 50
SHORTEST: Final = 16
"""The fewest cells of the line on a screen."""
BAR_MARGIN: Final = 2
"""Cells beside the line and what is at its end, as the stylesheet has it."""
BESIDE: Final = 5
"""Cells of its row that are neither the line nor the filters."""


class LineHistory:
    """Search lines without repeats; using one again makes it the newest."""

    def __init__(self, lines: tuple[str, ...] = ()) -> None:
        self.lines: list[str] = list(lines[-KEPT_LINES:])
        self._at: int | None = None
        self._typed = ""

    def keep(self, line: str) -> None:
        """Add a line that was used, and end the walk."""
        self._at = None
        if line.strip():
            self.lines = [*(kept for kept in self.lines if kept != line), line][-KEPT_LINES:]

    def earlier(self, typed: str) -> str | None:
        """Return the line before; the walk begins at the newest that differs from the current line."""
        if self._at is None:
            self._typed = typed
            self._at = len(self.lines)
        at = self._at - 1
        if at == len(self.lines) - 1 and at >= 0 and self.lines[at] == typed:
            at -= 1
        if at < 0:
            return None
        self._at = at
        return self.lines[at]

    def later(self) -> str | None:
        """Return the next line, at the end the typed one; None if no earlier line was recalled."""
        if self._at is None:
            return None
        self._at += 1
        if self._at < len(self.lines):
            return self.lines[self._at]
        self._at = None
        return self._typed


LONGEST_QUERY = 500

Problem = tuple[int, int, str]
"""Where in the line something is wrong, from and to, and why."""
Completion = tuple[str, int]
"""A whole line and the position of the cursor in it."""


OWN_KEYS: Final = (
    Binding("tab", "complete(1)", "complete", show=False),
    Binding("shift+tab", "complete(-1)", "the completion before", show=False),
    Binding("up", "earlier", "earlier query", show=False),
    Binding("down", "later", "later query, or to the list", show=False),
    Binding("escape", "screen.back", "to the list", show=False, id="app.back"),
)


class SearchLine(Field, inherit_bindings=False):
    """`find` is called within the key press that changed the line; both are painted together.

    `leave` is called within the key press that goes on to the list, and has to take the focus there.
    `complete` answers with the lines the Tab key could make of this line and cursor, best first.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"search-line--problem"}
    DEFAULT_CSS = """
    SearchLine, SearchLine:focus { border: none; height: 1; padding: 0; }
    SearchLine > .search-line--problem { text-style: underline; }
    """
    BINDINGS: ClassVar[list[BindingType]] = at_once(*TYPING_KEYS, *OWN_KEYS)

    def __init__(
        self,
        find: Callable[[str], None],
        leave: Callable[[], None],
        complete: Callable[[str, int], Sequence[Completion]] = lambda line, cursor: (),
        *,
        placeholder: str = "",
    ) -> None:
        highlighter = ProblemHighlighter(self)
        super().__init__(placeholder=placeholder, highlighter=highlighter, max_length=LONGEST_QUERY)
        self._hints = placeholder
        self.problems: Sequence[Problem] = ()
        self.history = LineHistory()
        self._find = find
        self._go_on = leave
        self._complete = complete
        self._offers: list[Completion] = []

    def on_resize(self) -> None:
        """Show as many whole hints as there is room for."""
        shown = self._hints
        while cell_len(shown) > self.size.width and "  " in shown:
            shown = shown.rpartition("  ")[0].rstrip()
        self.placeholder = shown

    @property
    def reason(self) -> str:
        """The reason why the part at the cursor is invalid, else the first invalid part; empty for none."""
        here = [why for start, end, why in self.problems if start <= self.cursor_position <= end]
        return (here or [why for _, _, why in self.problems] or [""])[0]

    def set_problems(self, problems: Sequence[Problem]) -> None:
        """Underline these parts."""
        if problems != self.problems:
            self.problems = problems
            self.refresh()

    def set_line(self, line: str, cursor: int | None = None) -> None:
        """Put a query there as if it had been typed."""
        self.value = line
        self.cursor_position = len(line) if cursor is None else cursor

    def validate_value(self, value: str) -> str:
        """Make pasted text safe: it can contain escape codes."""
        return value if value.isprintable() else safe_text(value, LONGEST_QUERY)

    def watch_value(self, value: str) -> None:
        if self.is_attached:
            self._find(value)

    def key_words(self) -> Iterator[KeyWords]:
        yield "⏎", "to the list"
        yield "tab", "complete"
        yield "↑", "earlier"
        yield "esc", "out of the line"

    def action_complete(self, step: int) -> None:
        """Put in the first completion; the same key again puts in the next one instead."""
        now = (self.value, self.cursor_position)
        if now in self._offers and len(self._offers) > 1:
            following = self._offers[(self._offers.index(now) + step) % len(self._offers)]
        else:
            self._offers = [*self._complete(*now)]
            following = self._offers[0 if step > 0 else -1] if self._offers else now
        self.set_line(*following)

    def action_earlier(self) -> None:
        if (line := self.history.earlier(self.value)) is not None:
            self.set_line(line)

    def action_later(self) -> None:
        if (line := self.history.later()) is not None:
            self.set_line(line)
        else:
            self._leave()

    async def action_submit(self) -> None:
        await super().action_submit()
        self._leave()

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Return False: no character passes the line, so help and palette list all commands while typing."""
        return False

    def _leave(self) -> None:
        self.history.keep(self.value)
        self._go_on()

    def insert_pasted(self, text: str) -> None:
        """Insert the first line alone: a query has one."""
        super().insert_pasted("".join(text.lstrip().splitlines()[:1]))


class ProblemHighlighter(Highlighter):
    """Underlines the parts of the line that have problems."""

    def __init__(self, line: SearchLine) -> None:
        self._line = line

    def highlight(self, text: Text) -> None:
        if not self._line.problems:
            return
        style = self._line.get_component_rich_style("search-line--problem", partial=True)
        for start, end, _ in self._line.problems:
            text.stylize(style, start, end)


def _free_cells(width: int, typed: int) -> int:
    """Return the cells of a screen of this width that the line and `typed` cells in it leave."""
    return max(0, width - BESIDE - max(SHORTEST, typed + 1))


class ChipLine(Line):
    """The filters and the count: how many fit is known once it has its size. A click moves a filter on."""

    _room: int | None = None

    class Resized(Message):
        """It has another size."""

    def show_chips(self, chips: Sequence[Chip], end: Sequence[Piece]) -> None:
        """Show `state any  type any  runtime any   2 marked  12 of 248`; `end` follows the chips.

        On a narrow screen, chips that filter nothing are hidden first; a long reason gives way to the count.
        """
        end = shorten_longest(end, self.content_size.width)
        shown = {chip: cell_len(f"{chip.label} {chip.value}  ") for chip in chips}
        taken = cells_of(end)
        while shown and taken + sum(shown.values()) > self.size.width:
            del shown[next((chip for chip in shown if not chip.is_set), next(iter(shown)))]
        pieces: list[Piece] = []
        at = self.content_size.width - taken - sum(shown.values())
        spots = [Spot(at, "")]
        for chip, width in shown.items():
            style = "$primary" if chip.is_set else ""
            pieces += [(f"{chip.label} ", "$faint"), (f"{chip.value}  ", style)]
            at += width
            spots.append(Spot(at, f"cycle('{chip.label}')"))
        self.show(styled(), styled(*pieces, *end), spots)

    def most_cells(self, width: int, typed: int) -> int:
        """Return how many cells `make_room` can give it."""
        return max(_free_cells(width, typed), self.content_size.width)

    def make_room(self, end: Sequence[Piece], width: int, typed: int, *, has_reason: bool) -> None:
        """Take more cells than usual for `end` where the search line does not need them.

        `width` is that of the screen, `typed` the cells of the line. A reason leaves all others to the line.
        """
        cells, base = min(cells_of(end), _free_cells(width, typed)), self.styles.base
        share = 1.0 if base.max_width is None else base.max_width.value / 100
        usual = math.inf if base.width is None else min(base.width.value, share * (width - BAR_MARGIN))
        is_usual = not has_reason and cells <= usual
        room = None if is_usual else cells
        if room != self._room:
            self._room = room
            self.styles.width, self.styles.max_width = room, None if room is None else "100%"

    def on_resize(self) -> None:
        self.post_message(self.Resized())

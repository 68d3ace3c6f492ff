"""The palette: every command by its words, and any record or project by name."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from flagtui.app.commands.command import Command
from flagtui.app.commands.command_search import NEAR, found, hits
from flagtui.app.widgets.field import Field
from flagtui.app.widgets.line import cut, styled
from flagtui.app.widgets.option_lines import OptionLines
from flagtui.app.widgets.screen_lifecycle import Dialog
from flagtui.safe_text import safe_text
from flagtui.text.styled import Piece

MOST: Final = 60
"""Lines drawn at once; another letter brings others."""
FROM: Final = 2
"""Letters from which records are looked for: one letter is in nearly every name."""
Run = Callable[[], object]


@dataclass(frozen=True)
class Offer:
    """A command that can be chosen here. `run` is None where it cannot be, which `about` explains."""

    command: Command
    key: str
    run: Run | None
    about: str = ""
    is_here: bool = True
    """Whether it works on the screen below, and does not lead to another one first."""


@dataclass(frozen=True)
class Destination:
    """A record or project to go to. `name` and `about` are raw."""

    name: str
    about: str
    run: Run


Destinations = Callable[[str], Sequence[Destination]]
"""What is known by a name that has these words."""
MoreDestinations = Callable[[str], Awaitable[bool]]
"""Asks the server for more of them; true when there are any."""


class PaletteScreen(Dialog[Run | None]):
    """Answers with what was chosen, ready to be called, or None."""

    BINDINGS = [
        Binding("escape", "leave", "leave"),
        Binding("down", "move(1)", "down", show=False),
        Binding("up", "move(-1)", "up", show=False),
        Binding("pagedown", "move(8)", "page down", show=False),
        Binding("pageup", "move(-8)", "page up", show=False),
    ]
    AUTO_FOCUS = "Input"

    def __init__(self, offers: Sequence[Offer], places: Destinations, more: MoreDestinations) -> None:
        super().__init__()
        self._offers = {offer.command: offer for offer in offers}
        self._places = places
        self._more = more
        self._shown: list[Run | None] = []

    def compose(self) -> ComposeResult:
        with Vertical(id="picker") as box:
            box.border_title = styled((" Commands ", "bold $primary"))
            box.border_subtitle = "⏎ do it or go there · esc leave"
            yield Field(placeholder="a word for it, its key, or the name of a record or project")
            yield OptionLines()

    def on_mount(self) -> None:
        self.call_after_refresh(self._narrow, "")

    def on_resize(self) -> None:
        self.call_after_refresh(self._narrow, self.query_one(Field).value)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._narrow(event.value)
        if len(event.value.strip()) >= FROM:
            self._ask(event.value)

    @work(exclusive=True, group="palette")
    async def _ask(self, line: str) -> None:
        """What the lists here do not know, the server may."""
        if await self._more(line) and self.is_attached and self.query_one(Field).value == line:
            self._narrow(line)

    def _narrow(self, line: str) -> None:
        options = self.query_one(OptionList)
        width = options.content_size.width - 2
        lines = [*self._lines(line, width)][:MOST]
        self._shown = [run for run, _drawn in lines]
        options.clear_options()
        options.add_options(Option(drawn, disabled=run is None) for run, drawn in lines)
        if not lines:
            none = styled((f"  nothing is called {safe_text(line.strip(), 40)}", "$text-muted"))
            options.add_option(Option(none, disabled=True))
        options.highlighted = next((at for at, run in enumerate(self._shown) if run is not None), None)

    def _lines(self, line: str, width: int) -> Iterator[tuple[Run | None, Content]]:
        """Exact names first, then commands that begin so, then records by name, then what merely has it."""
        fitting = found(self._offers, line)
        places = self._places(line) if len(line.strip()) >= FROM else ()
        typed = line.strip().casefold()
        exact = [place for place in places if place.name.casefold() == typed]
        others = sorted(
            (place for place in places if place not in exact),
            key=lambda place: not place.name.casefold().startswith(typed),
        )
        ranked: list[tuple[float, Offer | Destination]] = [
            (fit + (0.5 if self._offers[command].run is None else 0), self._offers[command])
            for fit, command in fitting
        ]
        ranked += [(0.6, place) for place in exact] + [(NEAR - 0.5, place) for place in others]
        for _fit, one in sorted(ranked, key=lambda each: each[0]):
            yield (
                one.run,
                _command_line(one, line, width) if isinstance(one, Offer) else _place_line(one, line, width),
            )

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._choose(event.option_index)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        place = self.query_one(OptionList).highlighted
        if place is not None:
            self._choose(place)

    def _choose(self, place: int) -> None:
        if 0 <= place < len(self._shown):
            self.dismiss(self._shown[place])

    def action_move(self, step: int) -> None:
        options = self.query_one(OptionList)
        for _ in range(abs(step)):
            if step > 0:
                options.action_cursor_down()
            else:
                options.action_cursor_up()

    def action_leave(self) -> None:
        self.dismiss(None)


def _command_line(offer: Offer, line: str, width: int) -> Content:
    style = "" if offer.run is not None else "$faint"
    about = f"  {safe_text(offer.about, 60)}" if offer.about else ""
    return _two_ends(offer.command.help, line, style, about, offer.key, width)


def _place_line(place: Destination, line: str, width: int) -> Content:
    return _two_ends(f"→ {safe_text(place.name, 80)}", line, "bold", "", safe_text(place.about, 60), width)


def _two_ends(text: str, line: str, style: str, more: str, end: str, width: int) -> Content:
    """The text with what was typed marked in it, and the key in a column at the right."""
    end = cut(end, max(8, width // 2))
    room = max(4, width - cell_len(end) - 2)
    shown = cut(text, room)
    more = cut(more, max(0, room - cell_len(shown))) if room - cell_len(shown) > len("  …") else ""
    pieces: list[Piece] = []
    at = 0
    for start, stop in hits(shown, line):
        if start >= at:
            pieces += [(shown[at:start], style), (shown[start:stop], f"bold $primary {style}".strip())]
            at = stop
    pieces += [(shown[at:], style), (more, "$warning")]
    gap = width - cell_len(shown) - cell_len(more) - cell_len(end)
    return styled(*pieces, (" " * max(1, gap), ""), (end, "$text-muted"))

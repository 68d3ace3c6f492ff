"""The palette: every command by its words, and any record or project by name."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Final, Literal

import msgspec
from rich.cells import cell_len
from textual import on, work
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from flagtui.app.commands.command import Command
from flagtui.app.commands.command_search import NEAR, hits, rank_commands
from flagtui.app.dialogs.picker import ListedChoice, NarrowedList
from flagtui.app.widgets.field import Field
from flagtui.app.widgets.line import cut, styled
from flagtui.safe_text import safe_text
from flagtui.text.styled import Piece

MOST: Final = 60
"""Lines drawn at once; another letter brings others."""
FROM: Final = 2
"""Letters from which records are looked for: one letter is in nearly every name."""
Run = Callable[[], object]


class Offer(msgspec.Struct, frozen=True):
    """A command that can be chosen here. `run` is None where it cannot be, which `about` explains."""

    command: Command
    key: str
    run: Run | None
    about: str = ""
    is_here: bool = True
    """Whether it works on the screen below, and does not lead to another one first."""
    cli: str = ""
    """The equivalent command line, raw; empty if there is none."""


class Destination(msgspec.Struct, frozen=True):
    """A record or project to go to. `name` and `about` are raw."""

    name: str
    about: str
    run: Run


Destinations = Callable[[str], Sequence[Destination]]
"""Records and places whose name has these words."""


def no_places(_line: str) -> Sequence[Destination]:
    """Return no record and no place."""
    return ()


Search = Literal["more", "nothing", "incomplete"]
"""The end of a search on the server: whether it added places, or could not search every list."""
MoreDestinations = Callable[[str], Awaitable[Search]]
"""Searches on the server for more of them."""

Copy = Callable[[str], object]
"""Copies a text to the clipboard and shows a toast."""


class PaletteScreen(NarrowedList[Run]):
    """Returns the chosen entry, ready to be called, or None."""

    BINDINGS = [Binding("ctrl+y", "copy_command_line", "copy command line", show=False)]
    around = (8, 4)

    def __init__(
        self,
        offers: Sequence[Offer],
        copy: Copy,
        places: Destinations = no_places,
        more: MoreDestinations | None = None,
    ) -> None:
        """Without `more`, there are commands alone."""
        super().__init__("Commands")
        self._copy = copy
        self._offers = {offer.command: offer for offer in offers}
        self._places = places
        self._more = more
        is_wide = more is not None
        self.keys = "⏎ do it or go there · esc leave" if is_wide else "⏎ do it · esc leave"
        self.placeholder = "a command, its key, a record or a project" if is_wide else "a command or its key"
        self._is_asking = self._is_incomplete = False
        self._entries: Sequence[Offer | Destination] = ()

    def on_mount(self) -> None:
        self.query_one("#picker").mount(Static(id="command-line"))

    @on(Input.Changed)
    def _look_further(self, event: Input.Changed) -> None:
        self._is_asking = self._more is not None and len(event.value.strip()) >= FROM
        if self._more is not None and self._is_asking:
            self._ask(self._more, event.value)

    @work(exclusive=True, group="palette", description="ask")
    async def _ask(self, more: MoreDestinations, line: str) -> None:
        """Search on the server for records that the lists here do not have."""
        end = await more(line)
        if self.is_attached and self.query_one(Field).value == line:
            self._is_asking, self._is_incomplete = False, end == "incomplete"
            if end != "nothing" or not self._entries:
                self._add_places()

    def _add_places(self) -> None:
        """Draw the entries again; a cursor that was moved stays with its entry."""
        options = self.query_one(OptionList)
        place, before = options.highlighted, [_name_of(entry) for entry in self._entries]
        self.narrow()
        after = [_name_of(entry) for entry in self._entries]
        if place and before[place] in after:
            options.highlighted = after.index(before[place])

    def words_without(self, typed: str) -> str:
        if self._is_asking:
            return f"searching for {typed}…"
        words = super().words_without(typed)
        return f"{words} here; the server could not be searched" if self._is_incomplete else words

    def lines(self, typed: str, width: int) -> Iterator[ListedChoice[Run]]:
        self._entries = self._find_entries(typed)[:MOST]
        for entry in self._entries:
            yield ListedChoice(_draw_entry(entry, typed, width), entry.run, is_passed=entry.run is None)

    def narrow(self) -> None:
        super().narrow()
        self._show_command_line()

    def _find_entries(self, line: str) -> list[Offer | Destination]:
        """Return exact names, then the best commands, then records by name, then other matches."""
        typed = line.strip().casefold()
        places = self._places(line) if len(line.strip()) >= FROM else ()
        exact = [place for place in places if place.name.casefold() == typed]
        others = sorted(
            (place for place in places if place not in exact),
            key=lambda place: not place.name.casefold().startswith(typed),
        )
        ranked: list[tuple[float, Offer | Destination]] = [
            (fit + _behind(self._offers[command]), self._offers[command])
            for fit, command in rank_commands(self._offers, line)
        ]
        ranked += [(0.6, place) for place in exact] + [(NEAR - 0.5, place) for place in others]
        return [command for _fit, command in sorted(ranked, key=lambda each: each[0])]

    @on(OptionList.OptionHighlighted)
    def _show_command_line(self) -> None:
        """Show the command line of the selected entry, and the key that copies it."""
        shown = self.query_one("#command-line", Static)
        line = safe_text(self._command_line, 1_000)
        key = "^y copies  " if line else ""
        room = self.query_one(OptionList).content_size.width - len(key) - 2
        shown.update(styled((key, "$text-muted"), (cut(line, room), "$secondary")))

    @property
    def _command_line(self) -> str:
        place = self.query_one(OptionList).highlighted
        entry = self._entries[place] if place is not None and place < len(self._entries) else None
        return entry.cli if isinstance(entry, Offer) else ""

    def action_copy_command_line(self) -> None:
        if self._command_line:
            self._copy(self._command_line)


def _name_of(entry: Offer | Destination) -> object:
    return entry.command if isinstance(entry, Offer) else (entry.name, entry.about)


def _behind(offer: Offer) -> float:
    """Return how many grades a command loses; those of the current tab come first."""
    return (0.5 if offer.run is None else 0) + (0 if offer.is_here else 1.25)


def _draw_entry(entry: Offer | Destination, line: str, width: int) -> Content:
    about = safe_text(entry.about, 60)
    if isinstance(entry, Destination):
        return _two_ends(f"→ {safe_text(entry.name, 80)}", line, "bold", "", about, width)
    style = "" if entry.run is not None else "$faint"
    return _two_ends(entry.command.help, line, style, f"  {about}" if about else "", entry.key, width)


def _two_ends(text: str, line: str, style: str, more: str, end: str, width: int) -> Content:
    """Return the text with the typed part highlighted, and the key in a column at the right."""
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

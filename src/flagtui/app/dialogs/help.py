"""The help of a screen: commands in groups, to be searched and run, signs, words of its search line."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from flagtui.app.commands.command_search import found
from flagtui.app.dialogs.palette import Offer, Run
from flagtui.app.widgets.field import Field
from flagtui.app.widgets.glyphs import glyphs_for, terminal_encoding
from flagtui.app.widgets.line import cut, styled
from flagtui.app.widgets.option_lines import OptionLines
from flagtui.app.widgets.screen_lifecycle import Dialog
from flagtui.safe_text import safe_text

HelpLine = tuple[Run | None, Content, bool]
"""What it does, how it is drawn, and whether it is a heading, on which the cursor never stands."""
KEY_CELLS: Final = 12
WORD_CELLS: Final = 14
ENOUGH: Final = 4
"""The worst grade of a command that is still listed for what was typed."""
GROUPS: Final[Mapping[str, str]] = {
    "flags": "FLAG",
    "flag": "FLAG",
    "experiments": "EXPERIMENT",
    "experiment": "EXPERIMENT",
    "events": "EVENT",
    "event": "EVENT",
    "activity": "CHANGE",
    "journal": "CHANGE",
    "deleted": "DELETED FLAG",
    "lists": "LIST",
    "lookup": "LIST",
    "everywhere": "EVERYWHERE",
}
"""By place: what its commands are about; other places are called by their name."""
MOVING: Final = "MOVING"
LAST: Final = ("LIST", "EVERYWHERE")
"""Groups that are the same on many screens: what is peculiar to this one stands before them."""
LEGEND: Final = (
    ("on", "on, running, verified"),
    ("off", "off, draft, not verified"),
    ("stale", "stale, paused: nobody seems to need it"),
    ("archived", "archived, hidden"),
    ("deleted", "deleted"),
    ("mark", "marked: what follows is for all of them"),
    ("pending", "a change is on its way"),
    ("changed", "changed by somebody since you looked"),
)
WORDS: Final = (
    ("new check", "words, in any order; finds new-check too"),
    ('"exact words"', "quotes keep words together"),
    ("-word -tag:x", "a minus leaves out"),
)
"""What every search line understands."""


class HelpScreen(Dialog[Run | None]):
    """Answers with the command that was chosen, ready to be called, or None."""

    BINDINGS = [
        Binding("escape,q,question_mark,f1", "close", "close", key_display="esc"),
        Binding("slash", "search", "search", key_display="/"),
        Binding("down,j", "move(1)", "down", show=False),
        Binding("up,k", "move(-1)", "up", show=False),
    ]
    AUTO_FOCUS = "OptionLines"

    def __init__(self, offers: Sequence[Offer], words: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__()
        self._offers = offers
        self._words = words
        self._shown: list[Run | None] = []

    def compose(self) -> ComposeResult:
        with Vertical(id="picker") as box:
            box.border_title = styled((" Help ", "bold $primary"))
            box.border_subtitle = "⏎ do it · / search · esc close"
            yield Field(placeholder="/ searches", leaves="close")
            yield OptionLines()

    def on_mount(self) -> None:
        self.call_after_refresh(self._narrow, "")

    def on_resize(self) -> None:
        self.call_after_refresh(self._narrow, self.query_one(Field).value)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._narrow(event.value)

    def _narrow(self, line: str) -> None:
        options = self.query_one(OptionList)
        lines = [*self._lines(line, options.content_size.width - 2)]
        self._shown = [run for run, _drawn, _is_heading in lines]
        options.clear_options()
        options.add_options(Option(drawn, disabled=is_heading) for _run, drawn, is_heading in lines)
        options.highlighted = next((at for at, one in enumerate(lines) if not one[2]), None)
        options.scroll_home(animate=False)

    def _lines(self, line: str, width: int) -> Iterator[HelpLine]:
        offers = {offer.command: offer for offer in self._offers}
        if line.strip():
            for grade, command in found(offers, line):
                if grade <= ENOUGH:
                    yield self._command(offers[command], width)
            return
        groups: dict[str, list[Offer]] = {}
        for offer in self._offers:
            groups.setdefault(group_of(offer), []).append(offer)
        for name in (*LAST, MOVING):
            if name in groups:
                groups[name] = groups.pop(name)
        for name, members in groups.items():
            yield _heading(name)
            for offer in members:
                yield self._command(offer, width)
        yield from self._legend(width)

    def _command(self, offer: Offer, width: int) -> HelpLine:
        style = "" if offer.run is not None else "$faint"
        why = f"  {safe_text(offer.about, 60)}" if offer.about else ""
        text = cut(offer.command.help, max(8, width - KEY_CELLS - 1 - len(why)))
        pieces = ((f"{offer.key:<{KEY_CELLS}} ", f"bold {style}".strip()), (text, style), (why, "$warning"))
        return offer.run, styled(*pieces), False

    def _legend(self, width: int) -> Iterator[HelpLine]:
        glyphs = glyphs_for(terminal_encoding())
        yield _heading("SIGNS")
        for name, meaning in LEGEND:
            yield None, styled((f"{getattr(glyphs, name):<{KEY_CELLS}} ", "bold"), (meaning, "")), False
        if self._words:
            yield _heading("SEARCH LINE")
        for word, meaning in (*WORDS, *self._words) if self._words else ():
            text = cut(safe_text(meaning, 200), max(8, width - WORD_CELLS - 1))
            yield None, styled((f"{word:<{WORD_CELLS}} ", "bold $primary"), (text, "")), False

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
        if 0 <= place < len(self._shown) and self._shown[place] is not None:
            self.dismiss(self._shown[place])

    def action_search(self) -> None:
        self.set_focus(self.query_one(Field))

    def action_move(self, step: int) -> None:
        options = self.query_one(OptionList)
        if step > 0:
            options.action_cursor_down()
        else:
            options.action_cursor_up()

    def action_close(self) -> None:
        self.dismiss(None)


def group_of(offer: Offer) -> str:
    """The heading a command stands under."""
    command = offer.command
    if command.verb in ("rows", "scroll", "step_tab") and "mark" not in command.action:
        return MOVING
    return GROUPS.get(command.places[0], command.places[0].upper())


def _heading(name: str) -> HelpLine:
    return None, styled((name, "$text-muted")), True

"""Styles as a terminal understands them, and the shortest way to change from one to the next."""

from dataclasses import dataclass, field
from typing import Final

from rich.color import Color, ColorSystem
from rich.style import Style

_ATTRIBUTES: Final[dict[str, str]] = {
    "bold": "1",
    "dim": "2",
    "italic": "3",
    "underline": "4",
    "blink": "5",
    "blink2": "6",
    "reverse": "7",
    "conceal": "8",
    "strike": "9",
    "underline2": "21",
    "frame": "51",
    "encircle": "52",
    "overline": "53",
}
"""Rich's name of an attribute and the code that turns it on."""
_SEEN_ON_BLANKS: Final = frozenset({"4", "7", "9", "21", "51", "52", "53"})
"""Attributes that show where there is no character."""
KEPT_STYLES: Final = 4096


@dataclass(frozen=True, eq=False)
class Pen:
    """One way to write a cell. There is one object for each, so `is` compares them.

    The colours are the codes that set them, empty for the terminal's own.
    """

    attributes: frozenset[str]
    colour: str
    background: str
    link: str = ""
    """Address that the cell leads to; `links.py` says which."""
    blank: "Pen | None" = field(default=None, repr=False)
    """How a blank written with this pen looks; None when this pen is for blanks already."""

    @property
    def on_blank(self) -> "Pen":
        return self.blank or self

    @property
    def is_plain(self) -> bool:
        """Whether a blank in it shows nothing but the background."""
        return not self.link and not (self.attributes & _SEEN_ON_BLANKS)


class Pens:
    """Every pen in use. `system` is the range of colours the terminal can show."""

    def __init__(self, system: ColorSystem) -> None:
        self._system = system
        self._made: dict[tuple[frozenset[str], str, str, str], Pen] = {}
        self._by_style: dict[Style, Pen] = {}
        self._changes: dict[tuple[Pen, Pen], str] = {}
        self.default = self._make(frozenset(), "", "")

    def of(self, style: Style | None) -> Pen:
        """The pen for a Rich style; click actions are no part of it."""
        if style is None:
            return self.default
        pen = self._by_style.get(style)
        if pen is None:
            if len(self._by_style) >= KEPT_STYLES:
                # Textual writes into a style where it is on the screen: there is no end to them.
                self._by_style.clear()
            pen = self._by_style[style] = self._read(style)
        return pen

    def change(self, old: Pen, new: Pen) -> str:
        """What to send so that a terminal that wrote with `old` writes with `new`."""
        if old is new:
            return ""
        sent = self._changes.get((old, new))
        if sent is None:
            if len(self._changes) >= KEPT_STYLES:
                self._changes.clear()
            sent = self._changes[(old, new)] = link_change(old.link, new.link) + _shortest(old, new)
        return sent

    def _read(self, style: Style) -> Pen:
        attributes = frozenset(code for name, code in _ATTRIBUTES.items() if getattr(style, name))
        colour, background = self._codes(style.color, True), self._codes(style.bgcolor, False)
        return self._make(attributes, colour, background, style.link or "")

    def _codes(self, colour: Color | None, foreground: bool) -> str:
        if colour is None or colour.is_default:
            return ""
        return ";".join(colour.downgrade(self._system).get_ansi_codes(foreground))

    def _make(self, attributes: frozenset[str], colour: str, background: str, link: str = "") -> Pen:
        key = (attributes, colour, background, link)
        pen = self._made.get(key)
        if pen is None:
            shown = attributes & _SEEN_ON_BLANKS
            for_blank = (shown, colour if shown else "", background, link)
            blank = None if for_blank == key else self._make(*for_blank)
            pen = self._made[key] = Pen(attributes, colour, background, link, blank)
        return pen


def link_change(old: str, new: str) -> str:
    """What to send so that cells lead to the address `new`, or nowhere, and no more to `old`."""
    if old == new:
        return ""
    from flagtui.text.links import CLOSE, open_link

    return open_link(new) if new else CLOSE


def _shortest(old: Pen, new: Pen) -> str:
    if (old.attributes, old.colour, old.background) == (new.attributes, new.colour, new.background):
        return ""
    whole = ["0", *sorted(new.attributes), *filter(None, (new.colour, new.background))]
    sent = f"\x1b[{';'.join(whole)}m"
    if old.attributes <= new.attributes:
        parts = sorted(new.attributes - old.attributes)
        if old.colour != new.colour:
            parts.append(new.colour or "39")
        if old.background != new.background:
            parts.append(new.background or "49")
        sent = min(sent, f"\x1b[{';'.join(parts)}m", key=len)
    return sent

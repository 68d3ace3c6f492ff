"""The style of every piece of a row, taken from the style sheet and blended once."""

from typing import Literal

from rich.style import Style
from textual.color import Color
from textual.css.styles import RenderStyles
from textual.dom import DOMNode
from textual.widget import Widget

from flagtui.text.styled import Look

Ground = Literal["row", "cursor", "cursor-blurred", "header"]
"""What a piece is drawn on."""

MANY_COLOURS = ("256", "truecolor")
FEW_COLOUR_CURSORS: dict[Ground, Style] = {
    "cursor": Style(reverse=True),
    "cursor-blurred": Style(underline=True),
}
"""With 16 colours the cursor's background is the grey of half the texts on it, so there it has none."""


class RowStyles:
    """Rich styles of one widget, by ground and look: rules for `.row-list--LOOK` below it.

    As component classes they would all be read again, and every line drawn, whenever the widget gets or loses
    the focus. They are read when first drawn with, and again when theme or colours are others.
    """

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._known: dict[tuple[Ground, str], Style] = {}
        self._known_for: object = None

    def are_stale(self) -> bool:
        """True, and everything is forgotten, when rules that held before may be others now."""
        app = self._widget.app
        looks = (app.theme, app.native_ansi_color, app.no_color)
        now = (*looks, *self._widget.background_colors, *self._widget.colors)
        if now == self._known_for:
            return False
        self._known.clear()
        self._known_for = now
        return True

    def of(self, ground: Ground, look: Look | Literal["mark"]) -> Style:
        """The style for a look on a ground, with translucent and automatic colours settled against it."""
        style = self._known.get((ground, look))
        if style is None:
            style = self._known[(ground, look)] = self._blend(ground, look)
        return style

    def _blend(self, ground: Ground, look: str) -> Style:
        below, piece = self._rules(ground), self._rules(look)
        background = self._widget.background_colors[1] + below.background
        fallback = self._widget.colors[3]
        colour = _colour(piece, background) or _colour(below, background) or background + fallback
        text_style = below.text_style + piece.text_style
        if ground in FEW_COLOUR_CURSORS and self._widget.app.console.color_system not in MANY_COLOURS:
            return FEW_COLOUR_CURSORS[ground] + text_style
        return Style.from_color(colour.rich_color, background.rich_color) + text_style

    def _rules(self, name: str) -> RenderStyles:
        """As Textual does for component classes: a node that is only there to be matched."""
        node = DOMNode(classes=f"row-list--{name}")
        node._attach(self._widget)
        self._widget.app.stylesheet.apply(node)
        return node.styles


def _colour(styles: RenderStyles, background: Color) -> Color | None:
    if not styles.has_rule("color"):
        return None
    if styles.has_rule("auto_color") and styles.auto_color:
        return background + background.get_contrast_text(styles.color.a)
    return background + styles.color

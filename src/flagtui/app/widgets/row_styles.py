"""The style of every piece of a row, taken from the style sheet's component classes and blended once."""

from typing import Literal

from rich.style import Style
from textual.color import Color
from textual.css.styles import RenderStyles
from textual.widget import Widget

from flagtui.app.widgets.cells import LOOKS, Look

Ground = Literal["row", "cursor", "cursor-blurred", "header"]
"""What a piece is drawn on."""
GROUNDS: tuple[Ground, ...] = ("row", "cursor", "cursor-blurred", "header")

MANY_COLOURS = ("256", "truecolor")
FEW_COLOUR_CURSORS: dict[Ground, Style] = {
    "cursor": Style(reverse=True),
    "cursor-blurred": Style(underline=True),
}
"""With 16 colours the cursor's background is the grey of half the texts on it, so there it has none."""

COMPONENTS = frozenset(f"row-list--{name}" for name in (*LOOKS, *GROUNDS, "mark"))


class RowStyles:
    """Rich styles of one widget, by ground and look. `forget` after a change of theme or style sheet."""

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._known: dict[tuple[Ground, str], Style] = {}

    def forget(self) -> None:
        self._known.clear()

    def of(self, ground: Ground, look: Look | Literal["mark"]) -> Style:
        """The style for a look on a ground, with translucent and automatic colours settled against it."""
        style = self._known.get((ground, look))
        if style is None:
            style = self._known[(ground, look)] = self._blend(ground, look)
        return style

    def _blend(self, ground: Ground, look: str) -> Style:
        below = self._widget.get_component_styles(f"row-list--{ground}")
        piece = self._widget.get_component_styles(f"row-list--{look}")
        background = self._widget.background_colors[1] + below.background
        fallback = self._widget.colors[3]
        colour = _colour(piece, background) or _colour(below, background) or background + fallback
        text_style = below.text_style + piece.text_style
        if ground in FEW_COLOUR_CURSORS and self._widget.app.console.color_system not in MANY_COLOURS:
            return FEW_COLOUR_CURSORS[ground] + text_style
        return Style.from_color(colour.rich_color, background.rich_color) + text_style


def _colour(styles: RenderStyles, background: Color) -> Color | None:
    if not styles.has_rule("color"):
        return None
    if styles.has_rule("auto_color") and styles.auto_color:
        return background + background.get_contrast_text(styles.color.a)
    return background + styles.color

"""Textual's list of options, without markup, and with pages that can be turned before the first layout."""

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.style import Style
from textual.widgets import OptionList
from textual.widgets.option_list import Option


class OptionLines(OptionList):
    """Options without markup, with the letters that move in every other list."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "down", show=False),
        Binding("k", "cursor_up", "up", show=False),
        Binding("g", "first", "first", show=False),
        Binding("G", "last", "last", show=False),
    ]

    def __init__(self, *options: Option, id: str | None = None) -> None:
        super().__init__(*options, markup=False, id=id)

    def get_visual_style(self, *component_classes: str, partial: bool = False) -> Style:
        # Textual leaves reverse out, which is all there is to mark a line without colours.
        style = super().get_visual_style(*component_classes, partial=partial)
        looks = (self.get_component_styles(name).text_style for name in component_classes)
        return style + Style(reverse=True) if any(look.reverse for look in looks) else style

    def on_click(self, event: events.Click) -> None:
        # Where the line was drawn, there may be fewer by now.
        if (event.style.meta.get("option") or 0) >= self.option_count:
            event.prevent_default()

    def action_page_up(self) -> None:
        # Pages are counted in lines, and there are none before the first layout.
        if self.scrollable_content_region:
            super().action_page_up()  # type: ignore[no-untyped-call]

    def action_page_down(self) -> None:
        if self.scrollable_content_region:
            super().action_page_down()  # type: ignore[no-untyped-call]

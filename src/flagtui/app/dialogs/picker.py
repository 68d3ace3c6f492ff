"""Choosing one of many: a list of options, a field above it that narrows it, a picker of both."""

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar, Final, Generic, TypeVar

import msgspec
from msgspec.structs import replace
from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.style import Style
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from flagtui.app.widgets.dialog import Dialog
from flagtui.app.widgets.field import Field, at_once
from flagtui.app.widgets.line import cut, hung, styled
from flagtui.safe_text import safe_text
from flagtui.text.long_lists import wrap_safe
from flagtui.text.styled import Piece


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

    def on_resize(self) -> None:
        # The line of the cursor may be below the end of a smaller window.
        self.call_after_refresh(self.scroll_to_highlight)

    def on_click(self, event: events.Click) -> None:
        # Where the line was drawn, there may be fewer by now.
        if (event.style.meta.get("option") or 0) >= self.option_count:
            event.prevent_default()

    def action_cursor_up(self) -> None:
        self._go_to_first(range((self.highlighted or 0) - 1, -1, -1))

    def action_cursor_down(self) -> None:
        self._go_to_first(range(-1 if self.highlighted is None else self.highlighted, self.option_count)[1:])

    def _go_to_first(self, places: range) -> None:
        """Go to the first of them that can be chosen; the ends are ends, as in every other list."""
        for place in places:
            if not self.get_option_at_index(place).disabled:
                self.highlighted = place
                return

    def action_page_up(self) -> None:
        # Pages are counted in lines, and there are none before the first layout.
        if self.scrollable_content_region:
            super().action_page_up()  # type: ignore[no-untyped-call]

    def action_page_down(self) -> None:
        if self.scrollable_content_region:
            super().action_page_down()  # type: ignore[no-untyped-call]


class HungLines(OptionLines):
    """Options that continue below their beginning where they are wider than the list."""

    def __init__(self, lines: Sequence[Sequence[Piece]]) -> None:
        super().__init__(*(Option(styled(*pieces)) for pieces in lines))
        self._pieces = lines

    def hang(self, width: int) -> int:
        """Draw the options in so many cells and return the lines that they take."""
        drawn = [hung(pieces, width) for pieces in self._pieces]
        for place, line in enumerate(drawn):
            self.replace_option_prompt_at_index(place, line)
        return sum(line.plain.count("\n") + 1 for line in drawn)


A = TypeVar("A")
OPTION_PADDING: Final = 2


class ListedChoice(msgspec.Struct, Generic[A], frozen=True):
    """One line. It cannot be chosen where its answer is None."""

    drawn: Content
    answer: A | None = None
    is_passed: bool = False
    """Whether the cursor skips it."""
    is_current: bool = False
    """Whether the cursor begins here."""


class NarrowedList(Dialog[A | None], Generic[A]):
    """Answers with the value of the chosen line, or None."""

    BINDINGS: ClassVar[list[BindingType]] = at_once(
        Binding("escape", "leave", "leave", key_display="esc"),
        Binding("down", "move('cursor_down')", "down", show=False),
        Binding("up", "move('cursor_up')", "up", show=False),
        Binding("pagedown", "move('page_down')", "page down", show=False),
        Binding("pageup", "move('page_up')", "page up", show=False),
    )
    AUTO_FOCUS = "Input"
    keys = "⏎ choose · esc leave"
    placeholder = "type to narrow"

    def __init__(self, title: str) -> None:
        super().__init__()
        self._heading = title
        self._chosen: A | None = None
        self._shown: list[ListedChoice[A]] = []
        self._narrowed_for: str | None = None
        """Text of the field when the lines were filtered."""
        self._drawn_width = 0

    def lines(self, typed: str, width: int) -> Iterable[ListedChoice[A]]:
        """Return the lines that match the typed text, in a list of so many cells."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        with self.make_box("picker", safe_text(self._heading, 200), self.keys):
            yield Field(placeholder=self.placeholder, leaves=self.leaves)
            yield OptionLines()

    def on_mount(self) -> None:
        self.narrow()
        self.fit_list(len(self._shown))

    def on_resize(self) -> None:
        self.fit_list(len(self._shown))
        self.call_after_refresh(self._draw_again)

    def _draw_again(self) -> None:
        """Draw the choices in the new width and keep the cursor."""
        if self._line_width() == self._drawn_width:
            return
        place = self.query_one(OptionList).highlighted
        self.narrow()
        self.query_one(OptionList).highlighted = place

    @on(Input.Changed)
    def _on_typed(self, event: Input.Changed) -> None:
        event.stop()
        self._keep_up()

    def _keep_up(self) -> None:
        """Narrow the list to the letters typed: several keys of one packet precede Textual's event."""
        if self.query_one(Field).value != self._narrowed_for:
            self.narrow()

    def narrow(self) -> None:
        """Show the lines that match the text of the field."""
        options = self.query_one(OptionList)
        self._narrowed_for = typed = self.query_one(Field).value
        self._drawn_width = self._line_width()
        self._shown = [*self.lines(typed, self._drawn_width)]
        if typed.strip() and not self._shown:
            none = styled((f"  {self.words_without(safe_text(typed.strip(), 40))}", "$text-muted"))
            self._shown = [ListedChoice(none, is_passed=True)]
        options.clear_options()
        options.add_options(Option(choice.drawn, disabled=choice.is_passed) for choice in self._shown)
        places = [place for place, choice in enumerate(self._shown) if not choice.is_passed]
        first = next(iter(places), None)
        options.highlighted = next((place for place in places if self._shown[place].is_current), first)
        if options.highlighted == first:
            options.scroll_home(animate=False)

    def words_without(self, typed: str) -> str:
        """Return the line in place of choices; `typed` is the text that none matches."""
        return f"no match for {typed}"

    def _line_width(self) -> int:
        """Return the cells of a line; before the first layout those that it will have."""
        options = self.query_one(OptionList)
        if options.content_size.width:
            return options.content_size.width - OPTION_PADDING
        box = self.query_one("#picker")
        cells = min(box.styles.width.value if box.styles.width else 0, self.app.size.width * 98 // 100)
        return int(cells) - box.gutter.width - OPTION_PADDING

    @on(OptionList.OptionSelected)
    def _on_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._choose(event.option_index)

    @on(Input.Submitted)
    def _on_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._keep_up()
        place = self.query_one(OptionList).highlighted
        if place is not None:
            self._choose(place)

    def _choose(self, place: int) -> None:
        if 0 <= place < len(self._shown) and self._shown[place].answer is not None:
            self._chosen = self._shown[place].answer
            self.dismiss(self._chosen)

    def action_move(self, way: str) -> None:
        self._keep_up()
        getattr(self.query_one(OptionList), f"action_{way}")()


V = TypeVar("V")

MOST_SHOWN: Final = 200
"""Choices drawn at once; typing brings the others."""


class Choice(msgspec.Struct, Generic[V], frozen=True):
    """Something to choose. `name` and `about` are raw."""

    value: V
    name: str
    about: str = ""
    current: bool = False
    stays: bool = False
    """Offered for every text: the entry to choose when none of the others applies."""


class PickerScreen(NarrowedList[V], Generic[V]):
    """Answers with the value chosen, or None."""

    def __init__(self, title: str, choices: Sequence[Choice[V]], reason: str = "") -> None:
        """`reason` is shown whole above the choices. Raw."""
        super().__init__(title)
        self._choices = choices
        self._reason = reason

    @property
    def question(self) -> object:
        return [choice.value for choice in self._choices]

    @property
    def entered(self) -> V | None:
        return self._chosen

    def recall(self, entered: V) -> None:
        self._choices = [replace(choice, current=choice.value == entered) for choice in self._choices]

    def lines(self, typed: str, width: int) -> Iterator[ListedChoice[V]]:
        for line in wrap_safe(self._reason, width - 2) if self._reason else ():
            yield ListedChoice(styled((f"  {line}", "$warning")), is_passed=True)
        typed_words = typed.casefold().split()
        matches = [
            choice
            for choice in self._choices
            if all(word in f"{choice.name} {choice.about}".casefold() for word in typed_words)
        ]
        # What begins with the words is more likely meant than what has them somewhere.
        matches.sort(key=lambda choice: not choice.name.casefold().startswith(typed.strip().casefold()))
        more = max(0, len(matches) - MOST_SHOWN)
        matches = matches[:MOST_SHOWN]
        matches += [choice for choice in self._choices if choice.stays and choice not in matches]
        for choice in matches:
            yield ListedChoice(
                _draw_choice(choice, width), choice.value, is_current=choice.current and not typed_words
            )
        if more:
            words = styled((f"  and {more:,} more; type to narrow", "$faint"))
            yield ListedChoice(words, is_passed=True)


def _draw_choice(choice: Choice[V], width: int) -> Content:
    mark = ("● ", "$success") if choice.current else ("  ", "")
    name = cut(safe_text(choice.name, 60), width - 2)
    about = cut(safe_text(choice.about, 60), max(0, width - 4 - cell_len(name)))
    return styled(mark, (name, "bold"), (f"  {about}", "$text-muted"))

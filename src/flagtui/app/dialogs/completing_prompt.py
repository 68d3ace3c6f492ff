"""A prompt for one line with suggestions below it, which never move what is around them."""

from collections.abc import Awaitable, Callable
from itertools import chain, islice
from typing import ClassVar, Final

from rich.cells import cell_len
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from flagtui.api.heavy_work import off_loop
from flagtui.app.dialogs.picker import OptionLines
from flagtui.app.dialogs.prompt import Prompt, PromptScreen
from flagtui.app.widgets.field import Field, at_once
from flagtui.app.widgets.line import cut, styled
from flagtui.details.suggestions import Suggest, SuggestedText, Suggestions, fold
from flagtui.safe_text import safe_text

Estimate = Callable[[str], Awaitable[str]]
"""Returns in words what the line would reach."""
MOST: Final = 50
"""Suggestions with lines; typing brings the others."""
WIDEST: Final = 40
"""Cells of the column of suggestions; what follows them begins there at the latest."""
SHORTEST: Final = 4
"""Cells in which something about a suggestion can be read."""
SIGNS: Final = "=+-"
"""What a tag of a line can begin with."""


class CompletingPrompt(PromptScreen):
    """Tab completes the text, the arrows go through the suggestions, Enter accepts the line as it is shown.

    The server is asked when the typing pauses, and only if what it sent before is not all there is.
    """

    BINDINGS: ClassVar[list[BindingType]] = at_once(
        Binding("tab", "complete", "complete", show=False),
        Binding("down", "choose(1)", "next suggestion", show=False),
        Binding("up", "choose(-1)", "suggestion before", show=False),
    )
    keys = "⏎ accept · tab complete · ↑↓ choose · esc leave"

    def __init__(
        self,
        prompt: Prompt,
        suggest: Suggest,
        pause: Callable[[], Awaitable[None]],
        *,
        has_parts: bool = False,
        estimate: Estimate | None = None,
    ) -> None:
        """`pause` waits before the server is asked. The last part after a comma is completed of several."""
        super().__init__(prompt)
        self._suggest = suggest
        self._pause = pause
        self._has_parts = has_parts
        self._estimate = estimate
        self._latest = Suggestions()
        self._folded: list[str] = []
        """The texts of the latest suggestions as they are compared."""
        self._latest_for: str | None = None
        """The text that the latest suggestions are for; None before the first ones."""
        self._shown: list[SuggestedText] = []
        self._has_more = False
        """Whether there are suggestions without a line."""
        self._typed_line = prompt.value
        self._filled: str | None = None
        """The line that a suggestion made: it narrows nothing."""

    def compose_more(self) -> ComposeResult:
        suggestions = OptionLines(id="suggestions")
        suggestions.can_focus = False
        yield suggestions
        yield Static(id="note")
        if self._estimate is not None:
            yield Static(id="estimate")

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    def show_line(self, line: str) -> None:
        super().show_line(line)
        self._count(line)
        if line != self._filled:
            self._filled, self._typed_line = None, line
            self._narrow()
            if not self._is_known(self._part):
                self._look_up(self._part)

    @property
    def _base(self) -> str:
        """The beginning of the line that a suggestion keeps."""
        if self._typed_line == self._prompt.value or not self._has_parts:
            # Typing replaces a value that was there before, and so does a suggestion.
            return ""
        before, comma, part = self._typed_line.rpartition(",")
        signs = part[: len(part) - len(part.lstrip().lstrip(SIGNS).lstrip())]
        return f"{before}{comma}{signs or ' ' * bool(comma)}"

    @property
    def _part(self) -> str:
        """The text to complete; empty while the value is unchanged."""
        if self._typed_line == self._prompt.value:
            return ""
        return self._typed_line[len(self._base) :] if self._has_parts else self._typed_line

    def _is_known(self, typed: str) -> bool:
        """Return whether the latest suggestions have all that contain the text."""
        before = self._latest_for
        if before is None:
            return False
        return fold(typed) == fold(before) or (self._latest.is_complete and fold(before) in fold(typed))

    @work(exclusive=True, group="suggestions", description="look up")
    async def _look_up(self, typed: str) -> None:
        if self._latest_for is not None:
            await self._pause()
        latest = await self._suggest(typed)
        folded = await off_loop(lambda: [fold(item.text) for item in latest.items], [*latest.items])
        self._latest, self._folded, self._latest_for = latest, folded, typed
        if self.is_attached:
            self._narrow()

    @work(exclusive=True, group="estimate", description="count")
    async def _count(self, line: str) -> None:
        """Show what the line would reach; the next letter cancels it."""
        if self._estimate is None:
            return
        shown = self.query_one("#estimate", Static)
        if self._prompt.read(line).problem:
            shown.update("")
            return
        shown.update(styled(("counting…", "$faint")))
        await self._pause()
        shown.update(styled((safe_text(await self._estimate(line), 70), "$text-muted")))

    def _narrow(self) -> None:
        """Show the suggestions with the text, those that begin with it first."""
        typed = fold(self._part)
        matches = [place for place, text in enumerate(self._folded) if typed in text]
        first = islice((place for place in matches if self._folded[place].startswith(typed)), MOST)
        others = (place for place in matches if not self._folded[place].startswith(typed))
        self._shown = [self._latest.items[place] for place in islice(chain(first, others), MOST)]
        self._has_more = len(matches) > MOST or not self._latest.is_complete
        self._draw()

    def _draw(self) -> None:
        options = self.query_one(OptionList)
        highlighted, width = options.highlighted, options.content_size.width - 2
        options.clear_options()
        column = min(WIDEST, max((cell_len(safe_text(item.text, 200)) for item in self._shown), default=0))
        options.add_options(Option(styled(*_pieces(item, column, width))) for item in self._shown)
        if self._filled is not None and highlighted is not None and highlighted < len(self._shown):
            options.highlighted = highlighted
        is_waiting = self._latest_for is None
        note = "looking for suggestions…" if is_waiting else self._latest.note
        if not note and not self._shown:
            note = f"no suggestion with {self._part.strip()}" if self._part.strip() else "no suggestions"
        if not note and self._has_more:
            note = "the first of many; type to narrow"
        self.query_one("#note", Static).update(styled((safe_text(note, 70), "$text-muted")))

    def action_complete(self) -> None:
        """Put in the suggestion that is chosen, else the first."""
        options = self.query_one(OptionList)
        if self._shown:
            self._fill(self._base + self._shown[options.highlighted or 0].text)
            self._filled = None

    def action_choose(self, step: int) -> None:
        """Go to the next suggestion, or back to what was typed."""
        options = self.query_one(OptionList)
        before = -1 if options.highlighted is None else options.highlighted
        place = max(-1, min(len(self._shown) - 1, before + step))
        options.highlighted = None if place < 0 else place
        self._fill(self._typed_line if place < 0 else self._base + self._shown[place].text)

    def _fill(self, line: str) -> None:
        field = self.query_one(Field)
        self._filled = line
        field.value = line
        field.cursor_position = len(line)

    @on(OptionList.OptionSelected)
    def _on_clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._fill(self._base + self._shown[event.option_index].text)


def _pieces(item: SuggestedText, column: int, width: int) -> list[tuple[str, str]]:
    text = cut(safe_text(item.text, 200), max(8, width - 2))
    gap = " " * max(2, column + 2 - cell_len(text))
    room = width - 1 - cell_len(text + gap)
    about = cut(safe_text(item.about, 60), room) if room >= SHORTEST else ""
    return [(f" {text}", "bold"), (f"{gap}{about}" if about else "", "$text-muted")]

"""How each of many changes ended, when not all of them were saved; the rest can be tried again alone."""

from collections.abc import Iterator
from textwrap import wrap

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from flagtui.app.explain import reason_of
from flagtui.app.saving import Ended
from flagtui.app.widgets.line import Piece, styled
from flagtui.changes.outcome import Saved, Unknown
from flagtui.safe_text import safe_text


class ResultsScreen(ModalScreen[bool]):
    """Answers True to try again what was not saved; that is read, planned and asked about anew."""

    BINDINGS = [
        Binding("escape,q,enter", "leave", "close", key_display="esc"),
        Binding("r", "again", "try again"),
        Binding("down,j", "scroll(1)", "down", show=False),
        Binding("up,k", "scroll(-1)", "up", show=False),
    ]
    AUTO_FOCUS = "VerticalScroll"

    def __init__(self, ended: Ended) -> None:
        super().__init__()
        self._ended = ended

    def compose(self) -> ComposeResult:
        width = min(88, self.app.size.width - 8)
        with Vertical(id="results") as box:
            box.border_title = styled((" Not all saved ", "bold $warning"))
            again = len(self._ended.retryable)
            box.border_subtitle = f"r tries {again:,} again · esc close" if again else "esc close"
            with VerticalScroll():
                lines = result_lines(self._ended, width)
                yield Static(styled(*(piece for line in lines for piece in [*line, ("\n", "")])))

    def action_scroll(self, lines: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)

    def action_again(self) -> None:
        if self.is_current and self._ended.retryable:
            self.dismiss(True)

    def action_leave(self) -> None:
        if self.is_current:
            self.dismiss(False)


def result_lines(ended: Ended, width: int) -> Iterator[list[Piece]]:
    """What was not saved first, each with its reason."""
    for outcome in ended.outcomes:
        if not isinstance(outcome, Saved):
            mark = ("? ", "$error") if isinstance(outcome, Unknown) else ("✗ ", "$error")
            yield [mark, (safe_text(outcome.plan.key, 60), "bold"), (f"  {outcome.ending}", "$warning")]
            for line in wrap(safe_text(reason_of(outcome), 300), max(20, width - 4)):
                yield [(f"    {line}", "$text-muted")]
    for plan in ended.unsent:
        yield [("· ", "$text-muted"), (safe_text(plan.key, 60), "bold"), ("  not sent", "$warning")]
    for outcome in ended.outcomes:
        if isinstance(outcome, Saved):
            yield [("✓ ", "$success"), (safe_text(outcome.plan.key, 60), ""), ("  saved", "$text-muted")]

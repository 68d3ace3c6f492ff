"""The results of a batch with failures; those can be retried alone."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import ClassVar, Final, Literal

import msgspec
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from flagtui.app.dialogs.picker import OptionLines
from flagtui.app.widgets.dialog import Dialog
from flagtui.app.widgets.line import join_lines, styled
from flagtui.changes.proposal import P, Purpose, R, Report, chosen_id
from flagtui.safe_text import safe_text
from flagtui.store.kinds import Kind
from flagtui.store.load_progress import RecordId
from flagtui.text.outcomes import UNDONE, done_word
from flagtui.text.styled import Piece

SKIPPED: Final = "skipped"
UNCHANGED: Final = "unchanged"
"""The ending of a no-op."""
LEFT: Final = (SKIPPED, UNCHANGED)
NOT_SENT: Final = "not sent"
AGAIN: Final = "again"
PADDING: Final = 2
"""Cells of the list without text."""
FRAME: Final = 4
"""Lines of the dialog around its list."""
TOAST: Final = 3
"""Lines at the foot: the last message, and the keys."""
TALL: Final = 30
"""Below so many lines of screen the dialog begins at the top, for the toast to have room under it."""
_MARKS: Final[dict[str, Piece]] = {
    "saved": ("✓ ", "$success"),
    "unknown": ("? ", "$error"),
    SKIPPED: ("– ", "$warning"),
    UNCHANGED: ("– ", "$text-muted"),
    NOT_SENT: ("· ", "$text-muted"),
}
_REFUSED: Final[Piece] = ("✗ ", "$error")


class Result(msgspec.Struct, frozen=True):
    """One record. `key` and `reason` are raw."""

    id: RecordId
    key: str
    ending: str
    """`saved`, `refused`, `skipped`, `not sent`: a word or two."""
    reason: str = ""
    done: str = ""
    """The verb for a saved change, such as `deleted`."""
    can_try_again: bool = False
    """Whether it is unchanged for certain, so that the same change can be requested again."""
    kind: Kind | None = None
    """The list of the record; None is that of the other results."""

    @property
    def is_saved(self) -> bool:
        return self.ending == "saved"


def results_of(report: Report[P, R], purpose: Purpose | None = None) -> Iterator[Result]:
    """Yield the result of each change and the unsent ones."""
    for outcome in report.outcomes:
        reason = "" if outcome.is_saved else outcome.reason or outcome.ending
        done = done_word(outcome, purpose) if outcome.is_saved else ""
        id = chosen_id(outcome.plan)
        yield Result(id, outcome.plan.key, outcome.ending, reason, done, outcome.is_unchanged)
    for plan in report.unsent:
        yield Result(chosen_id(plan), plan.key, NOT_SENT, can_try_again=True)


class ResultsScreen(Dialog[Result | Literal["again"] | None]):
    """Return a record to open, or `again` to re-read, plan and confirm the unsaved changes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "close", key_display="esc"),
        Binding("R", "again", "try again"),
        Binding("u", "undo", "undo"),
    ]
    AUTO_FOCUS = "OptionList"

    def __init__(self, results: Sequence[Result]) -> None:
        super().__init__()
        self._results = sorted(results, key=lambda result: (result.is_saved, result.ending in LEFT))

    def compose(self) -> ComposeResult:
        with Vertical(id="results") as box:
            endings = [result.done or result.ending for result in self._results[::-1]]
            counted = (f"{endings.count(ending):,} {ending}" for ending in dict.fromkeys(endings))
            box.border_title = styled((f" {', '.join(counted)} ", "bold $warning"))
            again = sum(result.can_try_again for result in self._results)
            retry = f" · R tries {again:,} again" if again else ""
            # After an undo, `u` undoes an earlier change.
            undo = " · u undo" if any(result.done not in ("", UNDONE) for result in self._results) else ""
            box.border_subtitle = f"⏎ open{retry}{undo} · esc close"
            yield ResultLines(self._results)

    def on_resize(self) -> None:
        """Leave the last lines of the screen to the toast that shows the outcome and how to undo it."""
        height = self.app.size.height
        self.query_one(ResultLines).styles.max_height = max(3, height - FRAME - TOAST)
        self.set_class(height < TALL, "-top")

    @on(OptionList.OptionSelected)
    def _on_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._results[event.option_index])

    def action_again(self) -> None:
        if any(result.can_try_again for result in self._results):
            self.dismiss(AGAIN)

    def action_undo(self) -> None:
        """Undo on the screen below: the toast beside this screen names its key."""
        below = self.app.screen_stack[-2]
        self.dismiss(None)
        self.app.call_later(self.app.run_action, "undo", below)


class ResultLines(OptionLines):
    """A reason that is longer than the line goes on under its beginning."""

    def __init__(self, results: Sequence[Result]) -> None:
        reasons = [result.reason for result in results]
        repeated = (bool(reason) and reason == before for before, reason in pairwise(["", *reasons]))
        self._results = [*zip(results, repeated, strict=True)]
        super().__init__(*map(Option, self._make_lines(0)))

    def on_resize(self) -> None:
        width = self.scrollable_content_region.width - PADDING
        for place, line in enumerate(self._make_lines(width)):
            self.replace_option_prompt_at_index(place, line)

    def _make_lines(self, width: int) -> Iterator[Content]:
        return (result_line(result, width, is_repeated=is_repeated) for result, is_repeated in self._results)


def result_line(result: Result, width: int, *, is_repeated: bool) -> Content:
    """Return `– checkout-v2  skipped` with the whole reason below, unless the line above has it."""
    look = "$text-muted" if result.is_saved else "$warning"
    key: Piece = (safe_text(result.key, 60), "" if result.is_saved else "bold")
    lines: list[list[Piece]] = [[_MARKS.get(result.ending, _REFUSED), key, (f"  {result.ending}", look)]]
    if is_repeated:
        lines[0].append((", for the same reason", "$text-muted"))
    elif result.reason:
        lines.append([("  ", ""), (safe_text(result.reason, 300), "$text-muted")])
    return join_lines(lines, width).rstrip()

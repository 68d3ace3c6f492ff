"""A record as a form of lines: the cursor, changes, obstacles to saving, and leaving."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Final, Generic

from rich.cells import cell_len
from textual import on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from flagtui.api.heavy_work import is_heavy, off_loop
from flagtui.app.forms.form_lines import FormLine, Part
from flagtui.app.forms.kept_form import KeptForm
from flagtui.app.forms.line_keys import CopyT, FormLines, QuestionsT
from flagtui.app.forms.question_chain import ask_in_turn
from flagtui.app.shell.footer import KeyLine
from flagtui.app.shell.header import Header
from flagtui.app.shell.status_line import link_of, location_of
from flagtui.app.state.app_state import AppState
from flagtui.app.widgets.line import Line, cut, hung, styled
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.safe_text import safe_text
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Notice, Piece

BESIDE_LINES: Final = 5
"""Cells of the screen beside a line of the form."""


class LinesForm(KeptForm[CopyT, QuestionsT], Generic[CopyT, QuestionsT]):
    """Keep the form open until its values are saved, so that a refusal or a conflict loses nothing.

    Subclasses define the lines and what each key does to one of them.
    """

    AUTO_FOCUS = "OptionList"
    begins_at: Part = "field"
    """The initial position of the cursor in the form of a new record, which already has its name."""

    def __init__(self, app_state: AppState, runner: ChangeRunner, copy: CopyT, questions: QuestionsT) -> None:
        super().__init__(app_state, runner, copy, questions)
        self._is_leaving = False
        self._before = copy.snapshot()
        """The snapshot drawn last."""
        self._width = 0
        """The cells that a line had when it was drawn last."""
        self._is_changed = False
        self._problems: Sequence[str] | None = ()
        """Obstacles to saving the copy; None while they are checked."""
        self._saves_when_checked = False

    @abstractmethod
    def lines(self) -> Iterator[FormLine]:
        """Return the whole form, top to bottom."""

    @abstractmethod
    def heading(self) -> Sequence[Piece]:
        """Return the heading with the record that is edited."""

    @abstractmethod
    async def save(self) -> None:
        """Pass the draft to the pipeline, which asks and sends it. Only within `ChangeRunner.run`."""

    def compose(self) -> ComposeResult:
        yield Header()
        yield Line(id="form-title")
        yield FormLines(self.begin_share, id="form")
        yield Line(id="form-state")
        yield KeyLine()

    def on_mount(self) -> None:
        self._check()
        self._draw()
        begins = next((line.id for line in self._lines if line.part == self.begins_at), None)
        if self._copy.is_new and begins is not None:
            self._stand_on(begins)

    def on_resize(self) -> None:
        if self.line_width != self._width:
            self._draw()

    def _draw(self) -> None:
        options = self.query_one(OptionList)
        here = self._line
        place, before = options.highlighted or 0, self._lines
        width, self._width = self._width, self.line_width
        self._lines = list(self.lines())
        if [line.id for line in before] == [line.id for line in self._lines] and before:
            # The lines stay where they are, scrolled as they were.
            for at, (old, new) in enumerate(zip(before, self._lines, strict=True)):
                if old.pieces != new.pieces or width != self._width:
                    options.replace_option_prompt_at_index(at, self._draw_line(new))
            self._draw_frame()
            return
        options.clear_options()
        options.add_options(
            Option(self._draw_line(line), disabled=line.part == "heading") for line in self._lines
        )
        ids = [line.id for line in self._lines]
        if here is not None and here.id in ids:
            place = ids.index(here.id)
        options.highlighted = min(place, len(ids) - 1)
        self._draw_frame()

    def _draw_line(self, line: FormLine) -> Content:
        """Return a line as it is drawn: what does not fit continues beside its label."""
        if not line.pieces[0][0].startswith("\n"):
            return hung(line.pieces, self._width)
        *before, (about, style) = line.pieces
        room = self._width - sum(cell_len(text.strip("\n")) for text, _ in before)
        return styled(*before, (cut(about, max(0, room)), style))

    @property
    def line_width(self) -> int:
        """The cells of a line of the form."""
        return self.app.size.width - BESIDE_LINES

    def _draw_frame(self) -> None:
        app_state = self._app_state
        self.query_one(Header).show_location(location_of(app_state), link_of(app_state))
        self.query_one("#form-title", Line).show(styled(*self.heading()))
        self.query_one("#form-state", Line).show(styled(*self._state()))

    def _state(self) -> list[Piece]:
        if self._is_leaving:
            lost = "what you entered" if self._copy.is_new else "your changes"
            return [(f"{key_sign('form.back')} again discards {lost}", "$warning")]
        problems = self._problems
        if problems:
            more = f"  and {len(problems) - 1:,} more" if len(problems) > 1 else ""
            return [("✗ ", "$error"), (safe_text(problems[0], 200), "$warning"), (more, "$text-muted")]
        if problems is None:
            words = "not saved yet; its values are being checked"
            return [("● ", "$primary"), (words, "$text-muted")]
        if self._is_changed:
            words = f"not saved yet; {key_sign('form.save')} shows what would change"
            return [("● ", "$primary"), (words, "$text-muted")]
        return [("no changes", "$faint")]

    def on_screen_suspend(self) -> None:
        """Warn again after a dialog, in which Escape means something else."""
        self._stay()

    def _stay(self) -> None:
        """Let the next Escape warn, not discard."""
        if self._is_leaving:
            self._is_leaving = False
            self._draw_frame()

    @on(OptionList.OptionHighlighted)
    def _on_moved(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._stay()
        self.line_changed()

    def line_changed(self) -> None:
        """Follow the cursor to another line."""
        self.refresh_bindings()

    @on(OptionList.OptionSelected)
    def _on_opened(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        line = self._line
        if line is not None and line.part != "heading" and not self._held:
            self._runner.run(self.while_living(self.ask_about(line)))

    async def ask_about(self, line: FormLine) -> None:
        before = {each.id for each in self._lines}
        with self.hold(), self.asking(line) as texts:
            await ask_in_turn(lambda: self._questions.open(line), texts)
        self.show_change()
        added = [each.id for each in self._lines if each.id not in before]
        if line.part.startswith("add") and added and self.is_attached:
            self._stand_on(added[0])

    def action_undo(self) -> None:
        """Undo the last change in this form; nothing of it was sent."""
        self._copy.restore(self._steps.pop())
        self._before = self._copy.snapshot()
        self.show_change()

    def show_change(self) -> None:
        """Draw the current values."""
        self._is_leaving = False
        if self._copy.values != self._before["values"]:
            self._steps.append(self._before)
            self._before = self._copy.snapshot()
        if self.is_attached:
            self._check()
            self._draw()
            self.refresh_bindings()

    def _check(self) -> None:
        """Check for obstacles to saving the copy; of a heavy record in a thread."""
        copy = self._copy
        self._is_changed = copy.is_changed or copy.is_new
        self._saves_when_checked = False
        self.workers.cancel_group(self, "check")
        if not self._is_changed:
            self._problems = ()
        elif is_heavy(copy.values):
            self._problems = None
            self._check_in_thread()
        else:
            self._problems = copy.problems

    @work(exclusive=True, group="check")
    async def _check_in_thread(self) -> None:
        frozen = self._copy.frozen()
        self._problems = await off_loop(lambda: frozen.problems, frozen.values)
        self._draw_frame()
        if self._saves_when_checked:
            self.action_save()

    def action_save(self) -> None:
        problems = self._problems
        if problems is None:
            self._saves_when_checked = True
        elif problems:
            text = "\n".join(problems[:6])
            self._runner.show_toast(Notice(text, "warning", "not possible like this"))
        else:
            self._runner.run(self._save())

    async def _save(self) -> None:
        """Save the draft; what would be entered before it is saved would be lost with the form."""
        with self.hold("the form is being saved"):
            await self.save()
        if self.is_attached:
            self.refresh_bindings()

    @property
    def has_edits(self) -> bool:
        return self._copy.is_changed or self._copy.is_new

    def action_back(self) -> None:
        if self.has_edits and not self._is_leaving:
            self._saves_when_checked = False
            self._is_leaving = True
            self._draw_frame()
        else:
            self.leave()

    def leave(self) -> None:
        """Close the form, whatever was changed."""
        self.dismiss(None)

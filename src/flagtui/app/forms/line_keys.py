"""The keys of a form: what each does with the line under the cursor, and why it does nothing."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from string import digits
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar

from textual.binding import Binding, BindingType
from textual.widgets import OptionList

from flagtui.app.commands.command import Command
from flagtui.app.commands.command_table import bindings_of
from flagtui.app.dialogs.picker import OptionLines
from flagtui.app.forms.form_lines import FormLine, LineId, Typed
from flagtui.app.forms.shortened_lines import explain_elsewhere
from flagtui.app.state.app_state import AppState
from flagtui.app.state.permissions import STAGING_TITLES
from flagtui.app.widgets.screen_lifecycle import OwnedScreen
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.changes.draft import Draft
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Notice


class Questions(Protocol):
    """Prompts about a line of a form; the answer goes into the copy."""

    async def open(self, line: FormLine) -> None:
        """Ask for a new value of the line."""

    async def share(self, line: FormLine, typed: Typed = str) -> None:
        """Ask for the share of the line, beginning with the typed text."""


CHANGING: Final = frozenset(("edit", "share", "remove", "move", "distribute", "undo", "save"))
"""Actions that change the draft, or send it."""
CopyT = TypeVar("CopyT", bound=Draft)
QuestionsT = TypeVar("QuestionsT", bound=Questions)


class FormLines(OptionLines):
    """The lines of a form, on which digits begin a share."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(digit, f"digit({digit!r})", show=False, priority=True) for digit in digits
    ]

    def __init__(self, begin_share: Callable[[str], None], id: str) -> None:
        super().__init__(id=id)
        self._begin_share = begin_share

    def action_digit(self, digit: str) -> None:
        self._begin_share(digit)


class LineKeys(OwnedScreen[None], Generic[CopyT, QuestionsT]):
    """A form as its keys see it: lines, a draft and questions about both."""

    BINDINGS = bindings_of("form")
    shares = "variants"
    """The lines that have a share, in words."""
    removes = "variants"
    """Those that can be removed."""
    moves = "metrics"
    """Those that can be moved."""

    def __init__(self, app_state: AppState, runner: ChangeRunner, copy: CopyT, questions: QuestionsT) -> None:
        super().__init__()
        self._app_state = app_state
        self._runner = runner
        self._copy = copy
        self._questions = questions
        self._lines: list[FormLine] = []
        self._steps: list[Mapping[str, Any]] = []
        """The snapshots before each change."""
        self._digits = ""
        """A share that was typed on its line, until the question has it."""
        self._held = ""
        """Why nothing can be changed now: an answer is awaited, which is for the lines as they are."""

    @abstractmethod
    def has_share(self, line: FormLine) -> bool:
        """Return whether a share belongs to the line."""

    @abstractmethod
    def can_remove(self, line: FormLine) -> bool:
        """Return whether the item of the line can be removed."""

    @abstractmethod
    def remove_line(self, line: FormLine) -> None:
        """Remove the item of the line, if that is possible."""

    @abstractmethod
    def movable_among(self, line: FormLine) -> tuple[str, int]:
        """Return the noun and number of the items among which it can be moved; 0 where it cannot."""

    @abstractmethod
    def id_at(self, line: FormLine, place: int) -> LineId:
        """Return the id of the line of the item at another place."""

    def find_target(self, line: FormLine, step: int) -> LineId | None:
        """Return the id the line would have after the step; None at an end, and where it cannot be moved."""
        place = line.place + step
        return self.id_at(line, place) if 0 <= place < self.movable_among(line)[1] else None

    @abstractmethod
    def move_line(self, line: FormLine, step: int) -> None:
        """Move the item of the line to its target."""

    @abstractmethod
    def show_change(self) -> None:
        """Draw the current values."""

    @property
    def _line(self) -> FormLine | None:
        place = self.query_one(OptionList).highlighted
        return self._lines[place] if place is not None and place < len(self._lines) else None

    def _stand_on(self, id: LineId) -> None:
        self.query_one(OptionList).highlighted = [each.id for each in self._lines].index(id)

    def title_of(self, id: str) -> str:
        """Return what Enter does with the line, for the footer."""
        line = self._line
        if id in STAGING_TITLES and self._app_state.is_staging:
            return STAGING_TITLES[id]
        if id != "form.edit" or line is None:
            return ""
        return "add" if line.part.startswith("add") else "even shares" if line.part == "sum" else "edit"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return None if self._refusal(action, *parameters) else super().check_action(action, parameters)

    def why_not_now(self, command: Command, sign: str) -> str:
        """Return why the key of a command does nothing on this line."""
        parameters = () if command.argument is None else (command.argument,)
        why = self._refusal(command.handler, *parameters)
        return f"{sign}: {why}" if why else ""

    def _refusal(self, action: str, *parameters: object) -> str:
        if self._held and action in CHANGING:
            return self._held
        line = self._line if self.is_mounted else None
        return "" if line is None else self._refusal_on(line, action, *parameters)

    def _refusal_on(self, line: FormLine, action: str, *parameters: object) -> str:
        match action, parameters:
            case "share", _:
                return "" if self.has_share(line) else f"this line has no share; {self.shares} have one"
            case "remove", _:
                return "" if self.can_remove(line) else f"this line stays; {self.removes} can be removed"
            case "move", (int() as step,) if not self.find_target(line, step):
                noun, number = self.movable_among(line)
                which = "only" if number == 1 else "first" if step < 0 else "last"
                stays = f"this line cannot be moved; {self.moves} can"
                return f"this is the {which} {noun}" if number else stays
            case "distribute", _:
                return "" if self._copy.variants else "there are no variants"
            case "stage", _:
                # On other screens it begins staging too; here a + begins the lines that add something.
                adds = f"{key_sign('form.edit')} on a line with + adds"
                return "" if self._app_state.is_staging else adds
            case "undo", _:
                return "" if self._steps else "nothing was changed in this form"
        return ""

    def action_edit(self) -> None:
        self.query_one(OptionList).action_select()

    def action_share(self) -> None:
        line = self._line
        if line is not None:
            self._runner.run(self.while_living(self._ask_share(line)))

    def begin_share(self, digit: str) -> None:
        """Begin the share of the line with a digit; those that arrive before the question belong to it."""
        if not self._digits and (why := self._refusal("share")):
            self._runner.show_toast(Notice(f"{digit}: {why}", "warning"))
            return
        if not self._digits and not self._runner.prepared.is_set():
            return
        self._digits += digit
        if len(self._digits) == 1:
            self.action_share()

    async def _ask_share(self, line: FormLine) -> None:
        try:
            with self.hold():
                await self._questions.share(line, lambda: self._digits)
        finally:
            self._digits = ""
        self.show_change()

    @contextmanager
    def hold(self, why: str = "a question about a line is still open") -> Iterator[None]:
        """Refuse changes of the form within the block, also while a question waits for the server."""
        self._held = why
        try:
            yield
        finally:
            self._held = ""

    def action_remove(self) -> None:
        line = self._line
        if line is not None:
            self.remove_line(line)
        self.show_change()

    def action_move(self, step: int) -> None:
        line = self._line
        target = self.find_target(line, step) if line is not None else None
        if line is None or target is None:
            return
        if all(each.id != target for each in self._lines):
            words = f"the next place has no line in this form{explain_elsewhere(self._copy)}"
            self._runner.show_toast(Notice(words, "warning", "not moved"))
            return
        self.move_line(line, step)
        self.show_change()
        self._stand_on(target)

    def action_stage(self) -> None:
        """End staging, so that what cannot be staged can be saved from here."""
        self._runner.switch_staging()
        self.show_change()

    def action_distribute(self) -> None:
        self._copy.distribute()
        self.show_change()

"""A flag as a form of lines."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any

from textual import work

from flagtui.api.heavy_work import off_loop
from flagtui.app.flags.form.flag_fields import FieldQuestions
from flagtui.app.flags.form.flag_form_lines import form_lines
from flagtui.app.flags.form.live_reach import LiveReach
from flagtui.app.forms.draft_form import LinesForm
from flagtui.app.forms.form_lines import FormLine, LineId
from flagtui.app.shell.change_tasks import OnReport
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.changes.flags.flag_draft import WorkingCopy
from flagtui.changes.flags.flag_planner import NewFlag
from flagtui.changes.proposal import Consequence, Report
from flagtui.details.flag_inspector import FEW
from flagtui.safe_text import safe_text
from flagtui.text.styled import Notice, Piece


class FormScreen(LinesForm[WorkingCopy, FieldQuestions]):
    """Edits the draft of a flag; saving passes it to the pipeline of changes."""

    shares = "conditions and variants"
    removes = "conditions, properties, variants and payloads"
    moves = "conditions"
    begins_at = "condition"

    def __init__(
        self,
        app_state: AppState,
        runner: ChangeRunner,
        copy: WorkingCopy,
        consequences: Sequence[Consequence] = (),
        create: Callable[[Sequence[NewFlag], OnReport], Awaitable[None]] | None = None,
    ) -> None:
        """`create` takes a new flag in place of the pipeline of changes."""
        workspace = app_state.workspace
        row = workspace.flags.get(copy.flag.id) if workspace else None
        self._reach = LiveReach(copy, app_state.inspector, row)
        super().__init__(app_state, runner, copy, FieldQuestions(copy, runner, app_state, self._reach))
        self._consequences = consequences
        self._create = create or runner.create
        key = copy.flag.key
        # Saving it is not what saves another new flag.
        self._draft_id = f"staged {key}" if create else f"copy {key}" if consequences else str(copy.flag.id)

    def on_mount(self) -> None:
        self._learn_names()
        self._count_reach()

    def line_changed(self) -> None:
        super().line_changed()
        if self._place >= FEW:
            # The first ones are counted wherever the cursor is.
            self._count_reach()

    def show_change(self) -> None:
        super().show_change()
        self._count_reach()

    @work(exclusive=True, group="reach")
    async def _count_reach(self) -> None:
        """Count the conditions that are not counted yet; the next change or move cancels it."""
        if not self._reach.waiting(self._place):
            return
        await self._runner.pause()
        await self._reach.count(self._reach.waiting(self._place))
        if self.is_attached:
            self._draw()

    @property
    def _place(self) -> int:
        """The place of the condition under the cursor."""
        line = self._line
        is_of_condition = line is not None and line.part in ("condition", "property", "add property")
        return line.place if line is not None and is_of_condition else -1

    @work(exclusive=True, group="inspect")
    async def _learn_names(self) -> None:
        """Load the names of groups and cohorts; the form can be used meanwhile."""
        inspector = self._app_state.inspector
        if inspector is None or "filters" not in self._copy.values:
            return
        if not inspector.definitions.is_read:
            await inspector.definitions.read()
        frozen = self._copy.frozen()
        cohorts = await off_loop(lambda: frozen.cohorts, frozen.values)
        if not cohorts <= inspector.cohorts.names.keys():
            await inspector.cohorts.learn()
        if self.is_attached:
            self._draw()

    def lines(self) -> Iterator[FormLine]:
        return form_lines(self._copy, self._app_state.names, self._reach, self.line_width)

    @property
    def draft_id(self) -> str:
        return self._draft_id

    @property
    def record_name(self) -> str:
        return str(self._copy.values.get("key") or self._copy.flag.key)

    def heading(self) -> Sequence[Piece]:
        copy = self._copy
        name = safe_text(self.record_name, 60)
        title: Piece = ("New flag ", "bold $primary") if copy.is_new else ("Edit ", "bold $primary")
        version = "" if copy.flag.version is None else f"  v{copy.flag.version}"
        return title, (name, "bold"), (version, "$faint")

    def has_share(self, line: FormLine) -> bool:
        return line.part in ("condition", "property", "add property", "variant")

    def can_remove(self, line: FormLine) -> bool:
        is_payload = line.part == "payload" and line.name in self._copy.payloads
        return is_payload or line.part in ("condition", "property", "variant")

    def remove_line(self, line: FormLine) -> None:
        match line:
            case FormLine(part="condition", place=place):
                self._copy.remove_condition(place)
            case FormLine(part="property", place=place, within=within):
                self._copy.remove_property(place, within)
            case FormLine(part="variant", place=place):
                self._copy.remove_variant(place)
            case FormLine(part="payload", name=name):
                self._copy.set_payload(name, None)

    def movable_among(self, line: FormLine) -> tuple[str, int]:
        is_movable = line.part in ("condition", "property", "add property")
        return "condition", len(self._copy.groups) if is_movable else 0

    def id_at(self, line: FormLine, place: int) -> LineId:
        return "condition", "", place, -1

    def move_line(self, line: FormLine, step: int) -> None:
        self._copy.move_condition(line.place, line.place + step)

    async def save(self) -> None:
        if self._copy.is_new:
            await self._create([NewFlag(self._copy.values, self._consequences)], self._end)
        elif (intent := self._copy.intent()) is not None:
            await self._runner.change([intent], self._end)
        else:
            self._runner.show_toast(Notice("Nothing is changed."))

    def _end(self, report: Report[Any, Any]) -> None:
        if report.is_saved and self.is_attached:
            self.leave()

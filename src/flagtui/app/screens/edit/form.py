"""A flag as a form of lines: what can be changed, what was changed, and what keeps it from being saved."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from flagtui.app.changing import Changing
from flagtui.app.commands import bindings_of
from flagtui.app.desk import Desk
from flagtui.app.notices import Notice
from flagtui.app.saving import Ended
from flagtui.app.screens.edit.fields import FieldQuestions
from flagtui.app.screens.edit.form_lines import FormLine, form_lines
from flagtui.app.standing import link_of, location_of
from flagtui.app.widgets.header import Header
from flagtui.app.widgets.key_line import KeyLine
from flagtui.app.widgets.line import Line, Piece, styled
from flagtui.changes.working_copy import WorkingCopy
from flagtui.safe_text import safe_text


class FormScreen(Screen[None]):
    """Stays until what it says is saved, so that a refusal or a conflict loses nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("form")]
    AUTO_FOCUS = "OptionList"

    def __init__(self, desk: Desk, changing: Changing, copy: WorkingCopy) -> None:
        super().__init__()
        self._desk = desk
        self._changing = changing
        self._copy = copy
        rows = desk.workspace.flags.rows if desk.workspace else ()
        self._questions = FieldQuestions(copy, changing, rows)
        self._lines: list[FormLine] = []
        self._is_leaving = False

    def compose(self) -> ComposeResult:
        yield Header()
        yield Line(id="form-title")
        yield OptionList(markup=False, id="form")
        yield Line(id="form-state")
        yield KeyLine()

    def on_mount(self) -> None:
        self._draw()

    def on_resize(self) -> None:
        self._draw_frame()

    def _draw(self) -> None:
        options = self.query_one(OptionList)
        here = self._line
        place = options.highlighted or 0
        self._lines = list(form_lines(self._copy))
        options.clear_options()
        options.add_options(
            Option(styled(*line.pieces), disabled=line.part == "heading") for line in self._lines
        )
        ids = [line.id for line in self._lines]
        if here is not None and here.id in ids:
            place = ids.index(here.id)
        options.highlighted = min(place, len(ids) - 1)
        self._draw_frame()

    def _draw_frame(self) -> None:
        desk, copy = self._desk, self._copy
        self.query_one(Header).show_location(location_of(desk), link_of(desk, desk.session.clock()))
        name = safe_text(str(copy.values.get("key") or copy.flag.key), 60)
        title: Piece = ("New flag ", "bold $primary") if copy.is_new else ("Edit ", "bold $primary")
        version = "" if copy.flag.version is None else f"  v{copy.flag.version}"
        self.query_one("#form-title", Line).show(styled(title, (name, "bold"), (version, "$faint")))
        self.query_one("#form-state", Line).show(styled(*self._state()))

    def _state(self) -> list[Piece]:
        problems = self._copy.problems
        if problems:
            more = f"  and {len(problems) - 1} more" if len(problems) > 1 else ""
            return [("✗ ", "$error"), (safe_text(problems[0], 200), "$warning"), (more, "$text-muted")]
        if self._is_leaving:
            return [("esc again throws away what you changed", "$warning")]
        if self._copy.is_changed or self._copy.is_new:
            return [("● ", "$primary"), ("not saved yet; ctrl+s shows what would change", "$text-muted")]
        return [("nothing is changed", "$faint")]

    @property
    def _line(self) -> FormLine | None:
        place = self.query_one(OptionList).highlighted
        return self._lines[place] if place is not None and place < len(self._lines) else None

    @on(OptionList.OptionSelected)
    def _opened(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        line = self._line
        if line is not None and line.part != "heading":
            self._changing.run(self._ask(line))

    async def _ask(self, line: FormLine) -> None:
        await self._questions.open(line)
        self._changed()

    def action_share(self) -> None:
        line = self._line
        if line is not None and line.part in ("condition", "variant"):
            self._changing.run(self._ask_share(line))

    async def _ask_share(self, line: FormLine) -> None:
        await self._questions.share(line)
        self._changed()

    def action_remove(self) -> None:
        line = self._line
        match line:
            case FormLine(part="condition", place=place):
                self._copy.remove_condition(place)
            case FormLine(part="property", place=place, within=within):
                del self._copy.properties(place)[within]
            case FormLine(part="variant", place=place):
                self._copy.remove_variant(place)
            case FormLine(part="payload", name=name):
                self._copy.set_payload(name, None)
        self._changed()

    def action_move(self, step: int) -> None:
        line = self._line
        if line is None or line.part not in ("condition", "property", "add property"):
            return
        if self._copy.move_condition(line.place, line.place + step):
            self._changed()
            moved = ("condition", "", line.place + step, -1)
            ids = [each.id for each in self._lines]
            self.query_one(OptionList).highlighted = ids.index(moved)

    def action_distribute(self) -> None:
        self._copy.distribute()
        self._changed()

    def _changed(self) -> None:
        self._is_leaving = False
        if self.is_attached:
            self._draw()

    def action_save(self) -> None:
        problems = self._copy.problems
        if problems:
            text = "\n".join(problems[:6])
            self._changing.tell(Notice(text, "warning", "not possible like this"))
        elif self._copy.is_new:
            self._changing.create(self._copy.values, self._ended)
        elif (intent := self._copy.intent()) is not None:
            self._changing.start([intent], ended=self._ended)
        else:
            self._changing.tell(Notice("Nothing is changed."))

    def _ended(self, ended: Ended) -> None:
        if ended.is_saved and self.is_attached:
            self._leave()

    def action_back(self) -> None:
        if self._copy.is_changed and not self._is_leaving:
            self._is_leaving = True
            self._draw_frame()
        else:
            self._leave()

    def _leave(self) -> None:
        if self.is_current:
            self.dismiss(None)

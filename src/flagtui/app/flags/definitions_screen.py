"""The data libraries evaluate flags with: to look at, to search, to write to a file."""

import json

from textual import work
from textual.app import ComposeResult

from flagtui.app.commands.command_table import bindings_of
from flagtui.app.records.json_pane import JsonPane
from flagtui.app.shell.status_line import FramedScreen
from flagtui.app.shell.toasts import tell
from flagtui.app.shell.written_files import export
from flagtui.app.state.app_state import AppState
from flagtui.app.widgets.line import Line, styled
from flagtui.models.flag_answers import LocalEvaluation
from flagtui.text.formats import count
from flagtui.text.outcomes import explain_error
from flagtui.text.styled import Notice


class DefinitionsScreen(FramedScreen):
    """Every flag folded to a line at first."""

    BINDINGS = bindings_of("definitions", "everywhere")
    AUTO_FOCUS = ""

    def __init__(self, app_state: AppState) -> None:
        super().__init__()
        self._app_state = app_state

    def body(self) -> ComposeResult:
        yield Line(id="heading")
        yield JsonPane("json")

    def on_mount(self) -> None:
        self._draw("asking…")
        self._load()

    def _draw(self, words: str) -> None:
        self.draw_frame()
        title = styled((" LOCAL EVALUATION DATA", "bold"))
        self.query_one("#heading", Line).show(title, styled((f"{words} ", "$text-muted")))

    @work(exclusive=True, group="lookup")
    async def _load(self) -> None:
        if self._app_state.inspector is None:
            return
        local = self._app_state.inspector.definitions
        found = await local.read()
        if local.trouble is not None:
            tell(self.app, explain_error(local.trouble, "the data cannot be read"))
        if found is None:
            self._draw("there is none")
            return
        self._draw(summary(found))
        pane = self.query_one(JsonPane)
        pane.show_value(found.raw, [("flags", place) for place in range(len(found.flags))])
        pane.focus()

    def action_export(self) -> None:
        """Into the folder flagtui was started in, for the person alone, never over another file."""
        document = self._app_state.inspector.definitions.document if self._app_state.inspector else None
        workspace = self._app_state.workspace
        if document is None or workspace is None:
            tell(self.app, Notice("There is nothing to write yet."))
            return
        text = json.dumps(document.raw, indent=2, ensure_ascii=True) + "\n"
        name = f"flags-{workspace.client.project}.json"
        tell(self.app, export(name, text, summary(document), self._app_state.session.clock()))

    def action_back(self) -> None:
        if not self.query_one(JsonPane).leave_typing():
            self.dismiss(None)


def summary(document: LocalEvaluation) -> str:
    """`262 flags · 5 cohorts · 1 group type`."""
    parts = (
        count(len(document.flags), "flag"),
        count(len(document.cohorts), "cohort"),
        count(len(document.group_type_mapping), "group type"),
    )
    return " · ".join(parts)

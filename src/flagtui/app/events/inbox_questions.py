"""The questions of the inbox: tags and a description, typed for one event."""

from flagtui.app.dialogs.prompt import Prompt, PromptScreen
from flagtui.app.events.event_changes import EventChanges
from flagtui.app.forms.completion import complete_event_tags
from flagtui.app.forms.form_lines import ask_tags
from flagtui.app.state.app_state import AppState
from flagtui.changes.event_definitions.definition_intent import tidy_tags
from flagtui.models.json_value import JSON
from flagtui.store.inbox import Case, Suggestion


async def type_tags(path: EventChanges, app_state: AppState, case: Case) -> dict[str, JSON]:
    """Return the typed tags as a decision about the event; empty without one."""
    earlier = case.row.tags
    tags = await ask_tags(path.runner, case.name, "event", [earlier], complete_event_tags(app_state))
    return {"tags": sorted(tidy_tags(tags.of(earlier)))} if tags is not None else {}


async def describe(path: EventChanges, case: Case, proposal: Suggestion) -> dict[str, JSON]:
    """Return the typed description as a decision about the event; empty without one."""
    start = case.row.description or proposal.description
    about = f"taken from {proposal.source}" if proposal.source else "what it means and when it is sent"
    line = await path.runner.ask(PromptScreen(Prompt(f"Describe {case.name}", about, start)))
    return {"description": line.strip()} if line is not None and line.strip() else {}

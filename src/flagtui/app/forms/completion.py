"""Questions for a line that is completed: from the server, or from the records that are loaded."""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final

import msgspec

from flagtui.api.errors import ApiError
from flagtui.api.heavy_work import off_loop
from flagtui.api.request import Query
from flagtui.app.dialogs.prompt import Prompt, PromptScreen
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.changes.tag_line import read_tags
from flagtui.details.suggestions import Suggest, SuggestedText, Suggestions, is_one_line
from flagtui.store.workspace import Workspace
from flagtui.text.formats import count

SEARCHED: Final = 50
"""Events of one search."""


class Completion(msgspec.Struct, frozen=True):
    """Suggestions for a line, or for the last of its parts between commas."""

    suggest: Suggest
    has_parts: bool = False
    estimate: Callable[[str], Awaitable[str]] | None = None
    """Returns in words what the line would reach."""


async def ask_completed(
    runner: ChangeRunner, prompt: Prompt, completion: Completion | None = None
) -> str | None:
    """Ask for a line, with suggestions where there are some; None when it was left."""
    if completion is None:
        return await runner.ask(PromptScreen(prompt))
    # Most questions do without it.
    from flagtui.app.dialogs.completing_prompt import CompletingPrompt

    return await runner.ask(
        CompletingPrompt(
            prompt,
            completion.suggest,
            runner.pause,
            has_parts=completion.has_parts,
            estimate=completion.estimate,
        )
    )


def complete_flag_tags(app_state: AppState) -> Completion:
    """Return the tags of the loaded flags as suggestions."""
    workspace = app_state.workspace
    return complete_tags([row.tags for row in workspace.flags.rows] if workspace else [], "flag")


def complete_event_tags(app_state: AppState) -> Completion:
    """Return the tags of the loaded event definitions as suggestions."""
    workspace = app_state.workspace
    return complete_tags([row.tags for row in workspace.events.rows] if workspace else [], "event")


def complete_event_properties(app_state: AppState, event: str) -> Completion | None:
    """Return the names of the properties that an event was seen with as suggestions."""
    inspector = app_state.inspector
    if inspector is None:
        return None
    return Completion(partial(inspector.suggestions.names, "event", event=event))


def complete_events(workspace: Workspace) -> Completion:
    """Return events of the project as suggestions: the server searches, for a list may lack the last ones."""

    async def suggest(typed: str) -> Suggestions:
        query: Query = {"search": typed.strip() or None, "limit": SEARCHED}
        try:
            page = await workspace.client.event_definitions.page(query)
        except ApiError as error:
            return Suggestions(note=f"no suggestions from the server ({error.what.rstrip('.')})")
        items = (SuggestedText(row.name, row.description) for row in page.rows if is_one_line(row.name))
        return Suggestions(tuple(items), is_complete=len(page.rows) < SEARCHED)

    return Completion(suggest)


def _is_addable(tag: str) -> bool:
    """Return whether a line with this tag adds it: not one with a comma, or with a minus in front."""
    return is_one_line(tag) and read_tags(tag).added == (tag.lower(),)


def complete_tags(tags: Sequence[Sequence[str]], noun: str) -> Completion:
    """Return the tags of these records as suggestions, the most used first."""

    def read() -> Suggestions:
        counts = Counter(tag for several in tags for tag in several).most_common()
        return Suggestions(
            tuple(SuggestedText(tag, count(number, noun)) for tag, number in counts if _is_addable(tag))
        )

    suggestions: list[Suggestions] = []

    async def suggest(_typed: str) -> Suggestions:
        if not suggestions:
            suggestions.append(await off_loop(read, *map(list, tags)))
        return suggestions[0]

    return Completion(suggest, has_parts=True)

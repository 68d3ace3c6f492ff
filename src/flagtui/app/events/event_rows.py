"""Rows of event definitions kept true: what a change on its way looks like, and what the server said."""

from collections.abc import Mapping

import msgspec

from flagtui.changes.event_definitions.definition_outcome import DefinitionEnded
from flagtui.models.json_value import JSON
from flagtui.store.workspace import Workspace


def shown_values(values: Mapping[str, JSON], people: Mapping[int, str]) -> dict[str, object]:
    """A change as the row shows it; rows name some fields otherwise and owners by e-mail."""
    shown: dict[str, object] = {}
    for name, value in values.items():
        if name == "owner":
            number = value if isinstance(value, int) else None
            shown["owner_id"] = number
            shown["owner"] = people.get(number, "") if number is not None else ""
        elif name == "enforcement_mode":
            shown["enforcement"] = value
        elif name == "tags" and isinstance(value, list):
            shown["tags"] = tuple(map(str, value))
        elif name in ("verified", "hidden"):
            shown[name] = value
        elif name in ("description", "primary_property"):
            shown[name] = value or ""
    return shown


def believe(ended: DefinitionEnded, workspace: Workspace, now: float, people: Mapping[int, str]) -> None:
    """Put what the server said into the collection."""
    events, plan = workspace.events, ended.plan
    if ended.record is not None:
        events.put(ended.record.row())
    elif not ended.is_saved:
        return
    elif plan.is_deletion:
        events.remove(plan.id)
    elif (row := events.said(plan.id)) is not None:
        # Changed together with others, for which servers do not send the records back.
        changed = shown_values(plan.values, people)
        events.put(msgspec.structs.replace(row, **changed, updated_at=max(now, row.updated_at or 0.0)))


def people_of(workspace: Workspace) -> dict[int, str]:
    """Everybody known here by number: who holds the key, who owns events, who made flags."""
    people: dict[int, str] = {}
    for flag in workspace.flags.rows:
        if flag.creator_id is not None and flag.creator:
            people[flag.creator_id] = flag.creator
    for experiment in workspace.experiments.rows:
        if experiment.creator_id is not None and experiment.creator:
            people[experiment.creator_id] = experiment.creator
    for event in workspace.events.rows:
        if event.owner_id is not None and event.owner:
            people[event.owner_id] = event.owner
    if workspace.me is not None:
        people[workspace.me.id] = workspace.me.email or workspace.me.label
    return people

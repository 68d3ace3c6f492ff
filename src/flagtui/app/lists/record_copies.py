"""Copies of a record for the clipboard, and its related records."""

import json
from collections.abc import Iterator, Mapping

from flagtui.api.errors import ApiError
from flagtui.app.dialogs.picker import Choice, PickerScreen
from flagtui.app.shell.toasts import copy_text, show_toast
from flagtui.app.state.app_state import AppState
from flagtui.app.state.go_to import OpenRecord, RecordLink
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.changes.event_definitions.event_uses import EventUses
from flagtui.evaluate import wire
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON
from flagtui.safe_text import MASK
from flagtui.store.kinds import KINDS, Kind
from flagtui.store.workspace import Workspace
from flagtui.text.outcomes import explain_error
from flagtui.text.styled import Notice, command_for, request_for


async def copy_menu(app_state: AppState, runner: ChangeRunner, target: RecordLink) -> None:
    """Ask for the text to copy: key, id, JSON, link, and a command for a flag."""
    workspace = app_state.workspace
    if workspace is None:
        return
    client, session = workspace.client, app_state.session
    texts = {"key": target.key, "id": str(target.id), "link": app_state.address_of(target.kind, target.id)}
    kind = KINDS[target.kind]
    choices = [
        Choice("key", kind.label, target.key),
        Choice("id", "id", texts["id"]),
        Choice("JSON", "JSON", f"the whole {kind.name}"),
    ]
    if texts["link"]:
        texts["curl"] = request_for(client, target.kind, target.id)
        choices.insert(2, Choice("link", "link", texts["link"]))
        choices.append(Choice("curl", "curl", "a request that reads it"))
    if target.kind == "flags":
        texts["command"] = command_for(client, session.named_profile, target.key, session.embedded_in)
        choices.append(Choice("command", "command", "opens this flag from a shell"))
    chosen = await runner.ask(PickerScreen(f"Copy of {target.key}", choices))
    if chosen == "JSON":
        await _copy_json(workspace, runner, target)
    elif chosen is not None:
        copy_text(runner.app, texts[chosen])


async def _copy_json(workspace: Workspace, runner: ChangeRunner, target: RecordLink) -> None:
    """Copy the record as the server sends it; encrypted payloads stay hidden."""
    try:
        record = await workspace.operations(target.kind).get(target.id)
    except ApiError as error:
        show_toast(runner.app, explain_error(error, target.key))
        return
    raw = shown_record(record) if target.kind == "flags" else record.raw
    copy_text(runner.app, json.dumps(dict(raw), indent=2), f"{target.key} as JSON")


def shown_record(flag: Flag, is_unmasked: bool = False) -> Mapping[str, JSON]:
    """Return the flag as the server sent it, with encrypted payloads masked unless they are shown."""
    if not flag.has_encrypted_payloads or is_unmasked:
        return flag.raw
    return {**flag.raw, "filters": wire.mask_payloads(flag.filters, MASK)}


async def choose_link(app_state: AppState, runner: ChangeRunner, target: RecordLink) -> None:
    """Open one of the records that this one names, above the present screen."""
    workspace = app_state.workspace
    if workspace is None:
        return
    links = await links_of(workspace, target)
    if not links:
        show_toast(runner.app, Notice(f"{target.key} names no other record"))
        return
    chosen: RecordLink | None = links[0].value
    if len(links) > 1:
        chosen = await runner.ask(PickerScreen(f"What {target.key} names", links))
    if chosen is not None:
        runner.app.post_message(OpenRecord(chosen))


async def links_of(workspace: Workspace, target: RecordLink) -> list[Choice[RecordLink]]:
    """Return the records that this one names, and those that name it, as far as they are known."""
    if target.kind == "events":
        uses, _why = await EventUses(workspace.client).find(target.key)
        return [_choice("experiments", use.id, use.name, f"experiment, {use.status}") for use in uses or ()]
    if target.kind == "experiments":
        row = workspace.experiments.get(target.id)
        if row is None or row.flag_id is None:
            return []
        return [_choice("flags", row.flag_id, row.key, "its flag")]
    return [*_links_of_flag(workspace, int(target.id))]


def _links_of_flag(workspace: Workspace, id: int) -> Iterator[Choice[RecordLink]]:
    row = workspace.flags.get(id)
    for number in row.experiments if row is not None else ():
        experiment = workspace.experiments.get(number)
        name = experiment.name if experiment is not None else f"experiment {number}"
        yield _choice("experiments", number, name, f"experiment #{number}")
    for number in row.depends_on if row is not None else ():
        needed = workspace.flags.get(number)
        yield _choice("flags", number, needed.key if needed else f"flag {number}", "a flag it depends on")
    for other in workspace.flags.rows:
        if id in other.depends_on:
            yield _choice("flags", other.id, other.key, "a flag that depends on it")


def _choice(kind: Kind, id: int, key: str, about: str) -> Choice[RecordLink]:
    return Choice(RecordLink(kind, id, key), key, about)

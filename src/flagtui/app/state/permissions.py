"""What cannot be done here, and why: a profile that only reads, or a key that lacks a scope."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

from textual.binding import Binding, BindingType

from flagtui.app.commands.command_table import COMMANDS
from flagtui.app.state.app_state import AppState
from flagtui.config.guard_rules import Level

SCOPES: Final[Mapping[str, str]] = {
    "flags": "feature_flag:write",
    "flag": "feature_flag:write",
    "journal": "feature_flag:write",
    "activity": "feature_flag:write",
    "deleted": "feature_flag:write",
    "experiments": "experiment:write",
    "experiment": "experiment:write",
    "events": "event_definition:write",
    "event": "event_definition:write",
}
"""By the place a command works in: what a key needs to write there."""


@cache
def writes_in(place: str) -> frozenset[str]:
    """The actions of the commands that change something in a place, without their parameters."""
    return frozenset(command.handler for command in COMMANDS if command.writes and place in command.places)


def may_write(app_state: AppState, place: str) -> bool | None:
    """For `check_action`: True; None, which dims, without the scope; False, no key at all, to read only."""
    if app_state.session.rules.level is Level.READ_ONLY:
        return False
    return None if missing_scope(app_state, place) else True


def missing_scope(app_state: AppState, place: str) -> str:
    """The scope the key lacks to change what is here; empty when it has it, or when that is not known."""
    workspace, scope = app_state.workspace, SCOPES.get(place, "")
    return scope if workspace is not None and scope and not workspace.allows(scope) else ""


def why_refused(
    app_state: AppState, key: str, bindings: Iterable[BindingType], keymap: Mapping[str, str]
) -> str:
    """Why a key does nothing here that would change something elsewhere; empty for every other key.

    `bindings` are the screen's, `keymap` has the keys that the person chose.
    """
    bound = {binding.id for binding in bindings if isinstance(binding, Binding)}
    for command in COMMANDS:
        if command.writes and command.id in bound and key in keymap.get(command.id, command.keys).split(","):
            if app_state.session.rules.level is Level.READ_ONLY:
                return f"{command.title}: {app_state.session.badge} is read-only; nothing can be changed"
            if missing := why_dimmed(app_state, command.id):
                return f"{command.title}: the key {missing}"
    return ""


def why_dimmed(app_state: AppState, command: str, place: str = "") -> str:
    """`needs feature_flag:write` for a command that the key does not cover.

    `place` is where it writes when the screen knows better than the command's own name.
    """
    scope = missing_scope(app_state, place or command.partition(".")[0])
    return f"needs {scope}" if scope else ""

"""Actions that are refused here, with the reason: a read-only profile, or a missing scope."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from textual.binding import Binding
from textual.screen import Screen

from flagtui.app.commands.command import RECORD_SCOPE, SIGNS, Command
from flagtui.app.commands.command_table import COMMANDS
from flagtui.app.state.app_state import AppState
from flagtui.config.guard_rules import Level
from flagtui.text.key_signs import key_sign

STAGING_TITLES: Final = {"app.stage": "end staging"}
"""By command: the word beside its key while changes are staged."""


@cache
def writes_in(place: str) -> frozenset[str]:
    """Return the handlers of the commands that change something in a place."""
    return frozenset(command.handler for command in COMMANDS if command.writes and place in command.places)


@cache
def overrides_in(place: str) -> frozenset[str]:
    """Return the handlers of those that change overrides where a mirror is open."""
    return frozenset(command.handler for command in COMMANDS if command.in_mirror and place in command.places)


@cache
def override_titles() -> Mapping[str, str]:
    """Return the titles of commands that the mirror's list renames, by id."""
    return {command.id: command.in_mirror for command in COMMANDS if command.in_mirror}


def may_write(app_state: AppState, scope: str) -> bool | None:
    """Return True, None (dims: the scope is missing) or False (hides: read-only) for `check_action`."""
    if app_state.session.rules.level is Level.READ_ONLY:
        return False
    return None if is_missing(app_state, scope) else True


def is_missing(app_state: AppState, scope: str) -> bool:
    """Return whether the key lacks a scope; False while unknown."""
    return app_state.workspace is not None and bool(scope) and not app_state.workspace.allows(scope)


def why_refused(app_state: AppState, key: str, screen: Screen[Any], keymap: Mapping[str, str]) -> str:
    """Return why a key of this screen does nothing now; empty for every other key.

    `keymap` has the keys that the person chose.
    """
    # The pane of a tab has keys of its own.
    nodes = [screen] if screen.focused is None else screen.focused.ancestors_with_self
    bound = {each.id for node in nodes for each in node.BINDINGS if isinstance(each, Binding)}
    for command in COMMANDS:
        if command.id in bound and key in keymap.get(command.id, command.keys).split(","):
            if command.writes and app_state.session.mirror is not None:
                return "" if command.in_mirror else f"{command.title}: {_in_mirror()}"
            if command.writes and app_state.session.rules.level is Level.READ_ONLY:
                return f"{command.title}: {app_state.session.badge} is read-only; nothing can be changed"
            if missing := _why_out_of_scope(app_state, command, screen):
                return f"{command.title}: the key {missing}"
            return why_not_now(screen, command, SIGNS.get(key, key))
    return ""


def why_dimmed(app_state: AppState, command: Command, screen: Screen[Any], sign: str) -> str:
    """Return why a command is dimmed: `needs feature_flag:write`, or the obstacle in the records."""
    return _why_out_of_scope(app_state, command, screen) or why_not_now(screen, command, sign)


def why_not_now(screen: Screen[Any], command: Command, sign: str) -> str:
    """Return why the command cannot run on the marked records, or on the one under the cursor."""
    refuse: Callable[[Command, str], str] | None = getattr(screen, "why_not_now", None)
    return refuse(command, sign) if refuse is not None else ""


def _in_mirror() -> str:
    keys = f"{key_sign('flags.toggle')} and {key_sign('flags.rollout')} on a flag"
    return f"a mirror changes only overrides of this machine: {keys}"


def _why_out_of_scope(app_state: AppState, command: Command, screen: Screen[Any]) -> str:
    scope = getattr(screen, "write_scope", "") if command.scope == RECORD_SCOPE else command.scope
    return f"needs {scope}" if is_missing(app_state, scope) else ""

"""What opens above the lists on a key: help, palette, journal, since, theme. Loaded by the first such key."""

import os
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from textual.app import App

from flagtui.api.errors import ApiError
from flagtui.app.command_menus import help_screen, palette
from flagtui.app.dialogs.picker import Choice, PickerScreen
from flagtui.app.journal.journal_screen import JournalScreen
from flagtui.app.lists.list_frame import BrowseScreen
from flagtui.app.lists.loaded_list import RecordsScreen
from flagtui.app.lists.remembered_list import RememberedList
from flagtui.app.lists.since import SinceScreen
from flagtui.app.lists.tour import Tour
from flagtui.app.shell.profile_switch import profile_choices
from flagtui.app.shell.server_connection import project_choices
from flagtui.app.shell.themes import CHOICES, choose_theme, why_plain
from flagtui.app.shell.toasts import tell
from flagtui.app.state.app_state import AppState
from flagtui.app.state.session import Session
from flagtui.app.writing.changes import Changes
from flagtui.text.notices import Notice
from flagtui.text.outcomes import explain_error


def show_since(app: App[Any], app_state: AppState) -> None:
    """What is different in the list since a moment."""
    here = app.screen
    kind = here.kind if isinstance(here, RecordsScreen) else "flags"
    app.push_screen(SinceScreen(app_state, kind))


def show_journal(app: App[Any], app_state: AppState, changing: Changes) -> None:
    """The person's own changes."""
    app.push_screen(JournalScreen(app_state, changing, changing.undo_entry))


def show_help(app: App[Any], app_state: AppState) -> None:
    """The keys of the screen in front."""
    if not app.screen.is_modal:
        app.push_screen(help_screen(app, app_state), partial(_run, app))


def show_palette(app: App[Any], app_state: AppState, open_project: Callable[[int], object]) -> None:
    """Every command, every record and every project by name."""
    if not app.screen.is_modal:
        app.push_screen(palette(app, app_state, open_project), partial(_run, app))


def _run(app: App[Any], chosen: Callable[[], object] | None) -> None:
    """Do what was chosen above a screen, once that screen is in front again."""
    if chosen is not None:
        app.call_later(chosen)


def switch_tour(app: App[Any], app_state: AppState) -> None:
    """Begin the tour above the list in front, or end it for good."""
    screen, preferences = app.screen, app_state.session.preferences
    if tours := list(screen.query(Tour)):
        preferences.keep_toured()
        for tour in tours:
            tour.remove()
    elif isinstance(screen, BrowseScreen):
        screen.mount(Tour(app_state), before="#body")


async def choose_profile(app: App[Any], app_state: AppState, changing: Changes) -> Session | None:
    """Another profile to switch to. Only within a worker."""
    session = app_state.session
    if session.switch is None or len(session.neighbours) < 2:
        tell(app, Notice("There is no other profile; make one with: flagtui auth login --profile NAME"))
        return None
    chosen = await app.push_screen_wait(PickerScreen("Profile", profile_choices(app_state)))
    if chosen is None or chosen == session.profile:
        return None
    if changing.is_saving:
        tell(app, Notice("a change is on its way; switch when it is done", "warning"))
        return None
    found = session.switch(chosen)
    if isinstance(found, str):
        tell(app, Notice(found, "error", "not switched"))
        return None
    return found


async def choose_project(app: App[Any], app_state: AppState) -> int | None:
    """Another project of the same key to open. Only within a worker."""
    if (workspace := app_state.workspace) is None:
        return None
    try:
        choices = await project_choices(app_state)
    except ApiError as error:
        tell(app, explain_error(error, "the projects cannot be listed"))
        return None
    chosen = await app.push_screen_wait(PickerScreen("Project", choices))
    return None if chosen == workspace.client.project else chosen


def read_settings_again(app: App[Any], app_state: AppState, lists: Iterable[BrowseScreen]) -> str | None:
    """Use what the settings file says now; the answer is the name of the theme. A mistake changes nothing."""
    session = app_state.session
    found = session.reread() if session.reread is not None else "There is no settings file here."
    if isinstance(found, str):
        tell(app, Notice(found, "error", "nothing was changed"))
        return None
    app.set_keymap(found.keymap)
    app_state.session = session.with_settings_of(found.session)
    for screen in lists:
        if isinstance(screen, RememberedList) and screen.is_attached:
            screen.apply_preferences()
    app_state.tell()
    app.screen.refresh_bindings()
    is_elsewhere = found.session.host != session.host
    host = (
        f"\nThe profile's host is {found.session.host} now: P or a new start goes there."
        if is_elsewhere
        else ""
    )
    tell(app, Notice(f"the settings were read again{host}"))
    preferences = app_state.session.preferences
    return choose_theme(preferences.theme, os.environ, is_light=preferences.is_light)


async def choose_look(app: App[Any], app_state: AppState) -> str | None:
    """The name of the theme to use from now on, kept for the next start. Only within a worker."""
    preferences = app_state.session.preferences
    if why := why_plain(os.environ):
        tell(app, Notice(f"{why}, so the terminal's own colours are used.", "warning"))
        return None
    choices = [Choice(name, name, about, name == preferences.theme) for name, about in CHOICES.items()]
    chosen = await app.push_screen_wait(PickerScreen("Theme", choices))
    if chosen is None:
        return None
    if wrong := preferences.keep_theme(chosen):
        tell(app, Notice(wrong, "warning"))
    return choose_theme(chosen, os.environ, is_light=preferences.is_light)

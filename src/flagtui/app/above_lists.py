"""Screens that open above the lists: help, palette, journal, since, theme; loaded by the first such key."""

import os
from collections.abc import Callable, Iterable
from typing import Any

from textual.app import App

from flagtui.api.errors import ApiError
from flagtui.app.command_menus import help_screen, palette
from flagtui.app.dialogs.picker import Choice, PickerScreen
from flagtui.app.journal.journal_screen import JournalScreen
from flagtui.app.lists.list_frame import BrowseScreen
from flagtui.app.lists.loaded_list import WorkspaceList
from flagtui.app.lists.since import SinceScreen
from flagtui.app.lists.tour import Tour
from flagtui.app.shell.place_choices import project_choices, projects_to_choose
from flagtui.app.shell.themes import CHOICES, choose_theme, why_plain
from flagtui.app.shell.toasts import show_toast
from flagtui.app.state.app_state import AppState, Session
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.text.key_signs import key_sign
from flagtui.text.outcomes import explain_error
from flagtui.text.styled import Notice


class AboveLists:
    """Screens that open above the lists; one object for each running app."""

    def __init__(self, app: App[Any], app_state: AppState, runner: ChangeRunner) -> None:
        self._app = app
        self._app_state = app_state
        self._runner = runner

    def show_since(self) -> None:
        """Show the differences in the list since a moment."""
        here = self._app.screen
        kind = here.kind if isinstance(here, WorkspaceList) else "flags"
        self._app.push_screen(SinceScreen(self._app_state, kind))

    def show(self, what: str) -> None:
        """Open the list of the user's own changes, of staged ones, or of keys in code without a record."""
        if what == "journal":
            self._app.push_screen(JournalScreen(self._app_state, self._runner, self._runner.undo_entries))
        elif what == "staged":
            self._show_staged()
        else:
            from flagtui.app.records.code_keys_screen import CodeKeysScreen

            self._app.push_screen(CodeKeysScreen(self._app_state, self._runner))

    def _show_staged(self) -> None:
        """Show the staged changes of this project."""
        from flagtui.app.journal.staged_screen import StagedScreen
        from flagtui.app.staged_edits import StagedChangeEditor

        self._runner.staging.look()
        editor = StagedChangeEditor(self._app_state, self._runner)
        self._app.push_screen(StagedScreen(self._app_state, self._runner, editor.edit))

    def show_help(self) -> None:
        """Show the keys of the screen in front."""
        if not self._app.screen.is_modal:
            self._app.push_screen(help_screen(self._app, self._app_state), self._run)

    def show_palette(self, open_project: Callable[[int], object]) -> None:
        """Show the palette: every command, record and project by name."""
        if not self._app.screen.is_modal:
            self._app.push_screen(palette(self._app, self._app_state, open_project), self._run)

    def _run(self, chosen: Callable[[], object] | None) -> None:
        """Run the chosen entry once the screen below is in front again."""
        if chosen is not None:
            self._app.call_later(chosen)

    def switch_tour(self) -> None:
        """Begin the tour above the list of flags, which is in front, or end it permanently."""
        screen, preferences = self._app.screen, self._app_state.session.preferences
        if tours := list(screen.query(Tour)):
            preferences.keep_toured()
            for tour in tours:
                tour.remove()
        elif isinstance(screen, BrowseScreen) and screen.place != "flags":
            flags, begin = key_sign("app.flags"), key_sign("app.tour")
            words = f"the tour is about flags: {flags} goes there, then {begin} begins it"
            show_toast(self._app, Notice(words))
        elif isinstance(screen, BrowseScreen):
            screen.mount(Tour(self._app_state), before="#body")

    async def choose_profile(self) -> Session | None:
        """Return the session of another profile. Only within a worker."""
        session = self._app_state.session
        if session.switch is None or (len(session.neighbours) < 2 and not self._has_moved(session)):
            show_toast(
                self._app,
                Notice("There is no other profile; make one with: flagtui auth login --profile NAME"),
            )
            return None
        here = session.profile
        choices = [
            Choice(profile.name, profile.name, profile.about, profile.name == here)
            for profile in session.neighbours
        ]
        chosen = await self._app.push_screen_wait(PickerScreen("Profile", choices))
        if chosen is None or (chosen == here and not self._has_moved(session)):
            return None
        if self._runner.is_saving:
            show_toast(self._app, Notice("a change is in flight; switch when it is done", "warning"))
            return None
        profile = session.switch(chosen)
        if isinstance(profile, str):
            show_toast(self._app, Notice(profile, "error", "not switched"))
            return None
        return profile

    def _has_moved(self, session: Session) -> bool:
        """Return whether the settings name another server or project for the open profile by now."""
        renewed = session.switch(session.profile) if session.switch is not None else ""
        if isinstance(renewed, str):
            return False
        return (renewed.origin, renewed.project) != (session.origin, session.project)

    async def choose_project_of_key(self) -> int | None:
        """Ask for a project of the new key when it can open several. Within a worker."""
        opens = self._runner.signing_in.opens
        choices = projects_to_choose(self._app_state, opens) if opens else []
        return await self._app.push_screen_wait(PickerScreen("Project", choices)) if choices else None

    async def choose_project(self) -> int | None:
        """Return another project of the same key. Only within a worker."""
        if (workspace := self._app_state.workspace) is None:
            return None
        if self._app_state.session.mirror is not None:
            what = (
                "the mirror serves this project alone; start one for another: flagtui mirror --profile NAME"
            )
            show_toast(self._app, Notice(what, "warning", "not switched"))
            return None
        try:
            with self._runner.reading("the projects"):
                choices = await project_choices(self._app_state)
        except ApiError as error:
            show_toast(self._app, explain_error(error, "the projects cannot be listed"))
            return None
        chosen = await self._app.push_screen_wait(PickerScreen("Project", choices))
        return None if chosen == workspace.client.project else chosen

    def read_settings_again(self, lists: Iterable[BrowseScreen]) -> str | None:
        """Apply the settings file; a mistake changes nothing. Return the name of the theme."""
        session = self._app_state.session
        result = session.reread() if session.reread is not None else "There is no settings file here."
        if isinstance(result, str):
            show_toast(self._app, Notice(result, "error", "nothing was changed"))
            return None
        self._app.set_keymap(result.keymap)
        self._app_state.session = session.with_settings_of(result.session)
        for screen in lists:
            if screen.is_attached:
                screen.apply_preferences()
        self._app_state.notify_watchers()
        self._app.screen.refresh_bindings()
        is_elsewhere = result.session.host != session.host
        host = (
            f"\nThe profile's host is {result.session.host} now: "
            f"{key_sign('app.profile')} or a new start goes there."
            if is_elsewhere
            else ""
        )
        show_toast(self._app, Notice(f"settings reloaded{host}"))
        preferences = self._app_state.session.preferences
        return choose_theme(preferences.theme, os.environ, is_light=preferences.is_light)

    async def choose_look(self) -> str | None:
        """Return the name of the theme to use from now on, kept for the next start. Only within a worker."""
        preferences = self._app_state.session.preferences
        if why := why_plain(os.environ):
            show_toast(self._app, Notice(f"{why}, so the terminal's own colours are used.", "warning"))
            return None
        choices = [Choice(name, name, about, name == preferences.theme) for name, about in CHOICES.items()]
        chosen = await self._app.push_screen_wait(PickerScreen("Theme", choices))
        if chosen is None:
            return None
        if wrong := preferences.keep_theme(chosen):
            show_toast(self._app, Notice(wrong, "warning"))
        return choose_theme(chosen, os.environ, is_light=preferences.is_light)

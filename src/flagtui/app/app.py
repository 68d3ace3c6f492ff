"""The app: puts state, screens and the writing of changes together. Wiring only."""

import os
from collections.abc import Awaitable, Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from rich.console import RenderableType
from textual import events, work
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Label
from textual.worker import Worker

from flagtui.api.errors import needs_key
from flagtui.app.shell.footer import key_at
from flagtui.app.shell.preload import SERVER, load_in_background
from flagtui.app.shell.screen_owner import ScreenOwner
from flagtui.app.shell.status_line import Ages, FramedScreen
from flagtui.app.shell.themes import DARK, PLAIN, THEMES, VARIABLES, choose_theme, stylesheets
from flagtui.app.shell.toasts import drop_read, show_toast
from flagtui.app.state.app_state import AppState, Session, Watcher
from flagtui.app.state.go_to import GoTo, OpenRecord
from flagtui.app.tabs import TabScreens
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.text.styled import Notice

if TYPE_CHECKING:
    from flagtui.app.above_lists import AboveLists
    from flagtui.app.shell.server_connection import ServerConnection


class FlagTui(ScreenOwner[None]):
    """One profile, one project at a time."""

    TITLE = "flagtui"
    CSS_PATH = stylesheets(
        *("app", "browse", "rows", "experiments", "events", "dialogs", "editing"),
        *("records", "flag", "activity", "safety"),
    )
    COMMANDS: ClassVar = set()
    BINDINGS: ClassVar = []

    def __init__(self, session: Session) -> None:
        # Textual decides while it is made how NO_COLOR is honoured, and forgets the variable.
        look = choose_theme(session.preferences.theme, os.environ, is_light=session.preferences.is_light)
        super().__init__(ansi_color=True if look == PLAIN.name else None)
        self._look = look
        self._begin_in_dark()
        self.animation_level = "none"
        self._started_in = session.profile
        self._shown_keys_for: tuple[tuple[str, ...] | None, bool] = None, False
        self._stop_seeking: Watcher = lambda: None
        self.app_state = AppState(session)
        self.runner = ChangeRunner(self, self.app_state)
        self.ages = Ages(self, self.app_state)
        self.tabs = TabScreens(self, self.app_state, self.runner)

    @cached_property
    def server(self) -> "ServerConnection":
        """The connection to the server, loaded once cached rows are on screen."""
        from flagtui.app.shell.server_connection import ServerConnection

        return ServerConnection(self.app_state, self.open_connection, self.runner.show_toast)

    @cached_property
    def above(self) -> "AboveLists":
        """The screens above the lists, loaded by the first key that opens one."""
        from flagtui.app.above_lists import AboveLists

        return AboveLists(self, self.app_state, self.runner)

    def _begin_in_dark(self) -> None:
        """Start in the colours most people see: a theme set later has every style read a second time."""
        for theme in THEMES:
            self.register_theme(theme)
        self.set_reactive(FlagTui.theme, DARK.name)
        self.stylesheet.set_variables(self.get_css_variables())

    @property
    def look(self) -> str:
        """The name of the theme; setting it draws everything in its colours."""
        return self._look

    @look.setter
    def look(self, name: str) -> None:
        self._look = name
        self.ansi_color = True if name == PLAIN.name else None
        self.theme = name

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return VARIABLES

    def get_loading_widget(self) -> Widget:
        return Label("loading…", markup=False)

    def on_mount(self) -> None:
        self.look = self._look
        session = self.app_state.session
        self.tabs.open("1") if session.flag or session.offers_tour else self.tabs.open_as_left()
        # A size that came before the list had nothing to cover.
        self.fit(self.size)
        self.app_state.recall()
        self.app_state.watch(self.show_live_once_known)
        self.app_state.watch(self.redraw_keys)
        self.app_state.watch(self.let_own_links_through)
        if session.flag:
            self._stop_seeking = self.app_state.watch(self.open_flag_asked_for)
        if session.offers_tour:
            self.call_after_refresh(self.action_tour)
        self.ages.start()
        self.app_state.notify_watchers()

    @work(group="begin")
    async def begin(self) -> None:
        """Connect and start polling, now that the cached rows are on screen."""
        await load_in_background(SERVER)
        self.open_connection()
        self.poll()
        self.runner.follow_staged()

    def let_own_links_through(self) -> None:
        """Allow links to the current server alone."""
        workspace = self.app_state.workspace
        self.fence.own_host = workspace.client.host.origin if workspace else ""

    def redraw_keys(self) -> None:
        """Redraw the line of keys after permissions or staging changed."""
        workspace = self.app_state.workspace
        scopes = workspace.key.scopes if workspace and workspace.key else None
        if (shown := (scopes, self.app_state.is_staging)) != self._shown_keys_for:
            self._shown_keys_for = shown
            self.screen.refresh_bindings()

    def show_live_once_known(self) -> None:
        """Replace the screen of the last run with rows, or with the reason why there are none."""
        workspace, kind = self.app_state.workspace, self.app_state.kind
        rows = workspace.collection(kind).rows if workspace else self.app_state.recalled_rows(kind)
        if self.app_state.trouble is not None or rows:
            self.show_live()

    def open_flag_asked_for(self) -> None:
        """Stop looking for the flag of the command line once its tab can open it."""
        if self.tabs.has_answered(self.app_state.session.flag):
            self._stop_seeking()

    def has_frame_worth_keeping(self) -> bool:
        session = self.app_state.session
        is_here = session.profile == self._started_in and session.mirror is None
        return is_here and self.tabs.shows_next_start()

    def next_start(self) -> object:
        return self.size, self.look, self.app_state.session.profile, self.tabs.next_start()

    def exit(self, result: None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        if self.is_running and self.screen_stack:
            self.is_frame_stale = not self.tabs.keep_left()
        super().exit(result, return_code, message)

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key | events.AppFocus) and self._asks:
            self.server.polling.notice_person()
        if isinstance(event, events.Key) and event.key == "escape" and self.runner.cancel_wait():
            return
        had_toasts = isinstance(event, events.Key) and event.key == "escape" and drop_read(self)
        if had_toasts and isinstance(self.screen, FramedScreen) and self.screen.clears_on_escape:
            return
        if not (self._is_up and self.runner.holds(event)):
            await super().on_event(event)

    def on_key(self, event: events.Key) -> None:
        """Explain a key that nothing handled."""
        self.runner.stray_keys.explain(event.key)

    @work(exclusive=True, group="load", description="load")
    async def open_connection(self, load: Callable[[], Awaitable[None]] | None = None) -> None:
        """Find the key, open the client and load, or do what is left of that with `load`."""
        await (load or self.server.connect)()
        self.runner.recover_unresolved()
        self.sign_in_if_needed()

    def action_refresh_now(self) -> None:
        self.open_connection(self.server.reload)

    def sign_in_if_needed(self) -> None:
        """Ask for another key at once when the server refused the key of a load that the user started."""
        if needs_key(self.app_state.trouble):
            self.action_sign_in()

    @work(group="choose")
    async def action_sign_in(self) -> None:
        if await self.runner.signing_in.ask(self.app_state.trouble):
            chosen = await self.above.choose_project_of_key()
            self.action_refresh_now() if chosen is None else self.show_project(chosen)

    @work(group="choose")
    async def action_profile(self) -> None:
        if (profile := await self.above.choose_profile()) is not None:
            self.show_profile(profile)

    @work(exclusive=True, group="load", description="show profile")
    async def show_profile(self, session: Session) -> None:
        """Leave everything that belongs to this profile for another."""
        drop_read(self)
        self.uncover_list()
        await self.server.change_session(session)
        self.poll()
        self.open_connection()

    def poll(self) -> None:
        """Look for what others change from now on, in place of any polling before."""
        self.run_worker(self.server.poll(), group="polling", exclusive=True)

    def action_since(self) -> None:
        self.above.show_since()

    def action_show(self, what: str) -> None:
        self.above.show(what)

    def action_tour(self) -> None:
        self.above.switch_tour()

    @work(group="choose")
    async def action_theme(self) -> None:
        self.look = await self.above.choose_look() or self.look

    def on_go_to(self, message: GoTo) -> None:
        self.tabs.go_to(message)

    def on_open_record(self, message: OpenRecord) -> None:
        self.run_worker(self.tabs.open_record(message.target, message.tab), group="open", exclusive=True)

    def action_tab(self, key: str) -> None:
        self.tabs.open(key)
        if self._asks:
            self.server.polling.notice_tab()

    @work(group="choose")
    async def action_project(self) -> None:
        if (chosen := await self.above.choose_project()) is not None:
            self.show_project(chosen)

    def action_settings(self) -> None:
        self.look = self.above.read_settings_again(self.tabs.lists()) or self.look
        self.poll()

    @work(exclusive=True, group="load", description="show project")
    async def show_project(self, project: int) -> None:
        """Leave this project for another of the same host and key."""
        drop_read(self)
        if self.tabs.leave_pages():
            await self.server.open_chosen(project)
            self.runner.recover_unresolved()

    def action_help(self) -> None:
        self.above.show_help()

    def action_command_palette(self) -> None:
        self.above.show_palette(self.show_project)

    def action_suspend(self) -> None:
        if not self.stop():
            show_toast(self, Notice("no shell could resume flagtui; it continues", "warning"))

    async def action_quit(self) -> None:
        await self.runner.leave(self._leave)

    async def _leave(self) -> None:
        self.last_words = await self.runner.finish()
        self.exit()

    def on_click(self, event: events.Click) -> None:
        under, _ = self.screen.get_widget_and_offset_at(event.screen_x, event.screen_y)
        if key := key_at(under, event.screen_x, event.screen_y):
            self.simulate_key(key)

    def keep_report(self, fault: BaseException) -> Path | None:
        from flagtui.config.crash_reports import crash_report, keep_report

        session = self.app_state.session
        return keep_report(crash_report(fault, session.redact), session.state_folder)

    @property
    def _asks(self) -> bool:
        """Whether any request was sent yet."""
        return "server" in self.__dict__

    def words_about_open_changes(self) -> str:
        return self.runner.words_in_flight()

    def renew_list(self, screen: Screen[Any]) -> None:
        self.tabs.renew(screen)

    def recover_worker(self, worker: Worker[Any]) -> None:
        if worker.group == "polling":
            self.poll()
        elif worker.group == "changing" and not self.runner.is_saving:
            self.runner.recover_unresolved(is_again=True)

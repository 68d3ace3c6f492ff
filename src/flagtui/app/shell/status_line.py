"""Texts of the frame: the open project, the age of the rows, the reason why there are none.

Ages on screen are redrawn once a minute, and not in between.
"""

from collections.abc import Callable
from typing import Any

from textual.app import App, ComposeResult
from textual.screen import Screen
from textual.timer import Timer

from flagtui.api.errors import ApiError, MissingScope, NotSignedIn, Unanswered, Unreachable, needs_key
from flagtui.app.shell.footer import KeyLine
from flagtui.app.shell.header import Header, Link, Location, Tab, Tabs
from flagtui.app.state.app_state import AppState
from flagtui.app.state.go_to import TABS
from flagtui.app.widgets.screen_lifecycle import OwnedScreen, is_living
from flagtui.config.guard_rules import Level
from flagtui.local_time import DAY, HOUR, MINUTE
from flagtui.store.kinds import KINDS, Kind
from flagtui.store.load_progress import Running
from flagtui.store.workspace import Workspace
from flagtui.text.formats import count, countdown


def location_of(app_state: AppState) -> Location:
    """Return badge, organisation, project, host and user, as far as they are known."""
    session, workspace = app_state.session, app_state.workspace
    if workspace is None:
        return Location(session.badge, session.colour, host=session.host, overridden=session.overridden)
    staged = app_state.staged_set
    me, project, number = workspace.me, workspace.project, workspace.client.project
    return Location(
        badge=session.badge,
        colour=session.colour,
        organization=workspace.organization if project else "",
        project=project.label if project else "",
        project_id=number if isinstance(number, int) else None,
        host=session.host,
        user=me.email or me.label if me else "",
        overridden=session.overridden,
        staged=None if app_state.staged_fault else len(staged.changes) if staged is not None else 0,
        is_staging=app_state.is_staging,
    )


def link_of(app_state: AppState, trouble: ApiError | None = None) -> Link:
    """Return how current the list in front is, in minutes, so that the words seldom change.

    `trouble` is why a screen could not read what it shows, where that is no list of records.
    """
    mirror = app_state.session.mirror
    if mirror is not None and mirror.trouble is not None:
        return Link("offline", "mirror gone")
    if refused := next(filter(needs_key, (app_state.trouble, trouble)), None):
        was_signed_in = isinstance(refused, NotSignedIn)
        return Link("signed-out", "sign in again" if was_signed_in else "sign in")
    if app_state.workspace is not None and app_state.workspace.unresolved:
        unresolved = f"{count(app_state.workspace.unresolved, 'change')} not known"
        is_offline = app_state.workspace.client.link.is_offline
        return Link("offline" if is_offline else "retrying", _join("offline" * is_offline, unresolved))
    waiting = app_state.workspace.client.link.waiting if app_state.workspace is not None else 0.0
    # The server asked to wait: what is read or saved has not been sent.
    when = f" in {countdown(waiting)}" if waiting else ""
    saving = f"{app_state.saving}{when}…" if app_state.saving else ""
    reading = f"reading {app_state.reading}{when}… esc cancels" if app_state.reading else ""
    if saving or reading:
        return Link("retrying" if waiting else "loading", _join(saving, reading))
    if app_state.workspace is None:
        if app_state.trouble:
            return _unopened_link(app_state.trouble, retry_words(app_state))
        return Link("loading", _waiting_words(app_state))
    workspace = app_state.workspace
    return _fault_of(app_state, workspace, trouble) or _freshness_of(app_state, workspace)


def _waiting_words(app_state: AppState) -> str:
    """Return the age of cached rows that are shown until there is a connection."""
    recalled = app_state.recalled
    if recalled is None:
        return "connecting"
    return f"as of {_rough(app_state.session.clock.time() - recalled.taken_at)} ago, connecting"


def _fault_of(app_state: AppState, workspace: Workspace, own_trouble: ApiError | None) -> Link | None:
    kind = app_state.kind
    loading, link = workspace.loading(kind), workspace.client.link
    if link.waiting:
        return Link("retrying", f"asked to wait {countdown(link.waiting)}")
    collection = workspace.collection(kind)
    missing = missing_records(workspace, kind, len(collection))
    more = f"{len(collection):,} of {collection.total:,}" if missing and collection.total else ""
    if not more and loading.loaded_at:
        more = f"data {_rough(loading.age)} old"
    trouble = app_state.connection_trouble or loading.trouble
    if link.is_offline:
        return Link("offline", _join("offline", more, retry_words(app_state)))
    if trouble is not None and not loading.is_running:
        return _troubled_link(trouble, more, retry_words(app_state))
    return _troubled_link(own_trouble, "", "") if own_trouble is not None else None


def _freshness_of(app_state: AppState, workspace: Workspace) -> Link:
    loading = workspace.loading(app_state.kind)
    is_all_here = workspace.collection(app_state.kind).is_complete and loading.age is not None
    state = loading.state
    if isinstance(state, Running) and (state.is_asked or not is_all_here):
        done = f" {state.done:,}" if state.done or state.total else "…"
        # Until a page arrives, the rows are those of the last load or of the cache.
        is_old = not state.done and (loading.age or 0) >= MINUTE
        retry = retry_words(app_state) if workspace.client.link.retrying else ""
        old = f"data {_rough(loading.age)} old" if is_old else ""
        of_all = f" of {state.total:,}" if state.total else ""
        return Link("loading", _join(f"loading{done}{of_all}", old, retry))
    if loading.too_long is not None:
        return Link("retrying", stopped_words(len(workspace.collection(app_state.kind))))
    synced = "synced just now" if (loading.age or 0) < MINUTE else f"synced {_rough(loading.age)} ago"
    synced = _join(synced, "not cached" if workspace.why_not_kept(app_state.kind) else "")
    if workspace.client.link.is_slow:
        return Link("retrying", f"slow, {synced}")
    if retry := retry_words(app_state):
        return Link("retrying", f"a read failed, {retry}")
    if (mirror := app_state.session.mirror) is not None:
        return Link("retrying", "bad overrides.toml") if mirror.state.file_trouble else Link("synced", synced)
    if app_state.session.rules.level is Level.READ_ONLY:
        return Link("read-only", f"read-only, {synced}")
    return Link("synced", synced)


def stopped_words(rows: int) -> str:
    """Describe a list that does not end: `stopped at 200,000 rows; the server has more`."""
    return f"stopped at {count(rows, 'row')}; the server has more"


def retry_words(app_state: AppState) -> str:
    """Return `retrying in 8 s` before a read after a failure, `retrying now` during it, else nothing."""
    if left := app_state.retry_in:
        return f"retrying in {countdown(left)}"
    return "retrying now" if app_state.retry_at else ""


def _troubled_link(trouble: ApiError, more: str, retry: str) -> Link:
    """Return the failure while other requests were answered."""
    if isinstance(trouble, MissingScope) and trouble.scope:
        return Link("signed-out", _join(f"key lacks {trouble.scope}", more, retry))
    if isinstance(trouble, Unanswered):
        return Link("retrying", _join("no response", more, retry))
    if isinstance(trouble, Unreachable):
        return Link("retrying", _join(retry or "retrying", more))
    status = str(trouble.status) if trouble.status and trouble.status >= 400 else "invalid response"
    return Link("offline", _join(status, more, retry))


def _unopened_link(trouble: ApiError, retry: str) -> Link:
    """Return why no project is open; a server that refused was connected."""
    if trouble.status is not None and trouble.status >= 400:
        return _troubled_link(trouble, "", retry)
    return Link("offline", _join("no connection", retry))


def _join(*parts: str) -> str:
    return ", ".join(filter(None, parts))


def count_of(workspace: Workspace, kind: Kind) -> str:
    """Return the number of records: `248`, `148 of 248` while pages are missing, empty while unknown.

    Archived ones are not counted, as the server does not list them.

    `10,000+` while the server's own count stops there.
    """
    collection, loading = workspace.collection(kind), workspace.loading(kind)
    loaded, total = workspace.count_listed(kind), collection.total or 0
    more = "+" if loading.is_capped and not collection.is_complete else ""
    if not collection.is_complete and collection.total is None:
        return ""
    if collection.is_complete or total <= loaded:
        return f"{loaded:,}{more}" if loaded else ""
    return f"{loaded:,} of {total:,}{more}"


def missing_records(workspace: Workspace | None, kind: Kind, shown: int) -> int:
    """Return how many records have not arrived; `shown` are those an empty line matches."""
    if workspace is None or (collection := workspace.collection(kind)).is_complete:
        return 0
    return max(0, (collection.total or 0) - shown)


def _rough(seconds: float | None) -> str:
    for size, unit in ((DAY, "d"), (HOUR, "h"), (MINUTE, "min")):
        if seconds is not None and seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return "<1 min"


class FramedScreen(OwnedScreen[None]):
    """A screen above the lists: the two lines of every screen, the content, the line of keys."""

    _app_state: AppState
    list_tab = "1"
    """The key of the tab it belongs to."""
    trouble: ApiError | None = None
    """The error of reading what it shows, where that is no list of records."""

    def body(self) -> ComposeResult:
        """Return the content between the tabs of the lists and the footer."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        yield Header()
        yield Tabs()
        yield from self.body()
        yield KeyLine()

    def frame_tabs(self) -> list[Tab]:
        """Return the tabs of the second line."""
        workspace = self._app_state.workspace
        lists = [
            Tab(kind.tab, kind.plural.capitalize(), count_of(workspace, kind.plural) if workspace else "")
            for kind in KINDS.values()
        ]
        return [*lists, Tab(TABS["activity"], "Activity")]

    def current_tab(self) -> str:
        """Return the key of the one in front."""
        return self.list_tab

    def draw_frame(self) -> None:
        """Draw the two lines above."""
        self.query_one(Header).show_location(
            location_of(self._app_state), link_of(self._app_state, self.trouble)
        )
        self.query_one(Tabs).show_tabs(self.frame_tabs(), self.current_tab())

    def redraw_ages(self) -> None:
        """Redraw every age; called once a minute."""

    @property
    def clears_on_escape(self) -> bool:
        """Whether escape clears the user's input here; toasts are cleared before that."""
        return False

    def action_back(self) -> None:
        self.dismiss(None)


class Ages:
    """Waits for each minute of the ages, and for each second of a countdown.

    Lines are the same unless an age has changed, so nothing else is sent.
    """

    def __init__(self, app: App[Any], app_state: AppState) -> None:
        self._app = app
        self._app_state = app_state
        self._countdown: Timer | None = None
        app_state.watch(self.count_down)

    def count_down(self) -> None:
        """Draw the seconds until the next read after a failure for as long as it is awaited."""
        is_awaited = self._app_state.retry_in > 0 and self._app.is_running
        if is_awaited and self._countdown is None:
            self._countdown = self._app.set_interval(1.0, self.pass_second)
        elif not is_awaited and self._countdown is not None:
            self._countdown.stop()
            self._countdown = None

    def pass_second(self) -> None:
        """Draw the countdown again."""
        self.count_down()
        for screen in self._app.screen_stack:
            self._draw_link(screen)

    def start(self) -> None:
        """Draw every age again when a minute has passed, and so on."""
        self._app.set_timer(self._app_state.session.next_ages, self.pass_minute)

    def pass_minute(self) -> None:
        """Redraw ages when another minute has begun."""
        self.start()
        for screen in self._app.screen_stack:
            # A closing app removes what is on its screens before the screens themselves.
            if not (screen.is_mounted and is_living(screen)):
                continue
            # Loading the class of dialogs would delay the first rows.
            redraw_ages: Callable[[], None] | None = getattr(screen, "redraw_ages", None)
            if redraw_ages is not None:
                redraw_ages()
            self._draw_link(screen)

    def _draw_link(self, screen: Screen[Any]) -> None:
        trouble = screen.trouble if isinstance(screen, FramedScreen) else None
        for header in screen.query(Header):
            header.show_location(location_of(self._app_state), link_of(self._app_state, trouble))

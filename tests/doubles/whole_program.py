"""The whole program in one process: app, client and service, with faults to order and a clock to turn."""

import shutil
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar, Unpack, cast

import msgspec
from tests.doubles import quiet
from tests.doubles.drawn_at_rest import draw, drawn_at_rest
from tests.doubles.expected import expect, require
from tests.doubles.frame_truth import compare_frame
from tests.doubles.setting import HOST as HOST
from tests.doubles.setting import KEY as KEY
from tests.doubles.setting import WIDTH as WIDTH
from tests.doubles.setting import Setting as Setting
from tests.doubles.setting import make_session
from tests.doubles.sights import Seen, Sight, check_sight, phrases, screen_text
from tests.doubles.sights import words as words
from tests.doubles.slices import ALL_MODES, LONG
from tests.doubles.steady_clock import Timing
from tests.doubles.two_displays import TwiceDisplayed
from tests.doubles.wire import Wire
from textual.message import Message
from textual.notifications import Notify
from textual.pilot import Pilot

from flagtui.api import Client
from flagtui.api.http_library import in_process
from flagtui.app.app import FlagTui
from flagtui.app.flags.flag_list import FlagsScreen
from flagtui.app.shell.toasts import READ
from flagtui.app.widgets.row_list import RowList
from flagtui.app.writing.question import ConfirmScreen
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Signature
from flagtui.models.flag import Flag
from flagtui.models.rows import FlagRow
from flagtui.service import Settings, close_service, create_service
from flagtui.service.sample_data import sample
from flagtui.store.workspace import Workspace

T = TypeVar("T")
WIDE = (132, 40)
HOUR = 3_600.0
"""Seconds."""
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
"""When every test happens, so that ages on screen never move."""


class UnpolledProgram(FlagTui):
    """Without polling it does not read again after a failure: on a clock without waits that never ends.

    New toasts stay new: on a busy machine seconds pass between a key and the look at what it said.
    """

    def post_message(self, message: Message) -> bool:
        if isinstance(message, Notify) and time.time() - message.notification.raised_at < READ:
            message.notification.raised_at += HOUR
        return super().post_message(message)

    def poll(self) -> None:
        if self.app_state.session.refresh or self.app_state.session.mirror:
            super().poll()


class TwiceDisplayedProgram(TwiceDisplayed, UnpolledProgram):
    """The app, watched by two terminals."""


UNSEEN = ("polling", "code-scan")
"""Groups of workers that no step of a journey waits for."""


class Program(msgspec.Struct):
    """A running program and everything around it."""

    app: FlagTui
    pilot: Pilot[None]
    wire: Wire
    service: Any
    timing: Timing
    journal: Journal
    database: Path
    others: list[Client] = []
    drawn: set[type] = set()
    """Kinds of screens that were drawn."""

    async def press(self, *keys: str, **sight: Unpack[Sight]) -> None:
        """Press keys one after the other, each when the one before has done what it does; then `see`."""
        for key in keys:
            self.timing.now += 1
            await quiet.press(self.app, key)
            await quiet.settle(self.app, self._is_busy, rests=False)
            self._compare_displays()
        await self.settle(**sight)

    def see(self, *seen: str, **sight: Unpack[Sight]) -> None:
        """Fail unless a person sees this on screen, and what else `sight` names."""
        if seen or sight:
            sight["shows"] = (*seen, *phrases(sight.get("shows", ())))
            check_sight(Seen(self.app, self.screen, self.notices, self.wire.writes()), sight)

    async def press_without_waiting(self, *keys: str, **sight: Unpack[Sight]) -> None:
        """Press keys, look at what is drawn while requests of them are still held, and `see`."""
        for key in keys:
            self.timing.now += 1
            await quiet.press(self.app, key)
            await quiet.settle(self.app)
            self._look()
        self.see(**sight)

    async def hold(self, key: str, *, times: int) -> None:
        """A key held down: it comes again before anything it started is done."""
        for _ in range(times):
            await quiet.press(self.app, key)
            await quiet.settle(self.app, rests=False)
            self._compare_displays()
        self._look()

    async def settle(self, **sight: Unpack[Sight]) -> None:
        """Wait until nothing is under way any more but a question that waits for an answer; then `see`."""
        await quiet.settle(self.app, self._is_busy)
        self._look()
        self.see(**sight)

    def _look(self) -> None:
        """Compare displays, and draw each kind of screen when first at rest, in a run at length always."""
        self._compare_displays()
        if not self._is_busy() and not self.wire.waiting:
            compare_frame(self.app)
        if LONG or ALL_MODES or type(self.app.screen) not in self.drawn:
            self.draw()

    def draw(self) -> None:
        """Draw what a person sees; a widget that cannot be drawn fails here."""
        self.drawn.add(type(self.app.screen))
        if not isinstance(self.app, TwiceDisplayed):
            draw(self.app)

    def _compare_displays(self) -> None:
        if isinstance(self.app, TwiceDisplayed):
            self.app.displays.compare(self.app)

    def _is_busy(self) -> bool:
        waiting = [worker for worker in self.app.workers if worker.group not in UNSEEN and worker.is_running]
        asking = [worker for worker in waiting if worker.group in ("changing", "choose")]
        screen = self.app.screen
        if isinstance(screen, ConfirmScreen) and screen.is_partial and not self.wire.waiting:
            return True
        return bool(waiting) and not (len(asking) == len(waiting) and screen.is_modal)

    @property
    def screen(self) -> str:
        """What is on screen, as text."""
        self.draw()
        return screen_text(self.app)

    def front(self, kind: Callable[..., T]) -> T:
        """The screen in front, which has to be of this kind."""
        return expect(self.app.screen, cast("type[T]", kind))

    @property
    def header(self) -> str:
        return self.screen.splitlines()[0].rstrip()

    @property
    def link(self) -> str:
        """The state of the connection, with which the first line ends; no toast lies over it."""
        return self.header.rpartition("  ")[2].strip()

    @property
    def last_line(self) -> str:
        """The keys of the screen."""
        return self.screen.splitlines()[-1].strip()

    @property
    def rows(self) -> RowList[Any]:
        """The rows of the list in front."""
        return self.app.screen.query_one(RowList)

    @property
    def notices(self) -> list[str]:
        """Every toast so far that is still known, title and text."""
        return [f"{notice.title}: {notice.message}".removeprefix(": ") for notice in self.app._notifications]

    @property
    def workspace(self) -> Workspace:
        """The lists of the project that is open."""
        return require(self.app.app_state.workspace)

    @property
    def signature(self) -> Signature:
        """Whose and where changes are that the program enters in its journal."""
        return self.app.app_state.signature(self.workspace)

    def row(self, key: str) -> FlagRow:
        """A flag as the app believes it to be."""
        return next(row for row in self.workspace.flags.rows if row.key == key)

    async def stored(self, key: str, *, archived: bool = False) -> Flag:
        """A flag as the service has it."""
        colleague = self.colleague()
        filters = {"search": key, "archived": "true"} if archived else {"search": key}
        page = await colleague.flags.page(filters)
        return await colleague.flags.get(next(row.id for row in page.rows if row.key == key))

    def colleague(self) -> Client:
        """Another client of the same service, past the wire."""
        client = Client(HOST, KEY, 1, transport=in_process(self.service))
        self.others.append(client)
        return client

    async def look_at_mirror(self) -> None:
        """Let the next second pass, in which the mirror is read again."""
        await require(self.app.app_state.session.mirror).look()
        await self.settle()

    async def let_go(self, **sight: Unpack[Sight]) -> None:
        """Let the held responses through, wait for what they do, and `see`."""
        self.wire.let_go.set()
        await self.settle(**sight)

    async def search(self, query: str, *keys: str, **sight: Unpack[Sight]) -> None:
        """Put a query into the search line of the list in front, and press keys after it; then `see`."""
        self.app.screen.query_one("SearchLine").set_line(query)  # type: ignore[attr-defined]  # found by name
        await self.settle()
        await self.press(*keys, **sight)

    async def go_to(self, key: str, *keys: str, **sight: Unpack[Sight]) -> None:
        """Search for a record of the list in front, put the cursor on it, press keys there; then `see`."""
        await self.press("slash")
        await self.search(key, "enter")
        await self.press(*keys, **sight)


def make_template(path: Path, *, one_in: int = 1, few_events: bool = False, **choices: Any) -> Path:
    """A database with the sample, copied for each journey; with one in so many people, which saves half."""
    close_service(create_service(path, Settings(clock=lambda: NOW), key=KEY, sample=sample(**choices)))
    if few_events:
        thin_out_events(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        leaving = "SELECT id FROM persons WHERE id % ?"
        for sql in (
            f"DELETE FROM cohort_members WHERE person_id IN ({leaving})",
            f"DELETE FROM distinct_ids WHERE person_id IN ({leaving})",
            "DELETE FROM persons WHERE id % ?",
        ):
            db.execute(sql, (one_in,))
        db.execute("VACUUM")
    return path


def thin_out_events(path: Path) -> None:
    """Leave out most definitions that nothing else in the sample refers to: many commands read them all."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(
            "DELETE FROM event_definitions WHERE name GLOB '[abd-z]* [a-z]*'"
            " AND name NOT IN (SELECT event FROM events)"
        )


@asynccontextmanager
async def running(
    setting: Setting, wire: Callable[[Wire], object] = lambda wire: None, *, wait: bool = True
) -> AsyncIterator[Program]:
    """The program, started and, unless told otherwise, loaded."""
    database = setting.folder / "service.db"
    shutil.copy(setting.template, database)
    timing = Timing(NOW.timestamp())
    settings = Settings(clock=lambda: datetime.fromtimestamp(timing.now, UTC), **dict(setting.options))
    service = create_service(database, settings)
    between = Wire(in_process(service))
    wire(between)
    session = make_session(setting, between, timing)
    app = (TwiceDisplayedProgram if setting.two_displays else UnpolledProgram)(session)
    others: list[Client] = []
    size = (WIDTH or setting.size[0], setting.size[1])
    try:
        async with AsyncExitStack() as stack:
            if not setting.two_displays:
                stack.enter_context(drawn_at_rest())
            pilot = await stack.enter_async_context(quiet.run_quietly(app, size=size, notifications=True))
            program = Program(app, pilot, between, service, timing, session.journal, database, others)
            # The list that every journey begins and most end with: those that look at it draw it.
            program.drawn.add(FlagsScreen)
            if wait:
                await program.settle()
            yield program
            if LONG or ALL_MODES or type(app.screen) is not FlagsScreen:
                program.draw()
            for client in others:
                await client.close()
    finally:
        close_service(service)

"""Screens are opened once and closed once, answers come once or not at all, and a fault costs one screen."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.doubles import quiet
from textual import work
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import Label

from flagtui.app.shell.screen_owner import IN_A_ROW, ScreenOwner
from flagtui.app.widgets.dialog import Dialog
from flagtui.app.widgets.screen_lifecycle import OwnedScreen


class Listing(OwnedScreen[None]):
    def compose(self) -> ComposeResult:
        yield Label("rows")


class Asking(Dialog[str | None]):
    pass


class Record(OwnedScreen[None]):
    """A record whose details come late."""

    def __init__(self, about: int = 0, listener: Callable[[], None] = lambda: None) -> None:
        super().__init__()
        self._about, self._listener = about, listener
        self.let_go = asyncio.Event()
        self.looked = 0

    @property
    def opened_for(self) -> object:
        return self._about

    def compose(self) -> ComposeResult:
        yield Label("details")

    @work
    async def look(self) -> None:
        await self.let_go.wait()
        self.looked += 1
        self.query_one(Label).update("known")

    def heard(self) -> None:
        self._listener()
        self.query_one(Label).update("heard")


class Owner(ScreenOwner[None]):
    """The smallest app with a list."""

    def __init__(self) -> None:
        super().__init__()
        self.reports: list[BaseException] = []
        self.renewed: list[Screen[Any]] = []
        self.open_changes = ""

    def on_mount(self) -> None:
        self.install_screen(Listing(), "list")
        self.push_screen("list")

    def keep_report(self, fault: BaseException) -> Path | None:
        self.reports.append(fault)
        return None

    def renew_list(self, screen: Screen[Any]) -> None:
        self.renewed.append(screen)

    def words_about_open_changes(self) -> str:
        return self.open_changes

    @work(exit_on_error=True)
    async def ask(self, answers: list[str | None]) -> None:
        answers.append(await self.push_screen_wait(Asking()))

    @property
    def words(self) -> str:
        return " ".join(f"{notice.title} {notice.message}" for notice in self._notifications)

    def forget_fault(self) -> None:
        self._last_fault -= IN_A_ROW


@pytest.fixture
async def app() -> AsyncIterator[Owner]:
    async with open_owner() as owner:
        yield owner


@asynccontextmanager
async def open_owner() -> AsyncIterator[Owner]:
    owner = Owner()
    async with quiet.run_quietly(owner, notifications=True) as pilot:
        while not owner._is_up:
            await pilot.pause()
        yield owner


async def settle_after_fault() -> None:
    """What waits for quiet elsewhere takes a fault for the end."""
    for _ in range(50):
        await asyncio.sleep(0)


@pytest.fixture
async def faulty() -> AsyncIterator[Owner]:
    """An app that is going to meet a fault, which every other test would fail for."""
    async with open_owner() as owner:
        yield owner
        assert str(owner._exception) == "asked to fail"
        owner._exception = None


async def test_a_list_is_never_popped(app: Owner) -> None:
    for _ in range(3):
        app.pop_screen()
    assert isinstance(app.screen, Listing)


async def test_dialog_requested_twice_opens_once(app: Owner) -> None:
    answers: list[str | None] = []
    app.ask(answers)
    app.ask(answers)
    await quiet.settle(app)
    assert [type(screen) for screen in app.screen_stack[1:]] == [Listing, Asking]
    assert answers == [None]
    app.screen.dismiss("yes")
    await quiet.settle(app)
    assert answers == [None, "yes"]


async def test_dialog_answered_twice_keeps_the_first_answer(app: Owner) -> None:
    answers: list[str | None] = []
    app.push_screen(Record())
    app.ask(answers)
    await quiet.settle(app)
    dialog = app.screen
    dialog.dismiss("yes")
    dialog.dismiss("no")
    await quiet.settle(app)
    assert answers == ["yes"]
    assert isinstance(app.screen, Record)


async def test_caller_of_a_removed_dialog_gets_no_answer(app: Owner) -> None:
    answers: list[str | None] = []
    app.push_screen(Record())
    app.ask(answers)
    await quiet.settle(app)
    app.uncover_list()
    await quiet.settle(app)
    assert answers == [None]
    assert isinstance(app.screen, Listing)


async def test_covered_screen_is_not_closed_by_its_own_keys(app: Owner) -> None:
    record = Record()
    app.push_screen(record)
    app.push_screen(Asking())
    record.dismiss(None)
    await quiet.settle(app)
    assert [type(screen) for screen in app.screen_stack[1:]] == [Listing, Record, Asking]


async def test_the_same_record_is_opened_once_and_another_above_it(app: Owner) -> None:
    for about in (1, 1, 2, 1):
        app.push_screen(Record(about))
    assert [screen.opened_for for screen in app.screen_stack[2:] if isinstance(screen, Record)] == [1, 2, 1]


async def test_covering_screen_stays_on_top_until_removed(app: Owner) -> None:
    covering = Asking()
    app.cover(covering)
    app.push_screen(Record())
    assert isinstance(app.screen, Asking)
    app.cover(None)
    await quiet.settle(app)
    assert isinstance(app.screen, Record)
    assert not covering.is_attached


async def test_an_answer_for_a_screen_that_was_left_is_dropped(app: Owner) -> None:
    record = Record()
    await app.push_screen(record)
    record.look()
    await quiet.settle(app)
    record.dismiss(None)
    record.let_go.set()
    await quiet.settle(app)
    assert record.looked == 0
    assert app.reports == []


async def test_an_answer_for_a_screen_under_a_dialog_is_taken(app: Owner) -> None:
    record = Record()
    await app.push_screen(record)
    record.look()
    app.push_screen(Asking())
    record.let_go.set()
    await quiet.settle(app)
    assert record.looked == 1


async def test_closed_screen_gets_no_more_reports(app: Owner) -> None:
    record, watchers = Record(), list[Callable[[], None]]()

    def watch(listener: Callable[[], None]) -> Callable[[], None]:
        watchers.append(listener)
        return lambda: watchers.remove(listener)

    await app.push_screen(record)
    record.follow(watch, record.heard)
    [listener] = watchers
    record.dismiss(None)
    listener()
    await quiet.settle(app)
    assert app.reports == []
    assert watchers == []


async def test_a_screen_left_while_it_opens_is_no_fault(app: Owner) -> None:
    class Hasty(Record):
        def on_mount(self) -> None:
            self.query_one(Label).update("there")

    app.push_screen(Hasty())
    app.pop_screen()
    await quiet.settle(app)
    assert app.reports == []


def fail() -> None:
    raise RuntimeError("asked to fail")


async def test_fault_of_a_screen_closes_it_and_leaves_the_list(faulty: Owner) -> None:
    record = Record()
    await faulty.push_screen(record)
    record.call_later(fail)
    await settle_after_fault()
    assert isinstance(faulty.screen, Listing)
    assert faulty.screen.is_running
    assert [type(report) for report in faulty.reports] == [RuntimeError]
    assert all(phrase in faulty.words for phrase in ("RuntimeError", "The screen was closed"))
    assert not faulty._exit


async def test_fault_of_a_listener_costs_its_screen_only(faulty: Owner) -> None:
    watchers = list[Callable[[], None]]()
    record = Record(listener=fail)
    await faulty.push_screen(record)
    record.follow(lambda listener: watchers.append(listener) or (lambda: None), record.heard)  # type: ignore[func-returns-value]
    watchers[0]()
    await settle_after_fault()
    assert isinstance(faulty.screen, Listing)


async def test_a_fault_of_a_list_opens_another_in_its_place(faulty: Owner) -> None:
    here = faulty.screen
    here.call_later(fail)
    await settle_after_fault()
    assert faulty.renewed == [here]


async def test_fault_of_an_app_worker_leaves_every_screen(faulty: Owner) -> None:

    async def work() -> None:
        fail()

    await faulty.push_screen(Record())
    faulty.run_worker(work())
    await settle_after_fault()
    assert isinstance(faulty.screen, Record)
    assert "The running task was cancelled" in faulty.words


async def test_second_fault_in_a_row_ends_the_program(faulty: Owner) -> None:
    faulty.open_changes = "A change got no response."
    for _ in range(3):
        await faulty.push_screen(record := Record())
        record.call_later(fail)
        await settle_after_fault()
        faulty.forget_fault()
    assert faulty.last_words == ""
    faulty._last_fault += IN_A_ROW
    await faulty.push_screen(record := Record())
    record.call_later(fail)
    await settle_after_fault()
    assert faulty.last_words == (
        "stopped because of a fault of its own (RuntimeError). A change got no response. "
        "The report could not be written."
    )

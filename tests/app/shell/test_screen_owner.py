"""Screens are opened once and closed once, answers come once or not at all, and a fault costs one screen."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
from tests.app.shell.owner import Asking, Listing, Owner, Record, open_owner
from tests.doubles import quiet
from textual.geometry import Size
from textual.widgets import Label

from flagtui.app.shell.screen_owner import IN_A_ROW, ScreenOwner
from flagtui.app.widgets.dialog import TooSmallScreen
from flagtui.app.widgets.screen_lifecycle import OwnedScreen


@pytest.fixture
async def app() -> AsyncIterator[Owner]:
    async with open_owner() as owner:
        yield owner


async def test_a_list_is_never_popped(app: Owner) -> None:
    for _ in range(3):
        app.pop_screen()
    assert app.stack == [Listing]


async def test_dialog_requested_twice_opens_once(app: Owner) -> None:
    answers: list[str | None] = []
    app.ask(answers)
    app.ask(answers)
    await quiet.settle(app)
    assert (app.stack, answers) == ([Listing, Asking], [None])
    app.screen.dismiss("yes")
    await quiet.settle(app)
    assert answers == [None, "yes"]


@pytest.mark.parametrize(("typed", "stack"), [("yes no", [Listing, Record]), ("", [Listing])])
async def test_dialog_gives_its_first_answer_or_none(app: Owner, typed: str, stack: list[type]) -> None:
    answers: list[str | None] = []
    app.push_screen(Record())
    app.ask(answers)
    await quiet.settle(app)
    dialog = app.screen
    for answer in typed.split():
        dialog.dismiss(answer)
    if not typed:
        app.uncover_list()
    await quiet.settle(app)
    assert (answers, app.stack) == (["yes" if typed else None], stack)


async def test_covered_screen_is_not_closed_by_its_own_keys(app: Owner) -> None:
    app.push_screen(record := Record())
    app.push_screen(Asking())
    record.dismiss(None)
    await quiet.settle(app)
    assert app.stack == [Listing, Record, Asking]


async def test_the_same_record_is_opened_once_and_another_above_it(app: Owner) -> None:
    for about in (1, 1, 2, 1):
        app.push_screen(Record(about))
    assert [screen.opened_for for screen in app.screen_stack[2:] if isinstance(screen, Record)] == [1, 2, 1]


async def test_covering_screen_stays_on_top_until_removed(app: Owner) -> None:
    app.cover(covering := Asking())
    app.push_screen(Record())
    assert isinstance(app.screen, Asking)
    app.cover(None)
    await quiet.settle(app)
    assert isinstance(app.screen, Record)
    assert not covering.is_attached


@pytest.mark.parametrize(("is_left", "looked"), [(True, 0), (False, 1)], ids=["left", "under a dialog"])
async def test_late_answer_is_for_a_screen_that_is_still_open(app: Owner, is_left: bool, looked: int) -> None:
    await app.push_screen(record := Record())
    record.look()
    if is_left:
        await quiet.settle(app)
        record.dismiss(None)
    else:
        app.push_screen(Asking())
    record.let_go.set()
    await quiet.settle(app)
    assert (record.looked, app.reports) == (looked, [])


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


async def test_small_size_before_the_list_does_not_stay() -> None:
    small, large = Size(20, 3), Size(80, 24)

    class SmallFirst(ScreenOwner[None]):
        """Is told of a small terminal before it has a list, as in a start while the window is dragged."""

        def on_mount(self) -> None:
            self.fit(small)
            self.list: OwnedScreen[None] = OwnedScreen()
            self.has_covered_nothing = isinstance(self.screen, TooSmallScreen)
            self.push_screen(self.list)

    app = SmallFirst()
    async with quiet.run_quietly(app) as pilot:
        while not app._is_up:
            await pilot.pause()
        # A list does not open where a dialog is on top of nothing.
        assert not app.has_covered_nothing
        app.fit(small)
        assert isinstance(app.screen, TooSmallScreen)
        app.fit(large)
        await quiet.settle(app)
        assert app.screen_stack[1:] == [app.list]


# Faults


@pytest.fixture
async def faulty() -> AsyncIterator[Owner]:
    """An app that is going to meet a fault, which every other test would fail for."""
    async with open_owner() as owner:
        yield owner
        assert str(owner._exception) == "asked to fail"
        owner._exception = None


def fail() -> None:
    raise RuntimeError("asked to fail")


async def settle_after_fault() -> None:
    """What waits for quiet elsewhere takes a fault for the end."""
    for _ in range(50):
        await asyncio.sleep(0)


async def open_failing(app: Owner) -> None:
    await app.push_screen(record := Record())
    record.call_later(fail)
    await settle_after_fault()


async def test_fault_of_a_screen_closes_it_and_leaves_the_list(faulty: Owner) -> None:
    await open_failing(faulty)
    assert isinstance(faulty.screen, Listing)
    assert faulty.screen.is_running
    assert [type(report) for report in faulty.reports] == [RuntimeError]
    expected = "RuntimeError", "The screen was closed", "What you entered in a-flag is kept"
    assert all(phrase in faulty.words for phrase in expected)
    assert not faulty._exit


async def test_edits_that_cannot_be_kept_are_reported(app: Owner) -> None:
    app.push_screen(Record(-1))
    app.keep_edits()
    assert app.last_words == "ended by a signal. What you entered could not be kept: No room."


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
        await open_failing(faulty)
        faulty.forget_fault()
    assert faulty.last_words == ""
    faulty._last_fault += IN_A_ROW
    await open_failing(faulty)
    assert faulty.last_words == (
        "stopped because of a fault of its own (RuntimeError). A change got no response. "
        "What you entered in a-flag is kept, and offered there again. The report could not be written."
    )

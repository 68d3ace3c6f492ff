import asyncio
from collections.abc import AsyncGenerator, Callable

import pytest
from tests.doubles.flag_collection import empty, ids
from tests.store.conftest import NOW

from flagtui.api.errors import ApiError, ListTooLong, Unreachable
from flagtui.models.rows import FlagRow, RowPage
from flagtui.store.collection import Collection
from flagtui.store.load_progress import Empty, Loaded, LoadFailed, Recalled, Running, State
from flagtui.store.record_list import RESUMES, Loading

Step = RowPage[FlagRow] | ApiError


class Resumable:
    """Pages that are not given twice, as a list that goes on where it broke off."""

    def __init__(self, *script: Step) -> None:
        self.script = [*script]
        self.gate: asyncio.Event | None = None

    async def __aiter__(self) -> AsyncGenerator[RowPage[FlagRow], None]:
        while self.script:
            if self.gate:
                await self.gate.wait()
            step = self.script.pop(0)
            if isinstance(step, ApiError):
                raise step
            yield step


class Pages:
    """Pages as a server would give them each time; an exception among them is raised in its turn."""

    def __init__(self, *script: Step) -> None:
        self.script = script
        self.asked = 0
        self.gate: asyncio.Event | None = None

    def __call__(self) -> Resumable:
        self.asked += 1
        pages = Resumable(*self.script)
        pages.gate = self.gate
        return pages


def page(
    *numbers: int, total: int, unreadable: tuple[int, ...] = (), server_time: float | None = None
) -> RowPage[FlagRow]:
    rows = tuple(FlagRow(id=number, key=f"flag-{number}") for number in numbers)
    return RowPage(rows, total, unreadable, server_time)


def make(
    pages: Callable[[], Resumable], clock: Callable[[], float] = lambda: NOW
) -> tuple[Collection[FlagRow], Loading[FlagRow]]:
    collection = empty()
    return collection, Loading(collection, pages, clock=clock)


GONE = Unreachable("No answer.")


def states_of(loading: Loading[FlagRow]) -> list[State]:
    """Its state, and each that follows."""
    states = [loading.state]
    loading.watch(lambda: states.append(loading.state))
    return states


async def test_progress_is_told_page_by_page() -> None:
    pages = Pages(page(1, 2, total=5), page(3, 4, total=5, unreadable=(5,), server_time=NOW + 90))
    collection, loading = make(pages)
    states = states_of(loading)
    await loading.run()
    assert states == [Empty(), Running(0, None), Running(2, 5), Running(5, 5), Loaded()]
    assert (loading.loaded_at, loading.server_ahead) == (NOW, 90)
    assert ids(collection) == [1, 2, 3, 4]


async def test_failed_load_keeps_the_rows_and_reports_its_progress() -> None:
    pages = Pages(page(1, 2, total=2))
    collection, loading = make(pages)
    await loading.run()
    pages.script = (page(1, total=2), GONE)
    states = states_of(loading)
    assert await loading.run() == LoadFailed(GONE, NOW)
    assert states[1:] == [Running(0, None), Running(1, 2), LoadFailed(GONE, NOW)]
    assert loading.loaded_at == NOW
    assert ids(collection) == [1, 2]
    pages.script = (page(2, total=1),)
    assert await loading.run() == Loaded()
    assert ids(collection) == [2]


async def test_a_first_load_that_breaks_off_keeps_what_came() -> None:
    collection, loading = make(Pages(page(1, total=9), GONE))
    states = states_of(loading)
    assert isinstance(await loading.run(), LoadFailed)
    assert (states[-2], loading.loaded_at) == (Running(1, 9), None)
    assert (ids(collection), collection.is_complete) == ([1], False)


async def test_a_second_call_while_one_runs_asks_nothing() -> None:
    pages = Pages(page(1, total=1))
    pages.gate = asyncio.Event()
    _, loading = make(pages)
    first = asyncio.create_task(loading.run())
    await asyncio.sleep(0)
    assert loading.is_running
    assert isinstance(await loading.run(), Running)
    pages.gate.set()
    await first
    assert pages.asked == 1


async def test_a_cancelled_load_leaves_the_state_from_before() -> None:
    pages = Pages(page(1, total=1))
    _, loading = make(pages)
    await loading.run()
    pages.gate = asyncio.Event()
    task = asyncio.create_task(loading.run())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert loading.state == Loaded()
    pages.gate.set()
    assert await loading.run() == Loaded()
    assert loading.loaded_at == NOW


async def test_cached_rows_show_their_age_until_the_load_ends() -> None:
    now = NOW
    pages = Pages(page(1, total=1))
    collection, loading = make(pages, lambda: now)
    loading.recall((FlagRow(id=1, key="flag-1"), FlagRow(id=2, key="gone")), NOW - 300)
    assert loading.state == Recalled()
    assert loading.age == 300
    assert len(collection) == 2
    await loading.run()
    assert (loading.age, len(collection)) == (0, 1)
    loading.recall((FlagRow(id=3, key="late"),), NOW - 600)
    assert len(collection) == 1


async def test_failed_load_resumes_and_then_drops_deleted_rows() -> None:
    lists = [Resumable(page(1, 2, total=2)), Resumable(page(1, total=2), GONE, page(3, total=2))]
    collection, loading = make(lambda: lists.pop(0))
    await loading.run()
    assert isinstance(await loading.run(resume=True), LoadFailed)
    assert isinstance(loading.trouble, Unreachable)
    assert ids(collection) == [1, 2]
    assert await loading.run(resume=True) == Loaded()
    assert ids(collection) == [1, 3]
    assert loading.trouble is None


@pytest.mark.parametrize("why", ["asked", "late", "overtaken"])
async def test_failed_load_restarts_when_requested_late_or_overtaken(why: str) -> None:
    now = NOW
    lists = [Resumable(page(1, total=2), GONE, page(2, total=2)), Resumable(page(5, total=1))]
    collection, loading = make(lambda: lists.pop(0), lambda: now)
    await loading.run()
    if why == "late":
        now += RESUMES
    elif why == "overtaken":
        collection.begin_load(is_whole=False)
        collection.finish_load(lambda _row: False)
    await loading.run(resume=why != "asked")
    assert ids(collection) == [5]


async def test_comparison_does_not_end_the_load_of_archived_rows() -> None:
    turn, beside = asyncio.Lock(), Pages(page(2, total=2), page(3, total=2))
    collection = empty()
    loading = Loading(collection, Pages(page(1, total=1)), turn=turn)
    archived = Loading(collection, beside, turn=turn, is_whole=False, covers=lambda row: row.id > 1)
    await loading.run()
    beside.gate = asyncio.Event()
    task = asyncio.create_task(archived.run())
    await asyncio.sleep(0)
    loading.take_whole(page(1, total=1))
    beside.gate.set()
    assert await task == Loaded()
    assert ids(collection) == [1, 2, 3]


async def test_rows_that_could_not_be_compared_show_the_trouble() -> None:
    _, loading = make(Pages(page(1, total=1)))
    loading.confirm()
    assert loading.age is None
    await loading.run()
    errors: list[ApiError | None] = []
    loading.watch(lambda: errors.append(loading.trouble))
    loading.set_trouble(GONE)
    loading.set_trouble(GONE)
    loading.confirm()
    assert errors == [GONE, None]


async def test_list_that_is_too_long_is_loaded_but_incomplete() -> None:
    pages = Pages(page(1, 2, total=2))
    collection, loading = make(pages)
    await loading.run()
    error = ListTooLong("Reading stopped.")
    pages.script = (page(3, 4, total=2), error)
    assert await loading.run() == Loaded()
    assert (loading.too_long, loading.trouble, loading.loaded_at) == (error, None, NOW)
    assert ids(collection) == [1, 2, 3, 4]
    assert not collection.is_complete
    pages.script = (page(3, 4, total=2),)
    await loading.run()
    assert (loading.too_long, collection.is_complete) == (None, True)
    assert ids(collection) == [3, 4]

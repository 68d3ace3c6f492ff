"""Keys, clicks and results for a closed screen or widget are dropped."""

import gc
from collections.abc import Awaitable, Callable, Iterator
from weakref import ref

import pytest
from tests.app.shell.owner import Owner, Record, open_owner
from tests.doubles import quiet
from tests.doubles.drawn_at_rest import draw
from textual.events import Resize
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Label

from flagtui.app.shell import garbage
from flagtui.app.shell.screen_owner import MOST_LEFT


class Touched(Record):
    def action_touch(self) -> None:
        self.looked += 1


class Sized(Record):
    times = 0

    def on_resize(self) -> None:
        self.times += 1
        assert self.times < 20, "the sizes take turns"
        # Without anything between them, Textual makes one of two sizes.
        self.call_later(self.refresh)


async def test_a_click_on_what_was_just_removed_meets_nothing() -> None:
    async with open_owner() as app:
        label = app.screen.query_one(Label)
        x, y = label.region.offset
        assert app.screen.get_widget_and_offset_at(x, y)[0] is label
        with app.batch_update():
            await label.remove()
            assert app.screen.get_widget_at(x, y)[0] is label
            assert app.screen.get_widget_and_offset_at(x, y) == (None, None)


async def test_key_for_a_closed_or_unopened_screen_does_nothing() -> None:
    async with open_owner() as app:
        record = Touched()
        opening = app.push_screen(record)
        await app.run_action("touch", record)
        assert record.looked == 0
        await opening
        await app.run_action("touch", record)
        assert record.looked == 1
        record.dismiss(None)
        await quiet.settle(app)
        await app.run_action("touch", record)
        assert record.looked == 1


@pytest.fixture
def by_hand(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Python itself collects nothing, and what other tests loaded is no matter."""
    gc.freeze()
    gc.disable()
    yield monkeypatch
    gc.enable()


@pytest.mark.usefixtures("by_hand")
async def test_closed_screen_releases_its_drawing_cache() -> None:
    async with open_owner() as app:
        drawn = []
        for _ in range(3):
            await app.push_screen(record := Record())
            await quiet.settle(app)
            draw(app)
            drawn.append([ref(each._styles_cache) for each in record.query(Widget)])
            record.dismiss(None)
            await quiet.settle(app)
            del record
        # The task of a closed screen may end later.
        for _ in range(MOST_LEFT):
            await quiet.settle(app)
            gc.collect()
        assert [cache() for cache in drawn[0]] == [None] * len(drawn[0]) != []


async def close(app: Owner) -> "ref[Record]":
    await app.push_screen(record := Record())
    await quiet.settle(app)
    record.dismiss(None)
    await quiet.settle(app)
    return ref(record)


async def test_reference_cycles_of_closed_screens_are_freed_after_a_few(by_hand: pytest.MonkeyPatch) -> None:
    # Rests of this length are over at once; the other one never comes, however slow the machine is.
    by_hand.setattr(Owner, "SHORT_REST", quiet.LONGEST_REST)
    by_hand.setattr(Owner, "REST", 3_600.0)
    async with open_owner() as app:
        left = [await close(app) for _ in range(2 * MOST_LEFT)]
        # The last ones were still in use at the last collection.
        assert len([screen for screen in left if screen() is not None]) <= MOST_LEFT // 2


async def test_closed_screens_wait_for_a_long_rest_beside_heavy_records(by_hand: pytest.MonkeyPatch) -> None:
    by_hand.setattr(Owner, "REST", quiet.LONGEST_REST)
    by_hand.setattr(garbage, "MOST_BLOCKS", -10_000_000)
    async with open_owner() as app:
        left = [await close(app) for _ in range(2)]
        assert None not in [screen() for screen in left]
        by_hand.setattr(Owner, "LONG_REST", quiet.LONGEST_REST)
        while left[0]() is not None and len(left) < MOST_LEFT:
            left.append(await close(app))
        assert left[0]() is None


async def switch(app: Owner) -> "ref[Record]":
    await app.switch_screen(record := Record())
    await quiet.settle(app)
    return ref(record)


@pytest.mark.parametrize("leave", [close, switch])
async def test_reference_cycles_of_left_screens_are_freed_at_rest(
    leave: Callable[[Owner], Awaitable["ref[Record]"]], by_hand: pytest.MonkeyPatch
) -> None:
    by_hand.setattr(Owner, "REST", 0.01)
    async with open_owner() as app:
        left = [await leave(app)]
        # A collection may come while the screen is still in use.
        while left[0]() is not None and len(left) < MOST_LEFT:
            left.append(await leave(app))
        assert left[0]() is None


async def test_two_pending_sizes_end_in_the_terminal_size() -> None:
    async with open_owner() as app:
        await app.push_screen(record := Sized())
        await quiet.settle(app)
        for size in (Size(60, 15), app.size):
            record.post_message(Resize(size, size))
            record.call_later(record.refresh)
        await quiet.settle(app)
        assert app.screen is record
        assert record.size == app.size

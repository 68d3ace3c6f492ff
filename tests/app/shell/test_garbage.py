"""No collection of garbage begins during heavy work, later ones skip its objects, a whole one finds all."""

import gc
import sys
from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from flagtui.api.heavy_work import run_off_loop, surround_work
from flagtui.app.shell.garbage import BOUND, MOST_BLOCKS, MOST_NEW, Garbage


class Circle(list["Circle"]):
    """An object that refers to itself."""

    freed = 0

    def __init__(self) -> None:
        super().__init__()
        self.append(self)

    def __del__(self) -> None:
        Circle.freed += 1


@pytest.fixture
def garbage() -> Iterator[Garbage]:
    garbage = Garbage()
    surround_work(garbage.pause)
    Circle.freed = 0
    # What other tests loaded is looked at by none of these, nor by those that come later.
    gc.freeze()
    thresholds = gc.get_threshold()
    yield garbage
    gc.set_threshold(*thresholds)
    surround_work(nullcontext)
    gc.freeze()


async def test_no_collection_begins_during_heavy_work(garbage: Garbage) -> None:
    collections: list[str] = []

    def work() -> list[list[int]]:
        gc.callbacks.append(lambda phase, _details: collections.append(phase))
        made = [[place] for place in range(MOST_NEW + 1_000)]
        gc.callbacks.pop()
        return made

    made = await run_off_loop(work)
    assert len(made) > MOST_NEW
    assert collections == []
    assert gc.isenabled()
    # The next collection has little to look at.
    assert gc.get_count()[0] < MOST_NEW // 10
    assert not any(each is made[0] for each in gc.get_objects(0))


async def test_light_work_is_looked_at_as_usual(garbage: Garbage) -> None:
    # Objects from before the work are none of its own.
    gc.set_threshold(2 * MOST_NEW)
    earlier = [[place] for place in range(MOST_NEW)]
    frozen = gc.get_freeze_count()

    def work() -> None:
        Circle()

    await run_off_loop(work)
    assert earlier
    gc.collect()
    assert gc.get_freeze_count() <= frozen
    assert Circle.freed == 1


async def test_circles_beside_heavy_work_are_freed_at_a_rest(garbage: Garbage) -> None:
    Circle()
    await run_off_loop(lambda: [[place] for place in range(MOST_NEW + 1_000)])
    gc.collect()
    assert Circle.freed == 0
    garbage.collect()
    assert Circle.freed == 1


async def test_whole_collection_waits_after_heavy_work(garbage: Garbage) -> None:
    start = sys.getallocatedblocks()
    assert not garbage.can_wait(start)
    made = await run_off_loop(lambda: [[place] for place in range(MOST_NEW + 1_000)])
    assert garbage.can_wait(start)
    garbage.collect()
    assert not garbage.can_wait(start)
    assert made


def test_whole_collection_waits_beside_new_blocks_up_to_a_bound(garbage: Garbage) -> None:
    blocks = sys.getallocatedblocks()
    waits = [garbage.can_wait(blocks - more) for more in (0, MOST_BLOCKS + 50_000, BOUND + 50_000)]
    assert waits == [False, True, False]
    start = sys.getallocatedblocks() - MOST_BLOCKS - 50_000
    assert garbage.can_wait(start)
    garbage.skip_loaded()
    assert not garbage.can_wait(start)


def test_what_another_project_leaves_is_freed(garbage: Garbage) -> None:
    garbage.skip_loaded()
    Circle()
    garbage.skip_loaded()
    gc.collect()
    assert Circle.freed == 1


async def test_collections_go_on_after_work_that_failed(garbage: Garbage) -> None:
    with pytest.raises(ZeroDivisionError):
        await run_off_loop(lambda: 1 / 0)
    assert gc.isenabled()

"""What a load leaves of a collection: nothing is dropped that may still be there."""

from collections.abc import Callable, Iterable, Sequence

import pytest
from tests.doubles.flag_collection import empty, flag, ids, load, load_rows

from flagtui.models.rows import FlagRow
from flagtui.store.collection import Collection


def test_rows_show_page_by_page_while_they_arrive() -> None:
    collection = empty()
    collection.begin_load()
    collection.add_page([flag(1), flag(2)], 3)
    assert (ids(collection), collection.total, collection.is_complete) == ([1, 2], 3, False)
    collection.add_page([flag(3)], 3)
    collection.finish_load()
    assert (ids(collection), collection.is_complete) == ([1, 2, 3], True)


def test_secondary_list_does_not_change_the_count() -> None:
    collection = empty()
    collection.begin_load()
    collection.add_page([flag(1)], 1, [5])
    collection.finish_load()
    load(collection, flag(2, archived=True), is_whole=False, covers=lambda row: row.archived)
    assert (ids(collection), collection.total) == ([1, 2], 1)


Step = Callable[[Collection[FlagRow]], object]


def page(*rows: FlagRow | int, of: int, unreadable: Sequence[int] = ()) -> Step:
    """A page of a list of so many rows."""
    return lambda collection: collection.add_page(as_rows(rows), of, unreadable)


def put(row: FlagRow) -> Step:
    return lambda collection: collection.put(row)


def remove(id: int) -> Step:
    return lambda collection: collection.remove(id)


def as_rows(rows: Iterable[FlagRow | int]) -> tuple[FlagRow, ...]:
    return tuple(flag(row) if isinstance(row, int) else row for row in rows)


BEGIN, FINISH, ABANDON = Collection.begin_load, Collection.finish_load, Collection.abandon_load
ARCHIVED, ON, OFF = flag(2, archived=True), flag(1, None, active=True), flag(1, None, active=False)
LOADS: dict[str, tuple[list[FlagRow | int], list[Step], list[FlagRow | int]]] = {
    "begun": ([1, 2, 3], [BEGIN], [1, 2, 3]),
    "under way": ([1, 2, 3], [BEGIN, page(flag(3, 2), 1, of=2)], [1, 2, flag(3, 2)]),
    "finished": ([1, 2, 3], [BEGIN, page(flag(3, 2), 1, of=2), FINISH], [1, flag(3, 2)]),
    "broken off": ([1, 2], [BEGIN, page(flag(1, 5), of=2), ABANDON], [flag(1, 5), 2]),
    # 1 was deleted meanwhile, so 3 moved to the page read already.
    "pages shifted by a deletion": (
        [1, 2, 3, 4],
        [BEGIN, page(1, 2, of=4), page(4, of=3), FINISH],
        [1, 2, 3, 4],
    ),
    "rows that could not be read": ([1, 2, 3], [BEGIN, page(1, of=2, unreadable=[3]), FINISH], [1]),
    "a part of the list": (
        [1, ARCHIVED, 3],
        [BEGIN, page(1, of=1), lambda collection: collection.finish_load(lambda row: not row.archived)],
        [1, ARCHIVED],
    ),
    "made meanwhile": ([1], [BEGIN, put(flag(9)), page(1, of=1), FINISH], [1, 9]),
    "removed meanwhile": ([1, 2, 3], [BEGIN, page(1, of=2), remove(1), page(3, of=2), FINISH], [3]),
    # It was restored meanwhile, and a later page has it: of two records one page had only one.
    "back meanwhile": (
        [1, 2],
        [BEGIN, page(1, of=2), remove(1), page(flag(1, 2), of=2), FINISH],
        [2, flag(1, 2)],
    ),
    "removed before": ([1], [remove(1), remove(404), BEGIN, page(1, of=1)], [1]),
    "removed before its page": ([1, 2], [BEGIN, remove(2), page(1, 2, of=2), FINISH], [1]),
    "recreated": ([1, 2], [BEGIN, remove(2), page(1, 2, of=2), FINISH, put(flag(2, 2))], [1, flag(2, 2)]),
    "saved before its page": ([ON], [BEGIN, put(OFF), page(ON, of=1), FINISH], [OFF]),
    "on two pages": ([], [BEGIN, page(flag(1, 5), of=2), page(flag(1, 4), 2, of=2), FINISH], [flag(1, 5), 2]),
}


@pytest.mark.parametrize("what", LOADS)
def test_load_drops_nothing_that_may_still_be_there(what: str) -> None:
    before, steps, after = LOADS[what]
    collection = load_rows(*as_rows(before))
    for step in steps:
        step(collection)
    assert collection.rows == as_rows(after)
    assert collection.is_complete or FINISH not in steps

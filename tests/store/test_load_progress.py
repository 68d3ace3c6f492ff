"""What a load leaves of a collection: nothing is dropped that may still be there."""

from tests.doubles.flag_collection import empty, flag, ids, load, loaded


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


def test_refresh_keeps_every_row_until_it_finishes() -> None:
    collection = loaded(flag(1), flag(2), flag(3))
    collection.begin_load()
    assert ids(collection) == [1, 2, 3]
    collection.add_page([flag(3, 2), flag(1)], 2)
    assert ids(collection) == [1, 2, 3]
    collection.finish_load()
    assert ids(collection) == [1, 3]
    assert collection.get(2) is None


def test_a_refresh_that_breaks_off_drops_nothing() -> None:
    collection = loaded(flag(1), flag(2))
    collection.begin_load()
    collection.add_page([flag(1, 5)], 2)
    collection.abandon_load()
    assert ids(collection) == [1, 2]
    assert collection.server_row(1) == flag(1, 5)


def test_pages_shifted_by_a_deletion_lose_no_row() -> None:
    collection = loaded(flag(1), flag(2), flag(3), flag(4))
    collection.begin_load()
    collection.add_page([flag(1), flag(2)], 4)
    collection.add_page([flag(4)], 3)  # 1 was deleted meanwhile, so 3 moved to the page read already.
    collection.finish_load()
    assert 3 in ids(collection)


def test_rows_that_could_not_be_read_count_as_seen() -> None:
    collection = loaded(flag(1), flag(2), flag(3))
    load(collection, flag(1), unreadable=[3])
    assert ids(collection) == [1]
    assert collection.is_complete


def test_a_load_drops_only_what_it_covers() -> None:
    collection = loaded(flag(1), flag(2, archived=True), flag(3))
    load(collection, flag(1), covers=lambda row: not row.archived)
    assert ids(collection) == [1, 2]


def test_a_record_made_while_loading_stays() -> None:
    collection = loaded(flag(1))
    collection.begin_load()
    collection.put(flag(9))
    collection.add_page([flag(1)], 1)
    collection.finish_load()
    assert ids(collection) == [1, 9]


def test_record_removed_while_loading_still_counts_as_listed() -> None:
    collection = loaded(flag(1), flag(2), flag(3))
    collection.begin_load()
    collection.add_page([flag(1)], 2)
    collection.remove(1)
    collection.add_page([flag(3)], 2)
    collection.finish_load()
    assert ids(collection) == [3]


def test_a_record_that_comes_back_while_loading_counts_once() -> None:
    collection = loaded(flag(1), flag(2))
    collection.begin_load()
    collection.add_page([flag(1)], 2)
    collection.remove(1)
    collection.add_page([flag(1, 2)], 2)  # It was restored meanwhile, and a later page has it.
    collection.finish_load()
    assert ids(collection) == [2, 1], "of two records one page had only one, so nothing is dropped"


def test_a_load_begun_after_a_removal_is_believed() -> None:
    collection = loaded(flag(1))
    collection.remove(1)
    collection.remove(404)
    collection.begin_load()
    collection.add_page([flag(1)], 1)
    assert ids(collection) == [1]

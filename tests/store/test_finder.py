import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.store.conftest import NOW, Someone

from flagtui.models.rows import FlagRow
from flagtui.store.finder import Finder
from flagtui.store.flag_listing import FLAG_ORDERS, FLAGS
from flagtui.store.query.language import compile_query, read_line
from flagtui.store.query.vocabulary import Outside
from flagtui.store.sort_orders import Matches, Sort

LINES = [
    "", "n", "ne", "new", "new c", "new check", "check -old", '"new check"', "key:/^n.*k$/", "by:me", "is:on",
    "is:on web", "-is:off", "is:archived", "tag:web", "rollout:<60", "updated:<7d", "type:config,boolean",
]  # fmt: skip


def make_rows(count: int, seed: int = 1) -> list[FlagRow]:
    luck = random.Random(seed)
    words = ["new", "check", "old", "web", "nav", "checkout", "Ümlaut"]
    return [
        FlagRow(
            id=index + 1,
            key="-".join(luck.choices(words, k=2)) + f"-{index}",
            name=" ".join(luck.choices(words, k=3)),
            active=luck.random() < 0.6,
            archived=luck.random() < 0.2,
            type=luck.choice(["boolean", "multivariant", "config"]),
            tags=tuple(luck.sample(words, k=1)),
            rollout=luck.choice([0.0, 50.0, 100.0]),
            updated_at=luck.choice([None, NOW - luck.random() * 1e6]),
            creator_id=luck.choice([None, 7, 8]),
            version=luck.choice([None, 1, 2]),
        )
        for index in range(count)
    ]


def keys(finder: Finder[FlagRow], line: str) -> list[str]:
    return [finder.rows[index].key for index in finder.find(line)]


def found_ids(finder: Finder[FlagRow]) -> list[int]:
    return [finder.rows[index].id for index in finder.find("")]


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 60),
    st.lists(st.sampled_from(LINES), min_size=1, max_size=6),
    st.sampled_from(sorted(FLAG_ORDERS)),
    st.booleans(),
)
def test_the_finder_finds_what_a_plain_search_finds(
    count: int, lines: list[str], order: str, is_reversed: bool
) -> None:
    rows = make_rows(count)
    finder = Finder(rows, sort=Sort(order, is_reversed), clock=lambda: NOW)
    for line in lines:
        test = compile_query(read_line(line, FLAGS), now=NOW)
        assert {rows[index].id for index in finder.find(line)} == {row.id for row in rows if test(row)}
        everything = [index for index in finder.find("") if test(rows[index])]
        if "is:archived" not in line:
            assert list(finder.find(line)) == everything


def test_typing_and_deleting_letters_gives_the_same_matches() -> None:
    rows = make_rows(200)
    finder = Finder(rows, clock=lambda: NOW)
    line = "new check is:on -old"
    prefixes = [line[:end] for end in range(len(line) + 1)]
    for typed in [*prefixes, *reversed(prefixes)]:
        assert list(finder.find(typed)) == list(Finder(rows, clock=lambda: NOW).find(typed))


@pytest.mark.parametrize(("order", "expected"), [
    ("updated", ["b", "c", "a", "d"]), ("key", ["a", "b", "c", "d"]), ("rollout", ["d", "a", "b", "c"]),
    ("state", ["d", "a", "b", "c"]), ("version", ["c", "a", "b", "d"]), ("type", ["c", "b", "d", "a"]),
    ("called", ["c", "a", "b", "d"]),
])  # fmt: skip
def test_every_order_has_its_natural_way_round(order: str, expected: list[str]) -> None:
    stale = FlagRow(3, "a", active=True, status="STALE", updated_at=1.0, rollout=10, type="config", version=1)
    rows = [
        FlagRow(1, "c", version=9, updated_at=2.0, called_at=1.0, type="experiment"),
        FlagRow(2, "B", updated_at=3.0, type="multivariant"),
        stale,
        FlagRow(4, "d", active=True, rollout=90),
    ]
    finder = Finder(rows, sort=Sort(order))
    assert [key.lower() for key in keys(finder, "")] == expected


def test_what_is_not_known_comes_last_whichever_way_round() -> None:
    finder = Finder([FlagRow(1, "a"), FlagRow(2, "b", updated_at=1.0), FlagRow(3, "c", updated_at=2.0)])
    assert keys(finder, "") == ["c", "b", "a"]
    for column, order in (("updated", "bca"), ("key", "abc"), ("key", "cba")):
        finder.sort_by(finder.ranking.sort.press(column))
        assert keys(finder, "") == [*order]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 15), max_size=5),
    st.lists(st.integers(0, 39), max_size=5),
    st.sampled_from(sorted(FLAG_ORDERS)),
    st.booleans(),
)
def test_later_rows_are_searched_like_the_first_ones(
    pages: list[int], edits: list[int], order: str, is_reversed: bool
) -> None:
    rows = make_rows(40)
    finder = Finder(rows[:5], sort=Sort(order, is_reversed), clock=lambda: NOW)
    shown = 5
    for size in pages:
        finder.find("new")
        shown = min(shown + size, len(rows))
        finder.show(tuple(rows[:shown]))
    for place in edits:
        rows[place] = msgspec.structs.replace(rows[place], key=f"new-{place}", active=True, updated_at=NOW)
        finder.show(tuple(rows[:shown]))
    finder.show(tuple(rows))
    fresh = Finder(rows, sort=Sort(order, is_reversed), clock=lambda: NOW)
    for line in LINES:
        assert list(finder.find(line)) == list(fresh.find(line))


def test_changed_row_keeps_its_position_until_the_next_sort() -> None:
    rows = make_rows(20)
    finder = Finder(rows, sort=Sort("updated"), clock=lambda: NOW)
    finder.ranking.is_steady = True
    before = found_ids(finder)
    changed = before[7]
    touched = [msgspec.structs.replace(row, updated_at=NOW + 1) if row.id == changed else row for row in rows]
    finder.show(tuple(touched))
    assert found_ids(finder) == before
    assert not finder.is_sorted
    finder.show(tuple(row for row in touched if row.id != before[3]))
    assert found_ids(finder) == [*before[:3], *before[4:]]
    finder.sort_by(finder.ranking.sort)
    assert found_ids(finder)[0] == changed
    assert finder.is_sorted


def test_rows_keep_their_position_while_other_facts_change() -> None:
    rows = [FlagRow(id=id, key=str(id), active=True, depends_on=(2,) if id == 1 else ()) for id in (1, 2, 3)]
    finder = Finder(rows, sort=Sort("due"))
    finder.ranking.is_steady = True
    for first, order, is_sorted in (
        (30.0, [3, 2, 1], True),
        (5.0, [3, 2, 1], False),
        (40.0, [3, 2, 1], True),
    ):
        finder.set_outside(Outside(due={1: first, 2: 20.0, 3: 10.0}))
        assert (found_ids(finder), finder.is_sorted) == (order, is_sorted)
    finder.sort_by(Sort("cleanup"))
    assert found_ids(finder) == [1, 3, 2]
    # Without the flag that needs it, another one is the safest to remove.
    finder.show(tuple(rows[1:]))
    assert (found_ids(finder), finder.is_sorted) == ([3, 2], False)
    finder.sort_by(finder.ranking.sort)
    assert (found_ids(finder), finder.is_sorted) == ([2, 3], True)


@pytest.mark.parametrize("sort", [Sort("updated"), Sort("key"), Sort("key", is_reversed=True)], ids=str)
def test_rows_stay_sorted_when_a_change_moves_none(sort: Sort) -> None:
    rows = make_rows(20)
    finder = Finder(rows, sort=sort, clock=lambda: NOW)
    finder.ranking.is_steady = True
    first = found_ids(finder)[0]
    touched = [msgspec.structs.replace(row, updated_at=NOW + 1) if row.id == first else row for row in rows]
    finder.show(tuple(touched))
    assert finder.is_sorted


def test_orders_are_ascending_by_words_and_known() -> None:
    finder = Finder(make_rows(3))
    for sort, is_descending in ((Sort("key"), False), (Sort("key", True), True), (Sort("updated"), True)):
        finder.sort_by(sort)
        assert finder.ranking.is_descending is is_descending
    with pytest.raises(KeyError, match="size"):
        finder.sort_by(Sort("size"))
    assert finder.ranking.sort == Sort("updated")


def test_rows_that_are_gone_are_not_found() -> None:
    rows = make_rows(30)
    finder = Finder(rows)
    finder.find("new")
    finder.show(rows[10:])
    assert set(found_ids(finder)) <= set(range(11, 31))
    finder.show(())
    assert (list(finder.find("")), finder.total) == ([], 0)


def test_archived_rows_are_counted_when_asked_for_and_by_reason() -> None:
    archived = [FlagRow(id=number, key=f"b{number}", archived=True) for number in (2, 3)]
    finder = Finder([FlagRow(1, "a"), *archived, FlagRow(4, "c", deleted=True)])
    assert finder.total == 1
    assert keys(finder, "is:archived") == ["b2", "b3"]
    assert (keys(finder, "is:deleted"), keys(finder, "")) == (["c"], ["a"])
    assert finder.apart(finder.find("is:archived,deleted")) == {"archived": 2, "deleted": 1}
    assert finder.apart(finder.find("b3 is:archived")) == {"archived": 1}
    assert finder.apart(finder.find("a")) == {}


def test_facts_count_from_the_moment_they_are_known() -> None:
    finder = Finder([FlagRow(id=1, key="a", creator_id=7), FlagRow(id=2, key="b", creator_id=8)])
    assert keys(finder, "by:me") == ["a", "b"]
    finder.set_user(Someone(8, "b@x"))
    assert keys(finder, "by:me") == ["b"]
    names = {31: "Checkout redesign"}
    finder = Finder([FlagRow(id=1, key="a", experiments=(31,)), FlagRow(id=2, key="b")])
    assert keys(finder, "redesign") == []
    finder.set_extra_text(lambda row: "\0".join(names.get(each, "") for each in row.experiments))
    assert keys(finder, "redesign") == ["a"]
    now = NOW
    finder = Finder([FlagRow(id=1, key="a", updated_at=NOW)], clock=lambda: now)
    assert keys(finder, "updated:>1h") == []
    now += 7_200
    assert keys(finder, "updated:>1h") == ["a"]


def test_answers_keep_their_problems_and_their_rows() -> None:
    finder = Finder(make_rows(5))
    assert list(finder.find("new")) == list(finder.find("new type:bool"))
    assert finder.query.problems[0].start == 4
    finder.find("by:me new")
    assert [problem.reason for problem in finder.problems] == ["by: the owner of the key is not known"]
    finder.set_user(Someone(7, "ada@acme.test"))
    assert finder.problems == []
    rows = make_rows(20)
    finder = Finder(rows)
    answer = finder.find("")
    before = list(answer)
    finder.sort_by(Sort("key"))
    finder.find("new")
    assert list(answer) == before
    finder = Finder(make_rows(30))
    matches = list(finder.find("new"))
    assert finder.count("is:on") == len(Finder(make_rows(30)).find("is:on"))
    assert [finder.count(line) for line in ("is:onn", "key:/[/")] == [None, None]
    assert finder.query.line == "new"
    assert list(finder.find("new")) == matches


def test_a_hundred_thousand_letters_of_typing_keep_memory_bounded() -> None:
    finder = Finder(make_rows(3))
    for number in range(500):
        finder.find(f"x{number}")
    assert len(finder._answers) <= 24


def test_flags_that_are_on_come_first_and_deleted_ones_last() -> None:
    rows = [
        FlagRow(1, "deleted", archived=True, deleted=True),
        FlagRow(2, "archived", archived=True),
        FlagRow(3, "off"),
        FlagRow(4, "stale", active=True, status="STALE"),
        FlagRow(5, "on", active=True),
    ]
    ranked = sorted(rows, key=lambda row: FLAG_ORDERS["state"].rank(row, is_reversed=False))
    assert [row.key for row in ranked] == ["on", "stale", "off", "archived", "deleted"]


def test_view_equals_the_rows_at_its_positions_without_a_list() -> None:
    order, places = [7, 3, 9, 0, 5], [0, 2, 3]
    matches, listed = Matches(order, places), [order[place] for place in places]
    assert list(matches) == listed
    assert [matches[0], matches[-1], matches[1:], len(matches)] == [listed[0], listed[-1], listed[1:], 3]
    assert [matches.index(index) for index in listed] == [0, 1, 2]


@pytest.mark.parametrize(("index", "start", "stop"), [(3, 0, None), (0, 0, 2), (7, 1, None)])
def test_what_does_not_stand_there_is_not_found(index: int, start: int, stop: int | None) -> None:
    matches = Matches([7, 3, 9, 0, 5], [0, 2, 3])
    with pytest.raises(ValueError, match=str(index)):
        matches.index(index, start, stop)

"""Comparing and merging JSON: every difference has a path, and no change is lost in a merge."""

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.doubles.slices import at_most

from flagtui.changes.difference import (
    MISSING,
    DifferenceLine,
    FieldConflict,
    Path,
    compact,
    difference,
    merge,
    path_words,
    same,
    taken_apart,
)
from flagtui.models.json_value import JSON

few = settings(max_examples=at_most(25, 50), deadline=None)
LEAVES = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "b"]) | st.just(0.5)
VALUES: st.SearchStrategy[JSON] = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
OBJECTS: st.SearchStrategy[JSON] = st.dictionaries(st.sampled_from("abcd"), VALUES, max_size=4)


def put(value: JSON, path: Path, replacement: JSON) -> JSON:
    """The value with one place changed; only for places that are not within a list."""
    if not path:
        return replacement
    changed = dict(value)
    inner = put(changed.get(path[0], {}), path[1:], replacement)
    if inner is MISSING:
        changed.pop(path[0], None)
    else:
        changed[path[0]] = inner
    return changed


@few
@given(VALUES, VALUES)
def test_there_is_a_line_exactly_when_two_values_differ(before: JSON, after: JSON) -> None:
    assert bool(difference(before, after)) is not same(before, after)
    assert difference(before, copy.deepcopy(before)) == ()
    assert same(before, copy.deepcopy(before))


def in_one_form(value: JSON) -> JSON:
    """Values that Python keeps apart as JSON does."""
    if isinstance(value, dict):
        return {key: in_one_form(item) for key, item in value.items()}
    if isinstance(value, list):
        return [in_one_form(item) for item in value]
    return ("truth", value) if isinstance(value, bool) else value


def swap(value: JSON) -> JSON:
    """The value with each number as a boolean that Python thinks equal, and the other way round."""
    if isinstance(value, dict):
        return {key: swap(item) for key, item in value.items()}
    if isinstance(value, list):
        return [swap(item) for item in value]
    if isinstance(value, bool):
        return int(value)
    return bool(value) if value in (0, 1) else float(value) if isinstance(value, int) else value


@few
@given(VALUES)
def test_equality_keeps_booleans_and_numbers_apart(value: JSON) -> None:
    assert same(value, swap(value)) is (in_one_form(value) == in_one_form(swap(value)))


def without_lists(value: JSON) -> bool:
    if isinstance(value, dict):
        return all(map(without_lists, value.values()))
    return not isinstance(value, list)


@few
@given(OBJECTS.filter(without_lists), OBJECTS.filter(without_lists))
def test_the_lines_lead_from_one_value_to_the_other(before: JSON, after: JSON) -> None:
    value = before
    for line in difference(before, after):
        value = put(value, line.path, line.after)
    assert same(value, after)


@few
@given(OBJECTS, OBJECTS)
def test_change_of_one_side_or_of_both_is_taken(seen: JSON, changed: JSON) -> None:
    assert merge(seen, changed, seen) == (changed, ())
    assert merge(seen, seen, changed) == (changed, ())
    merged, conflicts = merge(seen, changed, copy.deepcopy(changed))
    assert (same(merged, changed), conflicts) == (True, ())


@few
@given(OBJECTS, OBJECTS, OBJECTS)
def test_their_change_is_merged_or_in_a_conflict(seen: JSON, mine: JSON, theirs: JSON) -> None:
    merged, conflicts = merge(seen, mine, theirs)
    contested = [conflict.path for conflict in conflicts]
    moved_by_me, moved_by_them = ([line.path for line in difference(seen, side)] for side in (mine, theirs))
    for line in difference(theirs, merged):
        assert any(covers(path, line.path) for path in (*moved_by_me, *contested))
    for line in difference(mine, merged):
        assert any(covers(path, line.path) for path in moved_by_them)
    assert conflicts or same(merge(seen, theirs, mine)[0], merged)


def covers(path: Path, other: Path) -> bool:
    """Whether one place is within the other. Lists of different lengths are one place."""
    upto = next((place for place, step in enumerate(path) if isinstance(step, int)), len(path))
    other_upto = next((place for place, step in enumerate(other) if isinstance(step, int)), len(other))
    shorter = min(upto, other_upto)
    return path[:shorter] == other[:shorter]


def test_numbers_items_and_missing_values_are_compared() -> None:
    assert not same(True, 1)
    assert not same([0], [False])
    assert same(50, 50.0)
    assert difference([1, 2, 3], [1, 9, 2, 3]) == (DifferenceLine((1,), MISSING, 9),)
    assert difference([1, 2, 3], [1, 3]) == (DifferenceLine((1,), 2, MISSING),)
    assert (compact(MISSING), compact(None), compact({"a": [1, True]})) == ("", "null", '{"a": [1, true]}')


@pytest.mark.parametrize(("path", "text"), [
    (("filters", "groups", 0, "rollout_percentage"), "filters.groups[0].rollout_percentage"),
    (("filters", "payloads", "a b"), 'filters.payloads["a b"]'),
    ((), ""),
])  # fmt: skip
def test_a_place_is_spelled_as_people_search_for_it(path: Path, text: str) -> None:
    assert path_words(path) == text


def test_two_edits_of_one_condition_conflict_as_a_whole() -> None:
    seen = [{"share": 10, "who": "a"}, {"share": 20}]
    mine = [{"share": 15, "who": "a"}, {"share": 20}]
    theirs = [{"share": 10, "who": "b"}, {"share": 25}]
    merged, conflicts = merge(seen, mine, theirs, ("groups",))
    assert merged == [{"share": 15, "who": "a"}, {"share": 25}]
    assert conflicts == (FieldConflict(("groups", 0), seen[0], mine[0], theirs[0]),)


def test_object_conflict_lists_the_differing_places() -> None:
    seen = {"share": 10, "who": {"key": "a", "value": 1}, "note": "x"}
    mine = {**seen, "share": 15, "who": {"key": "a", "value": 2}}
    theirs = {"share": 30, "who": {"key": "a", "value": 1}}
    parts = taken_apart(FieldConflict(("groups", 0), seen, mine, theirs))
    assert [(part.where, part.seen, part.mine, part.theirs) for part in parts] == [
        ("groups[0].share", 10, 15, 30),
        ("groups[0].who.value", 1, 2, 1),
        ("groups[0].note", "x", "x", MISSING),
    ]
    plain = FieldConflict(("name",), "a", "b", "c")
    assert taken_apart(plain) == (plain,)


GONE = [("tags[0]", {"a": 1}, MISSING)]
ADDED = [("tags[1]", MISSING, {"a": True}), ("tags[2]", MISSING, 3)]


@pytest.mark.parametrize(("before", "after", "lines"), [
    (["web", "nav"], ["nav", "zoo"], [("tags[0]", "web", MISSING), ("tags[1]", MISSING, "zoo")]),
    (["up", "data", "ops"], ["data"], [("tags[0]", "up", MISSING), ("tags[2]", "ops", MISSING)]),
    (["web", "nav"], ["zoo", "nav"], [("tags[0]", "web", "zoo")]),
    (["web", "nav"], ["nav", "web"], [("tags[0]", "web", "nav"), ("tags[1]", "nav", "web")]),
    (["web", "web"], ["web"], [("tags[1]", "web", MISSING)]),
    ([{"a": 1}, [2], 3], [[2], 4], [*GONE, ("tags[2]", 3, MISSING), ("tags[1]", MISSING, 4)]),
    ([{"a": 1}, [2]], [[2], {"a": True}, 3], [*GONE, *ADDED]),
    ([{"a": 1}, [2]], [[2], {"a": 1}, 3], [("tags[1]", [2], MISSING), ("tags[0]", MISSING, [2]), ADDED[1]]),
])  # fmt: skip
def test_items_that_stay_in_a_list_do_not_differ(
    before: list[JSON], after: list[JSON], lines: list[tuple[str, JSON, JSON]]
) -> None:
    differences = difference({"tags": before}, {"tags": after})
    assert [(line.where, line.before, line.after) for line in differences] == lines

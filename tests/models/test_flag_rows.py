"""List pages become rows, whatever is on them."""

import json
from typing import Any

import pytest
from tests.doubles.servers import page
from tests.doubles.targeting import asks, group

from flagtui.models.flag import Flag
from flagtui.models.flag_rows import read_flag_page
from flagtui.models.flag_shapes import read_shape_page
from flagtui.models.json_value import NotJson
from flagtui.models.rows import FlagRow


def row_of(**fields: Any) -> FlagRow:
    """The row of a flag in a list, which is that of the whole record."""
    raw = {"id": 1, "key": "a", **fields}
    [row] = read_flag_page(page(raw)).rows
    assert row == Flag.of(raw).row()
    return row


CHILD = [group(100, {"type": "flag", "key": "812"}, {"type": "flag", "key": 9}), group(10)]
OF_COMPANIES = {"aggregation_group_type_index": 0, "early_exit": True}
OF_USERS = group(60, aggregation_group_type_index=None)
FLAGS: list[dict[str, Any]] = [
    {"id": 1, "key": "plain", "active": True, "filters": {"groups": [{"rollout_percentage": None}]}},
    {"id": 2, "key": "nobody", "filters": {"groups": []}, "archived": None, "created_by": None},
    {"id": 3, "key": "half", "filters": {"groups": [group(0.5)]}},
    {"id": 4, "key": "child", "filters": {"groups": CHILD}},
    {"id": 9, "key": "tie", "filters": {"groups": [group(50, asks("email", "is_set", None)), group(50)]}},
    {"id": 10, "key": "companies", "filters": {"groups": [group(10), group(60)], **OF_COMPANIES}},
    {"id": 11, "key": "companies", "filters": {"groups": [group(10), OF_USERS], **OF_COMPANIES}},
    {"id": 5, "key": "split", "filters": {"multivariate": {"variants": [{"key": "a"}]}}, "tags": ["ops"]},
    {"id": 6, "key": "tested", "experiment_set": [12], "status": "stale", "evaluation_runtime": ""},
    {"id": 7, "key": "named", "created_by": {"id": 3, "first_name": "Ada", "email": ""}, "version": None},
    {"id": 8, "key": "seen", "last_called_at": "2026-08-25T22:09:14.252000Z", "can_edit": False},
]


def test_fast_rows_say_the_same_as_whole_flags() -> None:
    assert list(read_flag_page(page(*FLAGS)).rows) == [Flag.of(flag).row() for flag in FLAGS]


ODD: list[dict[str, Any]] = [
    {"id": 9, "key": "list", "filters": []},
    {"id": 9, "key": "text", "filters": {"groups": "none"}},
    {"id": 9, "key": "share", "filters": {"groups": [{"rollout_percentage": "50"}]}},
    {"id": 9, "key": "over", "filters": {"groups": [{"rollout_percentage": 1e300}]}},
    {"id": 9, "key": "date", "created_at": "2026-03-01"},
    {"id": 9, "key": "version", "version": 2**70},
    {"id": 9, "key": "surrogate", "name": "\ud800"},
    {"id": 9, "key": "active", "active": "true"},
    {"id": 9, "key": "set", "experiment_set": "string"},
    {"id": 9, "key": "deep", "surveys": json.loads("[" * 50 + "]" * 50)},
]


@pytest.mark.parametrize("odd", ODD, ids=lambda flag: flag["key"])
def test_an_odd_flag_is_a_row_and_its_neighbours_stay(odd: dict[str, Any]) -> None:
    read = read_flag_page(page(FLAGS[0], odd, FLAGS[1]))
    assert [row.id for row in read.rows] == [1, 9, 2]
    assert read.unreadable == ()


@pytest.mark.parametrize(
    ("record", "name"),
    [(None, 0), ([], 0), ({}, 0), ({"id": 4711}, 4711), ({"id": 2**70, "key": "x"}, 0), ({"id": 0}, 0)],
)
def test_unreadable_record_is_counted_named_and_loses_no_other(record: Any, name: int) -> None:
    read = read_flag_page(page(FLAGS[0], record))
    assert [row.id for row in read.rows] == [1]
    assert (read.unreadable, read.size) == ((name,), 2)


def test_record_that_is_not_utf_8_loses_no_other() -> None:
    body = page(FLAGS[0], {**FLAGS[0], "id": 2, "key": "broken"}).replace(b"broken", b"\xff")
    read = read_flag_page(body)
    assert ([row.id for row in read.rows], read.unreadable) == ([1], (0,))
    assert [shape.id for shape in read_shape_page(body).rows] == [1]


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e400", "9" * 5000, str(-(2**63) - 1), str(2**64)])
@pytest.mark.parametrize("field", ["id", "version", "filters", "experiment_set", "tags", "created_by"])
def test_an_impossible_number_costs_its_field_and_no_other_row(field: str, number: str) -> None:
    odd = {"id": "4711", "key": '"odd"', field: number}
    record = ",".join(f'"{name}": {value}' for name, value in odd.items())
    read = read_flag_page(f'{{"results": [{{{record}}}, {json.dumps(FLAGS[0])}]}}'.encode())
    assert read.rows[-1].id == 1
    assert [row.id for row in read.rows[:-1]] + [*read.unreadable] in ([4711], [0])
    assert all(row.version is None for row in read.rows[:-1])


def test_an_absurd_count_with_more_pages_is_no_end() -> None:
    assert read_flag_page(page(*FLAGS, count=10**18, next="https://x")).is_capped


@pytest.mark.parametrize("count", [None, -3, 0, "many", 2**70])
def test_impossible_count_becomes_the_size_of_the_page(count: Any) -> None:
    assert read_flag_page(page(*FLAGS, count=count)).total == len(FLAGS)


@pytest.mark.parametrize("body", [
    b"", b"<html>", b"[]", b"{}", b'{"results": 3}', b'{"results": [{"id": 1', b"\xff\xfe{}",
    b'{"results": [' + b"[" * 100_000 + b"]" * 100_000 + b"]}",
])  # fmt: skip
def test_body_that_is_not_a_page_is_an_error(body: bytes) -> None:
    with pytest.raises(NotJson):
        read_flag_page(body)


@pytest.mark.parametrize(("status", "is_on", "is_stale"), [
    ("STALE", True, True), ("inactive", True, True), ("INACTIVE", False, False), ("ACTIVE", True, False),
    ("", True, False),
])  # fmt: skip
def test_stale_flags_are_recognised_in_words_of_any_server(status: str, is_on: bool, is_stale: bool) -> None:
    assert Flag.of({"id": 1, "key": "k", "status": status, "active": is_on}).row().is_stale is is_stale

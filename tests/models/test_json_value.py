"""JSON from outside, with limits, and the shapes of its values."""

import json

import pytest

from flagtui.models.json_value import (
    DEPTH_LIMIT,
    JSON,
    PIECE,
    NotJson,
    count_parts,
    read_json,
    read_json_for_rows,
    without_surrogates,
)
from flagtui.models.value_shapes import ANYTHING, LEVELS, merge_shapes, shape_of


def nest(levels: int, opened: str = "[", closed: str = "]") -> bytes:
    return (opened * levels + closed * levels).encode()


def test_nesting_is_read_up_to_the_limit_and_not_beyond() -> None:
    read_json(nest(DEPTH_LIMIT))
    read_json(b'{"a":' + nest(DEPTH_LIMIT - 1) + b"}")
    for levels in (DEPTH_LIMIT + 1, 200, 100_000):
        with pytest.raises(NotJson, match="nested"):
            read_json(nest(levels))
    with pytest.raises(NotJson, match="nested"):
        read_json(b'{"a":' * (DEPTH_LIMIT + 1) + b"1" + b"}" * (DEPTH_LIMIT + 1))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (str(2**70).encode(), 2**70),
        (b'{"id": 1, "id": 2}', {"id": 2}),
        (b"\xef\xbb\xbf{}", {}),
        (rb'["\ud83d", {"\udc00": "\ud83d\ude00"}]', ["�", {"�": "😀"}]),
    ],
    ids=["a large integer", "equal keys", "a byte order mark", "half a surrogate pair and a whole one"],
)
def test_unusual_json_is_read(text: bytes, value: JSON) -> None:
    assert read_json(text) == value
    assert without_surrogates({"a": ["\ud800", 1, None]}) == {"a": ["�", 1, None]}


NO_NUMBERS = [b"NaN", b"[Infinity]", b'{"a": -Infinity}']


@pytest.mark.parametrize(
    "text", [b"", b"{", b"<html>", b"\xff\xfe", b"{'a': 1}", b"[1,]", b"1 2", *NO_NUMBERS]
)
def test_invalid_json_is_reported_without_quoting_it(text: bytes) -> None:
    with pytest.raises(NotJson) as caught:
        read_json(text)
    assert not text or text in NO_NUMBERS or text.decode("latin-1") not in str(caught.value)
    assert ("not a JSON number" in str(caught.value)) is (text in NO_NUMBERS)


@pytest.mark.parametrize("number", ["1e400", "-1e400", "NaN", "9" * 5_000])
def test_number_that_cannot_be_sent_back_refuses_the_record(number: str) -> None:
    body = f'{{"id": 5, "rollout": {number}}}'.encode()
    with pytest.raises(NotJson):
        read_json(body)
    assert read_json_for_rows(body) == {"id": 5, "rollout": None}


def heavy(value: JSON) -> bytes:
    """The value beside so much else that it is read in pieces."""
    others = [{"place": place, "words": ["\\", '"', "[", "{", "x" * 2_000]} for place in range(200)]
    return json.dumps(
        {"others": others, "text": "x" * PIECE, "values": [*others, [[value, others]]]}
    ).encode()


@pytest.mark.parametrize("value", [0, -1.5, None, 'é😀\\"', {"a": {"a": []}}, 2**70, "\ud800"])
def test_heavy_body_is_read_like_a_small_one(value: JSON) -> None:
    body = heavy(value)
    read = read_json(body)
    assert read == without_surrogates(json.loads(body))
    assert read["values"][-1][0][0] == without_surrogates(value)


@pytest.mark.parametrize("text", ["NaN", "1e400", "[1,]", "{'a': 1}", "[" * 80 + "]" * 80, '"\udcff"'])
def test_heavy_body_is_refused_like_a_small_one(text: str) -> None:
    small = text.encode("utf-8", "surrogateescape")
    body = heavy("HERE").replace(b'"HERE"', small)
    with pytest.raises(NotJson) as of_small:
        read_json(small)
    with pytest.raises(NotJson) as of_heavy:
        read_json(body)
    assert str(of_heavy.value).split(" at ")[0] == str(of_small.value).split(" at ")[0]


def test_parts_are_counted_up_to_the_limit() -> None:
    assert count_parts({"a": [1, 2], "b": None}, 100) == 5
    assert 10 < count_parts([[0] * 1_000_000] * 1_000_000, 10) < 20
    assert count_parts("x" * 6_400, 10) == 101


def test_deep_and_mixed_values_are_anything() -> None:
    value: JSON = "deep"
    for _ in range(LEVELS + 1):
        value = [value]
    shape = shape_of(value)
    for _ in range(LEVELS):
        assert shape.items is not None
        shape = shape.items
    assert shape == ANYTHING
    assert merge_shapes([shape_of(1), ANYTHING]) == ANYTHING
    assert merge_shapes([]) == ANYTHING

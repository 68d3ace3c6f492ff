"""Shapes of JSON values, as far as types of payloads need them."""

from flagtui.models.json_value import JSON
from flagtui.models.value_shapes import ANYTHING, LEVELS, merge_shapes, shape_of


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

"""A result that has to be of one kind."""

from typing import TypeVar

T = TypeVar("T")


def expect(value: object, kind: type[T]) -> T:
    """The same result, known to be of this kind."""
    assert isinstance(value, kind), value
    return value


def require(value: T | None) -> T:
    """The same result, which has to be there."""
    assert value is not None
    return value

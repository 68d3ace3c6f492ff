"""A result that has to be of one kind."""

from typing import TypeVar

T = TypeVar("T")


def expect(found: object, kind: type[T]) -> T:
    """The same result, known to be of this kind."""
    assert isinstance(found, kind), found
    return found


def require(found: T | None) -> T:
    """The same result, which has to be there."""
    assert found is not None
    return found

"""Tests of one value that are many times quicker when they see all values at once."""

import math
import operator
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import repeat
from typing import Final, Generic, TypeVar


def fold(text: str) -> str:
    """The form both sides of a comparison are brought into.

    Plain ASCII takes the short way, and text that is folded already is given back as it is, not copied.
    """
    if text.isascii():
        lower = text.lower()
        return text if lower == text else lower
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


Tested = TypeVar("Tested", contravariant=True)
Comparison = Callable[[float, float], bool]

INVERTED: Final = bytes([1, *bytes(255)])
"""For `translate`: 0 becomes 1 and 1 becomes 0."""
_TURNED: Final[dict[Comparison, Comparison]] = {
    operator.lt: operator.gt,
    operator.le: operator.ge,
    operator.gt: operator.lt,
    operator.ge: operator.le,
}


class ValueTest(ABC, Generic[Tested]):
    """A test that knows a short way for many values."""

    @abstractmethod
    def __call__(self, value: Tested) -> bool:
        """True when the value passes."""

    @abstractmethod
    def each(self, values: Sequence[Tested]) -> bytes:
        """A byte for each value: 1 where it passes."""

    def implies(self, other: object) -> bool:
        """True when whatever passes this test certainly passes the other; False when that is not known."""
        return self == other


@dataclass(frozen=True, slots=True)
class Contains(ValueTest[str]):
    """The text, folded, has this in it."""

    wanted: str

    def __call__(self, value: str) -> bool:
        return self.wanted in value

    def each(self, values: Sequence[str]) -> bytes:
        return bytes(map(operator.contains, values, repeat(self.wanted)))

    def implies(self, other: object) -> bool:
        return isinstance(other, Contains) and other.wanted in self.wanted


@dataclass(frozen=True, slots=True)
class ContainsAny(ValueTest[str]):
    """The text, folded, has one of these in it."""

    words: frozenset[str]

    def __call__(self, value: str) -> bool:
        return any(word in value for word in self.words)

    def each(self, values: Sequence[str]) -> bytes:
        each = [map(operator.contains, values, repeat(word)) for word in self.words]
        return bytes(reduce(partial(map, operator.or_), each))


@dataclass(frozen=True, slots=True)
class Begins(ValueTest[str]):
    """The text begins with this, or must not."""

    wanted: str
    is_negated: bool = False

    def __call__(self, value: str) -> bool:
        return value.startswith(self.wanted) is not self.is_negated

    def each(self, values: Sequence[str]) -> bytes:
        found = bytes(map(str.startswith, values, repeat(self.wanted)))
        return found.translate(INVERTED) if self.is_negated else found


@dataclass(frozen=True, slots=True)
class Ends(ValueTest[str]):
    """The text ends with this."""

    wanted: str

    def __call__(self, value: str) -> bool:
        return value.endswith(self.wanted)

    def each(self, values: Sequence[str]) -> bytes:
        return bytes(map(str.endswith, values, repeat(self.wanted)))


@dataclass(frozen=True, slots=True)
class At(ValueTest[float | None]):
    """The moment is there and stands like this to another, both in Unix seconds."""

    compare: Comparison
    moment: float

    def __call__(self, value: float | None) -> bool:
        return value is not None and self.compare(value, self.moment)

    def each(self, values: Sequence[float | None]) -> bytes:
        # Nothing compares with NaN, so that no moment needs a test of its own.
        numbers = [math.nan if value is None else value for value in values]
        return bytes(map(self.compare, numbers, repeat(self.moment)))


def aged(compare: Comparison, seconds: float, now: float) -> At:
    """The age compares so with these seconds; the younger, the later."""
    return At(_TURNED[compare], now - seconds)

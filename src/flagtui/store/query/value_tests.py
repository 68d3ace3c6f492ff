"""Tests of single values that are many times faster on all values at once."""

import math
import operator
import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import repeat
from typing import Final, Generic, TypeVar

_ACCENTS: Final = re.compile("[\u0300-\u036f]+")
"""Marks above, below and through Latin, Greek and Cyrillic letters; other scripts read theirs as letters."""


def fold(text: str) -> str:
    """Return the text in the form used for comparison: without case, accents and character width.

    Plain ASCII uses a fast path, and text already folded is returned, not copied.
    """
    if text.isascii():
        lower = text.lower()
        return text if lower == text else lower
    return unicodedata.normalize("NFKC", _ACCENTS.sub("", unicodedata.normalize("NFKD", text).casefold()))


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
    """A test with a fast path for many values."""

    @abstractmethod
    def __call__(self, value: Tested) -> bool:
        """Return whether the value passes."""

    @abstractmethod
    def each(self, values: Sequence[Tested]) -> bytes:
        """Return a byte for each value: 1 where it passes."""

    def implies(self, other: object) -> bool:
        """Return whether passing this test implies passing the other; False when that is unknown."""
        return self == other


@dataclass(frozen=True, slots=True)
class Contains(ValueTest[str]):
    """The folded text contains this word."""

    word: str

    def __call__(self, value: str) -> bool:
        return self.word in value

    def each(self, values: Sequence[str]) -> bytes:
        """Return a byte for each value: 1 where it passes."""
        return bytes(map(operator.contains, values, repeat(self.word)))

    def implies(self, other: object) -> bool:
        """Return whether every text with this word contains the other's."""
        return isinstance(other, Contains) and other.word in self.word


@dataclass(frozen=True, slots=True)
class ContainsAny(ValueTest[str]):
    """The folded text contains one of these words."""

    words: frozenset[str]

    def __call__(self, value: str) -> bool:
        return any(word in value for word in self.words)

    def each(self, values: Sequence[str]) -> bytes:
        """Return a byte for each value: 1 where it passes."""
        each = [map(operator.contains, values, repeat(word)) for word in self.words]
        return bytes(reduce(partial(map, operator.or_), each))


def contains_any(words: frozenset[str]) -> Contains | ContainsAny:
    """Return the test for one of these words; a single word is tested faster."""
    return Contains(*words) if len(words) == 1 else ContainsAny(words)


@dataclass(frozen=True, slots=True)
class Begins(ValueTest[str]):
    """The text begins with this, or must not."""

    prefix: str
    is_negated: bool = False

    def __call__(self, value: str) -> bool:
        return value.startswith(self.prefix) is not self.is_negated

    def each(self, values: Sequence[str]) -> bytes:
        """Return a byte for each value: 1 where it passes."""
        passed = bytes(map(str.startswith, values, repeat(self.prefix)))
        return passed.translate(INVERTED) if self.is_negated else passed


@dataclass(frozen=True, slots=True)
class Ends(ValueTest[str]):
    """The text ends with this."""

    suffix: str

    def __call__(self, value: str) -> bool:
        return value.endswith(self.suffix)

    def each(self, values: Sequence[str]) -> bytes:
        """Return a byte for each value: 1 where it passes."""
        return bytes(map(str.endswith, values, repeat(self.suffix)))


@dataclass(frozen=True, slots=True)
class At(ValueTest[float | None]):
    """The moment exists and compares with another like this, both in Unix seconds."""

    compare: Comparison
    moment: float

    def __call__(self, value: float | None) -> bool:
        return value is not None and self.compare(value, self.moment)

    def each(self, values: Sequence[float | None]) -> bytes:
        """Return a byte for each value: 1 where it passes."""
        # Nothing compares with NaN, so a missing moment needs no test of its own.
        numbers = [math.nan if value is None else value for value in values]
        return bytes(map(self.compare, numbers, repeat(self.moment)))


def age_test(compare: Comparison, seconds: float, now: float) -> At:
    """Return the test of an age against these seconds; a younger record has a later moment."""
    return At(_TURNED[compare], now - seconds)

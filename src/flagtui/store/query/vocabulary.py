"""What may stand in a search line: the qualifiers one kind of record understands."""

import operator
from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from msgspec import Struct, field

from flagtui.store.query.value_tests import ValueTest

Row = TypeVar("Row")
Test = Callable[[Row], bool]


class QueryPerson(Protocol):
    """The person that `by:me` means."""

    @property
    def id(self) -> int: ...
    @property
    def email(self) -> str: ...


class Facts(Struct, frozen=True):
    """What a query needs to know beside the rows."""

    now: float
    """Unix seconds; ages are counted from here."""
    me: QueryPerson | None = None


class WrongValue(ValueError):
    """A qualifier's value that cannot be understood; the text says what is allowed."""


class Value(Struct, frozen=True):
    """What was written after the colon."""

    text: str
    is_quoted: bool = False
    is_pattern: bool = False


class Reading(Struct, Generic[Row], frozen=True):
    """A value understood: its words in canonical form, and how to test a row once the facts are known."""

    words: tuple[str, ...]
    test: Callable[[Facts], Test[Any] | None]
    """Gives None when the facts needed are missing; the qualifier is then left out."""
    of: Callable[[Row], Hashable] | None = None
    """What of a row the test looks at, so that equal values are tested once; None for the whole row."""
    is_folded: bool = False
    """`of` is text, and the test looks at it folded."""
    always: ValueTest[Any] | None = None
    """The test, where it is the same whatever the facts are."""

    def implies(self, other: "Reading[Row]") -> bool:
        """True when every row this holds for is certainly one the other, of the same qualifier, holds for."""
        return self.always is not None and other.always is not None and self.always.implies(other.always)


class Qualifier(Struct, Generic[Row], frozen=True):
    """One `name:` of a search line."""

    name: str
    allowed: str
    """What may follow the colon, in words a person can type."""
    meaning: str
    read: Callable[[Value], Reading[Row]]
    """Raises WrongValue."""
    values: tuple[str, ...] = ()
    """Values Tab offers before any that come from the records."""
    cycle: tuple[str, ...] = ()
    """Values its single key walks through; after the last one the qualifier leaves the line."""


class Vocabulary(Struct, Generic[Row], frozen=True):
    """The qualifiers of one kind of record, and the text its words are looked for in."""

    qualifiers: Mapping[str, Qualifier[Row]]
    text: Callable[[Row], str]
    """Everything words search, unfolded, parts separated by NUL."""
    hidden: Mapping[str, Test[Row]] = field(default_factory=dict)
    """Rows left out unless `is:` asks for them by this word."""


def choice(
    tests: Mapping[str, Test[Any]],
    aliases: Mapping[str, str] | None = None,
    of: Callable[[Row], Hashable] | None = None,
    *,
    is_folded: bool = False,
) -> Callable[[Value], Reading[Row]]:
    """Reads one word of a closed set, or several with commas between, any of which may hold.

    The tests look at what `of` gives, else at the whole row.
    """
    names = {word: word for word in tests} | dict(aliases or {})

    def read(value: Value) -> Reading[Row]:
        parts = [part.strip() for part in value.text.lower().split(",")]
        if not names.keys() >= set(parts):
            raise WrongValue
        words = tuple(names[part] for part in parts)
        asked = [tests[word] for word in dict.fromkeys(words)]
        return Reading(words, lambda _facts: any_of(asked), of, is_folded)

    return read


def choices(
    name: str,
    meaning: str,
    tests: Mapping[str, Test[Any]],
    cycle: tuple[str, ...] = (),
    aliases: Mapping[str, str] | None = None,
    of: Callable[[Row], Hashable] | None = None,
) -> Qualifier[Row]:
    """A qualifier whose value is a `choice`. Its key walks through `cycle`, else through all words."""
    *others, last = tests
    allowed = f"{', '.join(others)} or {last}" if others else last
    return Qualifier(name, allowed, meaning, choice(tests, aliases, of), tuple(tests), cycle or tuple(tests))


def being(*words: str) -> dict[str, Test[str]]:
    """Tests of a text that is one of these words, for `choices`."""
    return {word: partial(operator.eq, word) for word in words}


def by_name(*qualifiers: Qualifier[Row]) -> dict[str, Qualifier[Row]]:
    """The qualifiers of a vocabulary, in the order they are offered."""
    return {one.name: one for one in qualifiers}


def any_of(tests: list[Test[Row]]) -> Test[Row]:
    """Holds when one of the tests does; a single test is itself, as it runs once per row and keystroke."""
    if len(tests) == 1:
        return tests[0]
    return lambda row: any(test(row) for test in tests)

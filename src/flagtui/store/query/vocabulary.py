"""The vocabulary of a search line: the qualifiers of one kind of record."""

import difflib
import operator
from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import Any, Final, Generic, Protocol

from msgspec import Struct, field

from flagtui.models.rows import Row
from flagtui.store.query.value_tests import ValueTest

Test = Callable[[Row], bool]
SYNONYMS: Final = dict.fromkeys(("active", "enabled", "state", "status"), "is") | dict.fromkeys(
    ("author", "creator", "owner", "user", "who"), "by"
)
"""Qualifiers of other programs, and what means the same here."""


class QueryPerson(Protocol):
    """The user of `by:me`."""

    @property
    def id(self) -> int:
        """Return the user's id."""

    @property
    def email(self) -> str:
        """Return the user's e-mail."""


class CodeKeys(Protocol):
    """The data of a scan of code about each key."""

    def uses(self, key: str) -> int:
        """Return how many places in code need the key."""

    def is_unused(self, key: str) -> bool:
        """Return whether no place is a use or may be one, as a quoted key."""

    def rules(self, key: str) -> frozenset[str]:
        """Return the ids of the rules that report the key."""


class Outside(Struct, frozen=True):
    """Facts about records that are not in their rows; each is None while it is unknown."""

    code: CodeKeys | None = None
    """The last scan of code."""
    due: Mapping[int, float] | None = None
    """When the next scheduled change of a flag is due, Unix seconds by id."""
    needed: frozenset[int] = frozenset()
    """Ids of flags that other flags depend on; only for an order that reads them."""


NOT_READ: Final = Outside()


class Facts(Struct, frozen=True):
    """Facts that a query needs in addition to the rows."""

    now: float
    """Unix seconds; ages are relative to it."""
    me: QueryPerson | None = None
    outside: Outside = NOT_READ


class WrongValue(ValueError):
    """An invalid value of a qualifier; the text names the valid ones."""


class Value(Struct, frozen=True):
    """The text after the colon."""

    text: str
    is_quoted: bool = False
    is_pattern: bool = False


class Reading(Struct, Generic[Row], frozen=True):
    """A parsed value: its words in canonical form, and the test of a row once the facts are known."""

    words: tuple[str, ...]
    test: Callable[[Facts], Test[Any] | None]
    """Returns None when a needed fact is missing; the qualifier is then ignored."""
    of: Callable[[Row], Hashable] | None = None
    """The row's field that the test reads, so that equal values are tested once; None for the whole row."""
    is_folded: bool = False
    """Whether `of` is text that the test reads folded."""
    always: ValueTest[Any] | None = None
    """The test, if it does not depend on the facts."""
    lack: str = ""
    """Why the test is missing without a fact, in words for users."""
    shows: tuple[str, ...] = ()
    """Hidden rows that the value is about, by the word of `is:`."""

    def implies(self, other: "Reading[Row]") -> bool:
        """Return whether every row that this matches certainly matches the other, of the same qualifier."""
        return self.always is not None and other.always is not None and self.always.implies(other.always)


class Qualifier(Struct, Generic[Row], frozen=True):
    """One `name:` of a search line."""

    name: str
    allowed: str
    """The valid values, in words that a user can type."""
    meaning: str
    read: Callable[[Value], Reading[Row]]
    """Raises WrongValue."""
    values: tuple[str, ...] = ()
    """Values that Tab offers before those of the records."""
    cycle: tuple[str, ...] = ()
    """Values that its key cycles through; after the last one the qualifier is removed."""


class Vocabulary(Struct, Generic[Row], frozen=True):
    qualifiers: Mapping[str, Qualifier[Row]]
    text: Callable[[Row], str]
    """All text that words search, unfolded, parts separated by NUL."""
    hidden: Mapping[str, Test[Row]] = field(default_factory=dict)
    """Rows hidden unless `is:` shows them by this word."""


def read_words(value: Value, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return the meanings of words of a closed set, separated with commas. Raises WrongValue for others."""
    words = [word.strip() for word in value.text.lower().split(",")]
    if not names.keys() >= set(words):
        raise WrongValue
    return tuple(names[word] for word in words)


def choice(
    tests: Mapping[str, Test[Any]],
    aliases: Mapping[str, str] | None = None,
    of: Callable[[Row], Hashable] | None = None,
    *,
    is_folded: bool = False,
) -> Callable[[Value], Reading[Row]]:
    """Return a reader of one word of a closed set, or of several with commas, of which any may hold.

    The tests read the value of `of`, else the whole row.
    """
    names = {word: word for word in tests} | dict(aliases or {})

    def read(value: Value) -> Reading[Row]:
        words = read_words(value, names)
        chosen = [tests[word] for word in dict.fromkeys(words)]
        return Reading(words, lambda _facts: any_of(chosen), of, is_folded)

    return read


def choices(
    name: str,
    meaning: str,
    tests: Mapping[str, Test[Any]],
    cycle: tuple[str, ...] = (),
    aliases: Mapping[str, str] | None = None,
    of: Callable[[Row], Hashable] | None = None,
) -> Qualifier[Row]:
    """Return a qualifier whose value is a `choice`.

    Its key cycles through `cycle`, else through all words.
    """
    *others, last = tests
    allowed = f"{', '.join(others)} or {last}" if others else last
    return Qualifier(name, allowed, meaning, choice(tests, aliases, of), tuple(tests), cycle or tuple(tests))


def being(*words: str) -> dict[str, Test[str]]:
    """Return tests of text equal to one of these words, for `choices`."""
    return {word: partial(operator.eq, word) for word in words}


def by_name(*qualifiers: Qualifier[Row]) -> dict[str, Qualifier[Row]]:
    """Return the qualifiers of a vocabulary, in the order they are offered."""
    return {qualifier.name: qualifier for qualifier in qualifiers}


def any_of(tests: list[Test[Row]]) -> Test[Row]:
    """Return a test that holds when one of the tests does; a single test is returned itself, for speed."""
    if len(tests) == 1:
        return tests[0]
    return lambda row: any(test(row) for test in tests)


def unknown_qualifier(name: str, qualifiers: Mapping[str, Any]) -> str:
    """Return that there is no such qualifier, with one that means the same or is similar, else with all."""
    meant = [SYNONYMS[name]] if SYNONYMS.get(name) in qualifiers else []
    near = meant or difflib.get_close_matches(name, qualifiers, 1, 0.6)
    hint = f"did you mean {near[0]}:?" if near else f"use {', '.join(qualifiers)}."
    return f"{name}: is not a qualifier; {hint} To look for it as text, put it in quotes"

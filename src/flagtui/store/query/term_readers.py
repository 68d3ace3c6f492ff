"""Readers of values that mean the same for every kind of record. Each raises WrongValue."""

import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Final

from flagtui.models.rows import Row
from flagtui.store.query.value_tests import Comparison, ValueTest, age_test, contains_any, fold
from flagtui.store.query.vocabulary import Facts, Qualifier, Reading, Test, Value, WrongValue, read_words

_COMPARISONS: Final[dict[str, Comparison]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
}
_UNITS: Final = {
    "s": 1,
    "m": 60,
    "min": 60,
    "h": 3_600,
    "d": 86_400,
    "w": 604_800,
    "mo": 2_629_800,
    "y": 31_557_600,
}
_PERCENTAGE: Final = re.compile(r"(<=|>=|<|>|=)?(\d{1,3}(?:\.\d{1,6})?)%?", re.ASCII)
_AGE: Final = re.compile(r"(<=|>=|<|>)?(\d{1,6}(?:\.\d{1,6})?)([a-z]+)", re.ASCII)


def read_percentage(text: str) -> tuple[Comparison, float]:
    """Return the comparison and right side of `<50`, `>=10`, `=100`, `25` or `25%`."""
    match = _PERCENTAGE.fullmatch(text)
    if match is None:
        raise WrongValue
    return _COMPARISONS[match[1] or "="], float(match[2])


def read_age(text: str) -> tuple[Comparison, float]:
    """Return the comparison and seconds of `<7d` or `>3mo`. A bare `7d` means within seven days."""
    match = _AGE.fullmatch(text.lower())
    if match is None or match[3] not in _UNITS:
        raise WrongValue
    return _COMPARISONS[match[1] or "<="], float(match[2]) * _UNITS[match[3]]


Read = Callable[[Value], Reading[Row]]

AGES: Final = "an age such as <7d, >90d, >12h, <3mo, or never"


def age_of(moment: Callable[[Row], float | None]) -> Read[Row]:
    """Return a reader of `<7d`, `>3mo`, or `never` for records without a date."""

    def read(value: Value) -> Reading[Row]:
        if value.text.lower() == "never":
            return Reading(("never",), lambda _facts: lambda then: then is None, moment)
        compare, seconds = read_age(value.text)

        return Reading((value.text.lower(),), lambda facts: age_test(compare, seconds, facts.now), moment)

    return read


def person_of(
    number: Callable[[Row], int | None],
    email: Callable[[Row], str],
    names: Callable[[Row], str] | None = None,
) -> Read[Row]:
    """Return a reader of `me`, or part of an e-mail or of a name from `names`; `"me"` in quotes is text."""
    text = names or email

    def read(value: Value) -> Reading[Row]:
        parts = _parts(value)
        others = frozenset(part for part in parts if part != "me" or value.is_quoted)
        words = tuple(f'"{part}"' if part in others else part for part in parts)
        named = contains_any(others)
        if "me" not in words:
            return Reading(words, lambda _facts: named, text, is_folded=True)
        if not others:
            return Reading(words, mine)
        return Reading(words, lambda facts: either(mine(facts), named))

    def either(is_mine: Test[Row] | None, named: Test[str]) -> Test[Row] | None:
        return None if is_mine is None else lambda row: is_mine(row) or named(fold(text(row)))

    def mine(facts: Facts) -> Test[Row] | None:
        me = facts.me
        if me is None:
            return None
        my_id, my_email = me.id, fold(me.email)
        return lambda row: (
            number(row) == my_id or (number(row) is None and my_email != "" and fold(email(row)) == my_email)
        )

    return read


def made_by(number: Callable[[Row], int | None], email: Callable[[Row], str]) -> Qualifier[Row]:
    """Return the qualifier `by:` for records with a creator."""
    me = ("me",)
    return Qualifier("by", "me or part of an e-mail", "who created it", person_of(number, email), me, me)


def tag_of(tags: Callable[[Row], tuple[str, ...]]) -> Read[Row]:
    """Return a reader of the beginning of a tag, or of one of several; in quotes the whole tag."""

    def read(value: Value) -> Reading[Row]:
        words = _parts(value)
        if value.is_quoted:
            return whole(*words)
        return Reading(
            words, lambda _facts: lambda row_tags: any(fold(tag).startswith(words) for tag in row_tags), tags
        )

    def whole(tag: str) -> Reading[Row]:
        return Reading((f'"{tag}"',), lambda _facts: lambda row_tags: tag in map(fold, row_tags), tags)

    return read


def part_of(text: Callable[[Row], str]) -> Read[Row]:
    """Return a reader of part of a text, or of one of several, or a pattern between slashes."""

    def read(value: Value) -> Reading[Row]:
        parts = _parts(value)
        test = _pattern(value.text) if value.is_pattern else contains_any(frozenset(parts))
        words = ("/", value.text) if value.is_pattern else parts
        return Reading(words, lambda _facts: test, text, is_folded=True, always=test)

    return read


def _parts(value: Value) -> tuple[str, ...]:
    """Return the folded texts between commas, which are no separators in quotes and patterns."""
    is_single = value.is_quoted or value.is_pattern
    parts = (fold(value.text),) if is_single else tuple(fold(part.strip()) for part in value.text.split(","))
    if not all(parts):
        raise WrongValue
    return parts


def _pattern(source: str) -> ValueTest[str]:
    # The pattern module loads with the first pattern.
    from flagtui.store.query.pattern import Pattern, PatternError

    try:
        return Pattern(source)
    except PatternError as error:
        raise WrongValue(str(error)) from error


def percentage_of(amount: Callable[[Row], float | None]) -> Read[Row]:
    """Return a reader of `<50`, `=100`; a record without a percentage matches neither."""

    def read(value: Value) -> Reading[Row]:
        compare, right = read_percentage(value.text)
        return Reading(
            (value.text,), lambda _facts: lambda share: share is not None and compare(share, right), amount
        )

    return read


_COUNT: Final = re.compile(r"(<=|>=|<|>|=)?(\d{1,6})", re.ASCII)
NO_SCAN: Final = "no scan yet; scan on a Code tab"
"""Why a qualifier about code is ignored."""
RULE_ALIASES: Final = {"deleted": "deleted-key", "unknown": "unknown-key"}


def uses_of(key: Callable[[Row], str]) -> Read[Row]:
    """Return a reader of a number of uses in code: `0`, `>3`."""

    def read(value: Value) -> Reading[Row]:
        match = _COUNT.fullmatch(value.text)
        if match is None:
            raise WrongValue
        compare, right = _COMPARISONS[match[1] or "="], int(match[2])

        def test(facts: Facts) -> Test[str] | None:
            code = facts.outside.code
            return None if code is None else lambda word: compare(code.uses(word), right)

        return Reading((value.text,), test, key, lack=NO_SCAN)

    return read


def rules_of(key: Callable[[Row], str], hidden: Mapping[str, str]) -> Read[Row]:
    """Return a reader of ids of rules about code; some are about rows that `is:` shows by this word."""

    def read(value: Value) -> Reading[Row]:
        # Loaded with the first such word: no list needs it.
        from flagtui.models.code_uses import RULE_IDS

        names = {id: str(id) for id in RULE_IDS} | RULE_ALIASES
        words = read_words(value, names)

        def test(facts: Facts) -> Test[str] | None:
            code = facts.outside.code
            return None if code is None else lambda word: not code.rules(word).isdisjoint(words)

        shows = tuple(hidden[word] for word in words if word in hidden)
        return Reading(words, test, key, lack=NO_SCAN, shows=shows)

    return read


NO_SCHEDULE: Final = "the scheduled changes are not read yet"
"""Why a qualifier about them is ignored."""
DUE: Final = "any, none, or a time until then such as <7d or >12h"


def due_of(number: Callable[[Row], int]) -> Read[Row]:
    """Return a reader of the time until the next scheduled change: `<7d`, `any`, `none`."""

    def read(value: Value) -> Reading[Row]:
        word = value.text.lower()
        is_wanted = word != "none"
        compare, seconds = read_age(word) if word not in ("any", "none") else (operator.le, math.inf)

        def test(facts: Facts) -> Test[int] | None:
            due, now = facts.outside.due, facts.now
            if due is None:
                return None
            return lambda id: (id in due and compare(due[id] - now, seconds)) is is_wanted

        return Reading((word,), test, number, lack=NO_SCHEDULE)

    return read


def number_of(number: Callable[[Row], int]) -> Read[Row]:
    """Return a reader of numbers with commas between."""

    def read(value: Value) -> Reading[Row]:
        parts = value.text.split(",")
        if not all(part.isascii() and part.isdigit() and len(part) <= 18 for part in parts):
            raise WrongValue
        numbers = frozenset(int(part) for part in parts)
        return Reading(tuple(parts), lambda _facts: numbers.__contains__, number)

    return read

"""Search and order of the activity; moments as users type them during an incident."""

import operator
import re
from collections.abc import Callable, Sequence
from datetime import time
from typing import Final

import msgspec

from flagtui import local_time
from flagtui.models.activity_rows import KINDS, ChangeRow
from flagtui.safe_text import safe_text
from flagtui.store.query.language import Query, QueryProblem
from flagtui.store.query.term_readers import Read, number_of, part_of, person_of
from flagtui.store.query.vocabulary import (
    Facts,
    Qualifier,
    Reading,
    Test,
    Value,
    Vocabulary,
    WrongValue,
    by_name,
    choices,
)

MOMENTS: Final = "a time such as 14:05, 20m, 2h, 7d, today, yesterday or 2026-03-01T14:05"
BEFORE: Final = 3_600.0
"""Seconds before a moment that are searched first for its cause."""
AFTER: Final = 900.0

_SPAN: Final = re.compile(r"(\d{1,6})(s|m|min|h|d|w)", re.ASCII)
_SECONDS: Final = {"s": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_CLOCK: Final = re.compile(r"\d{1,2}:\d{2}(:\d{2})?", re.ASCII)
_CENTRE: Final = re.compile(r"(?:^|(?<=\s))@\s*((?:\d{4}-\d\d-\d\d|today|yesterday)\s+\d{1,2}:\S+|\S+)?")


class Centre(msgspec.Struct, frozen=True):
    """The moment of an incident, Unix seconds."""

    at: float

    @property
    def since(self) -> float:
        """Return the start of the window, Unix seconds."""
        return self.at - BEFORE

    def holds(self, at: float | None) -> bool:
        """Return whether a change at that time is within the window."""
        return at is not None and self.since <= at <= self.at + AFTER


def read_moment(text: str, now: float) -> float:
    """Return Unix seconds, read in the user's zone; a time of day is the last such time. Raises
    WrongValue.
    """
    moment = text.strip().lower()
    day, _, clock = moment.partition(" ")
    try:
        if span := _SPAN.fullmatch(moment):
            return now - int(span[1]) * _SECONDS[span[2]]
        if day in ("today", "yesterday"):
            at = local_time.read_clock(clock) if clock else time()
            return local_time.on_day(at, now, -1 if day == "yesterday" else 0)
        if _CLOCK.fullmatch(moment):
            return local_time.last(local_time.read_clock(moment), now)
        return local_time.read_iso(text)
    except (ValueError, OverflowError, OSError):
        raise WrongValue from None


def invalid_moment(text: str, now: float) -> str:
    """Return the error for text that is not a moment; `now`, in Unix seconds, gives the time zone."""
    return f"{safe_text(text, 60)!r} is not a valid time; use {MOMENTS}, in {local_time.label(now)}"


def moment_of(line: str) -> tuple[str, str]:
    """Return the text after the `@` of a line, and the rest of the line."""
    match = _CENTRE.search(line)
    if match is None:
        return "", line.strip()
    return match[1] or "", f"{line[: match.start()]} {line[match.end() :]}".strip()


def split_centre(line: str, now: float) -> tuple[Centre | None, str, tuple[QueryProblem, ...]]:
    """Return the `@ 14:05` of a line, and the line with blanks in its place so that positions stay."""
    match = _CENTRE.search(line)
    if match is None:
        return None, line, ()
    rest = line[: match.start()] + " " * (match.end() - match.start()) + line[match.end() :]
    try:
        return Centre(read_moment(match[1] or "", now)), rest, ()
    except WrongValue:
        reason = f"@ needs {MOMENTS}, in {local_time.label(now)}"
        return None, rest, (QueryProblem(match.start(), match.end(), reason),)


def earliest(query: Query[ChangeRow], now: float) -> float | None:
    """Return the time before which no change matches, Unix seconds; None without a `since:`."""
    moments = [term.words[0] for term in query.terms if term.name == "since" and not term.is_negated]
    return max((read_moment(moment, now) for moment in moments), default=None)


def needs_moment(query: Query[ChangeRow]) -> bool:
    """Return whether the query asks for changes of other records than flags."""
    kinds = [term.words for term in query.terms if term.name == "kind" and not term.is_negated]
    return any(not _OF_OTHERS.isdisjoint(words) for words in kinds)


def by_closeness(rows: Sequence[ChangeRow], order: Sequence[int], centre: Centre) -> list[int]:
    """Order by likely cause: near before the moment and far-reaching first, then later changes.

    Saves without a logged change come last.
    """
    return sorted(order, key=lambda index: _suspicion(rows[index], centre))


def _suspicion(row: ChangeRow, centre: Centre) -> tuple[bool, int, float, float]:
    if row.at is None:
        return True, 0, float("inf"), -row.place
    distance = abs(centre.at - row.at)
    # A change of everything ranks as high as one of nothing made twice as near.
    heard = distance / (1 + row.weight)
    if not centre.holds(row.at):
        return True, 0, distance, -row.place
    # What was saved without a change can have caused nothing, whenever it was.
    return False, 2 if row.entry.is_unlogged else int(row.at > centre.at), heard, -row.place


def _kind(*words: str) -> Test[ChangeRow]:
    return lambda row: any(word in row.kinds for word in words)


_ALIASES: Final = {"condition": "conditions", "variant": "variants", "key": "renamed"}
_OF_OTHERS: Final = frozenset({"experiment", "event", "launched", "ended", "metrics"})
_RECORDS: Final = {"flag": "flags", "experiment": "experiments", "event": "events"}


def _record(kind: str) -> Test[ChangeRow]:
    return lambda row: row.kind == kind


_TESTS: Final[dict[str, Test[ChangeRow]]] = {
    **{word: _record(kind) for word, kind in _RECORDS.items()},
    **{word: _kind(word) for word in KINDS},
    "switch": _kind("on", "off"),
    "targeting": _kind("rollout", "conditions", "variants"),
}
_STATES: Final[dict[str, Test[ChangeRow]]] = {"deleted": lambda row: row.is_in_effect}
_WHO: Final[Read[ChangeRow]] = person_of(
    lambda row: None, lambda row: row.email, lambda row: f"{row.email}\0{row.who}"
)


def _moment(compare: Callable[[float, float], bool]) -> Read[ChangeRow]:
    """Return a reader of a moment; the test compares it with the time of the change."""

    def read(value: Value) -> Reading[ChangeRow]:
        read_moment(value.text, _ANY_TIME)

        def test(facts: Facts) -> Test[ChangeRow]:
            limit = read_moment(value.text, facts.now)
            return lambda row: row.at is not None and compare(row.at, limit)

        return Reading((value.text.lower(),), test)

    return read


_ANY_TIME: Final = 1_700_000_000.0
"""Any time: whether a moment is valid does not depend on the current time."""

ACTIVITY: Final[Vocabulary[ChangeRow]] = Vocabulary(
    qualifiers=by_name(
        choices(
            "kind",
            "what was changed",
            _TESTS,
            ("switch", "targeting", "payload", "created", "deleted", "experiment", "event"),
            _ALIASES,
        ),
        choices("is", "deletions still in effect", _STATES),
        Qualifier("by", "me, or part of a name or an e-mail", "who changed it", _WHO, ("me",), ("me",)),
        Qualifier(
            "flag",
            "part of a key or a pattern such as /^new-/",
            "the flag's key",
            part_of(lambda row: row.key if row.kind == "flags" else ""),
        ),
        Qualifier(
            "since", MOMENTS, "not earlier than", _moment(operator.ge), ("today", "yesterday", "2h", "7d")
        ),
        Qualifier(
            "before", MOMENTS, "earlier than", _moment(operator.lt), ("today", "yesterday", "2h", "7d")
        ),
        Qualifier(
            "id",
            "a number, or several with commas",
            "the flag's number",
            number_of(lambda row: row.flag_id or 0),
        ),
    ),
    text=lambda row: f"{row.key}\0{row.who}",
)

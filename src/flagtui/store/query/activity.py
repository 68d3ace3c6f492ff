"""The search line of the activity."""

from typing import Final

from flagtui.models.change_row import KINDS, ChangeRow
from flagtui.store.query.folded_text import fold
from flagtui.store.query.moments import MOMENTS, read_moment
from flagtui.store.query.term_readers import Read, number_of, part_of, person_of
from flagtui.store.query.vocabulary import (
    Facts,
    Qualifier,
    Reading,
    Test,
    Value,
    Vocabulary,
    WrongValue,
    choice,
)


def _kind(*words: str) -> Test[ChangeRow]:
    return lambda row: any(word in row.kinds for word in words)


_ALIASES: Final = {
    "condition": "conditions",
    "variant": "variants",
    "key": "renamed",
}
_TESTS: Final[dict[str, Test[ChangeRow]]] = {
    **{word: _kind(word) for word in KINDS},
    "switch": _kind("on", "off"),
    "targeting": _kind("rollout", "conditions", "variants"),
}
_STATES: Final[dict[str, Test[ChangeRow]]] = {"deleted": lambda row: row.is_standing}
_MINE: Final[Read[ChangeRow]] = person_of(lambda row: None, lambda row: row.email)


def _read_person(value: Value) -> Reading[ChangeRow]:
    """`me`, or part of a name or an e-mail."""
    wanted = fold(value.text)
    if wanted == "me" and not value.is_quoted:
        return _MINE(value)
    if not wanted:
        raise WrongValue
    return Reading(
        (f'"{wanted}"',), lambda _facts: lambda row: wanted in fold(row.email) or wanted in fold(row.who)
    )


def _since(value: Value) -> Reading[ChangeRow]:
    read_moment(value.text, _ANY_TIME)

    def test(facts: Facts) -> Test[ChangeRow]:
        limit = read_moment(value.text, facts.now)
        return lambda row: row.at is not None and row.at >= limit

    return Reading((value.text.lower(),), test)


def _before(value: Value) -> Reading[ChangeRow]:
    read_moment(value.text, _ANY_TIME)

    def test(facts: Facts) -> Test[ChangeRow]:
        limit = read_moment(value.text, facts.now)
        return lambda row: row.at is not None and row.at < limit

    return Reading((value.text.lower(),), test)


_ANY_TIME: Final = 1_700_000_000.0
"""Only to find out whether a moment can be understood, which does not depend on the time it is now."""

_QUALIFIERS: Final[tuple[Qualifier[ChangeRow], ...]] = (
    Qualifier(
        "kind",
        f"{', '.join(KINDS)}, switch or targeting",
        "what was changed",
        choice(_TESTS, _ALIASES),
        tuple(_TESTS),
        ("switch", "targeting", "payload", "created", "deleted"),
    ),
    Qualifier(
        "is",
        "deleted",
        "deletions that nobody took back",
        choice(_STATES),
        tuple(_STATES),
        tuple(_STATES),
    ),
    Qualifier("by", "me, or part of a name or an e-mail", "who changed it", _read_person, ("me",), ("me",)),
    Qualifier(
        "flag", "part of a key or a pattern such as /^new-/", "the flag's key", part_of(lambda row: row.key)
    ),
    Qualifier("since", MOMENTS, "not earlier than", _since, ("today", "yesterday", "2h", "7d")),
    Qualifier("before", MOMENTS, "earlier than", _before, ("today", "yesterday", "2h", "7d")),
    Qualifier(
        "id", "a number, or several with commas", "the flag's number", number_of(lambda row: row.flag_id or 0)
    ),
)

ACTIVITY: Final[Vocabulary[ChangeRow]] = Vocabulary(
    qualifiers={qualifier.name: qualifier for qualifier in _QUALIFIERS},
    text=lambda row: f"{row.key}\0{row.who}",
)

"""The search line of the list of event definitions."""

from operator import attrgetter
from typing import Final

from flagtui.models.rows import EventDefinitionRow
from flagtui.store.query.readings import AGES, age_of, part_of, person_of, tag_of
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

STALE_AFTER: Final = 30 * 86_400
"""Seconds without the event, as the server counts; one never seen is not stale but new."""

_STATES: Final[dict[str, Test[EventDefinitionRow]]] = {
    "verified": lambda row: row.verified,
    "unverified": lambda row: not row.verified,
    "hidden": lambda row: row.hidden,
    "undescribed": lambda row: not row.description.strip(),
}
_NAME: Final = attrgetter("name")
_KINDS: Final[dict[str, Test[str]]] = {
    "custom": lambda name: name[:1] != "$",
    "posthog": lambda name: name[:1] == "$",
}


def _read_state(value: Value) -> Reading[EventDefinitionRow]:
    """`stale` needs to know the time, the others do not."""
    words = tuple(part.strip() for part in value.text.lower().split(","))
    if any(word not in _STATES and word != "stale" for word in words):
        raise WrongValue

    def test(facts: Facts) -> Test[EventDefinitionRow]:
        limit = facts.now - STALE_AFTER
        tests = [_STATES[word] for word in words if word in _STATES]
        if "stale" in words:
            tests.append(lambda row: row.seen_at is not None and row.seen_at < limit)
        return tests[0] if len(tests) == 1 else lambda row: any(test(row) for test in tests)

    return Reading(words, test)


_QUALIFIERS: Final[tuple[Qualifier[EventDefinitionRow], ...]] = (
    Qualifier(
        "is",
        "verified, unverified, hidden, stale or undescribed",
        "its state",
        _read_state,
        (*_STATES, "stale"),
        ("verified", "unverified", "undescribed", "stale"),
    ),
    Qualifier(
        "kind",
        "custom or posthog",
        "who defined it",
        choice(_KINDS, of=_NAME, is_folded=True),
        tuple(_KINDS),
        tuple(_KINDS),
    ),
    Qualifier(
        "owner",
        "me or part of an e-mail",
        "who looks after it",
        person_of(attrgetter("owner_id"), attrgetter("owner")),
        ("me",),
        ("me",),
    ),
    Qualifier("tag", "the beginning of a tag", "its tags", tag_of(attrgetter("tags"))),
    Qualifier("seen", AGES, "when it last came", age_of(attrgetter("seen_at")), ("<7d", ">30d", "never")),
    Qualifier("updated", AGES, "when it was last changed", age_of(attrgetter("updated_at")), ("<7d",)),
    Qualifier("created", AGES, "when it first came", age_of(attrgetter("created_at")), ("<7d",)),
    Qualifier(
        "name",
        "part of a name or a pattern such as /_clicked$/",
        "its name alone",
        part_of(_NAME),
    ),
)

EVENTS: Final[Vocabulary[EventDefinitionRow]] = Vocabulary(
    qualifiers={qualifier.name: qualifier for qualifier in _QUALIFIERS},
    text=_NAME,
)

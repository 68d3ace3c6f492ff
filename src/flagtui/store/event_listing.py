"""Search and order of event definitions."""

import math
import operator
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, Final

from flagtui.models.record_fields import EVENT_FIELDS
from flagtui.models.rows import STALE_AFTER, EventDefinitionRow
from flagtui.store.query.term_readers import AGES, age_of, part_of, person_of, tag_of
from flagtui.store.query.value_tests import At, Begins, fold
from flagtui.store.query.vocabulary import (
    Facts,
    Qualifier,
    Reading,
    Test,
    Value,
    Vocabulary,
    WrongValue,
    by_name,
    choice,
)
from flagtui.store.sort_orders import Listing, Order, field_order


def read_sent(
    name: str, member: str = "", *, unknown: float | None = None
) -> Callable[[EventDefinitionRow], Any]:
    """Read an attribute of a row; `unknown` where the server did not send the member."""
    return lambda row: unknown if (member or name) in row.not_sent else getattr(row, name)


_FIELDS: Final[dict[str, tuple[Callable[[EventDefinitionRow], Any], Test[Any]]]] = {
    "verified": (attrgetter("verified"), operator.truth),
    "unverified": (read_sent("verified"), lambda verified: verified is False),
    "hidden": (attrgetter("hidden"), operator.truth),
    "undescribed": (read_sent("description"), lambda text: text is not None and not text.strip()),
}
"""The row's field for each state, and the values that mean it."""
_NAME: Final = attrgetter("name")
_SEEN: Final = read_sent("seen_at", "last_seen_at", unknown=math.nan)
_KINDS: Final[dict[str, Test[str]]] = {"custom": Begins("$", is_negated=True), "posthog": Begins("$")}


def _read_state(value: Value) -> Reading[EventDefinitionRow]:
    """Return the test of a state; `stale` needs the time, the others do not."""
    words = tuple(part.strip() for part in value.text.lower().split(","))
    if any(word not in _FIELDS and word != "stale" for word in words):
        raise WrongValue
    if words == ("stale",):
        return Reading(words, lambda facts: At(operator.lt, facts.now - STALE_AFTER), _SEEN)
    if len(words) == 1:
        of, holds = _FIELDS[words[0]]
        return Reading(words, lambda _facts: holds, of)

    def test(facts: Facts) -> Test[EventDefinitionRow]:
        is_old: Test[Any] = At(operator.lt, facts.now - STALE_AFTER)
        tests = [_FIELDS.get(word, (_SEEN, is_old)) for word in words]
        return lambda row: any(holds(of(row)) for of, holds in tests)

    return Reading(words, test)


EVENTS: Final[Vocabulary[EventDefinitionRow]] = Vocabulary(
    qualifiers=by_name(
        Qualifier(
            "is",
            "verified, unverified, hidden, stale or undescribed",
            "its state",
            _read_state,
            (*_FIELDS, "stale"),
            ("verified", "unverified", "undescribed", "stale", "hidden"),
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
        Qualifier("seen", AGES, "when it last came", age_of(_SEEN), ("<7d", ">30d", "never")),
        Qualifier("updated", AGES, "when it was last changed", age_of(attrgetter("updated_at")), ("<7d",)),
        Qualifier("created", AGES, "when it first came", age_of(attrgetter("created_at")), ("<7d",)),
        Qualifier(
            "name", "part of a name or a pattern such as /_clicked$/", "its name alone", part_of(_NAME)
        ),
    ),
    text=_NAME,
)


EVENT_ORDERS: Final[Mapping[str, Order[EventDefinitionRow]]] = {
    "seen": Order(lambda row: row.seen_at, is_descending=True),
    "name": Order(),
    "created": Order(lambda row: row.created_at, is_descending=True),
    "updated": Order(lambda row: row.updated_at, is_descending=True),
    "verified": Order(lambda row: 0 if row.verified else 1),
    "enforcement": field_order(EVENT_FIELDS.shown_field("enforcement")),
}

EVENT_LISTING: Final = Listing(EVENTS, EVENT_ORDERS, lambda row: fold(row.name))

"""Search and order of flags."""

import math
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Final

from flagtui.models.record_fields import FLAG_FIELDS
from flagtui.models.rows import FlagRow
from flagtui.store.query.language import read_line
from flagtui.store.query.term_readers import (
    AGES,
    DUE,
    age_of,
    due_of,
    made_by,
    number_of,
    part_of,
    percentage_of,
    rules_of,
    tag_of,
    uses_of,
)
from flagtui.store.query.value_tests import fold
from flagtui.store.query.vocabulary import Outside, Qualifier, Test, Vocabulary, being, by_name, choices
from flagtui.store.sort_orders import Listing, Order, field_order


def _is_full(row: FlagRow) -> bool:
    return row.rollout is not None and row.rollout >= 100 and not row.conditional


def _last_call(row: FlagRow) -> float | None:
    """Return when the flag was last called; None for never, and NaN, no age at all, if it is not known."""
    return row.called_at if row.called_at is not None else None if row.has_call_times else math.nan


_STATES: Final[dict[str, Test[FlagRow]]] = {
    "on": lambda row: row.active,
    "off": lambda row: not row.active,
    "stale": lambda row: row.is_stale,
    "archived": lambda row: row.archived,
    "deleted": lambda row: row.deleted,
    "partial": lambda row: row.rollout is not None and row.rollout > 0 and not _is_full(row),
    "full": _is_full,
}

FLAGS: Final[Vocabulary[FlagRow]] = Vocabulary(
    qualifiers=by_name(
        choices(
            "type",
            "what kind of flag it is",
            being("boolean", "multivariant", "experiment", "config", "rules"),
            ("boolean", "multivariant", "experiment", "config"),
            {"multivariate": "multivariant", "remote_config": "config", "remote": "config"},
            attrgetter("type"),
        ),
        choices(
            "runtime",
            "where it is evaluated",
            being("server", "client", "all"),
            aliases={"both": "all"},
            of=attrgetter("runtime"),
        ),
        choices(
            "is",
            "its state",
            _STATES,
            ("on", "off", "stale", "archived"),
            {"enabled": "on", "active": "on", "disabled": "off", "inactive": "off", "unused": "stale"},
        ),
        made_by(lambda row: row.creator_id, lambda row: row.creator),
        Qualifier("tag", "the beginning of a tag", "its tags", tag_of(lambda row: row.tags)),
        Qualifier(
            "rollout",
            "a rollout such as <50, >=10 or =100",
            "its highest rollout",
            percentage_of(lambda row: row.rollout),
        ),
        Qualifier("updated", AGES, "when it was last changed", age_of(lambda row: row.updated_at), ("<7d",)),
        Qualifier("created", AGES, "when it was created", age_of(lambda row: row.created_at), (">90d",)),
        Qualifier("called", AGES, "when it was last called", age_of(_last_call), (">30d", "never")),
        Qualifier(
            "key",
            "part of a key or a pattern such as /^new-.*v2$/",
            "its key alone",
            part_of(lambda row: row.key),
        ),
        Qualifier(
            "due", DUE, "when its next scheduled change is due", due_of(lambda row: row.id), ("any", "<7d")
        ),
        Qualifier(
            "refs",
            "a number of uses such as 0, >3 or <=1",
            "how often code uses it",
            uses_of(lambda row: row.key),
            ("0", ">3"),
        ),
        Qualifier(
            "code",
            "the id of a rule of flagtui check, such as unreferenced or rolled-out",
            "what the last scan of code reports",
            rules_of(lambda row: row.key, {"deleted-key": "deleted", "archived": "archived"}),
            ("unreferenced", "comment-only", "rolled-out", "off", "stale", "deleted"),
        ),
        Qualifier(
            "id", "a number, or several with commas between", "its number", number_of(lambda row: row.id)
        ),
    ),
    text=lambda row: f"{row.key}\0{row.name}",
    hidden={"archived": lambda row: row.archived, "deleted": lambda row: row.deleted},
)


def _state(row: FlagRow) -> float:
    if row.deleted:
        return 4
    if row.archived:
        return 3
    if not row.active:
        return 2
    return 1 if row.is_stale else 0


_NOT_KNOWN: Final = 0.5
"""Between no use and one: code was not searched, or has the key in quotes."""
_TIER: Final = 1e11
"""More seconds than any time of a call."""


def _cleanup(row: FlagRow, outside: Outside) -> float:
    """Return how risky it is to remove the flag: by its uses in code, dependents, values, last call."""
    code = outside.code
    uses = _NOT_KNOWN if code is None else code.uses(row.key) or _NOT_KNOWN * (not code.is_unused(row.key))
    varies = not (_is_full(row) or row.rollout == 0 or not row.active)
    called = row.called_at if row.called_at is not None or row.has_call_times else row.updated_at
    tiers = varies + (row.type == "experiment") + 2 * (row.id in outside.needed)
    return min(uses, 1e4) * 4 * _TIER + tiers * _TIER + (called or 0.0)


def _collect_needed(rows: Sequence[FlagRow]) -> frozenset[int]:
    """Return the ids of flags that cannot be removed yet: active flags depend on them."""
    return frozenset(id for row in rows if row.active and not row.deleted for id in row.depends_on)


def _uses(row: FlagRow, outside: Outside) -> float | None:
    return None if outside.code is None else outside.code.uses(row.key)


_TYPE_PLACES: Final = {"experiment": 0, "multivariant": 1, "boolean": 2, "config": 3, "rules": 4}

CLEAN_UP: Final = "cleanup"
"""The order of unused flags: the safest to remove comes first."""
FLAG_ORDERS: Final[Mapping[str, Order[FlagRow]]] = {
    "updated": Order(lambda row: row.updated_at, is_descending=True),
    "key": Order(),
    "created": Order(lambda row: row.created_at, is_descending=True),
    "called": Order(lambda row: row.called_at, is_descending=True),
    "rollout": Order(lambda row: row.rollout, is_descending=True),
    "state": Order(_state),
    "type": Order(lambda row: _TYPE_PLACES.get(row.type)),
    "runtime": field_order(FLAG_FIELDS.shown_field("runtime")),
    "version": Order(lambda row: row.version, is_descending=True),
    CLEAN_UP: Order(outside=_cleanup, needed=_collect_needed),
    "refs": Order(is_descending=True, outside=_uses, needs="code"),
    "due": Order(outside=lambda row, outside: (outside.due or {}).get(row.id), needs="due"),
}

FLAG_LISTING: Final = Listing(FLAGS, FLAG_ORDERS, lambda row: fold(row.key))


def order_of_search(line: str) -> str:
    """Return the order that a search has until another one is chosen; empty for the usual one."""
    # Most letters need only that.
    if "stale" not in line.lower() and "unused" not in line.lower():
        return ""
    terms = read_line(line, FLAG_LISTING.vocabulary).terms
    states = [term.words for term in terms if term.name == "is" and not term.is_negated]
    return CLEAN_UP if ("stale",) in states else ""

"""The list of event definitions: filters, orders, and a count that ends early on large projects."""

from collections.abc import Mapping
from datetime import timedelta

from flagtui.service.call import Call
from flagtui.service.clock import stamp
from flagtui.service.database import count_rows
from flagtui.service.errors import invalid, server_error
from flagtui.service.event_definitions.rows import JOINED, definition_text
from flagtui.service.list_filters import (
    Filter,
    Where,
    among,
    choosing,
    comparing,
    containing,
    like,
    narrow,
    read_names,
)
from flagtui.service.pagination import Window, link, next_link, previous_link, strict_number, window
from flagtui.service.responses import Response, join_object, respond_text, text_of

PARAMETERS = (
    *("limit", "offset", "search", "event_type", "ordering", "verified", "tags"),
    *("exclude_hidden", "exclude_stale", "names", "excluded_properties"),
)
STALE_AFTER = timedelta(days=30)
COUNTED = 10_000
"""As far as the count of a large project goes when nothing narrows the list."""
LARGE, HUGE = 50_000, 100_000
"""More definitions than this, and the count stops; more than that, and the default order is by name."""

_OWN = "substr(d.name, 1, 1) = '$'"
_TYPES = dict.fromkeys(("event", "all", "action_event"), "") | {
    "event_custom": "substr(d.name, 1, 1) <> '$'",
    "event_posthog": _OWN,
}
_DEFAULT = "-last_seen_at::date,name"
_COLUMNS = {
    "name": "d.name",
    "last_seen_at": "d.last_seen_at",
    "last_seen_at::date": "substr(d.last_seen_at, 1, 10)",
    "created_at": "d.created_at",
    "created_at::date": "substr(d.created_at, 1, 10)",
}


def list_definitions(call: Call) -> Response:
    part = strict_window(call) if call.generation.checks_windows else window(call)
    where = build_where(call)
    everything = _count(call, _all_of(call))
    is_capped = len(where.conditions) == 1 and everything > LARGE and call.generation.caps_counts
    total = COUNTED if is_capped else _count(call, where)
    ordered = order(call, everything)
    # Ids first: the joined rows are wide, and those before the page need not be sorted.
    rows = call.db.execute(
        f"{JOINED} WHERE d.id IN (SELECT d.id FROM event_definitions AS d WHERE {where}"
        f" ORDER BY {ordered} LIMIT :limit OFFSET :offset) ORDER BY {ordered}",
        {**where.values, "limit": part.limit, "offset": part.offset},
    ).fetchall()
    following = next_link(call, total, part)
    if is_capped:
        # A count that gave up does not show the end: pages continue until one is short.
        more = len(rows) == part.limit
        following = link(call, limit=str(part.limit), offset=str(part.offset + part.limit)) if more else None
    texts = {
        "count": str(total),
        "next": text_of(following),
        "previous": text_of(previous_link(call, part)),
        "count_is_capped": text_of(is_capped),
        "results": f"[{','.join(definition_text(call, row) for row in rows)}]",
    }
    return respond_text(join_object(call.generation.adapt_record("page of event definitions", texts)))


def strict_window(call: Call) -> Window:
    """Return the window; unlike other lists, this one refuses invalid values."""
    return Window(strict_number(call, "limit", 100, 1), strict_number(call, "offset", 0, 0))


def _all_of(call: Call) -> Where:
    return Where(["d.project_id = :project"], {"project": call.project.id})


def _count(call: Call, where: Where) -> int:
    return count_rows(call.db, f"SELECT count(*) FROM event_definitions AS d WHERE {where}", where.values)


def build_where(call: Call) -> Where:
    where = _all_of(call)
    unknown = {*call.generation.missing_parameters, *(_LICENSED if call.settings.unlicensed else ())}
    sent = {"event_type": "event", **call.query, "names": ",".join(call.query.getlist("names"))}
    narrow(call, where, FILTERS, {name: text for name, text in sent.items() if name not in unknown})
    return where


def _add_search(_: Call, where: Where, text: str) -> None:
    """Require every word to occur."""
    if terms := text.split():
        contains = containing("d.name", text, "t.value")
        missing = f"SELECT 1 FROM json_each(:terms) AS t WHERE NOT {contains}"
        where.add(f"NOT EXISTS ({missing})", terms=text_of([like(term) for term in terms]))


def _add_event_type(call: Call, where: Where, event_type: str) -> None:
    if event_type not in _TYPES:
        if not call.generation.faults_have_bodies:
            raise server_error()
        raise invalid("Not a valid event type. Use one of: event, event_custom, event_posthog.", "event_type")
    if condition := _TYPES[event_type]:
        where.add(condition)


def _add_verified(_: Call, where: Where, text: str) -> None:
    is_verified = f"(d.verified = 1 OR {_OWN})"
    where.add(is_verified if text == "true" else f"NOT {is_verified}")


def _add_stale(call: Call, where: Where, text: str) -> None:
    if text == "true":
        where.add("(d.last_seen_at IS NULL OR d.last_seen_at >= :stale)", stale=stamp(call.now - STALE_AFTER))


def _read_listed(text: str) -> str | None:
    names = [name for name in text.split(",") if name]
    return text_of(names) if names else None


_TAGGED = f"EXISTS (SELECT 1 FROM json_each(d.tags) AS t WHERE t.value IN {among('tags')})"
_LICENSED = ("exclude_hidden", "verified")
"""Parameters that filter only with a licence."""
FILTERS: Mapping[str, Filter] = {
    "event_type": _add_event_type,
    "search": _add_search,
    "exclude_hidden": choosing({"true": "d.hidden IS NOT 1"}),
    "tags": comparing("tags", _TAGGED, read_names),
    "excluded_properties": comparing("excluded", f"d.name NOT IN {among('excluded')}", read_names),
    "verified": _add_verified,
    "exclude_stale": _add_stale,
    "names": comparing("names", f"d.name IN {among('names')}", _read_listed),
}


def order(call: Call, everything: int) -> str:
    """Return the ORDER BY of a list; unknown keys are dropped and the name decides at last."""
    allowed = call.generation.definition_orders
    requested = dict.fromkeys(key for text in call.query.getlist("ordering") for key in text.split(","))
    keys = [key for key in requested if key.removeprefix("-") in allowed]
    by_length = []
    if not keys:
        by_length = ["length(d.name)"] if call.query.get("search", "").strip() else []
        keys = ["name"] if everything > HUGE else _DEFAULT.split(",")
    return ", ".join([*by_length, *map(_direction, keys), "d.name", "d.id"])


def _direction(key: str) -> str:
    return f"{_COLUMNS[key.removeprefix('-')]} {'DESC' if key.startswith('-') else 'ASC'}"

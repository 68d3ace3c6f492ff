"""The list of event definitions: its filters, its orders, and a count that gives up on large projects."""

import json
from dataclasses import dataclass, field
from datetime import timedelta

from flagtui.service.answers import Answer, joined, spliced, text_of
from flagtui.service.bodies import LARGEST
from flagtui.service.call import Call
from flagtui.service.clock import stamp
from flagtui.service.errors import Json, invalid, server_error
from flagtui.service.event_definitions.fields import LONGEST_NAME
from flagtui.service.event_definitions.rows import JOINED, definition_texts
from flagtui.service.pagination import Window, link, next_link, previous_link, window
from flagtui.service.projects import like

PARAMETERS = (
    *("limit", "offset", "search", "event_type", "ordering", "verified", "tags"),
    *("exclude_hidden", "exclude_stale", "names", "excluded_properties"),
)
STALE_AFTER = timedelta(days=30)
COUNTED = 10_000
"""As far as the count of a large project goes when nothing narrows the list."""
LARGE, HUGE = 50_000, 100_000
"""More definitions than this, and the count stops; more than that, and the default order is by name."""

_CUSTOM = "substr(d.name, 1, 1) <> '$'"
_OWN = "substr(d.name, 1, 1) = '$'"
_TYPES = {
    "event": None,
    "all": None,
    "action_event": None,
    "event_custom": _CUSTOM,
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


@dataclass
class Where:
    """Conditions joined by AND, and the values of their places."""

    values: dict[str, Json]
    conditions: list[str] = field(default_factory=lambda: ["d.project_id = :project"])

    @property
    def narrowed(self) -> bool:
        return len(self.conditions) > 1

    def add(self, condition: str, **values: Json) -> None:
        self.conditions.append(condition)
        self.values.update(values)

    def __str__(self) -> str:
        return " AND ".join(self.conditions)


@dataclass(frozen=True)
class Total:
    """How many there are, or how far the counting went."""

    count: int
    is_capped: bool


def list_definitions(call: Call) -> Answer:
    part = strict_window(call) if call.generation.checks_windows else window(call)
    where = narrowed(call)
    everything = _count(call, Where({"project": call.project.id}))
    total = _total(call, where, everything)
    ordered = order(call, everything)
    # Ids first: the joined rows are wide, and those before the page need not be sorted.
    rows = call.db.execute(
        f"{JOINED} WHERE d.id IN (SELECT d.id FROM event_definitions AS d WHERE {where}"
        f" ORDER BY {ordered} LIMIT :limit OFFSET :offset) ORDER BY {ordered}",
        {**where.values, "limit": part.limit, "offset": part.offset},
    ).fetchall()
    return _page(call, total, definition_texts(call, rows), part)


def strict_window(call: Call) -> Window:
    """Unlike other lists, this one refuses values that make no sense."""
    return Window(_number(call, "limit", 100, 1), _number(call, "offset", 0, 0))


def _number(call: Call, name: str, default: int, least: int) -> int:
    text = call.query.get(name)
    if text is None or text == "":
        return default
    try:
        number = int(text)
    except ValueError:
        raise invalid("A valid integer is required.", name) from None
    if number < least:
        raise invalid(f"Ensure this value is greater than or equal to {least}.", name, "min_value")
    return min(number, LARGEST)


def _count(call: Call, where: Where) -> int:
    counted: int = call.db.execute(
        f"SELECT count(*) FROM event_definitions AS d WHERE {where}", where.values
    ).fetchone()[0]
    return counted


def _total(call: Call, where: Where, everything: int) -> Total:
    if where.narrowed:
        return Total(_count(call, where), False)
    if everything > LARGE and call.generation.caps_counts:
        return Total(COUNTED, True)
    return Total(everything, False)


def _page(call: Call, total: Total, items: list[str], part: Window) -> Answer:
    """A count that gave up says nothing about the end: there the pages go on until one is short."""
    following = next_link(call, total.count, part)
    if total.is_capped:
        more = len(items) == part.limit
        following = link(call, limit=str(part.limit), offset=str(part.offset + part.limit)) if more else None
    texts = {
        "count": str(total.count),
        "next": text_of(following),
        "previous": text_of(previous_link(call, part)),
        "count_is_capped": text_of(total.is_capped),
        "results": f"[{','.join(items)}]",
    }
    return spliced(joined(call.generation.written("page of event definitions", texts)))


def narrowed(call: Call) -> Where:
    where = Where({"project": call.project.id})
    _add_event_type(call, where)
    _add_search(call, where)
    if call.query.get("exclude_hidden") == "true" and not call.settings.unlicensed:
        where.add("d.hidden IS NOT 1")
    _add_list(call, where, "tags", "EXISTS (SELECT 1 FROM json_each(d.tags) AS t WHERE t.value IN {values})")
    _add_list(call, where, "excluded_properties", "d.name NOT IN {values}")
    _add_flags(call, where)
    return where


def _add_search(call: Call, where: Where) -> None:
    """Every word must occur; one that is longer than any name occurs nowhere."""
    terms = call.query.get("search", "").split()
    if any(len(term) > LONGEST_NAME for term in terms):
        where.add("0")
    elif terms:
        missing = "SELECT 1 FROM json_each(:terms) AS t WHERE d.name NOT LIKE t.value ESCAPE '\\'"
        where.add(f"NOT EXISTS ({missing})", terms=_list([like(term) for term in terms]))


def _add_event_type(call: Call, where: Where) -> None:
    asked = call.query.get("event_type", "event")
    if asked not in _TYPES:
        if not call.generation.faults_have_bodies:
            raise server_error()
        raise invalid("Not a valid event type. Use one of: event, event_custom, event_posthog.", "event_type")
    if (condition := _TYPES[asked]) is not None:
        where.add(condition)


def _add_list(call: Call, where: Where, name: str, condition: str) -> None:
    """A JSON list of names; what is none does not filter."""
    try:
        names = json.loads(call.query.get(name, ""))
    except (ValueError, RecursionError):
        return
    if isinstance(names, list) and names:
        texts = [each for each in names if isinstance(each, str)]
        where.add(condition.format(values=f"(SELECT value FROM json_each(:{name}))"), **{name: _list(texts)})


def _list(texts: list[str]) -> str:
    """Lone surrogates, which JSON can write and no stored name can hold, are replaced."""
    return text_of([text.encode("utf-8", "replace").decode() for text in texts])


def _add_flags(call: Call, where: Where) -> None:
    missing = call.generation.missing_parameters
    verified = call.query.get("verified")
    if verified is not None and not call.settings.unlicensed and "verified" not in missing:
        known = f"(d.verified = 1 OR {_OWN})"
        where.add(known if verified == "true" else f"NOT {known}")
    if call.query.get("exclude_stale") == "true" and "exclude_stale" not in missing:
        where.add("(d.last_seen_at IS NULL OR d.last_seen_at >= :stale)", stale=stamp(call.now - STALE_AFTER))
    names = [name for text in call.query.getlist("names") for name in text.split(",") if name]
    if names and "names" not in missing:
        where.add("d.name IN (SELECT value FROM json_each(:names))", names=_list(names))


def order(call: Call, everything: int) -> str:
    """The ORDER BY of a list; unknown keys are dropped and the name decides at last."""
    allowed = call.generation.definition_orders
    asked = dict.fromkeys(key for text in call.query.getlist("ordering") for key in text.split(","))
    keys = [key for key in asked if key.removeprefix("-") in allowed]
    by_length = []
    if not keys:
        by_length = ["length(d.name)"] if call.query.get("search", "").strip() else []
        keys = ["name"] if everything > HUGE else _DEFAULT.split(",")
    return ", ".join([*by_length, *map(_direction, keys), "d.name", "d.id"])


def _direction(key: str) -> str:
    return f"{_COLUMNS[key.removeprefix('-')]} {'DESC' if key.startswith('-') else 'ASC'}"

"""The list of flags: what its parameters mean, as SQL."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import msgspec

from flagtui.service.answers import Answer, text_of
from flagtui.service.bodies import truth
from flagtui.service.call import Call
from flagtui.service.database import count_rows
from flagtui.service.errors import Json, invalid, server_error
from flagtui.service.field_kinds import Use
from flagtui.service.flags.fields import FLAGS
from flagtui.service.flags.levels import Levels, load_levels
from flagtui.service.flags.representation import NEEDED, flag_texts
from flagtui.service.flags.status import stale_before
from flagtui.service.pagination import id_list, page, window
from flagtui.service.projects import like

LONGEST_SEARCH = 200
_ORDERS = {field.name: field.place for field in FLAGS.fields if Use.SORTED in field.uses}
"""Columns by what the parameter calls them."""
_TYPES = {
    "boolean": "variant_count = 0",
    "multivariant": "variant_count > 0",
    "experiment": "EXISTS (SELECT 1 FROM experiments AS e WHERE e.flag_id = flags.id)",
    "remote_config": "is_remote_configuration = 1",
}
_SHOWN = ", ".join(f"flags.{name}" for name in NEEDED)
_SPACES = r"[\s_-]*"


@dataclass
class Where:
    """Conditions joined by AND, and the values of their named places."""

    conditions: list[str] = field(default_factory=list)
    values: dict[str, Json] = field(default_factory=dict)

    def add(self, condition: str, **values: Json) -> None:
        self.conditions.append(condition)
        self.values.update(values)

    def __str__(self) -> str:
        return " AND ".join(self.conditions)


def list_flags(call: Call) -> Answer:
    part = window(call)
    where = listed(call, call.query)
    total = count_rows(call.db, f"SELECT count(*) FROM flags WHERE {where}", where.values)
    order = _order(call)
    # Ids first: the rows are wide, and those before the page need not be read for it.
    rows = call.db.execute(
        f"WITH part AS MATERIALIZED (SELECT id FROM flags WHERE {where} ORDER BY {order}"
        " LIMIT :limit OFFSET :offset)"
        f" SELECT {_SHOWN} FROM part CROSS JOIN flags ON flags.id = part.id",
        {**where.values, "limit": part.limit, "offset": part.offset},
    ).fetchall()
    return page(call, total, flag_texts(call, rows), part)


def listed(call: Call, query: Mapping[str, str]) -> Where:
    """Which flags a list shows for these parameters; unknown parameters and senseless values are ignored."""
    where = Where()
    where.add("project_id = :project AND deleted = 0", project=call.project.id)
    where.add("id NOT IN (SELECT internal_flag_id FROM surveys WHERE internal_flag_id IS NOT NULL)")
    _add_visible(where, load_levels(call.db, call.caller, call.project))
    missing = call.generation.missing_parameters
    if "archived" not in missing:
        where.add("archived = :archived", archived=truth(query.get("archived", "")))
    for name, add in FILTERS.items():
        if (value := query.get(name)) is not None and name not in missing:
            add(call, where, value)
    return where


def _add_visible(where: Where, levels: Levels) -> None:
    if levels.general == "none":
        where.add("id IN (SELECT value FROM json_each(:shown))", shown=text_of(levels.shown))
    elif levels.hidden:
        where.add("id NOT IN (SELECT value FROM json_each(:hidden))", hidden=text_of(levels.hidden))


def _add_active(call: Call, where: Where, value: str) -> None:
    if value == "STALE":
        where.add(
            "active = 1 AND (last_called_at < :stale"
            " OR last_called_at IS NULL AND created_at < :stale AND full_rollout = 1)",
            stale=stale_before(call.now),
        )
        return
    word = value if call.generation.matches_case else value.lower()
    where.add("active = :active", active=word == "true")


def _add_creator(call: Call, where: Where, value: str) -> None:
    """One id, several with commas, or a JSON list; what is none of these does not filter."""
    if (ids := id_list(value)) is not None:
        where.add("created_by_id IN (SELECT value FROM json_each(:creators))", creators=text_of(ids))


def _add_search(call: Call, where: Where, value: str) -> None:
    term = value.strip()
    if len(term) > LONGEST_SEARCH:
        raise invalid(f"Search term cannot exceed {LONGEST_SEARCH} characters")
    if not term:
        return
    found = "{0} LIKE :search ESCAPE '\\'"
    where.values["search"] = like(term)
    if not term.isascii() or (" " in term and call.generation.search_joins_words):
        words = [re.escape(word) for word in term.split()]
        pattern = re.compile(_SPACES.join(words), re.IGNORECASE)
        call.db.create_function("fits_search", 1, lambda text: pattern.search(text) is not None)
        found = "fits_search({0})"
    where.add(
        f"({found.format('key')} OR {found.format('flags.name')} OR EXISTS (SELECT 1 FROM experiments AS e"
        f" WHERE e.flag_id = flags.id AND e.deleted = 0 AND {found.format('e.name')}))"
    )


def _add_key(call: Call, where: Where, value: str) -> None:
    where.add("key = :key COLLATE NOCASE", key=value.strip())


def _add_type(call: Call, where: Where, value: str) -> None:
    if value in _TYPES:
        where.add(_TYPES[value])


def _add_runtime(call: Call, where: Where, value: str) -> None:
    """`both` is what older documents call `all`."""
    where.add("evaluation_runtime = :runtime", runtime="all" if value == "both" else value)


def _add_excluded_keys(call: Call, where: Where, value: str) -> None:
    if (keys := _names(value)) is not None:
        where.add("key NOT IN (SELECT value FROM json_each(:excluded))", excluded=text_of(keys))


def _add_tags(call: Call, where: Where, value: str) -> None:
    if names := _names(value):
        where.add(f"EXISTS ({_TAGGED.format('wanted')})", wanted=text_of(names))


def _add_excluded_tags(call: Call, where: Where, value: str) -> None:
    if names := _names(value):
        where.add(f"NOT EXISTS ({_TAGGED.format('unwanted')})", unwanted=text_of(names))


_TAGGED = "SELECT 1 FROM json_each(flags.tags) AS t WHERE t.value IN (SELECT value FROM json_each(:{}))"


def _add_contexts(call: Call, where: Where, value: str) -> None:
    where.add(f"evaluation_contexts {'<>' if truth(value) else '='} '[]'")


def _add_eligible(call: Call, where: Where, value: str) -> None:
    if truth(value):
        where.add("variant_count BETWEEN 2 AND 20")


def _names(value: str) -> list[str] | None:
    """A JSON list of texts; None for anything else, which then does not filter."""
    try:
        return msgspec.json.decode(value, type=list[str])
    except msgspec.DecodeError:
        return None


RUNTIME_FILTER = "evaluation_runtime"
FILTERS: Mapping[str, Callable[[Call, Where, str], None]] = {
    "active": _add_active,
    "created_by_id": _add_creator,
    "search": _add_search,
    "key": _add_key,
    "type": _add_type,
    RUNTIME_FILTER: _add_runtime,
    "excluded_properties": _add_excluded_keys,
    "tags": _add_tags,
    "excluded_tags": _add_excluded_tags,
    "has_evaluation_contexts": _add_contexts,
    "has_evaluation_tags": _add_contexts,
    "eligible_for_experiment": _add_eligible,
}
PARAMETERS = ("limit", "offset", "archived", "order", *FILTERS)


def _order(call: Call) -> str:
    """Empty values come first when descending, as in the product's database."""
    order = call.query.get("order", "")
    name = order.removeprefix("-")
    column = _ORDERS.get(name)
    if column is None:
        if name and call.settings.strict:
            raise server_error()
        return "created_at DESC, id DESC"
    if order.startswith("-"):
        return f"{column} DESC NULLS FIRST, id DESC"
    return f"{column} ASC NULLS LAST, id"

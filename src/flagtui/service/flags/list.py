"""The list of flags: its parameters as SQL."""

import re
from collections.abc import Mapping

from flagtui.service.bodies import truth
from flagtui.service.call import Call
from flagtui.service.database import count_rows
from flagtui.service.errors import invalid, server_error
from flagtui.service.field_kinds import Use
from flagtui.service.flags.fields import FLAGS
from flagtui.service.flags.levels import load_levels
from flagtui.service.flags.representation import NEEDED, flag_texts
from flagtui.service.flags.status import stale_before
from flagtui.service.list_filters import (
    Filter,
    Where,
    among,
    choosing,
    comparing,
    containing,
    like,
    narrow,
    read_ids,
    read_names,
)
from flagtui.service.pagination import page, window
from flagtui.service.responses import Response

_ORDERS = {field.name: field.place for field in FLAGS.fields if Use.SORTED in field.uses}
"""Columns by their name in the parameter."""
_TYPES = {
    "boolean": "variant_count = 0",
    "multivariant": "variant_count > 0",
    "experiment": "EXISTS (SELECT 1 FROM experiments AS e WHERE e.flag_id = flags.id)",
    "remote_config": "is_remote_configuration = 1",
}
_TAGGED = f"SELECT 1 FROM json_each(flags.tags) AS t WHERE t.value IN {among('{0}')}"
_SHOWN = ", ".join(f"flags.{name}" for name in NEEDED)
_SPACES = r"[\s_-]*"
_JOINT = re.compile(f"{_SPACES}\0{_SPACES}")
"""Between two words of a search, with the spaces that the words themselves end or begin with."""


def list_flags(call: Call) -> Response:
    part = window(call)
    where = build_where(call, call.query)
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


def build_where(call: Call, query: Mapping[str, str]) -> Where:
    """Return which flags a list shows for these parameters.

    Unknown parameters and senseless values are ignored.
    """
    where = Where(["project_id = :project AND deleted = 0"], {"project": call.project.id})
    where.add("id NOT IN (SELECT internal_flag_id FROM surveys WHERE internal_flag_id IS NOT NULL)")
    load_levels(call.db, call.caller, call.project).narrow(where, "id")
    missing = call.generation.missing_parameters
    parameters = {name: text for name, text in {"archived": "", **query}.items() if name not in missing}
    narrow(call, where, FILTERS, parameters)
    return where


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


def _add_search(call: Call, where: Where, value: str) -> None:
    longest = call.generation.longest_search
    term = value.strip() if call.generation.search_joins_words else value
    if len(term) > longest:
        raise invalid(f"Search term cannot exceed {longest} characters")
    if not term:
        return
    match = containing("{0}", term)
    where.values["search"] = like(term)
    if " " in term and call.generation.search_joins_words:
        pattern = _pattern_of(term)
        call.db.create_function("fits_search", 1, lambda text: pattern.search(text) is not None)
        match = "fits_search({0})"
    where.add(
        f"({match.format('key')} OR {match.format('flags.name')} OR EXISTS (SELECT 1 FROM experiments AS e"
        f" WHERE e.flag_id = flags.id AND e.deleted = 0 AND {match.format('e.name')}))"
    )


def _pattern_of(term: str) -> re.Pattern[str]:
    # A separator of a word counts as one between words: two that follow each other would take ages.
    words = [word for word in _JOINT.sub("\0", "\0".join(term.split())).split("\0") if word]
    return re.compile(_SPACES.join(map(re.escape, words or term.split()[:1])), re.IGNORECASE)


def _has_contexts(name: str) -> Filter:
    return comparing(name, f"(evaluation_contexts <> '[]') = :{name}", truth)


RUNTIME_FILTER = "evaluation_runtime"
FILTERS: Mapping[str, Filter] = {
    "archived": comparing("archived", "archived = :archived", truth),
    "active": _add_active,
    "created_by_id": comparing("created_by_id", f"created_by_id IN {among('created_by_id')}", read_ids),
    "search": _add_search,
    # Otherwise SQLite reads all flags in the order of the list to find the one.
    "key": comparing("key", "unlikely(key = :key COLLATE NOCASE)"),
    "type": choosing(_TYPES),
    # `both` is what older documents call `all`.
    RUNTIME_FILTER: comparing(
        "runtime", "evaluation_runtime = :runtime", lambda text: "all" if text == "both" else text
    ),
    "excluded_properties": comparing("excluded", f"key NOT IN {among('excluded')}", read_names),
    "tags": comparing("tags", f"EXISTS ({_TAGGED.format('tags')})", read_names),
    "excluded_tags": comparing("unwanted", f"NOT EXISTS ({_TAGGED.format('unwanted')})", read_names),
    "has_evaluation_contexts": _has_contexts("has_evaluation_contexts"),
    "has_evaluation_tags": _has_contexts("has_evaluation_tags"),
    "eligible_for_experiment": comparing(
        "eligible", "(variant_count BETWEEN 2 AND 20 OR NOT :eligible)", truth
    ),
}
PARAMETERS = ("limit", "offset", "archived", "order", *[*FILTERS][1:])


def _order(call: Call) -> str:
    """Return the order; empty values come first when descending, as in the product's database."""
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

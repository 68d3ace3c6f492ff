"""The query of a list as SQL: each parameter that filters has a condition in a table."""

from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from flagtui.service.bodies import NOT_JSON, read_id
from flagtui.service.call import Call
from flagtui.service.errors import Json
from flagtui.service.responses import text_of


class Where(msgspec.Struct):
    """Conditions joined by AND, and the values of their named places."""

    conditions: list[str]
    values: dict[str, Json] = {}

    def add(self, condition: str, **values: Json) -> None:
        self.conditions.append(condition)
        self.values.update(values)

    def __str__(self) -> str:
        return " AND ".join(self.conditions)


Filter = Callable[[Call, Where, str], None]
"""Adds what one parameter asks for, which is given as text."""


def among(name: str) -> str:
    """Return the values of a place that holds a JSON list, as IN takes them."""
    return f"(SELECT value FROM json_each(:{name}))"


def comparing(name: str, condition: str, read: Callable[[str], Json] = str.strip) -> Filter:
    """Return a condition on `:name`, which is what `read` makes of the text; None does not filter."""

    def add(_: Call, where: Where, text: str) -> None:
        if (value := read(text)) is not None:
            where.add(condition, **{name: value})

    return add


def choosing(conditions: Mapping[str, str]) -> Filter:
    """Return a condition for each word; other words do not filter."""

    def add(_: Call, where: Where, text: str) -> None:
        if condition := conditions.get(text):
            where.add(condition)

    return add


def narrow(call: Call, where: Where, filters: Mapping[str, Filter], query: Mapping[str, str]) -> None:
    """Add the filters whose parameters were sent."""
    for name, add in filters.items():
        if (text := query.get(name)) is not None:
            add(call, where, text)


def read_ids(text: str) -> str | None:
    """Return JSON of ids that were sent as `7`, `1,2` or `[1,2]`; None without a valid id."""
    parts = [part.strip() for part in text.strip().removeprefix("[").removesuffix("]").split(",")]
    numbers = [read_id(part) for part in parts]
    return None if None in numbers else text_of(numbers)


def read_names(text: str) -> str | None:
    """Return JSON of the texts in a JSON list; None for an empty list, and for anything else."""
    try:
        names = msgspec.json.decode(text, type=list[object])
    except NOT_JSON:
        return None
    return text_of([name for name in names if isinstance(name, str)]) if names else None


_LONGEST_SEARCH: Final = 10_000
"""Characters. SQLite refuses patterns of more than 50,000 bytes; nothing that is searched is as long."""


def like(search: str) -> str:
    """Return the pattern of `containing` for this text."""
    escaped = search[:_LONGEST_SEARCH].replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped.lower()}%"


def containing(column: str, search: str, pattern: str = ":search") -> str:
    """Return the condition that a column contains a text, whatever the case of its letters.

    `pattern` is the place of `like(search)`.
    """
    # LIKE ignores the case of ASCII alone, and calling Python's `lower` for each row takes ten times as long.
    searched = column if search.isascii() else f"lower({column})"
    return f"{searched} LIKE {pattern} ESCAPE '\\'"


def searching(*columns: str) -> Filter:
    """Return a filter for records of which one of the columns contains the text."""

    def add(_: Call, where: Where, text: str) -> None:
        if term := text.strip():
            matches = " OR ".join(containing(column, term) for column in columns)
            where.add(f"({matches})", search=like(term))

    return add

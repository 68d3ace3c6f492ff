"""Lists of records for commands: read whole, searched with a query, put in order."""

from collections.abc import AsyncIterable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from flagtui.cli.project_session import ProjectSession
from flagtui.models.rows import RowPage


@dataclass(frozen=True)
class RowSource:
    """One kind of record. What searches it is loaded by the first query, since a name needs none of it."""

    noun: Literal["flag", "experiment", "event"]
    pages: Callable[[ProjectSession, Mapping[str, Any]], AsyncIterable[RowPage[Any]]]
    names: Callable[[Any], tuple[str, ...]]
    """What a row may be called by, besides its id."""
    has_archive: bool = True

    def is_query(self, word: str) -> bool:
        """Whether a word of the command line is a query."""
        if ":" not in word:
            return False
        from flagtui.cli.row_search import has_qualifier

        return has_qualifier(self.noun, word)

    async def rows(self, session: ProjectSession, line: str, sort: str = "") -> list[Any]:
        """The rows a query finds, in the order. Raises Trouble for half a query, ApiError."""
        from flagtui.cli.row_search import find_rows

        return await find_rows(
            self.noun, line, sort, session, lambda archived: self.every(session, has_archived=archived)
        )

    async def every(self, session: ProjectSession, *, has_archived: bool = False) -> list[Any]:
        """Every row the server lists. Raises ApiError."""
        found: list[Any] = []
        for filters in ({}, {"archived": "true"}) if has_archived and self.has_archive else ({},):
            async for page in self.pages(session, filters):
                found += page.rows
        return found


FLAGS: Final = RowSource(
    "flag", lambda session, filters: session.client.flags.pages(filters), lambda row: (row.key,)
)
EXPERIMENTS: Final = RowSource(
    "experiment",
    lambda session, filters: session.client.experiments.pages(filters),
    lambda row: (row.name, row.key),
)
EVENTS: Final = RowSource(
    "event",
    lambda session, filters: session.client.event_definitions.pages(filters),
    lambda row: (row.name,),
    has_archive=False,
)


def names_of(source: RowSource, rows: Sequence[Any]) -> list[str]:
    """Every name that a row of these may be called by."""
    return [name for row in rows for name in source.names(row) if name]

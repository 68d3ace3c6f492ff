"""Lists of records for commands: read whole, searched with a query, put in order."""

from collections.abc import AsyncIterable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.selection import not_found
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
        return bool(_search().has_qualifier(self.noun, word))

    async def rows(self, session: ProjectSession, line: str, sort: str = "") -> list[Any]:
        """The rows a query finds, in the order. Raises Trouble for half a query, ApiError."""
        found: list[Any] = await _search().find_rows(
            self.noun, line, sort, session, lambda archived: self.every(session, has_archived=archived)
        )
        return found

    async def every(self, session: ProjectSession, *, has_archived: bool = False) -> list[Any]:
        """Every row the server lists. Raises ApiError."""
        found: list[Any] = []
        for filters in ({}, {"archived": "true"}) if has_archived and self.has_archive else ({},):
            async for page in self.pages(session, filters):
                found += page.rows
        return found

    async def unknown(
        self, session: ProjectSession, words: Sequence[str], rows: Sequence[Any] | None = None
    ) -> Trouble:
        """That no record is called so, with names near it. Raises Trouble for half a query, ApiError."""
        _search().require_no_query(self.noun, words)
        known = await self.every(session) if rows is None else rows
        names = [name for row in known for name in self.names(row) if name]
        return not_found(self.noun, words, names, f"flagtui {self.noun}s list")


def _search() -> Any:
    from flagtui.cli.plumbing import row_search

    return row_search


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
SOURCES: Final[Mapping[str, RowSource]] = {"flags": FLAGS, "experiments": EXPERIMENTS, "events": EVENTS}
"""By what the arguments that name such records are called."""

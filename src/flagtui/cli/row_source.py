"""Lists of records for commands: read whole, searched with a query, put in order."""

from collections.abc import AsyncIterable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from flagtui.cli.errors import Trouble
from flagtui.cli.selection import is_query_in, read_query

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.cli.project_session import ProjectSession
    from flagtui.models.rows import RowPage
    from flagtui.store.sort_orders import Listing, Sort

Row = TypeVar("Row")


@dataclass(frozen=True)
class RowSource(Generic[Row]):
    """One kind of record."""

    noun: Literal["flag", "experiment", "event"]
    pages: "Callable[[Client, Mapping[str, Any]], AsyncIterable[RowPage[Row]]]"
    names: Callable[[Any], tuple[str, ...]]
    """What a row may be called by, besides its id."""
    has_archive: bool = True

    @property
    def listing(self) -> "Listing[Any]":
        """How it is searched and ordered; loaded by the first query, since a name needs none of it."""
        from flagtui.store.event_listing import EVENT_LISTING
        from flagtui.store.experiment_listing import EXPERIMENT_LISTING
        from flagtui.store.flag_listing import FLAG_LISTING

        listings: dict[str, Listing[Any]] = {
            "flag": FLAG_LISTING,
            "experiment": EXPERIMENT_LISTING,
            "event": EVENT_LISTING,
        }
        return listings[self.noun]

    def is_query(self, word: str) -> bool:
        """Whether a word of the command line is a query."""
        return ":" in word and is_query_in(self.listing.vocabulary, word)

    async def rows(self, session: "ProjectSession", line: str, sort: str = "") -> list[Row]:
        """The rows a query finds, in the order. Raises Trouble for half a query, ApiError."""
        from flagtui.store.finder import Finder
        from flagtui.store.query.language import row_test
        from flagtui.store.query.vocabulary import Facts

        query = read_query(line, self.listing.vocabulary)
        me = await session.me() if any(term.name in ("by", "owner") for term in query.terms) else None
        for term in query.terms:
            if term.name and row_test(term, Facts(session.now, me)) is None:
                fix = "Name the person, or use a key that may read its owner."
                raise Trouble(f"{term.name}:me cannot be known with this key.", fix, code="refused")
        every = await self.every(session, has_archived="archived" in query.shows)
        finder: Finder[Row] = Finder(every, listing=self.listing, sort=self._sort(sort))
        finder.know_person(me)
        return [every[place] for place in finder.find(line)]

    async def every(self, session: "ProjectSession", *, has_archived: bool = False) -> list[Row]:
        """Every row the server lists. Raises ApiError."""
        found: list[Row] = []
        for filters in ({}, {"archived": "true"}) if has_archived and self.has_archive else ({},):
            async for page in self.pages(session.client, filters):
                found += page.rows
        return found

    def _sort(self, name: str) -> "Sort":
        from flagtui.store.sort_orders import Sort

        orders = tuple(self.listing.orders)
        word = name.removeprefix("-")
        if word and word not in orders:
            raise Trouble(f"there is no order {word}.", f"Orders: {', '.join(orders)}.", code="usage")
        return Sort(word or orders[0], name.startswith("-"))


FLAGS: RowSource[Any] = RowSource(
    "flag", lambda client, filters: client.flags.pages(filters), lambda row: (row.key,)
)
EXPERIMENTS: RowSource[Any] = RowSource(
    "experiment",
    lambda client, filters: client.experiments.pages(filters),
    lambda row: (row.name, row.key),
)
EVENTS: RowSource[Any] = RowSource(
    "event",
    lambda client, filters: client.event_definitions.pages(filters),
    lambda row: (row.name,),
    has_archive=False,
)


def names_of(source: RowSource[Any], rows: Sequence[Any]) -> list[str]:
    """Every name that a row of these may be called by."""
    return [name for row in rows for name in source.names(row) if name]

"""Queries of the command line: whether a word is one, and the rows that one finds."""

import difflib
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final, Literal, TypeVar

from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.safe_text import safe_text
from flagtui.store.event_listing import EVENT_LISTING
from flagtui.store.experiment_listing import EXPERIMENT_LISTING
from flagtui.store.finder import Finder
from flagtui.store.flag_listing import FLAG_LISTING
from flagtui.store.query.language import read_line, row_test
from flagtui.store.query.vocabulary import Facts
from flagtui.store.sort_orders import Listing, Sort

Noun = Literal["flag", "experiment", "event"]
Row = TypeVar("Row")
LISTINGS: Final[dict[Noun, Listing[Any]]] = {
    "flag": FLAG_LISTING,
    "experiment": EXPERIMENT_LISTING,
    "event": EVENT_LISTING,
}


def read_query(line: str, vocabulary: Any) -> Any:
    """The query in a line. Raises Trouble for a part that means nothing: half a query chooses no record."""
    query = read_line(line, vocabulary)
    if query.problems:
        problem = query.problems[0]
        part = safe_text(line[problem.start : problem.end], 80)
        what = f"the query '{part}' is not understood: {problem.reason}."
        raise Trouble(what, "Nothing was done.", code="usage")
    return query


def has_qualifier(noun: Noun, word: str) -> bool:
    """Whether a word is a query: it has a qualifier such as `tag:web`."""
    return any(term.name for term in read_line(word, LISTINGS[noun].vocabulary).terms)


def require_no_query(noun: Noun, words: Iterable[str]) -> None:
    """Make sure that names no record has were not meant as queries.

    A name may have a colon in it, so that half a query is known by no record being called so. Raises Trouble.
    """
    vocabulary = LISTINGS[noun].vocabulary
    for word in words:
        meant = word.removeprefix("-").partition(":")[0].lower()
        if ":" in word and difflib.get_close_matches(meant, vocabulary.qualifiers, 1):
            read_query(word, vocabulary)


async def find_rows(
    noun: Noun, line: str, sort: str, session: ProjectSession, every: Callable[[bool], Awaitable[list[Row]]]
) -> list[Row]:
    """The rows a query finds, in the order; `every` lists them, on request with archived ones.

    Raises Trouble for half a query, ApiError.
    """
    listing = LISTINGS[noun]
    query = read_query(line, listing.vocabulary)
    me = await session.me() if any(term.name in ("by", "owner") for term in query.terms) else None
    for term in query.terms:
        if term.name and row_test(term, Facts(session.now, me)) is None:
            fix = "Name the person, or use a key that may read its owner."
            raise Trouble(f"{term.name}:me cannot be known with this key.", fix, code="refused")
    rows = await every("archived" in query.shows)
    finder: Finder[Row] = Finder(rows, listing=listing, sort=_sort(listing, sort))
    finder.know_person(me)
    return [rows[place] for place in finder.find(line)]


def _sort(listing: Listing[Any], name: str) -> Sort:
    orders = tuple(listing.orders)
    word = name.removeprefix("-")
    if word and word not in orders:
        raise Trouble(f"there is no order {word}.", f"Orders: {', '.join(orders)}.", code="usage")
    return Sort(word or orders[0], name.startswith("-"))

"""Resolve the words of a command to records: names, ids, lines of standard input, or a query.

The first query imports the search, since a name does not need it.
"""

import difflib
import re
import sys
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from flagtui.cli.plumbing.errors import Trouble, unknown_owner
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.plumbing.output.lines import Steps, progress, warn
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.safe_text import safe_text
from flagtui.store import kinds
from flagtui.store.kinds import RecordKind
from flagtui.text.formats import count

if TYPE_CHECKING:
    from flagtui.cli.plumbing.profile_choice import Opening

AT_ONCE: Final = 8
"""Records that are read at the same time."""
MANY: Final = 20
"""Records from which a look at the size of the list decides whether they are read from it."""
LONGEST_NAME: Final = 2_000
"""Characters of a name or an address; half a JSON document, which no request could hold, is longer."""
OPERATORS: Final = frozenset(("OR", "AND", "NOT"))
OPERATORS_FIX: Final = (
    "Every word must match; write tag:a,b for either tag, -tag:a for NOT; quote a word to search for it."
)
Word = TypeVar("Word")
MatchT = TypeVar("MatchT")


class RowSource(msgspec.Struct, frozen=True):
    """One kind of record: read whole, searched with a query, put in order."""

    kind: RecordKind

    def names(self, row: Any) -> tuple[str, ...]:
        """Return the names of a row, apart from its id."""
        return tuple(getattr(row, name) for name in self.kind.names)

    def is_query(self, word: str) -> bool:
        """Return whether a word of the command line is a query: it has a qualifier such as `tag:web`."""
        if ":" not in word:
            return False
        from flagtui.store.query.language import read_line

        return any(term.name for term in read_line(word, self.kind.listing.vocabulary).terms)

    async def rows(
        self, session: ProjectSession, line: str, sort: str = "", limit: int | None = None
    ) -> list[Any]:
        """Return the rows a query finds, in the order. Raises Trouble for half a query, ApiError."""
        query, facts = await self.read_checked(session, line, sort)
        has_archived = "archived" in query.shows
        matches = None
        if limit is not None and not has_archived:
            from flagtui.cli.plumbing.first_rows import first_rows

            search = partial(self.search, line=line, facts=facts)
            matches = await first_rows(self.kind, session, search, sort, limit)
        if matches is None:
            rows = await self.every(session, has_archived=has_archived)
            matches = self.search(rows, line, sort, facts)[:limit]
        if not matches and "deleted" in query.shows:
            see = f"; see: {next_command('activity', 'is:deleted')}" if self.kind is kinds.FLAGS else ""
            warn(f"deleted {self.kind.words} are in no list{see}")
        return matches

    async def read_checked(self, session: ProjectSession, line: str, sort: str = "") -> tuple[Any, Any]:
        """Return the query, and the facts that it needs. Raises Trouble as `check` does."""
        query = read_query(line, self.kind.listing.vocabulary)
        me = await session.me() if query.names_me else None
        due = None
        if sort.removeprefix("-") == "due" or any(term.name == "due" for term in query.terms):
            from flagtui.store.schedule import next_due, pending_changes

            due = next_due(await pending_changes(session.client))
        return query, self.check(query, session.opening, session.now, sort, me, due)

    def check(
        self,
        query: Any,
        opening: "Opening",
        now: float,
        sort: str = "",
        me: Any = None,
        due: Mapping[int, float] | None = None,
    ) -> Any:
        """Return the facts that the query and the order need.

        Raises Trouble for `by:me` if the user is not known, for a qualifier or an order about code without
        a scan of it, or about the schedule if it was not read, and for an unknown order.
        """
        from flagtui.cli.plumbing.offline_copies import code_folder, code_index, current_folder
        from flagtui.store.query.language import row_test
        from flagtui.store.query.vocabulary import Facts, Outside

        orders, order = self.kind.listing.orders, sort.removeprefix("-")
        if order and order not in orders:
            raise Trouble(f"there is no order {order}.", f"Orders: {', '.join(orders)}.", code="usage")
        lacking = [f"{term.name}:" for term in query.terms if term.reading and term.reading.lack]
        of_code = [name for name in lacking if name != "due:"]
        of_code += [f"the order {order}"] if order and orders[order].needs == "code" else []
        index = code_index(opening) if of_code or (order and orders[order].outside) else None
        facts = Facts(now, me, Outside(index, due))
        if "due:" in lacking and due is None:
            raise Trouble("due: needs the server's schedule.", "Leave it out.", code="usage")
        if of_code and index is None:
            place = () if (folder := code_folder(opening)) == current_folder() else ("--in", str(folder))
            what = f"{of_code[0]} needs a scan of code, and there is none of {folder}."
            raise Trouble(what, f"Scan it: {next_command('refs', *place)}", code="not_found")
        for term in query.terms:
            if term.name and row_test(term, facts) is None:
                raise unknown_owner(term.name)
        return facts

    def search(self, rows: Sequence[Any], line: str, sort: str = "", facts: Any = None) -> list[Any]:
        """Return the rows that a checked query finds, in the order."""
        from flagtui.store.finder import Finder
        from flagtui.store.sort_orders import Sort

        order = sort.removeprefix("-") or next(iter(self.kind.listing.orders))
        finder: Finder[Any] = Finder(rows, listing=self.kind.listing, sort=Sort(order, sort.startswith("-")))
        if facts is not None:
            finder.set_user(facts.me)
            finder.set_outside(facts.outside)
        return [rows[place] for place in finder.find(line)]

    async def every(
        self, session: ProjectSession, *, has_archived: bool = False, resource: Any = None
    ) -> list[Any]:
        """Return every row the server lists, each once, and save them for completion.

        `resource` lists the same records as other rows, which are not saved. Raises ApiError.
        """
        pages = (resource or getattr(session.client, self.kind.operations)).pages
        rows = await every_row(pages, has_archived=has_archived and self.kind.has_archive)
        if resource is None:
            session.keep_rows(self.kind, rows)
        return rows

    async def require(
        self, session: ProjectSession, words: Sequence[str], records: Sequence[MatchT | None]
    ) -> list[MatchT]:
        """Return the records of these words. Raises Trouble when one is missing, ApiError."""
        missing = [word for word, record in zip(words, records, strict=True) if record is None]
        if missing:
            raise await self.unknown(session, missing)
        return [record for record in records if record is not None]

    async def unknown(
        self, session: ProjectSession, words: Sequence[str], rows: Sequence[Any] | None = None
    ) -> Trouble:
        """Return that no record has this name, with similar names. Raises Trouble for a bad query, ApiError.

        The names are those of the cached list, and of the whole list if none there is similar.
        A name may have a colon in it, so that half a query is known by no record being called so.
        """
        from flagtui.cli.plumbing.near_names import not_found, similar_names

        vocabulary = self.kind.listing.vocabulary
        for word in words:
            meant = word.removeprefix("-").partition(":")[0].lower()
            if ":" in word and difflib.get_close_matches(meant, vocabulary.qualifiers, 1):
                read_query(word, vocabulary)
        names = self._all_names(session.cached_rows(self.kind) if rows is None else rows)
        if rows is None and not similar_names(words, names):
            names = self._all_names(await self.every(session))
        return not_found(self.kind.name, words, names, f"{self.kind.plural} list")

    def _all_names(self, rows: Iterable[Any]) -> list[str]:
        return [name for row in rows for name in self.names(row) if name]


async def every_row(pages: Callable[[Any], AsyncIterable[Any]], *, has_archived: bool = False) -> list[Any]:
    """Return the rows of all pages, each once, and report unreadable ones. Raises ApiError."""
    by_id, unreadable = dict[Any, Any](), 0
    for filters in ({}, {"archived": "true"}) if has_archived else ({},):
        skipped = 0
        async for page in pages(filters):
            # Servers without an archive list every flag both times.
            by_id.update((row.id, row) for row in page.rows)
            skipped += len(page.unreadable)
        unreadable = max(unreadable, skipped)
    if unreadable:
        progress(f"{count(unreadable, 'record')} of the list cannot be read; skipped")
    return [*by_id.values()]


SOURCES: Final[Mapping[str, RowSource]] = {plural: RowSource(kind) for plural, kind in kinds.KINDS.items()}
"""By the names of the arguments that name records."""
FLAGS: Final = SOURCES[kinds.FLAGS.plural]
EXPERIMENTS: Final = SOURCES[kinds.EXPERIMENTS.plural]
EVENTS: Final = SOURCES[kinds.EVENTS.plural]


def read_query(line: str, vocabulary: Any) -> Any:
    """Return the query in a line. Raises Trouble for a part without a meaning, such as OR."""
    from flagtui.store.query.language import read_line, split

    query = read_line(line, vocabulary)
    for piece in split(line):
        is_operator = piece.value in OPERATORS or piece.value[:1] == "(" or piece.value[-1:] == ")"
        if piece.name is None and not piece.mark and is_operator:
            what = f"a query has no operators and no parentheses: {safe_text(piece.value, 80)!r}."
            raise Trouble(what, OPERATORS_FIX, code="usage")
    if query.problems:
        problem = query.problems[0]
        part = safe_text(line[problem.start : problem.end], 80)
        what = f"the query '{part}' is not understood: {problem.reason}."
        raise Trouble(what, "Nothing was done.", code="usage")
    return query


class RecordSelection(msgspec.Struct, frozen=True):
    """Names and ids to be looked up, and queries to be searched with, in the order they came."""

    names: tuple[str, ...]
    queries: tuple[str, ...] = ()


def read_words(words: Sequence[str], is_query: Callable[[str], bool], noun: str = "") -> RecordSelection:
    """Sort words into names and queries; `-` means the names on standard input, which has no queries.

    `words` has at least one. Raises Trouble when nothing is piped in, or standard input is a terminal.
    """
    names: list[str] = []
    queries: list[str] = []
    for word in words:
        if word == "-":
            if sys.stdin.isatty():
                why = "- reads standard input, which is a terminal."
                raise Trouble(why, "Pipe the keys in.", code="usage")
            from flagtui.cli.plumbing.piped_names import MOST_TEXT, names_in

            names += names_in(sys.stdin.read(MOST_TEXT + 1).removeprefix("\ufeff"), noun)
        elif not word.strip():
            raise Trouble("an empty name means nothing.", "Name a key, an id or a query.", code="usage")
        else:
            (queries if is_query(word) else names).append(word.strip())
    if not names and not queries:
        raise Trouble("nothing was piped in; nothing was done.", code="nothing_to_do")
    if (longest := max(names, key=len, default="")) and len(longest) > LONGEST_NAME:
        what = f"a name of {len(longest):,} characters names no record: {safe_text(longest, 40)}."
        raise Trouble(what, "Nothing was done.", code="not_found")
    return RecordSelection(tuple(dict.fromkeys(names)), tuple(dict.fromkeys(queries)))


def read_address(session: ProjectSession, word: str, kind: RecordKind) -> int | None:
    """Return the id in the address of a record's page; None for other words.

    Raises Trouble for a page of another host, project or kind.
    """
    if not word.startswith(("http://", "https://")):
        return None
    own = f"{session.client.host}/project/{session.client.project}/{kind.page}/"
    if word.startswith(own) and (id := number_in(re.split("[/?#]", word.removeprefix(own))[0])) is not None:
        return id
    what = f"{safe_text(word, 120)!r} is not the page of a {kind.name} at {safe_text(own, 200)}"
    raise Trouble(f"{what}.", "Nothing was done.", code="usage")


def number_in(word: str) -> int | None:
    """Return the number that a word is, also as screens show it: `842` or `#842`; None for a name."""
    digits = word.removeprefix("#")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 19 else None


def only_one(matches: Sequence[MatchT], noun: str) -> MatchT:
    """Return the only record of a command that needs one. Raises Trouble for none, or for several."""
    if not matches:
        raise Trouble("nothing was found; nothing was done.", code="nothing_to_do")
    if len(matches) > 1:
        raise Trouble(f"{len(matches):,} {noun}s are meant.", f"Name one {noun} at a time.", code="usage")
    return matches[0]


async def several(words: Sequence[Word], find: Callable[[Word], Awaitable[MatchT]]) -> list[MatchT]:
    """Return the results for each word, a few at a time, in their order. Raises ApiError."""
    # A run without requests needs no event loop.
    import asyncio

    turn, steps = asyncio.Semaphore(AT_ONCE), Steps(len(words), "read")

    async def one(word: Word) -> MatchT:
        async with turn:
            record = await find(word)
        steps.take()
        return record

    return list(await asyncio.gather(*map(one, words)))

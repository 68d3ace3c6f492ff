"""Which records the words of a command mean: names, ids, lines of standard input, or a query."""

import asyncio
import difflib
import re
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from flagtui.cli.plumbing.errors import Trouble, require_text
from flagtui.cli.plumbing.output.lines import Steps
from flagtui.safe_text import safe_text

NEAR: Final = 3
"""Near misses that are named."""
LONGEST: Final = 100_000
"""Lines of standard input that are read."""
AT_ONCE: Final = 8
"""Records that are read at the same time."""
Word = TypeVar("Word")
Found = TypeVar("Found")


@dataclass(frozen=True)
class Wanted:
    """Names and ids to be looked up, and queries to be searched with, in the order they came."""

    names: tuple[str, ...]
    queries: tuple[str, ...] = ()


def read_words(words: Sequence[str], is_query: Callable[[str], bool]) -> Wanted:
    """The words sorted out; `-` stands for the lines of standard input.

    Raises Trouble when nothing is named or piped in, or standard input is a terminal.
    """
    names: list[str] = []
    queries: list[str] = []
    for word in _with_input(words):
        if not word.strip():
            raise Trouble("an empty name means nothing.", "Name a key, an id or a query.", code="usage")
        (queries if is_query(word) else names).append(word.strip())
    if not names and not queries:
        if "-" in words:
            raise Trouble("nothing was piped in; nothing was done.", code="nothing_to_do")
        raise Trouble("nothing is named.", "Name keys, ids or a query, or - to read them.", code="usage")
    return Wanted(tuple(dict.fromkeys(names)), tuple(dict.fromkeys(queries)))


def _with_input(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        if word != "-":
            yield word
            continue
        if sys.stdin.isatty():
            raise Trouble("- reads standard input, which is a terminal.", "Pipe the keys in.", code="usage")
        for count, line in enumerate(sys.stdin):
            if count >= LONGEST:
                raise Trouble(f"more than {LONGEST:,} lines were piped in.", "Send fewer.", code="usage")
            # What `list` prints in a pipe has the name in its first column.
            if name := line.rstrip("\r\n").partition("\t")[0].strip():
                yield require_text(name)


def only_one(found: Sequence[Found], noun: str) -> Found:
    """What a command that takes one record was given. Raises Trouble when a query finds none, or several."""
    if not found:
        raise Trouble("nothing was found; nothing was done.", code="nothing_to_do")
    if len(found) > 1:
        raise Trouble(f"{len(found)} {noun}s are meant.", f"Name one {noun} at a time.", code="usage")
    return found[0]


def not_found(noun: str, missing: Sequence[str], known: Iterable[str], where: str) -> Trouble:
    """The trouble that names what is missing, with names near it, else `where`: what shows all."""
    names = list(known)
    by_fold = {name.casefold(): name for name in names}
    near: list[str] = []
    for word in missing:
        folded = re.sub(r"[\s_]+", "-", word.casefold())
        found = difflib.get_close_matches(folded, by_fold, NEAR, 0.6)
        alike = [name for name in names if word.casefold() in name.casefold()]
        near += [by_fold[one] for one in found] or alike[:NEAR]
    said = ", ".join(safe_text(word, 80) for word in missing[:5])
    more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
    likely = ", ".join(safe_text(name, 80) for name in dict.fromkeys(near))
    fix = f"Did you mean {likely}? Nothing was done." if likely else f"Nothing was done. See: {where}"
    whole = by_fold.get(" ".join(missing).casefold())
    if whole is not None and len(missing) > 1:
        fix = f"Did you mean {safe_text(whole, 80)!r}, in quotes? Nothing was done."
    return Trouble(f"there is no {noun} {said}{more}.", fix, code="not_found")


async def several(words: Sequence[Word], find: Callable[[Word], Awaitable[Found]]) -> list[Found]:
    """What is found for each, a few at a time, in their order. Raises ApiError."""
    turn, steps = asyncio.Semaphore(AT_ONCE), Steps(len(words), "read")

    async def one(word: Word) -> Found:
        async with turn:
            found = await find(word)
        steps.take()
        return found

    return list(await asyncio.gather(*map(one, words)))

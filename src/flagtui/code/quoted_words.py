"""Find the files that can name a key: one pass over quoted words, whatever the number of keys."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from mmap import mmap
from operator import itemgetter
from typing import Final

import msgspec

from flagtui.code.byte_search import SearchBuffer

_BETWEEN_QUOTES: Final = re.compile(r"""["'`]([^"'`\n\\]{1,400})(?=["'`])""")
"""A word between quotes of any kind; keys have at most 400 characters. The second quote may begin another
word: after an apostrophe, quotes that close look like quotes that open."""
_QUOTES: Final = (b'"', b"'", b"`")
_ENDS: Final = b"\"'`\n\\"
"""Bytes that no quoted word has; a key with one of them is never read as it is."""
_CALLS: Final = (b"eature", b"apture", b"valuateFlags", b"valuate_flags")
"""Parts of every call that names a flag or an event, or reads all flags; or of the import that it needs."""
_IN_CALLS: Final = (b"ture", b"lags")
"""Parts of these, each of several: nearly all files lack both."""
Test = Callable[[SearchBuffer, int, int], bool]
"""Whether a part of a buffer has one sort of hit."""
_FindWords = Callable[[bytearray | mmap, int, int], list[bytes]]


class WordFilter(msgspec.Struct, frozen=True):
    """Recognises files that have a key in quotes, or that can call a library of the product."""

    tests: tuple[Test, ...]

    @classmethod
    def of(cls, keys: Iterable[str], wrappers: Iterable[str]) -> "WordFilter":
        """Return the filter for keys and names of functions."""
        # Ten thousand keys at once. One with a line end is never read as it is; its lines do no harm.
        words = "\n".join(keys).encode(errors="surrogateescape").split(b"\n")
        encoded = frozenset(filter(None, words))
        # A wrapper makes a file worth parsing whatever keys it has.
        names = tuple(re.split(r"[.:]", name)[-1].encode() for name in wrappers)
        has_wrapper = (_has_any(names, names),) if names else ()
        return cls((_has_any(_IN_CALLS, _CALLS), *has_wrapper, *_has_keys(encoded)))

    def hits(self, data: SearchBuffer, start: int, end: int) -> list[Test]:
        """Return the tests that this part of the data, of one file or several, passes.

        It is worth a closer look where there is one. A file of several passes no other test.
        """
        return [test for test in self.tests if test(data, start, end)]


def _has_any(first: tuple[bytes, ...], parts: tuple[bytes, ...]) -> Test:
    """Return the test for any of the parts, each of which contains one of the first."""

    def test(data: SearchBuffer, start: int, end: int) -> bool:
        return any(data.contains(part, start, end) for part in first) and any(
            data.contains(part, start, end) for part in parts
        )

    return test


def _has_keys(keys: frozenset[bytes]) -> Iterator[Test]:
    """Yield the test for a key after each quote."""
    characters = _class_of(b"".join(keys))
    # Fewer than all characters: most words end with their first one.
    initials = _class_of(bytes({*map(itemgetter(0), keys)}))
    if not initials:
        return
    lengths = {*map(len, keys)}
    word = b"([%b][%b]{%d,%d})(?=[\"'`])" % (initials, characters, min(lengths) - 1, max(lengths) - 1)
    # A pattern that begins with one quote is several times as fast as one that begins with any of the three.
    for quote in _QUOTES:
        yield partial(_has_key, quote, re.compile(quote + word).findall, keys)


def _has_key(
    quote: bytes, find_words: _FindWords, keys: frozenset[bytes], data: SearchBuffer, start: int, end: int
) -> bool:
    # The words up to any quote that have the characters and lengths of keys.
    return data.contains(quote, start, end) and not keys.isdisjoint(find_words(data.bytes, start, end))


def _class_of(characters: bytes) -> bytes:
    """Return the characters that a quoted word can have, as in the brackets of a pattern."""
    others = bytes(range(256)).translate(None, characters) + _ENDS
    return re.escape(bytes(range(256)).translate(None, others))


def quoted_keys(text: str, keys: Collection[str]) -> Iterator[tuple[int, str]]:
    """Yield each key between two quotes of a kind, with the position of its first character."""
    # A list of all words takes less time than a look at each.
    for key in dict.fromkeys(_BETWEEN_QUOTES.findall(text)):
        if key in keys:
            for quote in "\"'`":
                word, place = f"{quote}{key}{quote}", -1
                while (place := text.find(word, place + 1)) >= 0:
                    yield place + 1, key

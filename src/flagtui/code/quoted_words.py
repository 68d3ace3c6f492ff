"""Find the files that can name a key: one pass over quoted words, whatever the number of keys."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from operator import itemgetter
from typing import Final

import msgspec

from flagtui.code.byte_search import Buffer, contains

_BETWEEN_QUOTES: Final = re.compile(r"""["'`]([^"'`\n\\]{1,400})(?=["'`])""")
"""A word between quotes of any kind; keys have at most 400 characters. The second quote may begin another
word: after an apostrophe, quotes that close look like quotes that open."""
_QUOTES: Final = (b'"', b"'", b"`")
_ENDS: Final = b"\"'`\n\\"
"""Bytes that no quoted word has; a key with one of them is never read as it is."""
_CALLS: Final = (b"eature", b"apture")
"""Parts of every call that names a flag or an event, or of the import that such a call needs."""
_IN_CALLS: Final = b"ture"
"""What all of these have in common."""
_EVALUATIONS: Final = (b"valuateFlags", b"valuate_flags")
"""Parts of the calls that read every flag of a user at once."""
_IN_EVALUATIONS: Final = b"valuate"
_Words = Callable[[Buffer, int, int], list[bytes]]


class WordFilter(msgspec.Struct, frozen=True):
    """Recognises files that have a key in quotes, or that can call a library of the product."""

    keys: frozenset[bytes]
    words: tuple[tuple[bytes, _Words], ...]
    """By quote: return the words after it, up to any quote, that have the characters and lengths of keys."""
    parts: tuple[bytes, ...]
    """Names of wrappers, which make a file worth parsing whatever keys it has."""

    @classmethod
    def of(cls, keys: Iterable[str], wrappers: Iterable[str]) -> "WordFilter":
        """Return the filter for keys and names of functions."""
        # Ten thousand keys at once. One with a line end is never read as it is; its lines do no harm.
        words = "\n".join(keys).encode(errors="surrogateescape").split(b"\n")
        encoded = frozenset(filter(None, words))
        names = (re.split(r"[.:]", name)[-1].encode() for name in wrappers)
        return cls(encoded, _words_like(encoded), tuple(names))

    def has_hit(self, data: Buffer, start: int, end: int) -> bool:
        """Return whether this part of the data, of one file or several, is worth a closer look."""
        # Nearly all files lack what every call has; one look is faster than one for each part.
        if contains(data, _IN_CALLS, start, end) and any(contains(data, call, start, end) for call in _CALLS):
            return True
        if contains(data, _IN_EVALUATIONS, start, end) and any(
            contains(data, call, start, end) for call in _EVALUATIONS
        ):
            return True
        if any(contains(data, part, start, end) for part in self.parts):
            return True
        for quote, find_words in self.words:
            if contains(data, quote, start, end) and not self.keys.isdisjoint(find_words(data, start, end)):
                return True
        return False


def _words_like(keys: frozenset[bytes]) -> tuple[tuple[bytes, _Words], ...]:
    characters = _class_of(b"".join(keys))
    # Fewer than all characters: most words end with their first one.
    initials = _class_of(bytes({*map(itemgetter(0), keys)}))
    if not initials:
        return ()
    lengths = {*map(len, keys)}
    word = b"([%b][%b]{%d,%d})(?=[\"'`])" % (initials, characters, min(lengths) - 1, max(lengths) - 1)
    # A pattern that begins with one quote is several times as fast as one that begins with any of the three.
    return tuple((quote, re.compile(quote + word).findall) for quote in _QUOTES)


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

"""Find the files that can name a key: one pass over quoted words, whatever the number of keys."""

import re
from collections.abc import Collection, Iterable, Iterator
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
WITH_SYMBOLS: Final = (".rb", ".rake", ".erb", ".ex", ".exs")
"""Ends of the names of files whose language has words without quotes."""
_LIST: Final = r"[\[({<|/!]([^\])}>|/!]*)"
_SYMBOLS: Final = re.compile(rf"(?<![\w:]):([A-Za-z_]\w*)|(?:%[wWiIqQ]|~[wWsS]){_LIST}")
_SYMBOL_MARKS: Final = (
    (b":", re.compile(rb":(\w+)").findall),
    (b"%", re.compile(b"%[wWiIqQ]" + _LIST.encode()).findall),
    (b"~", re.compile(b"~[wWsS]" + _LIST.encode()).findall),
)
"""By the character that begins them: return the words that can be symbols, or lists of words.

A pattern that begins with one character is many times as fast as `_SYMBOLS`.
"""
_WORD: Final = re.compile(r"\S+")
_WordPattern = re.Pattern[bytes]


class WordFilter(msgspec.Struct, frozen=True):
    """Finds what makes a file worth parsing: keys in quotes, and calls of the product's libraries."""

    keys: frozenset[bytes]
    patterns: tuple[tuple[bytes, _WordPattern], ...]
    """By quote: the words after it, up to any quote, that have the characters and lengths of keys."""
    wrappers: tuple[bytes, ...]
    """Names of functions that make a file worth parsing whatever keys it has."""

    @classmethod
    def of(cls, keys: Iterable[str], wrappers: Iterable[str]) -> "WordFilter":
        """Return the filter for keys and names of functions."""
        # Ten thousand keys at once. One with a line end is never read as it is; its lines do no harm.
        words = "\n".join(keys).encode(errors="surrogateescape").split(b"\n")
        encoded = frozenset(filter(None, words))
        names = (re.split(r"[.:]", name)[-1].encode() for name in wrappers)
        return cls(encoded, _words_like(encoded), tuple(filter(None, names)))

    def places(self, data: SearchBuffer, start: int, end: int) -> Iterator[int]:
        """Yield positions in this part of the data, of one file or several, that are worth a closer look."""
        parts = self.wrappers
        if any(data.find(part, start, end) >= 0 for part in _IN_CALLS):
            parts = (*parts, *_CALLS)
        for part in parts:
            place = start - 1
            while (place := data.find(part, place + 1, end)) >= 0:
                yield place
        for quote, pattern in self.patterns:
            # Nearly always, a list of all words takes less time than a look at each.
            if data.find(quote, start, end) >= 0 and not self.keys.isdisjoint(
                pattern.findall(data.bytes, start, end)
            ):
                matches = pattern.finditer(data.bytes, start, end)
                yield from (match.start() for match in matches if match[1] in self.keys)

    def has_symbol(self, data: SearchBuffer, start: int, end: int) -> bool:
        """Return whether a file in Ruby or Elixir may have a key as a symbol or in a list of words."""
        return any(
            data.find(mark, start, end) >= 0
            and not self.keys.isdisjoint(b" ".join(find_words(data.bytes, start, end)).split())
            for mark, find_words in _SYMBOL_MARKS
        )


def _words_like(keys: frozenset[bytes]) -> tuple[tuple[bytes, _WordPattern], ...]:
    characters = _class_of(b"".join(keys))
    # Fewer than all characters: most words end with their first one.
    initials = _class_of(bytes({*map(itemgetter(0), keys)}))
    if not initials:
        return ()
    lengths = {*map(len, keys)}
    word = b"([%b][%b]{%d,%d})(?=[\"'`])" % (initials, characters, min(lengths) - 1, max(lengths) - 1)
    # A pattern that begins with one quote is several times as fast as one that begins with any of the three.
    return tuple((quote, re.compile(quote + word)) for quote in _QUOTES)


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


def symbols(text: str, keys: Collection[str]) -> Iterator[tuple[int, str]]:
    """Yield each key that is a symbol or in a list of words, with the position of its first character."""
    for match in _SYMBOLS.finditer(text):
        for word in _WORD.finditer(text, *match.span(match.lastindex or 0)):
            if word[0] in keys:
                yield word.start(), word[0]

"""Find the files that can name a key: one pass over quoted words, whatever the number of keys."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

_QUOTES: Final = bytes.maketrans(b"'`", b'""')
_QUOTED: Final = re.compile(r"""(["'`])([^"'`\n\\]{1,400})\1""")
"""A quoted word; keys have at most 400 characters."""
_CALLS: Final = (b"eature", b"apture")
"""Parts of every call that names a flag or an event, or of the import that such a call needs."""
_IN_CALLS: Final = b"ture"
"""What all of these have in common."""


@dataclass(frozen=True, slots=True)
class WordFilter:
    """Recognises files that have a key in quotes, or that can call a library of the product."""

    words: frozenset[bytes]
    parts: tuple[bytes, ...]
    """Names of wrappers, which make a file worth parsing whatever keys it has."""

    @classmethod
    def of(cls, keys: Iterable[str], wrappers: Iterable[str]) -> "WordFilter":
        """Return the filter for keys and names of functions."""
        words = frozenset(key.encode(errors="surrogateescape") for key in keys)
        names = (re.split(r"[.:]", name)[-1].encode() for name in wrappers)
        return cls(words, tuple(names))

    def has_hit(self, data: bytes) -> bool:
        """Return whether the content is worth a closer look."""
        # Nearly all files lack what every call has; one look is faster than one for each part.
        if _IN_CALLS in data and any(part in data for part in _CALLS):
            return True
        for part in self.parts:
            if part in data:
                return True
        # Splitting at quotes takes a third of the time of a regular expression over quoted words.
        return not self.words.isdisjoint(data.translate(_QUOTES).split(b'"'))


def quoted_words(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, str]]:
    """Yield each quoted word with the position of its first character."""
    for match in _QUOTED.finditer(text, start, len(text) if end is None else end):
        yield match.start(2), match[2]

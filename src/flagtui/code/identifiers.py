"""Identifiers and quoted texts for source code, made from hostile names."""

import re
from collections.abc import Callable
from typing import Final

import msgspec

from flagtui.safe_text import safe_text

_WORDS: Final = re.compile(r"(?:[A-Z]+(?![a-z])|[A-Z]?[a-z]+)[0-9]*|[0-9]+")
_QUOTES: Final = re.compile(r"([\"'`])\1+")
"""Several of a kind: they end a docstring, and gofmt rewrites two of them."""
_LONGEST: Final = 80
"""Characters of an identifier."""
_COMMENT_LENGTH: Final = 200


def words_of(name: str) -> list[str]:
    """Return the ASCII words of a key, in lower case; `flag` where there are none."""
    words = [word.lower() for word in _WORDS.findall(name[:_LONGEST])]
    return words or ["flag"]


def camel_case(name: str) -> str:
    """Return `newNav` for `new-nav`."""
    return _lower_first(pascal_case(name))


def pascal_case(name: str) -> str:
    """Return `NewNav` for `new-nav`; never begins with a digit."""
    joined = "".join(word.capitalize() for word in words_of(name))
    return f"Flag{joined}" if joined[0].isdigit() else joined


def upper_case(name: str) -> str:
    """Return `NEW_NAV` for `new-nav`; never begins with a digit."""
    joined = "_".join(words_of(name)).upper()
    return f"FLAG_{joined}" if joined[0].isdigit() else joined


def _lower_first(name: str) -> str:
    return name[:1].lower() + name[1:]


class Identifiers(msgspec.Struct):
    """The identifiers of one file: each is used once, the others have a number."""

    style: Callable[[str], str]
    taken: set[str] = set()
    """Names that are not given: reserved words and the file's own."""
    numbered: dict[str, str] = {}
    """Identifiers with a number, by the name that they stand for."""

    def take(self, name: str) -> str:
        """Return an identifier for the name that no other name has."""
        plain = identifier = self.style(name)
        number = 1
        while identifier in self.taken:
            number += 1
            identifier = f"{plain}{'_' if plain.isupper() else ''}{number}"
        if number > 1:
            self.numbered[name] = identifier
        self.taken.add(identifier)
        return identifier


def quote(text: str) -> str:
    """Return a literal in double quotes, of ASCII characters, for Python and Go.

    Every character that could end the literal, the line or a comment is escaped.
    """
    return '"' + "".join(map(_escape, text)) + '"'


def quote_in_utf16(text: str) -> str:
    """Return the same for languages without escapes above U+FFFF: TypeScript, JSON."""
    return '"' + "".join(map(_escape_in_utf16, text)) + '"'


def _escape(character: str) -> str:
    code = ord(character)
    if character in '"\\':
        return f"\\{character}"
    if 0x20 <= code < 0x7F:
        return character
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escape_in_utf16(character: str) -> str:
    if ord(character) < 0x10000:
        return _escape(character)
    high, low = divmod(ord(character) - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


def comment(text: str) -> str:
    """Return one line that cannot end a comment of any language."""
    line = " ".join(safe_text(text, _COMMENT_LENGTH).split())
    return _QUOTES.sub(r"\1", line).replace("*/", "* /").replace("\\", "/")


def comment_sentences(*parts: str) -> str:
    """Return the parts that are not empty, each with a full stop, as one line of a comment."""
    lines = [comment(part).rstrip(".") for part in parts if part.strip()]
    return " ".join(f"{line}." for line in lines if line)

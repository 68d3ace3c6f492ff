"""The escapes that a literal of a key can have, by language."""

import re
import sys
from typing import Final

_ESCAPE: Final = re.compile(
    r"\\(?:(u)\{([0-9A-Fa-f]{1,6})\}|(u)([0-9A-Fa-f]{4})|(x)([0-9A-Fa-f]{2})|(.?))", re.DOTALL
)
_BRACES, _FOUR, _TWO = 1, 3, 5
"""The groups of `u{6e}`, `u006e` and `x6e`."""
_MARK: Final = 7
"""The group of a character that has an escape of its own."""
_ALL: Final = (_BRACES, _FOUR, _TWO)
_FORMS: Final = {
    **dict.fromkeys(("ts", "tsx", "js", "ruby", "elixir", "dart"), _ALL),
    **dict.fromkeys(("python", "go"), (_FOUR, _TWO)),
    **dict.fromkeys(("java", "kotlin", "csharp"), (_FOUR,)),
    **dict.fromkeys(("php", "rust"), (_BRACES, _TWO)),
    "swift": (_BRACES,),
}
"""The escapes of each language by number of a character. Attributes of pages have none."""
_SINGLE_IS_PLAIN: Final = ("ruby", "php", "elixir")
"""Languages that read a backslash between single quotes as itself."""
_OWN_QUOTE_ONLY: Final = ("php", "go")
"""Languages in which a backslash before another quote is a backslash, or an error."""
_RAW: Final = (("kotlin", '"""'), ("csharp", '"""'), ("go", "`"))
_BYTES: Final = 0x80
"""From here on, two digits are a byte in some languages."""


def unescape(content: str, quote: str, language: str) -> str | None:
    """Return the text that a literal means; None where an escape is of another sort, or no escape."""
    if language not in _FORMS or (language, quote) in _RAW:
        return None
    pieces: list[str] = []
    place = 0
    for match in _ESCAPE.finditer(content):
        character = _read(match, quote, language)
        if character is None:
            return None
        pieces += content[place : match.start()], character
        place = match.end()
    return "".join((*pieces, content[place:]))


def _read(match: re.Match[str], quote: str, language: str) -> str | None:
    """Return the character of an escape."""
    mark = match[_MARK]
    if mark is not None:
        is_quote = mark == quote[0] if language in _OWN_QUOTE_ONLY else mark in ("'", '"', "`")
        return mark if mark == "\\" or is_quote else None
    if quote == "'" and language in _SINGLE_IS_PLAIN:
        return None
    form = next(group for group in _ALL if match[group])
    number = int(match[form + 1], 16)
    if form not in _FORMS[language] or number > sys.maxunicode or (form == _TWO and number >= _BYTES):
        return None
    return chr(number) if chr(number).isprintable() else None

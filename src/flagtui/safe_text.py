"""The only way from text of a server to a screen, a log, a terminal line or the clipboard.

A terminal obeys control characters and reorders text at bidirectional marks, wherever they come from.
`safe_text` makes every character visible as itself, as a picture, or as its code point.
"""

import re
from typing import Final

CELL_LIMIT: Final = 200
"""Characters of one value in a one-line place."""
PANE_LIMIT: Final = 4_000
"""Characters of one value in a pane of many lines."""

MASK: Final = "••••••"
"""In place of a secret."""

_JOINER: Final = "\u200d"
_VARIATION: Final = "\ufe0e\ufe0f"
_SPACES: Final = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_PRINTABLE_BUT_MISLEADING: Final = re.compile(
    # Characters Python calls printable that are drawn with no width or as nothing at all:
    # the grapheme joiner, Hangul fillers, Khmer vowels, Mongolian and variation selectors.
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
_MARK_RUN: Final = re.compile(
    "([\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]{4})"
    "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]+"
)


def safe_text(text: object, limit: int = CELL_LIMIT) -> str:
    """The text on one line, cut to `limit` characters, with nothing in it a terminal would obey."""
    whole = text if isinstance(text, str) else str(text)
    kept = whole[:limit]
    left = len(whole) - len(kept)
    if not (kept.isascii() and kept.isprintable()):
        kept = _visible(kept)
    return f"{kept}… +{left:,}" if left else kept


def safe_lines(text: object, limit: int = PANE_LIMIT, lines: int = 200) -> list[str]:
    """The text as safe lines for a pane, with a last line that says how much was left out."""
    whole = text if isinstance(text, str) else str(text)
    found = whole[:limit].replace("\r\n", "\n").split("\n")
    shown = [safe_text(line.replace("\t", "    "), limit) for line in found[:lines]]
    if len(found) > lines:
        shown.append(f"… {len(found) - lines:,} more lines")
    elif len(whole) > limit:
        shown.append(f"… {len(whole) - limit:,} more characters")
    return shown


def code_points(text: str, limit: int = 60) -> str:
    """The characters that are not plain ASCII, as `U+202E`, for a warning about a look-alike key."""
    odd = [f"U+{ord(character):04X}" for character in text[:limit] if not (" " <= character <= "~")]
    return " ".join(odd)


def _visible(text: str) -> str:
    text = _SPACES.sub(" ", text)
    if text.isprintable() and not _PRINTABLE_BUT_MISLEADING.search(text):
        return _MARK_RUN.sub(r"\1", text)
    shown = []
    for place, character in enumerate(text):
        if character in _VARIATION or character == _JOINER:
            joins = place > 0 and _is_emoji(text[place - 1])
            shown.append(character if joins else _point(character))
        elif character.isprintable() and not _PRINTABLE_BUT_MISLEADING.match(character):
            shown.append(character)
        else:
            shown.append(_picture(character))
    return _MARK_RUN.sub(r"\1", "".join(shown))


def _picture(character: str) -> str:
    if character == "\n":
        return "⏎"
    if character == "\t":
        return "⇥"
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return _point(character)


def _point(character: str) -> str:
    return f"<U+{ord(character):04X}>"


def _is_emoji(character: str) -> bool:
    code = ord(character)
    return 0x2190 <= code <= 0x2BFF or 0x1F000 <= code <= 0x1FAFF or character in _VARIATION

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
KEY_STARTS: Final = ("phx_", "pha_", "phc_", "phs_")
"""Beginnings of keys and access tokens, which are in no message, wherever one was given by mistake."""

_JOINER: Final = "\u200d"
_SPACES: Final = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_PRINTABLE_BUT_MISLEADING: Final = re.compile(
    # Characters Python calls printable that are drawn with no width or as nothing at all:
    # the grapheme joiner, Hangul fillers, Khmer vowels, Mongolian and variation selectors.
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
_FLAG_LETTERS: Final = "\U0001f1e6-\U0001f1ff"
_TONES: Final = "\U0001f3fb-\U0001f3ff"
_EMOJI: Final = "\u2190-\u2bff\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff"
_JOINABLE: Final = "\u2194\u2195\u2600-\u27bf\u2b1b\U0001f300-\U0001f3fa\U0001f400-\U0001faff"
"""What joined emoji consist of; terminals draw other symbols beside each other, however they are joined."""
_MAY_JOIN: Final = re.compile(f"[{_FLAG_LETTERS}{_TONES}]")
"""Characters that are printable alone and still a part of the emoji beside them."""
# Compiled when first met: few texts have emoji, and every start would pay.
_JOINED: Final = (
    # A flag of two letters; a digit in a keycap; an emoji, and emoji joined to it, each with its tone.
    f"[{_FLAG_LETTERS}]{{2}}|[0-9#*]\ufe0f?\u20e3"
    f"|[{_EMOJI}][\ufe0e\ufe0f]?[{_TONES}]?"
    f"(?:\u200d[{_JOINABLE}]\ufe0f?[{_TONES}]?){{0,7}}"
)
_NARROW_BEFORE_TONE: Final = (
    f"([\u2190-\u2bff\U0001f3cb\U0001f3cc\U0001f574\U0001f575\U0001f590])(?=[{_TONES}])"
)
"""Drawn in two cells once it has a tone, which libraries count only with a variation selector between."""
_CONTINUES: Final = (
    f"[\u200d\ufe0e\ufe0f{_TONES}\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]"
)
_LONGEST_JOINED: Final = 32
"""Characters of a joined one that are looked back over."""
_MARK_RUN: Final = re.compile(
    "([\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]{4})"
    "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]+"
)


def safe_text(text: object, limit: int = CELL_LIMIT) -> str:
    """Return the text on one line, cut to `limit` characters, with nothing in it a terminal would obey."""
    whole = text if isinstance(text, str) else str(text)
    kept = whole if len(whole) <= limit else whole[: boundary(whole, limit)]
    left = len(whole) - len(kept)
    if not (kept.isascii() and kept.isprintable()):
        kept = _visible(kept)
    return f"{kept}… +{left:,}" if left else kept


def safe_lines(text: object, limit: int = PANE_LIMIT, lines: int = 200) -> list[str]:
    """Return the text as safe lines for a pane; a last line counts the omitted ones."""
    whole = text if isinstance(text, str) else str(text)
    text_lines = whole[: boundary(whole, limit)].replace("\r\n", "\n").split("\n")
    shown = [safe_text(line.replace("\t", "    "), limit) for line in text_lines[:lines]]
    if len(text_lines) > lines:
        shown.append(f"… {len(text_lines) - lines:,} more lines")
    elif len(whole) > limit:
        shown.append(f"… {len(whole) - limit:,} more characters")
    return shown


def boundary(text: str, end: int) -> int:
    """Return the last place up to `end` at which the text can be cut without parting a joined character."""
    if end >= len(text):
        return len(text)
    place, least = end, max(0, end - _LONGEST_JOINED)
    while place > least and (re.match(_CONTINUES, text[place]) or text[place - 1] == _JOINER):
        place -= 1
    letters = 0
    while letters < place and is_flag_letter(text[place - letters - 1]):
        letters += 1
    is_parted = letters % 2 == 1 and is_flag_letter(text[place])
    # A run that long is no emoji, and every place in it is as good.
    return place - is_parted if place > least or not least else end


def code_points(text: str) -> str:
    """Return the characters that are not plain ASCII, as `U+202E`, for a warning about a look-alike key."""
    odd = [f"U+{ord(character):04X}" for character in text[:60] if not (" " <= character <= "~")]
    return " ".join(odd)


def _visible(text: str) -> str:
    text = _SPACES.sub(" ", text)
    is_plain = text.isprintable() and not _PRINTABLE_BUT_MISLEADING.search(text)
    if is_plain and not _MAY_JOIN.search(text):
        return _MARK_RUN.sub(r"\1", text)
    shown: list[str] = []
    end = 0
    for joined in re.finditer(_JOINED, text):
        shown += map(_draw_alone, text[end : joined.start()])
        if joined[0].replace(_JOINER, "").isprintable():
            shown.append(re.sub(_NARROW_BEFORE_TONE, "\\1\ufe0f", joined[0]))
        else:
            shown += map(_draw_alone, joined[0])
        end = joined.end()
    shown += map(_draw_alone, text[end:])
    return _MARK_RUN.sub(r"\1", "".join(shown))


def _draw_alone(character: str) -> str:
    """Return what is shown of a character that is joined to no other."""
    if character.isprintable() and not _PRINTABLE_BUT_MISLEADING.match(character):
        return _point(character) if _MAY_JOIN.match(character) else character
    return _picture(character)


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


def is_flag_letter(character: str) -> bool:
    """Return whether it is one of the 26 letters of which two are drawn as a flag."""
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def split_joined(text: str) -> list[tuple[str, bool]]:
    """Return safe text in parts, and of each whether it is one character of several code points."""
    if not re.search(_CONTINUES, text) and not _MAY_JOIN.search(text):
        return [(text, False)]
    parts: list[tuple[str, bool]] = []
    end = 0
    for joined in re.finditer(f"{_JOINED}|.{_CONTINUES}+", text):
        if len(joined[0]) > 1:
            parts += [(text[end : joined.start()], False), (joined[0], True)]
            end = joined.end()
    return [(part, is_joined) for part, is_joined in (*parts, (text[end:], False)) if part]

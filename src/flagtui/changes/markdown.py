"""Somebody else's text inside Markdown of ours: nothing in it is markup."""

from typing import Final

from flagtui.safe_text import safe_text

_SPECIAL: Final = str.maketrans({character: f"\\{character}" for character in "\\`*_{}[]<>#|~"})


def plain(text: str) -> str:
    """As running text on one line."""
    return safe_text(text, 500).translate(_SPECIAL)


def code(text: str) -> str:
    """As code on one line."""
    return f"`{safe_text(text, 200).replace('`', 'ˋ')}`"

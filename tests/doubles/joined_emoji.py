"""Emoji of several characters, which are drawn as one or not at all."""

from typing import Final

from hypothesis import strategies as st

EMOJI: Final = (
    *("👩\u200d👩\u200d👧\u200d👦", "👩🏽\u200d💻", "🏳\ufe0f\u200d🌈", "❤\ufe0f\u200d🔥", "🇩🇪", "🇫🇷", "👍🏽"),
    *("☝\ufe0f🏽", "1\ufe0f\u20e3", "❤\ufe0f", "e\u0301"),
)
OTHERS: Final = ("a", " ", "日", "-")
TEXTS: Final = st.lists(st.sampled_from((*EMOJI, *OTHERS)), max_size=12).map("".join)


def is_whole(text: str) -> bool:
    """Whether nothing but whole emoji and other characters is in the text."""
    for emoji in sorted(EMOJI, key=len, reverse=True):
        text = text.replace(emoji, "")
    return not text.strip("".join(OTHERS) + "…")

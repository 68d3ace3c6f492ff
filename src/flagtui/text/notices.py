"""Toasts: the one place that may call `notify`, always without markup and with safe text."""

from typing import Literal

from msgspec import Struct

Tone = Literal["information", "warning", "error"]


class Notice(Struct, frozen=True):
    """What happened, what is true now, what to do next; shown for a few seconds."""

    text: str
    tone: Tone = "information"
    title: str = ""
    seconds: float = 6.0

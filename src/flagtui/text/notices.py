"""Toasts: the one place that may call `notify`, always without markup and with safe text."""

from dataclasses import dataclass
from typing import Literal

Tone = Literal["information", "warning", "error"]


@dataclass(frozen=True)
class Notice:
    """What happened, what is true now, what to do next; shown for a few seconds."""

    text: str
    tone: Tone = "information"
    title: str = ""
    seconds: float = 6.0

"""Consequences and cautions of a change, for the question."""

from dataclasses import dataclass
from typing import Literal

Tone = Literal["plain", "good", "warning", "danger", "experiment"]


@dataclass(frozen=True, slots=True)
class Consequence:
    """A consequence: a label, a sentence, its tone, and a share from 0 to 1 for a bar."""

    label: str
    text: str
    tone: Tone = "plain"
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Caution:
    """A warning, and what could be done instead."""

    text: str
    instead: tuple[str, ...] = ()
    """Names of safer ways, such as `pause the experiment`."""


def ago(seconds: float) -> str:
    """Return a rough age: `just now`, `3 min ago`, `5 h ago`, `12 days ago`.

    A question stays open while seconds pass, and lists equal ages of many records once.
    """
    for size, unit in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= size * (2 if unit == "days" else 1):
            return f"{int(seconds // size):,} {unit} ago"
    return "just now"

"""Consequences and cautions of a change, for the question."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

Tone = Literal["plain", "good", "warning", "danger", "experiment"]


Sentence = Sequence[str | float]
"""A sentence in parts. A number is a moment in Unix seconds, whose age is shown in its place."""


@dataclass(frozen=True, slots=True)
class Consequence:
    """A consequence: a label, a sentence, its tone, and a share from 0 to 1 for a bar."""

    label: str
    text: str
    tone: Tone = "plain"
    share: float | None = None
    sentence: Sentence = field(default=(), compare=False)
    """The text in parts where it names ages."""

    def as_of(self, now: float) -> "Consequence":
        """Return the same with the ages of this moment."""
        if not self.sentence:
            return self
        parts = [part if isinstance(part, str) else ago(now - part) for part in self.sentence]
        return replace(self, text="".join(parts))


def consequence_with_age(label: str, sentence: Sentence, now: float, tone: Tone = "plain") -> Consequence:
    """Return a consequence whose sentence names ages."""
    return Consequence(label, "", tone, sentence=sentence).as_of(now)


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

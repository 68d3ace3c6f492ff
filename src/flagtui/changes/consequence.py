"""Consequences and cautions of a change, for the question."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

Tone = Literal["plain", "good", "warning", "danger", "experiment"]


@dataclass(frozen=True, slots=True)
class Age:
    """A place in a sentence for the age of a moment, which grows while the sentence is shown."""

    at: float
    """In Unix seconds."""


Sentence = Sequence[str | Age]
"""A sentence in parts."""


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
        return replace(self, text=sentence_text(self.sentence, now)) if self.sentence else self


def aged(label: str, sentence: Sentence, now: float, tone: Tone = "plain") -> Consequence:
    """Return a consequence whose sentence names ages."""
    return Consequence(label, sentence_text(sentence, now), tone, sentence=sentence)


def sentence_text(sentence: Sentence, now: float) -> str:
    """Return the sentence with the ages of this moment."""
    return "".join(ago(now - part.at) if isinstance(part, Age) else part for part in sentence)


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

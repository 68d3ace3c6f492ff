"""Search commands by name, key, description and synonyms."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from flagtui.app.commands.command import SIGNS, Command

_WORD: Final = re.compile(r"\w+")
NEAR: Final = 4
"""From this grade on, records by name are offered before commands."""


def grade(command: Command, line: str) -> int | None:
    """Grade how well a command matches the typed text, 0 the best; None for no match.

    0 is one of its names or its key; 1 has every word in its sentence, or is another word for it; 2 begins
    its name, 3 another word for it, 4 has words that each begin one of its own, 5 has them somewhere.
    """
    typed = line.casefold().strip()
    words = typed.split()
    if not words:
        return 5
    name, others = command.id.partition(".")[2], command.synonyms.split()
    title = command.title.casefold()
    keys = [SIGNS.get(key, key) for key in command.keys.split(",")]
    if typed in (command.id, name, title) or line.strip() in keys:
        return 0
    if typed in others or set(words) <= set(_WORD.findall(command.help.casefold())):
        return 1
    if title.startswith(typed) or name.startswith(typed) or command.id.startswith(typed):
        return 2
    if any(other.startswith(typed) for other in others):
        return 3
    text = f"{command.id} {title} {command.help.casefold()} {' '.join(others)}".replace("_", " ")
    parts = text.replace(".", " ").replace(",", " ").split()
    if all(any(part.startswith(word) for part in parts) for word in words):
        return 4
    return 5 if all(word in text for word in words) else None


def rank_commands(commands: Iterable[Command], line: str) -> list[tuple[int, Command]]:
    """Return the matching commands with their grades, best first; equal grades keep the given order."""
    graded = [(fit, command) for command in commands if (fit := grade(command, line)) is not None]
    return sorted(graded, key=lambda pair: pair[0])


def hits(text: str, line: str) -> Sequence[tuple[int, int]]:
    """Return the positions of the typed words in a text, from and to, in order."""
    folded, spans = text.casefold(), []
    if len(folded) != len(text):
        return ()
    for word in line.casefold().split():
        if (at := folded.find(word)) >= 0:
            spans.append((at, at + len(word)))
    return sorted(spans)

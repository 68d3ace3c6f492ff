"""Names that probably mean the same event: written by another team, in another case, with another ending.

Two names are alike when the same words are in them, whatever stands between the words, in whatever order and
form: `signup_completed`, `sign up complete`, `CompletedSignUp`. A slip of one letter is forgiven in long
words. Numbers are taken at their word, except a version at the end.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from flagtui.models.rows import EventDefinitionRow

LONG: Final = 7
"""Letters from which one wrong letter still leaves a word recognisable; shorter words are other words."""
LONGEST: Final = 120
"""Characters of a name that are looked at."""

_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_VERSION: Final = re.compile(r"(?<=[a-zA-Z])[\W_]*v\d+\W*$", re.IGNORECASE)
_EMPTY: Final = frozenset({"event", "evt", "the", "a", "an"})
_FORMS: Final = {
    "sent": "send",
    "paid": "pay",
    "bought": "buy",
    "began": "begin",
    "begun": "begin",
    "seen": "see",
    "saw": "see",
    "shown": "show",
    "chosen": "choose",
    "chose": "choose",
    "left": "leave",
    "made": "make",
    "lost": "lose",
    "won": "win",
    "got": "get",
    "written": "write",
    "wrote": "write",
}


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name in their plain form: `Plan_Upgraded_v2` gives `plan`, `upgrad`."""
    found = _WORDS.findall(_VERSION.sub("", name[:LONGEST]))
    words = tuple(_plain(word.lower()) for word in found if word.lower() not in _EMPTY)
    return words or tuple(word.lower() for word in found)


@lru_cache(maxsize=20_000)
def _plain(word: str) -> str:
    """A word without its ending, so that `viewed`, `views`, `viewing` and `view` are one."""
    word = _FORMS.get(word, word)
    for ending, instead in (
        ("ies", "y"),
        ("ied", "y"),
        ("ing", ""),
        ("ion", ""),
        ("ed", ""),
        ("es", ""),
        ("s", ""),
    ):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= 3 and not word.endswith(("ss", "us")):
            word = stem + instead
            break
    word = word.removesuffix("e") if len(word) > 3 else word
    is_doubled = len(word) > 2 and word[-1] == word[-2] and word[-1] not in "aeiou0123456789"
    return word[:-1] if is_doubled else word


def keys_of(name: str) -> Iterator[str]:
    """What a name is looked up by; names that share a key are alike."""
    words = words_of(name)
    solid = "".join(words)
    if not solid:
        return
    yield solid
    ordered = sorted(words)
    yield f"={''.join(ordered)}"
    for place, word in enumerate(ordered):
        if len(word) >= LONG and word.isalpha():
            changed = [*ordered[:place], "", *ordered[place + 1 :]]
            for shorter in {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}:
                changed[place] = shorter
                yield f"~{'.'.join(changed)}"


class LookAlikes:
    """Which definition of a project to look at instead of another."""

    def __init__(self, rows: Iterable[EventDefinitionRow]) -> None:
        self._twins: dict[str, EventDefinitionRow] = {}
        groups: dict[int, list[EventDefinitionRow]] = defaultdict(list)
        for row in rows:
            for key in set(keys_of(row.name)):
                # Keys are many times more than names; their hashes are enough to find candidates by.
                groups[hash(key)].append(row)
        for group in groups.values():
            if len(group) > 1:
                self._pair(group)

    def twin(self, id: str) -> EventDefinitionRow | None:
        """The definition this one looks like and that is in better shape; None for the best of its kind."""
        return self._twins.get(id)

    def __len__(self) -> int:
        return len(self._twins)

    def _pair(self, group: list[EventDefinitionRow]) -> None:
        best = min(group, key=_shape)
        for row in group:
            is_other = row.id != best.id and not (row.is_builtin and best.is_builtin)
            if is_other and _shape(best) < _shape(self._twins.get(row.id, row)):
                self._twins[row.id] = best


def _shape(row: EventDefinitionRow) -> tuple[bool, bool, bool, float, float, int, str]:
    """How well a definition is kept; the smallest is the one to stay with."""
    return (
        row.hidden,
        not (row.verified or row.is_builtin),
        not row.description.strip(),
        # To a day: within one, the older definition is the one others copied.
        -((row.seen_at or 0.0) // 86_400),
        row.created_at or float("inf"),
        len(row.name),
        row.name,
    )

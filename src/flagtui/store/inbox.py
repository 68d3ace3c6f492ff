"""The cleanup queue of event definitions by reason, with suggestions from neighbours."""

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, Literal

import msgspec

from flagtui.models.rows import STALE_AFTER, EventDefinitionRow

LONG: Final = 7
"""Letters from which a word with one wrong letter is still recognisable; shorter ones are other words."""
LONGEST: Final = 120
"""Characters of a name that are compared."""

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
    """Return the words of a name in their plain form: `plan`, `upgrad` for `Plan_Upgraded_v2`."""
    parts = _WORDS.findall(_VERSION.sub("", name[:LONGEST]))
    words = tuple(_plain(word.lower()) for word in parts if word.lower() not in _EMPTY)
    return words or tuple(word.lower() for word in parts)


@lru_cache(maxsize=20_000)
def _plain(word: str) -> str:
    """Return a word without its ending, so that `viewed`, `views`, `viewing` and `view` are equal."""
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
    """Yield the lookup keys of a name; names that share a key are alike."""
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
    """Finds a better definition for one whose name probably means the same event.

    Two names are alike when they contain the same words in any order and form, with any separators:
    `signup_completed`, `sign up complete`, `CompletedSignUp`. One wrong letter is ignored in long words.
    Numbers must be equal, except a version at the end.
    """

    def __init__(self, rows: Iterable[EventDefinitionRow]) -> None:
        self._twins: dict[str, EventDefinitionRow] = {}
        groups: dict[int, list[EventDefinitionRow]] = defaultdict(list)
        for row in rows:
            for key in set(keys_of(row.name)):
                # Keys are many times more than names; their hashes are enough to find candidates.
                groups[hash(key)].append(row)
        for group in groups.values():
            if len(group) > 1:
                self._pair(group)

    def twin(self, id: str) -> EventDefinitionRow | None:
        """Return the better definition with a similar name; None for the best of its kind."""
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
    """Return the quality of a definition for sorting; the smallest is the best."""
    return (
        row.hidden,
        not (row.verified or row.is_builtin),
        not row.description.strip(),
        # To a day: within one, the older definition is the original.
        -((row.seen_at or 0.0) // 86_400),
        row.created_at or float("inf"),
        len(row.name),
        row.name,
    )


Reason = Literal["look-alike", "silent", "undescribed", "unverified"]
REASONS: Final[tuple[Reason, ...]] = ("look-alike", "silent", "undescribed", "unverified")
NEW_TWINS: Final = "new look-alikes"
"""In place of a reason: look-alikes that are there since the queue was opened."""
ENOUGH: Final = 2
"""Neighbours that must share a tag before it is suggested."""


class Case(msgspec.Struct, frozen=True):
    """A definition that needs a decision, and the reason."""

    row: EventDefinitionRow
    reasons: tuple[Reason, ...]
    twin: EventDefinitionRow | None = None

    @property
    def id(self) -> str:
        return self.row.id

    @property
    def name(self) -> str:
        return self.row.name


class Suggestion(msgspec.Struct, frozen=True):
    """A suggestion for one definition, from its neighbours."""

    description: str = ""
    source: str = ""
    """The event whose description is suggested."""
    tags: tuple[str, ...] = ()
    neighbours: int = 0
    """Number of events with the same first word and these tags."""


class Inbox:
    """The queue of these definitions."""

    def __init__(
        self,
        rows: Sequence[EventDefinitionRow],
        now: float,
        opened: Mapping[str, tuple[Reason, ...]] | None = None,
    ) -> None:
        """`opened` has the reasons of the first cases, by id; None while the queue is being opened."""
        self._alike = LookAlikes(rows)
        self._by_beginning: dict[str, list[EventDefinitionRow]] = defaultdict(list)
        for row in rows:
            if row.tags or row.description.strip():
                self._by_beginning[_beginning(row.name)].append(row)
        cases = (self.case_of(row, now) for row in rows if not row.is_builtin and not row.hidden)
        self.cases = sorted((case for case in cases if case is not None), key=_urgency)
        self.opened = opened if opened is not None else {case.id: case.reasons for case in self.cases}

    def waiting(self, reason: str, decided: Container[str]) -> list[Case]:
        """Return the cases to decide: all, those of a reason, or the new look-alikes, which no other has."""
        cases = [case for case in self.cases if case.id not in decided]
        if reason == NEW_TWINS:
            return [case for case in cases if self._is_new_twin(case)]
        return [
            case for case in cases if not self._is_new_twin(case) and (not reason or reason in case.reasons)
        ]

    def count_decided(self, reason: str, decided: Container[str]) -> int:
        """Count the decided cases of a reason, or all, as they were when the queue was opened."""
        return sum(id in decided and (not reason or reason in reasons) for id, reasons in self.opened.items())

    def _is_new_twin(self, case: Case) -> bool:
        return case.id not in self.opened and "look-alike" in case.reasons

    def case_of(self, row: EventDefinitionRow, now: float) -> Case | None:
        """Return the case of a definition that needs a decision; None if it needs none."""
        twin = self._alike.twin(row.id)
        reasons: list[Reason] = []
        # Who verifies a look-alike has decided that it is no duplicate.
        if twin is not None and not row.verified:
            reasons.append("look-alike")
        if row.seen_at is not None and row.seen_at < now - STALE_AFTER:
            reasons.append("silent")
        # What the server does not send, no user can decide there.
        if not row.description.strip() and "description" not in row.not_sent:
            reasons.append("undescribed")
        if not row.verified and "verified" not in row.not_sent:
            reasons.append("unverified")
        return Case(row, tuple(reasons), twin) if reasons else None

    def proposal(self, case: Case) -> Suggestion:
        """Return a description from the twin, else the nearest neighbour, and tags that several neighbours
        share.
        """
        alike = [row for row in self._by_beginning.get(_beginning(case.name), ()) if row.id != case.id]
        source = self._find_description(case, alike)
        tags, neighbours = _shared_tags([row for row in alike if row.tags], case.row.tags)
        if case.twin is not None and case.twin.tags:
            tags = tuple(tag for tag in case.twin.tags if tag not in case.row.tags)
            neighbours = 1
        return Suggestion(
            source.description if source else "", source.name if source else "", tags, neighbours
        )

    @staticmethod
    def _find_description(case: Case, alike: Iterable[EventDefinitionRow]) -> EventDefinitionRow | None:
        if case.row.description.strip():
            return None
        if case.twin is not None and case.twin.description.strip():
            return case.twin
        mine = set(words_of(case.name))
        described = [row for row in alike if row.description.strip()]
        return max(described, key=lambda row: len(mine & set(words_of(row.name))), default=None)


def _beginning(name: str) -> str:
    """Return the first word of a name, which neighbours share."""
    return next(iter(words_of(name)), "")


def _shared_tags(alike: Sequence[EventDefinitionRow], tags: Sequence[str]) -> tuple[tuple[str, ...], int]:
    counted = Counter(tag for row in alike for tag in row.tags if tag not in tags)
    needed = max(ENOUGH, (len(alike) + 1) // 2)
    tags = tuple(tag for tag, count in counted.most_common(4) if count >= needed)
    return tags, min((counted[tag] for tag in tags), default=0)


def _urgency(case: Case) -> tuple[int, float, str]:
    """Return the sort key of a case: events received today first, since they do harm; then by severity."""
    day = -((case.row.seen_at or 0.0) // 86_400)
    return (REASONS.index(case.reasons[0]) if case.reasons[0] == "look-alike" else 1, day, case.name)

"""What is to be tidied up among event definitions: a queue by reason, with proposals from neighbours."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from flagtui.models.rows import EventDefinitionRow
from flagtui.store.event_listing import STALE_AFTER
from flagtui.store.look_alikes import LookAlikes, words_of

Reason = Literal["look-alike", "silent", "undescribed", "unverified"]
REASONS: Final[tuple[Reason, ...]] = ("look-alike", "silent", "undescribed", "unverified")
ENOUGH: Final = 2
"""Neighbours that must share a tag before it is proposed."""


@dataclass(frozen=True)
class Case:
    """One definition that needs a decision, and why."""

    row: EventDefinitionRow
    reasons: tuple[Reason, ...]
    twin: EventDefinitionRow | None = None

    @property
    def id(self) -> str:
        return self.row.id

    @property
    def name(self) -> str:
        return self.row.name


@dataclass(frozen=True)
class Suggestion:
    """What neighbours suggest for one definition."""

    description: str = ""
    source: str = ""
    """The name of the event the description comes from."""
    tags: tuple[str, ...] = ()
    neighbours: int = 0
    """How many events with the same beginning have these tags."""


class Inbox:
    """The queue as the definitions were when it was made; what is changed meanwhile leaves it when asked."""

    def __init__(self, rows: Sequence[EventDefinitionRow], now: float) -> None:
        self._alike = LookAlikes(rows)
        self._by_beginning: dict[str, list[EventDefinitionRow]] = defaultdict(list)
        for row in rows:
            if row.tags or row.description.strip():
                self._by_beginning[_beginning(row.name)].append(row)
        found = (self.case_of(row, now) for row in rows if not row.is_builtin and not row.hidden)
        self.cases = sorted((case for case in found if case is not None), key=_urgency)

    def case_of(self, row: EventDefinitionRow, now: float) -> Case | None:
        """The case of a definition that needs a decision; None when all is well."""
        twin = self._alike.twin(row.id)
        reasons: list[Reason] = []
        if twin is not None:
            reasons.append("look-alike")
        if row.seen_at is not None and row.seen_at < now - STALE_AFTER:
            reasons.append("silent")
        if not row.description.strip():
            reasons.append("undescribed")
        if not row.verified:
            reasons.append("unverified")
        return Case(row, tuple(reasons), twin) if reasons else None

    def proposal(self, case: Case) -> Suggestion:
        """A description from the twin, else the nearest neighbour; tags that several neighbours share."""
        alike = [row for row in self._by_beginning.get(_beginning(case.name), ()) if row.id != case.id]
        source = self._described(case, alike)
        tags, neighbours = _shared_tags([row for row in alike if row.tags], case.row.tags)
        if case.twin is not None and case.twin.tags:
            tags = tuple(tag for tag in case.twin.tags if tag not in case.row.tags)
            neighbours = 1
        return Suggestion(
            source.description if source else "", source.name if source else "", tags, neighbours
        )

    @staticmethod
    def _described(case: Case, alike: Iterable[EventDefinitionRow]) -> EventDefinitionRow | None:
        if case.row.description.strip():
            return None
        if case.twin is not None and case.twin.description.strip():
            return case.twin
        mine = set(words_of(case.name))
        described = [row for row in alike if row.description.strip()]
        return max(described, key=lambda row: len(mine & set(words_of(row.name))), default=None)


def _beginning(name: str) -> str:
    """The first word, by which names are neighbours."""
    return next(iter(words_of(name)), "")


def _shared_tags(alike: Sequence[EventDefinitionRow], there: Sequence[str]) -> tuple[tuple[str, ...], int]:
    counted = Counter(tag for row in alike for tag in row.tags if tag not in there)
    needed = max(ENOUGH, (len(alike) + 1) // 2)
    tags = tuple(tag for tag, count in counted.most_common(4) if count >= needed)
    return tags, min((counted[tag] for tag in tags), default=0)


def _urgency(case: Case) -> tuple[int, float, str]:
    """What is sent today comes first: that is where a wrong name does harm; then the gravest reason."""
    day = -((case.row.seen_at or 0.0) // 86_400)
    return (REASONS.index(case.reasons[0]) if case.reasons[0] == "look-alike" else 1, day, case.name)

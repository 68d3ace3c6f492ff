"""What a flag is about, before anything says how it is targeted."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from random import Random
from typing import Final

from flagtui.service.sample_data.data import Moments, authors, phrases, sentence, slug, told

RUNTIMES: Final = ("server", "client", "all")
ENDINGS: Final = ("", "", "", "-v2", "", "-beta", "", "-rollout", "", "-next")
"""What keys end in now and then, the way keys do."""
NEWEST_CHANGE: Final = 27
"""Days: the hand-written flags are the ones that changed lately, so that they stay on the first page."""


@dataclass(frozen=True, slots=True)
class Idea:
    key: str
    about: str
    runtime: str
    tags: list[str]
    author: int


@dataclass(frozen=True, slots=True)
class Dice:
    """Where chance comes from, and what now is: the only two things a sample depends on."""

    random: Random
    moments: Moments
    newest: float = NEWEST_CHANGE
    """No change is younger than this many days."""

    def ages(self, count: int, oldest: float = 400) -> list[float]:
        """`count` different ages in days, oldest first."""
        span = oldest - self.newest
        return sorted((self.newest + span * self.random.random() ** 1.6 for _ in range(count)), reverse=True)

    def since(self, moment: datetime | None) -> datetime:
        """Some time after `moment`, and not younger than the newest change allowed."""
        newest = self.moments.ago(self.newest)
        if moment is None or moment >= newest:
            return newest
        return moment + (newest - moment) * self.random.random()

    def author(self) -> int:
        return self.random.choice(authors())


def ideas(random: Random) -> Iterator[Idea]:
    """Every thing of every area once, mixed; then over again with numbers, without end."""
    areas = told("flags")["areas"]
    things = [(name, thing) for name, area in areas.items() for thing in phrases(area["things"])]
    random.shuffle(things)
    for thing in things:
        yield idea(random, thing, random.choice(ENDINGS))
    for number in count(2):
        for thing in things:
            yield idea(random, thing, f"-{number}")


def idea(random: Random, thing: tuple[str, str], ending: str) -> Idea:
    areas, (name, about) = told("flags")["areas"], thing
    area = areas[name]
    runtime = area["runtime"] if random.random() < 0.8 else random.choice(RUNTIMES)
    tags = [area["tag"]]
    if random.random() >= 0.7:
        tags.append(random.choice([*areas.values()])["tag"])
    key = f"{name}-{slug(about)}{ending}"
    return Idea(
        key, f"{sentence(about)} in {name}", runtime, [*dict.fromkeys(tags)], random.choice(authors())
    )

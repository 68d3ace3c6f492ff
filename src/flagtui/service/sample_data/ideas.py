"""What a flag is about, before anybody says how it is targeted."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from random import Random
from typing import Final

from flagtui.service.sample_data.moments import Moments
from flagtui.service.sample_data.people import EMPLOYEES
from flagtui.service.sample_data.vocabulary import AREAS, ENDINGS, Area, sentence, slug

AUTHORS: Final = tuple(person.id for person in EMPLOYEES if person.first_name)
RUNTIMES: Final = ("server", "client", "all")
NEWEST_CHANGE: Final = 27
"""Days: the drawn flags are the ones that changed lately, so that they stay on the first page."""


@dataclass(frozen=True, slots=True)
class Idea:
    key: str
    about: str
    runtime: str
    tags: tuple[str, ...]
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
        return self.random.choice(AUTHORS)


@dataclass(frozen=True, slots=True)
class Thing:
    """Something in an area of the product, and what keys about it start with."""

    area: Area
    about: str
    key: str


def ideas(random: Random) -> Iterator[Idea]:
    """Every thing of every area once, mixed; then over again with numbers, without end."""
    things = [
        Thing(area, f"{sentence(thing)} in {area.name}", f"{area.name}-{slug(thing)}")
        for area in AREAS
        for thing in area.things
    ]
    random.shuffle(things)
    for thing in things:
        yield idea(random, thing, random.choice(ENDINGS))
    for number in count(2):
        for thing in things:
            yield idea(random, thing, f"-{number}")


def idea(random: Random, thing: Thing, ending: str) -> Idea:
    area = thing.area
    runtime = area.runtime if random.random() < 0.8 else random.choice(RUNTIMES)
    tags = (area.tag,) if random.random() < 0.7 else (area.tag, random.choice(AREAS).tag)
    return Idea(thing.key + ending, thing.about, runtime, tuple(dict.fromkeys(tags)), random.choice(AUTHORS))

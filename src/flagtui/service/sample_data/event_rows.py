"""Events into the database: those of experiments, and the last week's ordinary ones."""

import sqlite3
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from operator import attrgetter
from random import Random
from typing import Final

from flagtui.service.database import insert_rows
from flagtui.service.sample_data.company import WEB
from flagtui.service.sample_data.experiment_plans import plans
from flagtui.service.sample_data.exposures import Happening, happenings
from flagtui.service.sample_data.population import Person

ORDINARY: Final = ("$pageview", "$pageview", "$autocapture", "query run", "chart created", "$pageleave")
LAST_WEEK: Final = 1_200


def add_events(db: sqlite3.Connection, people: list[Person], now: datetime) -> None:
    by_age = sorted(people, key=attrgetter("created_at"))
    days = Days()
    for plan in plans():
        add_happenings(db, plan.id, happenings(plan, by_age, now), days)
    add_happenings(db, 0, last_week(people, now), days)


def add_happenings(db: sqlite3.Connection, source: int, found: Iterable[Happening], days: "Days") -> None:
    """In order of time, as they would have arrived. `source` keeps the UUIDs of different ones apart."""
    start = f"01900000-0000-7000-8{source:03x}-"
    rows = (
        {
            "project_id": WEB,
            "uuid": f"{start}{number:012x}",
            "event": each.event,
            "distinct_id": each.person.distinct_id,
            "person_id": each.person.id,
            "timestamp": days.stamped(each.time),
            "properties": each.properties,
        }
        for number, each in enumerate(sorted(found, key=attrgetter("time")))
    )
    insert_rows(db, "events", rows)


class Days:
    """Writes times as the service does, but remembers the days: much less work for fifty thousand events."""

    def __init__(self) -> None:
        self._known: dict[int, str] = {}

    def stamped(self, time: float) -> str:
        day, rest = divmod(time, 86_400)
        text = self._known.get(int(day))
        if text is None:
            text = self._known[int(day)] = datetime.fromtimestamp(day * 86_400, UTC).strftime("%Y-%m-%dT")
        second, micro = divmod(int(rest * 1_000_000), 1_000_000)
        minute, second = divmod(second, 60)
        return f"{text}{minute // 60:02d}:{minute % 60:02d}:{second:02d}.{micro:06d}Z"


def last_week(people: list[Person], now: datetime) -> Iterator[Happening]:
    """What clients send all day: they name the flags that were on when it happened."""
    random = Random("acme week")
    for person in random.choices(people, k=LAST_WEEK):
        time = now.timestamp() - random.random() * 7 * 86_400
        seen = '{"$feature/checkout-redesign":"control","$feature/new-nav":true}'
        yield Happening(random.choice(ORDINARY), person, time, seen)

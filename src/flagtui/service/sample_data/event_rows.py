"""Events into the database: those of experiments, and the last week's ordinary ones."""

import sqlite3
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from random import Random
from typing import Final

from flagtui.service.sample_data.company import WEB
from flagtui.service.sample_data.experiment_plans import PLANS
from flagtui.service.sample_data.exposures import Happening, happenings
from flagtui.service.sample_data.insert_rows import insert
from flagtui.service.sample_data.population import Person

EVENT_COLUMNS: Final = "project_id, uuid, event, distinct_id, person_id, timestamp, properties"
ORDINARY: Final = ("$pageview", "$pageview", "$autocapture", "query run", "chart created", "$pageleave")
LAST_WEEK: Final = 1_200


def add_events(db: sqlite3.Connection, people: list[Person], now: datetime) -> None:
    by_age = sorted(people, key=lambda person: person.created_at)
    for plan in PLANS:
        add_happenings(db, plan.id, happenings(plan, by_age, now))
    add_happenings(db, 0, last_week(people, now))


def add_happenings(db: sqlite3.Connection, source: int, found: Iterable[Happening]) -> None:
    """In order of time, as they would have arrived. `source` keeps the UUIDs of different ones apart."""
    start = f"01900000-0000-7000-8{source:03x}-"
    hours = Hours()
    rows = (
        (
            WEB,
            f"{start}{number:012x}",
            each.event,
            each.person.distinct_id,
            each.person.id,
            hours.stamped(each.time),
            each.properties,
        )
        for number, each in enumerate(sorted(found, key=moment_of))
    )
    insert(db, "events", EVENT_COLUMNS, rows)


def moment_of(happening: Happening) -> float:
    return happening.time


class Hours:
    """Writes times as the service does, but remembers the hours: much less work for fifty thousand events."""

    def __init__(self) -> None:
        self._known: dict[int, str] = {}

    def stamped(self, time: float) -> str:
        hour, rest = divmod(time, 3_600)
        text = self._known.get(int(hour))
        if text is None:
            text = datetime.fromtimestamp(hour * 3_600, UTC).strftime("%Y-%m-%dT%H:")
            self._known[int(hour)] = text
        minute, second = divmod(int(rest * 1_000_000), 60_000_000)
        return f"{text}{minute:02d}:{second // 1_000_000:02d}.{second % 1_000_000:06d}Z"


def last_week(people: list[Person], now: datetime) -> Iterator[Happening]:
    """What clients send all day: they name the flags that were on when it happened."""
    random = Random("acme week")
    for person in random.choices(people, k=LAST_WEEK):
        time = now.timestamp() - random.random() * 7 * 86_400
        seen = '{"$feature/checkout-redesign":"control","$feature/new-nav":true}'
        yield Happening(random.choice(ORDINARY), person, time, seen)

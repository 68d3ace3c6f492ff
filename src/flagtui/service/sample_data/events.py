"""Sample events: in experiments, with exposures, and in the last week."""

import sqlite3
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from random import Random
from typing import Final, NamedTuple

from flagtui.evaluate.conditions import holdout_fraction, variant_fraction
from flagtui.service.database import insert_rows
from flagtui.service.sample_data.company import WEB, Person
from flagtui.service.sample_data.data import Moments, format_stamp
from flagtui.service.sample_data.experiments import Plan, plans

HOUR: Final = 3_600.0
HELD_OUT: Final = "holdout-1"
HOLDOUT_SHARE: Final = 0.1
ORDINARY: Final = ("$pageview", "$pageview", "$autocapture", "query run", "chart created", "$pageleave")
LAST_WEEK: Final = 1_200
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Happening(NamedTuple):
    """One event to be stored; `time` in Unix seconds, `properties` already JSON text."""

    event: str
    person: Person
    time: float
    properties: str = "{}"


class Exposed(NamedTuple):
    person: Person
    variant: str
    time: float


def add_events(db: sqlite3.Connection, people: list[Person], now: datetime) -> None:
    by_age = sorted(people, key=attrgetter("created_at"))
    for plan in plans():
        add_happenings(db, plan.id, happenings(plan, by_age, now))
    add_happenings(db, 0, last_week(people, now))


def add_happenings(db: sqlite3.Connection, source: int, happenings: Iterable[Happening]) -> None:
    """Insert events in order of time; `source` distinguishes the UUIDs of different calls."""
    start = f"01900000-0000-7000-8{source:03x}-"
    rows = (
        {
            "project_id": WEB,
            "uuid": f"{start}{number:012x}",
            "event": each.event,
            "distinct_id": each.person.distinct_id,
            "person_id": each.person.id,
            "timestamp": format_time(each.time),
            "properties": each.properties,
        }
        for number, each in enumerate(sorted(happenings, key=attrgetter("time")))
    )
    insert_rows(db, "events", rows)


def format_time(time: float) -> str | None:
    """Format Unix seconds as the service writes them, microseconds cut off."""
    day, rest = divmod(time, 86_400)
    return format_stamp(EPOCH + timedelta(days=day, microseconds=int(rest * 1_000_000)))


def last_week(people: list[Person], now: datetime) -> Iterator[Happening]:
    """Yield the events of a week, which name the flags that were on when they happened."""
    random = Random("acme week")
    for person in random.choices(people, k=LAST_WEEK):
        time = now.timestamp() - random.random() * 7 * 86_400
        seen = '{"$feature/checkout-redesign":"control","$feature/new-nav":true}'
        yield Happening(random.choice(ORDINARY), person, time, seen)


def happenings(plan: Plan, people: list[Person], now: datetime) -> Iterator[Happening]:
    """Return every event of one experiment; none for a draft. `people` are in order of joining."""
    if plan.stage == "draft":
        return
    random = Random(f"experiment {plan.id}")
    start, end = period(plan, now)
    exposed = list(meet(plan, people, random, (start, end)))
    key = plan.key
    for each in exposed:
        yield Happening("$feature_flag_called", each.person, each.time, call_of(key, each.variant))
    for variant, lift in truths(plan):
        yield from consequences(
            plan, [each for each in exposed if each.variant == variant], lift, random, end
        )


def truths(plan: Plan) -> list[tuple[str, float]]:
    """Return each variant and the factor of its conversion rate; the holdout's is that of the first."""
    keys = [key for key, _ in plan.variants]
    return [*zip(keys, (1.0, *plan.lifts), strict=True), (HELD_OUT, 1.0)]


def period(plan: Plan, now: datetime) -> tuple[float, float]:
    """Return the time from the launch to the end or the pause, or to a moment ago."""
    moments = Moments(now)
    last = moments.ago(plan.ages[2]) if len(plan.ages) == 3 else moments.ago(minutes=1)
    return moments.ago(plan.ages[1]).timestamp(), last.timestamp()


def meet(plan: Plan, people: list[Person], random: Random, between: tuple[float, float]) -> Iterator[Exposed]:
    start, end = between
    key = plan.key
    joined = bisect_right(people, end - HOUR, key=lambda person: person.created_at.timestamp())
    for person in random.sample(people[:joined], min(plan.people, joined)):
        variant = variant_of(plan, key, person.distinct_id)
        if variant == plan.variants[-1][0] and random.random() < plan.dropped:
            continue
        first = max(start, person.created_at.timestamp())
        yield Exposed(person, variant, first + (end - first) * random.random())


def variant_of(plan: Plan, key: str, distinct_id: str) -> str:
    """Return the one every client gets for this person."""
    if plan.holdout and holdout_fraction(distinct_id) <= HOLDOUT_SHARE:
        return HELD_OUT
    place, reached = variant_fraction(key, distinct_id), 0.0
    for variant, share in plan.variants:
        reached += share / 100
        if place < reached:
            return variant
    return plan.variants[-1][0]


def call_of(key: str, variant: str) -> str:
    return f'{{"$feature_flag":"{key}","$feature_flag_response":"{variant}"}}'


def consequences(
    plan: Plan, exposed: list[Exposed], lift: float, random: Random, end: float
) -> Iterator[Happening]:
    """Yield as many conversions as `truths` has, so that results are known; users and times are random."""
    winners = set(
        random.sample(range(len(exposed)), min(len(exposed), round(len(exposed) * plan.rate * lift)))
    )
    for act in dict.fromkeys(DEEDS[name.removeprefix("+")] for name in plan.metrics):
        for index, each in enumerate(exposed):
            yield from act(Deed(each, index in winners, lift, random, end))


class Deed(NamedTuple):
    """An exposed person in front of a metric."""

    exposed: Exposed
    converts: bool
    lift: float
    random: Random
    end: float

    def at(self, hours: float, event: str, properties: str = "{}") -> Happening:
        """Return an event at a random time within `hours` after the exposure, in the period."""
        room = min(hours * HOUR, self.end - self.exposed.time)
        time = self.exposed.time + room * self.random.random()
        return Happening(event, self.exposed.person, time, properties)


def paid(deed: Deed) -> Iterator[Happening]:
    if deed.converts:
        amount = 19 + int(deed.random.random() ** 2 * 180)
        started = deed.at(40, "checkout started")
        yield started
        yield Happening("invoice paid", started.person, started.time + 30, f'{{"amount":{amount}}}')
    elif deed.random.random() < 0.2:
        yield deed.at(40, "checkout started")


def checkout(deed: Deed) -> Iterator[Happening]:
    seconds = deed.random.gammavariate(0.8, 105 if deed.lift == 1 else 99.375)
    closed = deed.at(1, "checkout closed", f'{{"seconds":{seconds:.1f}}}')
    yield closed
    if deed.converts:
        yield Happening("checkout_completed", closed.person, closed.time, '{"amount":49}')
        if deed.random.random() < 0.02:
            yield Happening("refund issued", closed.person, closed.time + 60)


def once(event: str, miss: str = "") -> "Kind":
    def deed_of(deed: Deed) -> Iterator[Happening]:
        if deed.converts:
            yield deed.at(60, event)
        elif miss and deed.random.random() < 0.1:
            yield deed.at(60, miss)

    return deed_of


def queries(deed: Deed) -> Iterator[Happening]:
    often = 2 if deed.converts else 1 if deed.random.random() < 0.3 else 0
    for _ in range(often):
        yield deed.at(
            200, "query run", f'{{"duration_ms":{int(deed.random.gammavariate(2, 400 / deed.lift))}}}'
        )


def viewed(deed: Deed) -> Iterator[Happening]:
    if deed.random.random() < 0.2:
        yield deed.at(24, "exp_viewed")


def nothing(_deed: Deed) -> Iterator[Happening]:
    """Return no events: they are stored through another metric, or never happen."""
    return iter(())


Kind = Callable[[Deed], Iterator[Happening]]
DEEDS: Final[dict[str, Kind]] = {
    "paid": paid,
    "checkout": checkout,
    "signup": once("signup completed"),
    "upgrade": once("plan upgraded"),
    "activation": once("chart created"),
    "exports": once("export.started", miss="export failed"),
    "queries": queries,
    "latency": queries,
    "return": queries,
    "viewed": viewed,
    "revenue": nothing,
    "unsubscribes": nothing,
    "checkout time": nothing,
    "refund ratio": nothing,
    "failed exports": nothing,
}
"""What each metric of the catalogue makes people do."""

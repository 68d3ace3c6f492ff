"""Event definitions: most of them looked after, a third of them not."""

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import product
from random import Random
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from flagtui.service.database import insert_rows
from flagtui.service.event_definitions.fields import DEFINITIONS
from flagtui.service.sample_data.data import (
    Moments,
    authors,
    format_stamp,
    load_subject,
    named_uuid,
    phrases,
    sentence,
    user,
)

WEB_DEFINITIONS: Final = 1_904
MOBILE_DEFINITIONS: Final = 212


class Definition(msgspec.Struct, frozen=True):
    """Ages are in days; `seen` None means that the event never arrived."""

    name: str
    seen: float | None
    uses: int = 0
    description: str = ""
    tags: Sequence[str] = ()
    verified_by: int | None = None
    owner: int | None = None
    hidden: bool | None = False
    made: float = 300
    primary_property: str | None = None


def web_definitions(random: Random) -> list[Definition]:
    definitions = [*hand_written(), *core_definitions(random)]
    names = other_names(random, {each.name for each in definitions})
    return [
        *definitions,
        *(other(random, name, tidy) for name, tidy in names[: WEB_DEFINITIONS - len(definitions)]),
    ]


def mobile_definitions(random: Random) -> list[Definition]:
    core = [each for each in core_definitions(random) if each.name in ("$screen", "$identify", "$set")]
    names = [(f"app {name}", True) for name in plain_names(random)[: MOBILE_DEFINITIONS - len(core)]]
    return [*core, *(other(random, name, tidy and random.random() < 0.66) for name, tidy in names)]


def hand_written() -> list[Definition]:
    """Return those that experiments measure, or that documents and tests name."""

    def with_ids(entry: dict[str, Any]) -> dict[str, Any]:
        return {**entry, **{name: user(entry[name]) for name in ("verified_by", "owner") if name in entry}}

    return [Definition(**with_ids(entry)) for entry in load_subject("events")["definitions"]]


def core_definitions(random: Random) -> Iterator[Definition]:
    """Return the product's own: each starts with a dollar sign."""
    for name in load_subject("events")["core"].split():
        seen, uses = 0 if random.random() < 0.8 else 45, random.randrange(20, 9_000)
        primary = "$pathname" if name in ("$pageview", "$pageleave") else None
        yield Definition(name, seen, uses, made=800, primary_property=primary)


def plain_names(random: Random) -> list[str]:
    """Return every noun with every verb, shuffled: `checkout completed`."""
    words = load_subject("events")
    names = [f"{thing} {deed}" for thing, deed in product(phrases(words["things"]), phrases(words["deeds"]))]
    random.shuffle(names)
    return names


def look_alikes(name: str) -> tuple[str, ...]:
    """Return the same event as other teams wrote it."""
    parts = name.split(" ")
    return (
        "_".join(parts),
        " ".join(part.title() for part in parts),
        parts[0] + "".join(part.title() for part in parts[1:]),
        ".".join(parts),
        f"{'_'.join(parts)}_v2",
        f"[{parts[0].title()}] {' '.join(parts[1:])}",
    )


def leftovers(random: Random) -> Iterator[str]:
    """Yield names left over from trials."""
    things = phrases(load_subject("events")["things"])
    yield from (f"btn_click_{number}" for number in range(1, 41))
    yield from (f"test_event_{number}" for number in range(1, 21))
    yield from (f"tmp_debug_{thing.replace(' ', '_')}" for thing in random.sample(things, 30))
    yield from (f"{thing.replace(' ', '-')}-TEST-do-not-use" for thing in random.sample(things, 20))


def other_names(random: Random, taken: set[str]) -> list[tuple[str, bool]]:
    """Return names, and whether each is maintained: two thirds are."""
    plain = [name for name in plain_names(random) if name not in taken]
    tidy = [(name, True) for name in plain[:1_250]]
    untidy = [(name, False) for name in plain[1_250:1_450]]
    untidy += [(name, False) for name in leftovers(random) if name not in taken]
    for name in [*plain[:70], *(each.name for each in hand_written() if " " in each.name)]:
        untidy += [(twin, False) for twin in random.sample(look_alikes(name), 3) if twin not in taken]
    random.shuffle(untidy)
    needed = WEB_DEFINITIONS - len(taken) - len(tidy)
    chosen = dict(tidy + untidy[:needed])
    spare = iter(plain[1_450:])
    while len(chosen) < WEB_DEFINITIONS - len(taken):
        chosen[next(spare)] = False
    return list(chosen.items())


def other(random: Random, name: str, tidy: bool) -> Definition:
    thing = name.split(" ")[0]
    made = 20 + 500 * random.random()
    if tidy:
        return Definition(
            name,
            0 if random.random() < 0.85 else random.randrange(1, 20),
            int(random.paretovariate(0.9) * 4),
            f"{sentence(name)} by a person or through the API",
            (thing,) if random.random() < 0.5 else (),
            random.choice(authors()),
            random.choice(authors()) if random.random() < 0.4 else None,
            made=made,
        )
    untended = Definition(name, random.randrange(0, 30), random.randrange(0, 40), made=made)
    return neglect(random, untended, name)


def neglect(random: Random, untended: Definition, name: str) -> Definition:
    """Return a definition that is unverified, undescribed or silent; some are hidden or were never seen."""
    fate = random.random()
    if fate < 0.3:
        return replace(untended, description=sentence(name))
    if fate < 0.5:
        return replace(untended, seen=random.randrange(31, 380), uses=0, verified_by=random.choice(authors()))
    if fate < 0.6:
        return replace(untended, hidden=True, uses=0)
    if fate < 0.65:
        return replace(untended, seen=None, uses=0, made=5)
    if fate < 0.75:
        return replace(untended, seen=random.randrange(31, 380), uses=0, hidden=None)
    return untended


def seen_at(definition: Definition, now: datetime) -> datetime | None:
    """Return the day of the last event, as ingestion stores it."""
    if definition.seen is None:
        return None
    moment = Moments(now).ago(definition.seen)
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def add_definitions(
    db: sqlite3.Connection, project: int, definitions: list[Definition], now: datetime
) -> None:
    insert_rows(db, "event_definitions", (_row(project, each, now) for each in definitions))


def _row(project: int, each: Definition, now: datetime) -> dict[str, Any]:
    ago = Moments(now).ago
    touched = format_stamp(ago(each.made / 3))
    verified = each.verified_by is not None
    return DEFINITIONS.encode(
        {
            "id": named_uuid(f"{project} {each.name}"),
            "project_id": project,
            "name": each.name,
            "created_at": format_stamp(ago(max(each.made, (each.seen or 0) + 1))),
            "last_seen_at": format_stamp(seen_at(each, now)),
            "last_updated_at": touched,
            "tags": each.tags,
            "primary_property": each.primary_property,
            "description": each.description,
            "owner_id": each.owner,
            "verified": verified,
            "verified_at": touched if verified else None,
            "verified_by_id": each.verified_by,
            "hidden": each.hidden,
            "updated_at": touched,
            "updated_by_id": each.verified_by,
            "query_usage_30_day": each.uses,
        }
    )

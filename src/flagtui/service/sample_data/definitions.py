"""Event definitions: most of them looked after, a third of them not."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random
from typing import Final

from flagtui.service.sample_data.event_names import CORE, leftovers, look_alikes, plain_names
from flagtui.service.sample_data.moments import Moments
from flagtui.service.sample_data.people import ALICE, EMPLOYEES, MO
from flagtui.service.sample_data.vocabulary import sentence

WEB_DEFINITIONS: Final = 1_904
MOBILE_DEFINITIONS: Final = 212
OWNERS: Final = tuple(person.id for person in EMPLOYEES if person.first_name)


@dataclass(frozen=True, slots=True)
class Definition:
    """Ages are in days; `seen` None means that the event never arrived."""

    name: str
    seen: float | None
    uses: int = 0
    description: str = ""
    tags: tuple[str, ...] = ()
    verified_by: int | None = None
    owner: int | None = None
    hidden: bool | None = False
    made: float = 300
    primary_property: str | None = None


HAND_WRITTEN: Final = (
    Definition("checkout_completed", 0, 412, made=41),
    Definition("checkout completed", 0, 9_881, "Order paid", ("revenue", "checkout"), ALICE, ALICE),
    Definition("signup_v2", 0, 88, made=60),
    Definition("btn_click_17", 3),
    Definition("plan upgraded", 0, 1_204, "A workspace moved to a larger plan", ("revenue",)),
    Definition("Plan Upgraded", 21, 2),
    Definition("export.started", 1, 31, tags=("exports",)),
    Definition("exp_viewed", 0, 640, made=40),
    Definition("tmp_debug_login", 26),
    Definition("page viewed", 0, 51, "Sent by the old snippet"),
    Definition("test_event_9", 12),
    Definition("invoice paid", 0, 3_020, "Money arrived", ("revenue",), MO, MO),
    Definition("sign_up_complete", 8, 4),
    Definition("signup_completed", 0, 2_114, "The form was sent and the address confirmed", ("growth",),
    MO, MO),
    Definition("signup completed", 0, 960, "As sent by the server", ("growth",), MO),
    Definition("checkout started", 0, 4_410, "The basket was opened to pay", ("checkout",), ALICE, ALICE),
    Definition("checkout closed", 0, 120, "However it ended", ("checkout",), ALICE),
    Definition("chart created", 0, 1_880, "The first step everybody takes", ("data",), MO, MO),
    Definition("query run", 0, 7_300, "With how long it took", ("data",), ALICE),
    Definition("export failed", 0, 61, "With the reason", ("exports",), ALICE),
    Definition("refund issued", 1, 44, "", ("revenue",), MO),
    Definition("digest unsubscribed", 400, 1, "Nobody has, so far", (), MO),
)  # fmt: skip
"""Definitions that experiments measure, or that documents and tests name."""


def web_definitions(random: Random) -> list[Definition]:
    known = [*HAND_WRITTEN, *core_definitions(random)]
    names = other_names(random, {each.name for each in known})
    return [*known, *(other(random, name, tidy) for name, tidy in names[: WEB_DEFINITIONS - len(known)])]


def mobile_definitions(random: Random) -> list[Definition]:
    core = [each for each in core_definitions(random) if each.name in ("$screen", "$identify", "$set")]
    names = [(f"app {name}", True) for name in plain_names(random)[: MOBILE_DEFINITIONS - len(core)]]
    return [*core, *(other(random, name, tidy and random.random() < 0.66) for name, tidy in names)]


def core_definitions(random: Random) -> Iterator[Definition]:
    for name in CORE:
        primary = "$pathname" if name in ("$pageview", "$pageleave") else None
        yield Definition(
            name,
            0 if random.random() < 0.8 else 45,
            random.randrange(20, 9_000),
            made=800,
            primary_property=primary,
        )


def other_names(random: Random, taken: set[str]) -> list[tuple[str, bool]]:
    """Names, each with whether it is looked after: two thirds are."""
    plain = [name for name in plain_names(random) if name not in taken]
    tidy = [(name, True) for name in plain[:1_250]]
    untidy = [(name, False) for name in plain[1_250:1_450]]
    untidy += [(name, False) for name in leftovers(random) if name not in taken]
    for name in [*plain[:70], *(each.name for each in HAND_WRITTEN if " " in each.name)]:
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
            random.choice(OWNERS),
            random.choice(OWNERS) if random.random() < 0.4 else None,
            made=made,
        )
    untended = Definition(name, random.randrange(0, 30), random.randrange(0, 40), made=made)
    return neglected(random, untended, name)


def neglected(random: Random, untended: Definition, name: str) -> Definition:
    """Unverified, undescribed or silent, in every mixture; some were hidden, some never seen."""
    fate = random.random()
    if fate < 0.3:
        return replace(untended, description=sentence(name))
    if fate < 0.5:
        return replace(untended, seen=random.randrange(31, 380), uses=0, verified_by=random.choice(OWNERS))
    if fate < 0.6:
        return replace(untended, hidden=True, uses=0)
    if fate < 0.65:
        return replace(untended, seen=None, uses=0, made=5)
    if fate < 0.75:
        return replace(untended, seen=random.randrange(31, 380), uses=0, hidden=None)
    return untended


def seen_at(definition: Definition, now: datetime) -> datetime | None:
    """Kept by the day, as ingestion keeps it."""
    if definition.seen is None:
        return None
    moment = Moments(now).ago(definition.seen)
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)

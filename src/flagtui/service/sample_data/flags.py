"""Every flag of a project: drawn ones, those of experiments, and as many others as are wanted."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import islice
from random import Random
from typing import Final

from flagtui.service.sample_data import kinds
from flagtui.service.sample_data.drawn_flags import drawn_flags
from flagtui.service.sample_data.experiment_flags import experiment_flags
from flagtui.service.sample_data.flag import SampleFlag
from flagtui.service.sample_data.ideas import Dice, Idea, ideas
from flagtui.service.sample_data.moments import Moments

LISTED: Final = 248
"""Flags of the first project that its list shows when nobody asks for another number."""
FAMOUS_KEY: Final = "checkout-redesign"
FAMOUS_ID: Final = 812
MOBILE_FIRST_ID: Final = 501

MIX: Final[tuple[tuple[kinds.Kind, int], ...]] = (
    (kinds.full, 36),
    (kinds.partial, 32),
    (kinds.targeted, 26),
    (kinds.off, 24),
    (kinds.multivariate, 14),
    (kinds.unused, 12),
    (kinds.by_cohort, 10),
    (kinds.by_company, 10),
    (kinds.finished, 9),
    (kinds.config, 8),
    (kinds.dependent, 7),
    (kinds.pinned, 5),
    (kinds.early_access, 4),
    (kinds.by_device, 3),
    (kinds.ancient, 2),
    (kinds.secret_config, 2),
    (kinds.for_nobody, 2),
)
"""How many of each kind among two hundred; the order is the order of filling."""
OUT_OF_SIGHT: Final[tuple[tuple[kinds.Kind, int], ...]] = ((kinds.archived, 10), (kinds.deleted, 6))


def web_flags(now: datetime, listed: int = LISTED) -> Iterator[SampleFlag]:
    """Numbered flags of the first project: the usual ones, then one by one as many more as are wanted.

    Fewer than the drawn ones and the experiments' own is not possible.
    """
    moments = Moments(now)
    known = [*drawn_flags(moments), *experiment_flags(moments)]
    visible = sum(not made.state["archived"] for made in known)
    dice = Dice(Random("acme web"), moments)
    thoughts = ideas(dice.random)
    hidden = [make(dice, next(thoughts)) for make, count in OUT_OF_SIGHT for _ in range(count)]
    others = mixed(dice, thoughts, max(0, listed - visible))
    usual = numbered([*known, *hidden, *islice(others, LISTED - visible)])
    yield from usual
    yield from following(usual, others)


def mobile_flags(now: datetime) -> list[SampleFlag]:
    dice = Dice(Random("acme mobile"), Moments(now), newest=0.2)
    thoughts = (idea for idea in ideas(dice.random) if idea.key.startswith(("mobile", "replay", "surveys")))
    makers = (kinds.full, kinds.partial, kinds.off, kinds.multivariate, kinds.unused, kinds.config)
    made = [make(dice, next(thoughts)) for _ in range(4) for make in makers]
    for number, each in enumerate(sorted(made, key=lambda flag: flag.created_at), start=MOBILE_FIRST_ID):
        each.id, each.project = number, 2
    return made


def mixed(dice: Dice, thoughts: Iterator[Idea], count: int) -> Iterator[SampleFlag]:
    makers = [make for make, share in MIX for _ in range(share)]
    dice.random.shuffle(makers)
    for number, thought in enumerate(islice(thoughts, count)):
        yield makers[number % len(makers)](dice, thought)


def numbered(flags: list[SampleFlag]) -> list[SampleFlag]:
    """Ids follow age, around the famous one."""
    flags.sort(key=lambda made: made.created_at)
    famous = next(index for index, made in enumerate(flags) if made.key == FAMOUS_KEY)
    for index, made in enumerate(flags):
        made.id = FAMOUS_ID - famous + index
    ids = {made.key: made.id for made in flags}
    for made in flags:
        point_dependencies(made, ids)
    return flags


def following(usual: list[SampleFlag], others: Iterator[SampleFlag]) -> Iterator[SampleFlag]:
    """Flags beyond the usual number, with ids after theirs."""
    ids = {made.key: made.id for made in usual}
    for number, made in enumerate(others, start=usual[-1].id + 1):
        made.id = number
        point_dependencies(made, ids)
        yield made


def point_dependencies(made: SampleFlag, ids: Mapping[str, int]) -> None:
    """Conditions on other flags were written with keys; the service keeps ids."""
    for condition in made.filters["groups"]:
        for asked in condition["properties"]:
            if asked["type"] == "flag" and asked["key"] in ids:
                asked["key"] = str(ids[asked["key"]])

"""Kinds of sample flags: one function for each kind that a company ends up with."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from itertools import count
from random import Random
from typing import Any, Final

import msgspec

from flagtui.service.field_kinds import Values
from flagtui.service.sample_data.data import Moments, authors, load_subject, phrases, sentence, slug
from flagtui.service.sample_data.flag import (
    SampleFlag,
    cohort,
    company,
    filters,
    flag,
    group,
    person,
    split,
    state,
    with_rollouts,
)

RUNTIMES: Final = ("server", "client", "all")
ENDINGS: Final = ("", "", "", "-v2", "", "-beta", "", "-rollout", "", "-next")
"""What keys end in now and then, the way keys do."""
NEWEST_CHANGE: Final = 27
"""Days: the hand-written flags are the ones that changed lately, so that they stay on the first page."""


class Idea(msgspec.Struct, frozen=True):
    key: str
    about: str
    runtime: str
    tags: list[str]
    author: int


class Dice(msgspec.Struct, frozen=True):
    """The random generator and the current time: the only inputs of a sample."""

    random: Random
    moments: Moments
    newest: float = NEWEST_CHANGE
    """No change is younger than this many days."""

    def ages(self, count: int, oldest: float = 400) -> list[float]:
        """Return `count` different ages in days, oldest first."""
        span = oldest - self.newest
        return sorted((self.newest + span * self.random.random() ** 1.6 for _ in range(count)), reverse=True)

    def since(self, moment: datetime | None) -> datetime:
        """Return a time after `moment`, no later than the newest change allowed."""
        newest = self.moments.ago(self.newest)
        if moment is None or moment >= newest:
            return newest
        return moment + (newest - moment) * self.random.random()

    def author(self) -> int:
        return self.random.choice(authors())


def ideas(random: Random) -> Iterator[Idea]:
    """Yield every noun of every area once, shuffled, then again with numbers, without end."""
    areas = load_subject("flags")["areas"]
    things = [(name, thing) for name, area in areas.items() for thing in phrases(area["things"])]
    random.shuffle(things)
    for thing in things:
        yield idea(random, thing, random.choice(ENDINGS))
    for number in count(2):
        for thing in things:
            yield idea(random, thing, f"-{number}")


def idea(random: Random, thing: tuple[str, str], ending: str) -> Idea:
    areas, (name, about) = load_subject("flags")["areas"], thing
    area = areas[name]
    runtime = area["runtime"] if random.random() < 0.8 else random.choice(RUNTIMES)
    tags = [area["tag"]]
    if random.random() >= 0.7:
        tags.append(random.choice([*areas.values()])["tag"])
    key = f"{name}-{slug(about)}{ending}"
    return Idea(
        key, f"{sentence(about)} in {name}", runtime, [*dict.fromkeys(tags)], random.choice(authors())
    )


Kind = Callable[[Dice, Idea], SampleFlag]


def choices(name: str) -> list[Any]:
    """Return the words from which the kinds choose."""
    values: list[Any] = load_subject("flags")["kinds"][name]
    return values


def started(
    dice: Dice, idea: Idea, targeting: Values, age: float | None = None, **columns: Any
) -> SampleFlag:
    """Return a new flag of any age in days, called within the last two days."""
    return SampleFlag(
        state(idea.key, targeting, idea.about, runtime=idea.runtime, tags=idea.tags, **columns),
        dice.moments.ago(dice.ages(1)[0] if age is None else age),
        idea.author,
        dice.moments.ago(minutes=dice.random.randrange(2, 2_880)),
    )


def widened(dice: Dice, idea: Idea, targeting: Values, target: float, **columns: Any) -> SampleFlag:
    """Step by step to `target`, with a change of words on the way now and then."""
    below = [step for step in choices("steps") if step < target]
    steps = sorted(dice.random.sample(below, min(len(below), dice.random.randrange(0, 4))))
    ages = dice.ages(len(steps) + 2)
    made = started(dice, idea, with_rollouts(targeting, [*steps, target][0]), ages[0], **columns)
    for age, rollout in zip(ages[1:], [*steps[1:], target] if steps else [], strict=False):
        made.edit(dice.moments.ago(age), dice.author(), filters=with_rollouts(targeting, rollout))
    if dice.random.random() < 0.3:
        made.edit(dice.moments.ago(ages[-1]), idea.author, name=f"{idea.about}, wave {len(steps) + 1}")
    return made


def full(dice: Dice, idea: Idea) -> SampleFlag:
    return widened(dice, idea, filters(group(100)), 100)


def partial(dice: Dice, idea: Idea) -> SampleFlag:
    target = dice.random.choice((0.5, 1, 2, 5, 10, 20, 25, 30, 40, 50, 60, 75, 90))
    return widened(dice, idea, filters(group(target)), target)


def targeted(dice: Dice, idea: Idea) -> SampleFlag:
    """Return a flag for some people; half of these flags also have a condition for everyone else."""
    audiences = dice.random.sample(choices("audiences"), dice.random.randrange(1, 3))
    first = group(100, *(person(*audience) for audience in audiences))
    rest = [group(dice.random.choice((0, 5, 10, 25)))] if dice.random.random() < 0.5 else []
    return widened(dice, idea, filters(first, *rest), dice.random.choice((25, 50, 100, 100)))


def by_cohort(dice: Dice, idea: Idea) -> SampleFlag:
    operator = "in" if dice.random.random() < 0.8 else "not_in"
    condition = cohort(dice.random.choice(choices("cohorts")), operator)
    return widened(dice, idea, filters(group(100, condition)), dice.random.choice((50, 100)))


def by_company(dice: Dice, idea: Idea) -> SampleFlag:
    condition = company(*dice.random.choice(choices("companies")))
    return widened(dice, idea, filters(group(100, condition, index=0)), dice.random.choice((20, 50, 100)))


def dependent(dice: Dice, idea: Idea) -> SampleFlag:
    base = flag(dice.random.choice(choices("bases")))
    return started(dice, idea, filters(group(100, base)), dice.ages(1, 60)[0])


def multivariate(dice: Dice, idea: Idea) -> SampleFlag:
    shares = dice.random.choice(choices("splits"))
    payloads = {key: f'{{"style": "{key}"}}' for key, _ in shares} if dice.random.random() < 0.4 else None
    targeting = filters(group(100), variants=split(shares), payloads=payloads)
    return widened(dice, idea, targeting, dice.random.choice((10, 50, 100)))


def pinned(dice: Dice, idea: Idea) -> SampleFlag:
    """Return a multivariate flag with one variant forced for some people."""
    shares = dice.random.choice(choices("splits"))
    condition = person(*dice.random.choice(choices("audiences")))
    forced = group(100, condition, variant=shares[-1][0])
    return started(dice, idea, filters(forced, group(50), variants=split(shares)))


def config(dice: Dice, idea: Idea) -> SampleFlag:
    limit = dice.random.randrange(10, 900)
    first = filters(group(100), payloads={"true": f'{{"limit": {limit}, "unit": "minute"}}'})
    made = started(dice, idea, first, is_remote_configuration=True)
    later = {**first, "payloads": {"true": f'{{"limit": {limit * 2}, "unit": "minute"}}'}}
    made.edit(dice.since(made.updated_at), dice.author(), filters=later)
    return made


def secret_config(dice: Dice, idea: Idea) -> SampleFlag:
    """Return a flag with an encrypted payload, which the log never holds: it is written once."""
    secret = f'{{"token": "sample-{dice.random.getrandbits(64):016x}", "rotate_days": 30}}'
    targeting = filters(group(100), payloads={"true": secret})
    return started(dice, idea, targeting, is_remote_configuration=True, has_encrypted_payloads=True)


def unused(dice: Dice, idea: Idea) -> SampleFlag:
    """Return a flag that is stale because it was not called for more than thirty days."""
    made = partial(dice, idea) if dice.random.random() < 0.5 else full(dice, idea)
    made.called_at = dice.moments.ago(dice.random.randrange(31, 200))
    return made


def finished(dice: Dice, idea: Idea) -> SampleFlag:
    """Return a flag that is stale after thirty days at 100 %; calls were never recorded."""
    made = started(dice, idea, filters(group(20)), dice.ages(1)[0] + 40)
    made.edit(dice.moments.ago(dice.newest + 20), dice.author(), filters=filters(group(100)))
    made.called_at = None
    return made


def off(dice: Dice, idea: Idea) -> SampleFlag:
    made = partial(dice, idea)
    made.edit(dice.since(made.updated_at), dice.author(), active=False)
    return made


def early_access(dice: Dice, idea: Idea) -> SampleFlag:
    return started(dice, idea, filters(group(0), feature_enrollment=True))


def at_zero(dice: Dice, idea: Idea) -> SampleFlag:
    return started(dice, idea, filters())


def by_device(dice: Dice, idea: Idea) -> SampleFlag:
    return started(dice, idea, filters(group(50)), bucketing_identifier="device_id")


def ancient(dice: Dice, idea: Idea) -> SampleFlag:
    """Return a flag from before versions and history, without an author or a stored percentage."""
    made = started(dice, idea, filters(group(None)), 700, ensure_experience_continuity=True)
    made.author = None
    made.forget_history()
    return made


def archived(dice: Dice, idea: Idea) -> SampleFlag:
    made = full(dice, idea)
    made.called_at = None
    made.edit(dice.moments.ago(dice.random.random() * 20 + 2), dice.author(), active=False, archived=True)
    return made


def deleted(dice: Dice, idea: Idea) -> SampleFlag:
    made = partial(dice, idea)
    made.edit(dice.moments.ago(dice.random.random() * 20 + 1), dice.author(), deleted=True)
    return made


KINDS: Mapping[str, Kind] = {
    kind.__name__: kind
    for kind in (
        *(full, partial, targeted, off, multivariate, unused, by_cohort, by_company, finished, config),
        *(dependent, pinned, early_access, by_device, ancient, secret_config, at_zero, archived, deleted),
    )
}

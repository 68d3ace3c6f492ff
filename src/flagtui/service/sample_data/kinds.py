"""One function for each kind of flag a company ends up with."""

from collections.abc import Callable, Mapping
from typing import Any

from flagtui.service.sample_data.data import told
from flagtui.service.sample_data.filters import (
    cohort,
    company,
    filters,
    flag,
    group,
    person,
    split,
    with_rollouts,
)
from flagtui.service.sample_data.flag import SampleFlag, state
from flagtui.service.sample_data.ideas import Dice, Idea

Kind = Callable[[Dice, Idea], SampleFlag]
State = dict[str, Any]


def choices(name: str) -> list[Any]:
    """What the kinds draw from."""
    found: list[Any] = told("flags")["kinds"][name]
    return found


def started(dice: Dice, idea: Idea, targeting: State, age: float, **columns: Any) -> SampleFlag:
    """A new flag, called within the last two days."""
    return SampleFlag(
        state(idea.key, targeting, idea.about, runtime=idea.runtime, tags=idea.tags, **columns),
        dice.moments.ago(age),
        idea.author,
        dice.moments.ago(minutes=dice.random.randrange(2, 2_880)),
    )


def widened(dice: Dice, idea: Idea, targeting: State, target: float, **columns: Any) -> SampleFlag:
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
    """Some people first; a second condition for everyone else in half of them."""
    asked = dice.random.sample(choices("audiences"), dice.random.randrange(1, 3))
    first = group(100, *(person(*one) for one in asked))
    rest = [group(dice.random.choice((0, 5, 10, 25)))] if dice.random.random() < 0.5 else []
    return widened(dice, idea, filters(first, *rest), dice.random.choice((25, 50, 100, 100)))


def by_cohort(dice: Dice, idea: Idea) -> SampleFlag:
    operator = "in" if dice.random.random() < 0.8 else "not_in"
    asked = cohort(dice.random.choice(choices("cohorts")), operator)
    return widened(dice, idea, filters(group(100, asked)), dice.random.choice((50, 100)))


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
    """Multivariate, with one variant forced for some people."""
    shares = dice.random.choice(choices("splits"))
    asked = person(*dice.random.choice(choices("audiences")))
    forced = group(100, asked, variant=shares[-1][0])
    return started(dice, idea, filters(forced, group(50), variants=split(shares)), dice.ages(1)[0])


def config(dice: Dice, idea: Idea) -> SampleFlag:
    limit = dice.random.randrange(10, 900)
    first = filters(group(100), payloads={"true": f'{{"limit": {limit}, "unit": "minute"}}'})
    made = started(dice, idea, first, dice.ages(1)[0], is_remote_configuration=True)
    later = {**first, "payloads": {"true": f'{{"limit": {limit * 2}, "unit": "minute"}}'}}
    made.edit(dice.since(made.updated_at), dice.author(), filters=later)
    return made


def secret_config(dice: Dice, idea: Idea) -> SampleFlag:
    """The payload is kept encrypted: the log never holds it, so this flag is written once."""
    secret = f'{{"token": "sample-{dice.random.getrandbits(64):016x}", "rotate_days": 30}}'
    return started(
        dice,
        idea,
        filters(group(100), payloads={"true": secret}),
        dice.ages(1)[0],
        is_remote_configuration=True,
        has_encrypted_payloads=True,
    )


def unused(dice: Dice, idea: Idea) -> SampleFlag:
    """Stale because nothing has asked for it in more than thirty days."""
    made = partial(dice, idea) if dice.random.random() < 0.5 else full(dice, idea)
    made.called_at = dice.moments.ago(dice.random.randrange(31, 200))
    return made


def finished(dice: Dice, idea: Idea) -> SampleFlag:
    """Stale because everyone has had it for more than thirty days; callers were never recorded."""
    made = started(dice, idea, filters(group(20)), dice.ages(1)[0] + 40)
    made.edit(dice.moments.ago(dice.newest + 20), dice.author(), filters=filters(group(100)))
    made.called_at = None
    return made


def off(dice: Dice, idea: Idea) -> SampleFlag:
    made = partial(dice, idea)
    made.edit(dice.since(made.updated_at), dice.author(), active=False)
    return made


def early_access(dice: Dice, idea: Idea) -> SampleFlag:
    return started(dice, idea, filters(group(0), feature_enrollment=True), dice.ages(1)[0])


def for_nobody(dice: Dice, idea: Idea) -> SampleFlag:
    return started(dice, idea, filters(), dice.ages(1)[0])


def by_device(dice: Dice, idea: Idea) -> SampleFlag:
    return started(dice, idea, filters(group(50)), dice.ages(1)[0], bucketing_identifier="device_id")


def ancient(dice: Dice, idea: Idea) -> SampleFlag:
    """From before versions and last changes were kept, its maker gone; the percentage was never written."""
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
        *(dependent, pinned, early_access, by_device, ancient, secret_config, for_nobody, archived, deleted),
    )
}

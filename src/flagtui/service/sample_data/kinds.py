"""One function for each kind of flag a company ends up with."""

from collections.abc import Callable
from typing import Any, Final

from flagtui.service.sample_data.filters import (
    cohort,
    company,
    filters,
    flag,
    group,
    person,
    split,
    with_rollout,
)
from flagtui.service.sample_data.flag import SampleFlag, state
from flagtui.service.sample_data.ideas import Dice, Idea

Kind = Callable[[Dice, Idea], SampleFlag]
State = dict[str, Any]

STEPS: Final = (1, 5, 10, 20, 25, 33, 50, 75, 90)
SPLITS: Final = (
    (("blue", 50), ("green", 50)),
    (("short", 34), ("medium", 33), ("long", 33)),
    (("off", 80), ("on", 20)),
    (("list", 25), ("grid", 25), ("table", 25), ("cards", 25)),
)
AUDIENCES: Final = (
    person("plan", "exact", ["pro", "scale"]),
    person("email", "icontains", "@acme.com"),
    person("country", "exact", ["DE", "AT", "CH"]),
    person("beta_tester", "exact", ["true"]),
    person("app_version", "semver_gte", "4.2.0"),
    person("seats", "gt", "20"),
    person("signed_up_at", "is_date_after", "-90d"),
    person("browser", "is_not", ["Safari"]),
    person("email", "regex", r"^[^@]+@(acme|example)\.(com|org)$"),
    person("job_title", "is_set", "is_set"),
)
COMPANIES: Final = (
    company("plan", "exact", ["enterprise"]),
    company("employees", "gte", "200"),
    company("industry", "icontains", "bank"),
    company("$group_key", "exact", ["globex", "initech"]),
)
BASES: Final = (
    "webhook-retries",
    "hogql-joins",
    "mobile-deep-links",
    "geo-pricing",
)
COHORTS: Final = (1, 2, 3, 4, 6, 8)
"""Those without conditions on events, which flags may not use."""


def started(dice: Dice, idea: Idea, targeting: State, age: float, **columns: Any) -> SampleFlag:
    """A new flag, called within the last two days."""
    return SampleFlag(
        state(idea.key, targeting, idea.about, evaluation_runtime=idea.runtime, **columns),
        dice.moments.ago(age),
        idea.author,
        idea.tags,
        dice.moments.ago(minutes=dice.random.randrange(2, 2_880)),
    )


def widened(dice: Dice, idea: Idea, targeting: State, target: float, **columns: Any) -> SampleFlag:
    """Step by step to `target`, with a change of words on the way now and then."""
    below = [step for step in STEPS if step < target]
    steps = sorted(dice.random.sample(below, min(len(below), dice.random.randrange(0, 4))))
    ages = dice.ages(len(steps) + 2)
    made = started(dice, idea, with_rollout(targeting, [*steps, target][0]), ages[0], **columns)
    for age, rollout in zip(ages[1:], [*steps[1:], target] if steps else [], strict=False):
        made.edit(dice.moments.ago(age), dice.author(), filters=with_rollout(targeting, rollout))
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
    first = group(100, *dice.random.sample(AUDIENCES, dice.random.randrange(1, 3)))
    rest = [group(dice.random.choice((0, 5, 10, 25)))] if dice.random.random() < 0.5 else []
    return widened(dice, idea, filters(first, *rest), dice.random.choice((25, 50, 100, 100)))


def by_cohort(dice: Dice, idea: Idea) -> SampleFlag:
    operator = "in" if dice.random.random() < 0.8 else "not_in"
    return widened(
        dice,
        idea,
        filters(group(100, cohort(dice.random.choice(COHORTS), operator))),
        dice.random.choice((50, 100)),
    )


def by_company(dice: Dice, idea: Idea) -> SampleFlag:
    condition = dice.random.choice(COMPANIES)
    return widened(dice, idea, filters(group(100, condition, index=0)), dice.random.choice((20, 50, 100)))


def dependent(dice: Dice, idea: Idea) -> SampleFlag:
    return started(dice, idea, filters(group(100, flag(dice.random.choice(BASES)))), dice.ages(1, 60)[0])


def multivariate(dice: Dice, idea: Idea) -> SampleFlag:
    shares = dice.random.choice(SPLITS)
    payloads = {key: f'{{"style": "{key}"}}' for key, _ in shares} if dice.random.random() < 0.4 else None
    return widened(
        dice,
        idea,
        filters(group(100), variants=split(*shares), payloads=payloads),
        dice.random.choice((10, 50, 100)),
    )


def pinned(dice: Dice, idea: Idea) -> SampleFlag:
    """Multivariate, with one variant forced for some people."""
    shares = dice.random.choice(SPLITS)
    forced = group(100, dice.random.choice(AUDIENCES), variant=shares[-1][0])
    return started(dice, idea, filters(forced, group(50), variants=split(*shares)), dice.ages(1)[0])


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
    made.edit(dice.moments.ago(dice.random.random() * 20 + 1), dice.author(), "deleted", deleted=True)
    return made

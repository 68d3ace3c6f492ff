"""Every flag of a project: hand-written ones, those of experiments, and as many others as are wanted."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import islice
from random import Random
from typing import Any, Final

from flagtui.service.field_kinds import Values
from flagtui.service.sample_data import kinds
from flagtui.service.sample_data.data import Moments, load_subject, user
from flagtui.service.sample_data.experiments import HOLDOUT, Plan, plans
from flagtui.service.sample_data.flag import (
    SampleFlag,
    cohort,
    filters,
    flag,
    group,
    person,
    split,
    state,
    with_rollouts,
)
from flagtui.service.sample_data.kinds import Dice, Idea, ideas

LISTED: Final = 248
"""Flags of the first project that its list shows when nothing else is asked for."""
FAMOUS_KEY: Final = "checkout-redesign"
FAMOUS_ID: Final = 812
MOBILE_FIRST_ID: Final = 501
LABELS: Final = {
    "control": "Control Group",
    "test": "Test Variant",
    "test-a": "Variant A",
    "test-b": "Variant B",
}


def web_flags(now: datetime, listed: int = LISTED) -> tuple[list[SampleFlag], Iterator[SampleFlag]]:
    """Return the usual flags of the first project, and an iterator of the further ones.

    Fewer than the hand-written ones and the experiments' own is not possible.
    """
    moments = Moments(now)
    fixed = [hand_written(moments, entry) for entry in load_subject("flags")["flags"]]
    fixed += [experiment_flag(moments, plan) for plan in plans() if not plan.flag_key]
    visible = sum(not made.state["archived"] for made in fixed)
    dice = Dice(Random("acme web"), moments)
    thoughts = ideas(dice.random)
    hidden = [make(dice, next(thoughts)) for make in makers("hidden")]
    others = mix_flags(dice, thoughts, max(0, listed - visible))
    usual = number_flags([*fixed, *hidden, *islice(others, LISTED - visible)])
    return usual, following(usual, others)


def mobile_flags(now: datetime) -> list[SampleFlag]:
    dice = Dice(Random("acme mobile"), Moments(now), newest=0.2)
    thoughts = (idea for idea in ideas(dice.random) if idea.key.startswith(("mobile", "replay", "surveys")))
    some = (kinds.full, kinds.partial, kinds.off, kinds.multivariate, kinds.unused, kinds.config)
    made = [make(dice, next(thoughts)) for _ in range(4) for make in some]
    for number, each in enumerate(sorted(made, key=lambda flag: flag.created_at), start=MOBILE_FIRST_ID):
        each.id, each.project = number, 2
    return made


def hand_written(moments: Moments, entry: Mapping[str, Any]) -> SampleFlag:
    """Return a flag of the file, led through its edits."""
    columns = {name: entry[name] for name in ("tags", "active", "is_remote_configuration") if name in entry}
    variants, runtime = split(entry.get("variants", ())), entry.get("runtime", "all")
    targeting = filters(*map(condition, entry["groups"]), variants=variants, payloads=entry.get("payloads"))
    made = SampleFlag(
        state(entry["key"], targeting, entry["name"], runtime=runtime, **columns),
        moments.ago(**entry["made"]),
        user(entry["author"]),
        moments.ago(**entry["called"]) if "called" in entry else None,
    )
    for edit in entry.get("edits", ()):
        age = {unit: edit[unit] for unit in ("days", "hours", "minutes") if unit in edit}
        made.edit(moments.ago(**age), user(edit["by"]), **edit_columns(made.filters, edit))
    return made


def condition(entry: Mapping[str, Any]) -> Values:
    properties = [person(*arguments) for arguments in entry.get("asks", ())]
    properties += [cohort(entry["cohort"])] if "cohort" in entry else []
    properties += [flag(entry["flag"])] if "flag" in entry else []
    return group(entry["rollout"], *properties)


def edit_columns(before: Values, edit: Mapping[str, Any]) -> Values:
    """Return the columns that an edit of the file writes."""
    columns = {name: edit[name] for name in ("name", "active") if name in edit}
    targeting = with_rollouts(before, *edit.get("rollouts", ()))
    if "also_asks" in edit:
        first = targeting["groups"][0]
        first["properties"] = [*first["properties"], *(person(*arguments) for arguments in edit["also_asks"])]
    if "payloads" in edit:
        targeting["payloads"] = edit["payloads"]
    return columns if targeting == before else {**columns, "filters": targeting}


def experiment_flag(moments: Moments, plan: Plan) -> SampleFlag:
    """Return the flag of an experiment that does not use a hand-written one, in the state it was left in."""
    holdout = {"id": HOLDOUT["id"], "exclusion_percentage": 10}
    targeting = filters(
        group(100),
        variants=split((key, share, LABELS[key]) for key, share in plan.variants),
        **({"holdout": holdout} if plan.holdout else {}),
    )
    columns = state(
        plan.key,
        targeting,
        f"Feature Flag for Experiment {plan.name}",
        active=False,
        runtime=plan.runtime,
        tags=plan.tags,
        creation_context="experiments",
    )
    made = SampleFlag(columns, moments.ago(plan.ages[0]), plan.author_id)

    def edit(age: float, **after: Any) -> None:
        made.edit(moments.ago(age), plan.author_id, **after)

    if plan.stage != "draft":
        edit(plan.ages[1], active=True)
        made.called_at = moments.ago(minutes=plan.id)
    if plan.stage == "paused":
        edit(plan.ages[2], active=False)
    if plan.conclusion == "won" and plan.stage == "stopped":
        edit(plan.ages[2], filters=ship(made.filters, plan.variants[-1][0]))
    if plan.conclusion == "lost":
        edit(plan.ages[2], active=False)
    if plan.stage == "archived":
        edit(plan.ages[2] - 1, active=False, archived=True)
    if len(plan.ages) == 3:
        made.called_at = moments.ago(plan.ages[2])
    return made


def ship(before: Values, winner: str) -> Values:
    variants = [
        {**variant, "rollout_percentage": 100 if variant["key"] == winner else 0}
        for variant in before["multivariate"]["variants"]
    ]
    return {**before, "multivariate": {"variants": variants}}


def makers(table: str) -> list[kinds.Kind]:
    """Return as many makers of each kind as the file lists."""
    counts: dict[str, int] = load_subject("flags")[table]
    return [kinds.KINDS[name] for name, count in counts.items() for _ in range(count)]


def mix_flags(dice: Dice, thoughts: Iterator[Idea], count: int) -> Iterator[SampleFlag]:
    mix = makers("mix")
    dice.random.shuffle(mix)
    for number, thought in enumerate(islice(thoughts, count)):
        yield mix[number % len(mix)](dice, thought)


def number_flags(flags: list[SampleFlag]) -> list[SampleFlag]:
    """Number flags by age, around the famous one."""
    flags.sort(key=lambda made: made.created_at)
    famous = next(index for index, made in enumerate(flags) if made.key == FAMOUS_KEY)
    for index, made in enumerate(flags):
        made.id = FAMOUS_ID - famous + index
    ids = {made.key: made.id for made in flags}
    for made in flags:
        point_dependencies(made, ids)
    return flags


def following(usual: list[SampleFlag], others: Iterator[SampleFlag]) -> Iterator[SampleFlag]:
    """Return flags beyond the usual number, with ids after theirs."""
    ids = {made.key: made.id for made in usual}
    for number, made in enumerate(others, start=usual[-1].id + 1):
        made.id = number
        point_dependencies(made, ids)
        yield made


def point_dependencies(made: SampleFlag, ids: Mapping[str, int]) -> None:
    """Replace keys of dependencies by the ids that the service stores."""
    for targeting in made.filters["groups"]:
        for item in targeting["properties"]:
            if item["type"] == "flag" and item["key"] in ids:
                item["key"] = str(ids[item["key"]])

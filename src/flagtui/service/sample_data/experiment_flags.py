"""The flags that experiments run on, in the state each experiment left them in."""

from collections.abc import Iterator
from typing import Any

from flagtui.service.sample_data.data import Moments
from flagtui.service.sample_data.experiment_plans import ExperimentPlan, plans
from flagtui.service.sample_data.filters import filters, group, split
from flagtui.service.sample_data.flag import SampleFlag, state

HOLDOUT = {"id": 1, "exclusion_percentage": 10}
LABELS = {"control": "Control Group", "test": "Test Variant", "test-a": "Variant A", "test-b": "Variant B"}


def experiment_flags(moments: Moments) -> Iterator[SampleFlag]:
    """One flag for every experiment that does not use a hand-written one."""
    return (experiment_flag(moments, plan) for plan in plans() if not plan.flag_key)


def targeting(plan: ExperimentPlan) -> dict[str, Any]:
    variants = split((key, share, LABELS[key]) for key, share in plan.variants)
    more = {"holdout": HOLDOUT} if plan.holdout else {}
    return filters(group(100), variants=variants, **more)


def experiment_flag(moments: Moments, plan: ExperimentPlan) -> SampleFlag:
    columns = state(
        plan.key,
        targeting(plan),
        f"Feature Flag for Experiment {plan.name}",
        active=False,
        runtime=plan.runtime,
        tags=plan.tags,
        creation_context="experiments",
    )
    made = SampleFlag(columns, moments.ago(plan.ages[0]), plan.author_id)
    if plan.stage != "draft":
        made.edit(moments.ago(plan.ages[1]), plan.author_id, active=True)
        made.called_at = moments.ago(minutes=plan.id)
    finish(moments, plan, made)
    return made


def finish(moments: Moments, plan: ExperimentPlan, made: SampleFlag) -> None:
    if plan.stage == "paused":
        made.edit(moments.ago(plan.ages[2]), plan.author_id, active=False)
    if plan.shipped:
        made.edit(
            moments.ago(plan.ages[2]), plan.author_id, filters=shipped(made.filters, plan.variants[-1][0])
        )
    if plan.conclusion == "lost":
        made.edit(moments.ago(plan.ages[2]), plan.author_id, active=False)
    if plan.stage == "archived":
        made.edit(moments.ago(plan.ages[2] - 1), plan.author_id, active=False, archived=True)
    if len(plan.ages) == 3:
        made.called_at = moments.ago(plan.ages[2])


def shipped(before: dict[str, Any], winner: str) -> dict[str, Any]:
    variants = [
        {**variant, "rollout_percentage": 100 if variant["key"] == winner else 0}
        for variant in before["multivariate"]["variants"]
    ]
    return {**before, "multivariate": {"variants": variants}}

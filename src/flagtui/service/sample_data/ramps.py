"""Flags that were widened step by step."""

from dataclasses import dataclass

from flagtui.service.sample_data.filters import filters, group, split, with_rollout
from flagtui.service.sample_data.flag import SampleFlag, state
from flagtui.service.sample_data.moments import Moments


@dataclass(frozen=True, slots=True)
class Ramp:
    key: str
    name: str
    runtime: str
    tags: str
    """Names with spaces between them."""
    author: int
    steps: tuple[tuple[float, float], ...]
    """Oldest first: age in days, and the percentage from then on."""
    variants: tuple[tuple[str, float], ...] = ()


def ramped(moments: Moments, ramp: Ramp) -> SampleFlag:
    (first_day, first_rollout), *later = ramp.steps
    targeting = filters(group(first_rollout), variants=split(*ramp.variants))
    made = SampleFlag(
        state(ramp.key, targeting, ramp.name, evaluation_runtime=ramp.runtime),
        moments.ago(first_day),
        ramp.author,
        tuple(ramp.tags.split()),
        moments.ago(minutes=len(ramp.key)),
    )
    for days, rollout in later:
        made.edit(moments.ago(days), ramp.author, filters=with_rollout(targeting, rollout))
    return made

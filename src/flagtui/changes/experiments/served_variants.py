"""Describe the users who get a variant of an experiment's flag, now and after a change. Raw."""

from collections.abc import Iterator
from typing import Literal

from flagtui.changes.experiments.steps import Choices
from flagtui.changes.flags.flag_words import condition_in_short
from flagtui.changes.proposal import Tone
from flagtui.models.experiment import Experiment
from flagtui.models.filters import Filters
from flagtui.models.json_value import format_number

Standing = Literal["unknown", "gone", "off", "on", "no one", "served"]
"""States of the flag: not known, deleted, off, on (reach not known), on for no one, on for some users."""
Effect = tuple[str, Tone]


def standing(fresh: Experiment) -> Standing:
    """Return what its flag does now."""
    flag = fresh.feature_flag
    if flag is None or flag.id <= 0 or "active" not in flag.raw:
        return "unknown"
    if flag.deleted:
        return "gone"
    return when_on(fresh) if flag.active else "off"


def when_on(fresh: Experiment) -> Standing:
    """Return what its flag does, or would do, while it is on."""
    flag = fresh.feature_flag
    if flag is None:
        return "unknown"
    filters = flag.targeting
    if "filters" not in flag.raw or not filters.is_editable:
        return "on"
    # A condition has to match users, and have a variant for them.
    keys = {variant.key for variant in filters.variants}
    is_drawn = any(variant.rollout > 0 for variant in filters.variants)
    gives = any(
        condition.rollout > 0 and (is_drawn or condition.variant in keys) for condition in filters.deciding
    )
    return "served" if gives else "no one"


def left_alone(fresh: Experiment) -> Effect:
    """Return what users are served where a step leaves the flag unchanged."""
    effects: dict[Standing, Effect] = {
        "unknown": ("stays as it is; whether it is on is not known", "warning"),
        "gone": ("is deleted: no one gets a variant", "plain"),
        "off": ("stays off: no one gets a variant", "plain"),
        "on": ("stays on; who matches is not known here", "warning"),
        "no one": ("stays on and matches no one: no one gets a variant", "plain"),
        "served": (f"stays on: {fresh.unit} keep getting their variants", "warning"),
    }
    return effects[standing(fresh)]


def turned_on(fresh: Experiment, served: str, tone: Tone) -> Effect:
    """Return what turning the flag on does; `served` are the words where users get a variant."""
    if when_on(fresh) == "no one":
        return "is turned on and matches no one: no one gets a variant", "warning"
    return f"is turned on{served if when_on(fresh) == 'served' else ''}", tone


def matching_users(fresh: Experiment) -> str:
    """Return who matches: `80 % of everyone`, `2 conditions, at most 50 % of those they match`."""
    if fresh.feature_flag is None or when_on(fresh) == "on":
        return ""
    filters = fresh.feature_flag.targeting
    deciding = filters.deciding
    if len(deciding) == 1:
        return condition_in_short(dict(deciding[0].raw), flag_index=filters.group_type_index)
    if not deciding:
        return "no one: it has no condition"
    return f"{len(deciding):,} conditions, at most {format_number(filters.rollout)} % of those they match"


def still_given(filters: Filters, shipped: str, *, to_everyone: bool, unit: str) -> Iterator[str]:
    """Yield other variants that are still served once one is shipped: `condition 2 still serves control`."""
    keys = {variant.key for variant in filters.variants}
    for number, condition in enumerate(() if to_everyone else filters.deciding, 1):
        if condition.variant in keys and condition.variant != shipped and condition.rollout > 0:
            yield f"condition {number} still serves {condition.variant}"
    if filters.holdout_id is not None:
        yield f"{unit} held out still get holdout-{filters.holdout_id}"
    if filters.feature_enrollment:
        yield "those who opted in to early access still get plain true, those who opted out false"


def starts_flag(fresh: Experiment, choices: Choices) -> bool:
    """Return whether the server turns the flag on: where a draft gets a start, and nowhere else."""
    flag, starts = fresh.feature_flag, choices.fields.get("start_date")
    return bool(starts) and fresh.start_date is None and flag is not None and not flag.active

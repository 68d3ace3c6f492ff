"""What the first servers said about an experiment: one goal, told as counts and chances of being the best."""

from collections.abc import Mapping
from typing import Final

from flagtui.models.experiment_answers import MetricResult
from flagtui.models.json_value import JSON, as_dict, as_list, as_number, as_text

BASELINE: Final = "control"
TOO_FEW: Final = "not_enough_exposure"


def read_old_result(answer: Mapping[str, JSON]) -> MetricResult | None:
    """The same as newer servers say it; None where it holds no variants.

    Their intervals are about each variant alone and not about the difference, so they are left out.
    """
    found = as_dict(answer.get("result")) or answer
    variants = [as_dict(one) for one in as_list(found.get("variants"))]
    keys = [key for one in variants if (key := as_text(one.get("key")))]
    if not keys:
        return None
    base = BASELINE if BASELINE in keys else keys[0]
    chances, is_sure = as_dict(found.get("probability")), found.get("significant") is True
    failures = ["not-enough-exposures"] if found.get("significance_code") == TOO_FEW else []
    best = max(keys, key=lambda key: as_number(chances.get(key)) or 0.0)
    samples = {as_text(one.get("key")): _sample(one) for one in variants}
    results: list[JSON] = [
        {
            **samples[key],
            "method": "bayesian",
            "chance_to_win": as_number(chances.get(key)),
            "significant": is_sure and best in (key, base),
            "validation_failures": list(failures),
        }
        for key in keys
        if key != base
    ]
    return MetricResult.of({"baseline": samples[base], "variant_results": results})


def is_old_share(answer: Mapping[str, JSON]) -> bool:
    """Whether the goal is a share of people rather than a count."""
    found = as_dict(answer.get("result")) or answer
    return any("success_count" in as_dict(one) for one in as_list(found.get("variants")))


def _sample(variant: Mapping[str, JSON]) -> dict[str, JSON]:
    done, missed = as_number(variant.get("success_count")), as_number(variant.get("failure_count"))
    if done is not None:
        people = done + (missed or 0)
        return {"key": variant.get("key"), "number_of_samples": people, "sum": done, "sum_squares": done}
    people = as_number(variant.get("absolute_exposure")) or as_number(variant.get("exposure")) or 0
    count = as_number(variant.get("count")) or 0
    return {"key": variant.get("key"), "number_of_samples": people, "sum": count}

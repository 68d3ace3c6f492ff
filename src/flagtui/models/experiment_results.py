"""The result of one metric, in the form of any server, read as the newest one sends it."""

from collections.abc import Iterator, Mapping
from typing import Final

from flagtui.models.json_value import JSON, as_dict, as_list, as_number, as_text
from flagtui.models.record import Count, Each, Items, Number, Record, Texts

BASELINE: Final = "control"
TOO_FEW: Final = "not_enough_exposure"


class Baseline(Record):
    """The variant that others are compared with. Numbers that were not sent are None."""

    key: str = BASELINE
    number_of_samples: Count = None
    sum: Number = None
    sum_squares: Number = None


class VariantResult(Baseline):
    """One variant compared with the baseline."""

    significant: bool = False
    chance_to_win: Number = None
    p_value: Number = None
    credible_interval: Items = ()
    confidence_interval: Items = ()
    validation_failures: Texts = ()
    """not-enough-exposures, baseline-mean-is-zero, not-enough-metric-data."""

    @property
    def interval(self) -> tuple[float, float] | None:
        """Return the lower and upper bound of the relative difference."""
        return _bounds(self.credible_interval or self.confidence_interval)


class MetricResult(Record):
    """A metric for every variant."""

    baseline: Baseline | None = None
    variant_results: Each[VariantResult] = ()
    breakdown_results: Items = ()

    @property
    def breakdowns(self) -> Iterator[tuple[str, "MetricResult"]]:
        """Yield the values of each breakdown, such as `pro, DE`, with the result of its users."""
        for part in map(as_dict, self.breakdown_results):
            values = part.get("breakdown_value")
            listed = values if isinstance(values, list) else [values]
            result = read_result(part)
            if result is not None:
                yield ", ".join(as_text(value) or "none" for value in listed), result


def read_result(answer: Mapping[str, JSON]) -> MetricResult | None:
    """Return the result in an answer of any server; None if it has no variants.

    Older servers have `variants` in place of `variant_results`: compared ones beside a `baseline`, or all of
    them with counts of users (`success_count`, `failure_count`) or of events, and chances and intervals by
    variant. Their intervals concern the variant alone; as in the product's app, bounds are relative to the
    baseline's value.
    """
    result = as_dict(answer.get("result")) or answer
    if isinstance(result.get("variant_results"), list):
        return MetricResult.of(dict(result))
    base, others = _split(result)
    if base is None:
        return None
    results: list[JSON] = [_add_comparison(variant, base, result) for variant in others]
    return MetricResult.of({**result, "baseline": _sample(base), "variant_results": results})


def is_old_share(answer: Mapping[str, JSON]) -> bool:
    """Return whether the goal is a proportion rather than a count."""
    result = as_dict(answer.get("result")) or answer
    return any("success_count" in as_dict(variant) for variant in as_list(result.get("variants")))


def _split(result: Mapping[str, JSON]) -> tuple[dict[str, JSON] | None, list[dict[str, JSON]]]:
    """Return the baseline and the variants compared with it; without either, None."""
    variants = [variant for variant in map(as_dict, as_list(result.get("variants"))) if variant.get("key")]
    if base := as_dict(result.get("baseline")):
        return base, [variant for variant in variants if variant.get("key") != base.get("key")]
    if not variants:
        return None, []
    base = next((variant for variant in variants if variant.get("key") == BASELINE), variants[0])
    return base, [variant for variant in variants if variant is not base]


def _add_comparison(
    variant: dict[str, JSON], base: dict[str, JSON], result: Mapping[str, JSON]
) -> dict[str, JSON]:
    """Return the variant with its chance, interval and significance, which are beside the variants."""
    chances = as_dict(result.get("probability"))
    if not chances and "significance_code" not in result:
        return _sample(variant)
    key, base_key = as_text(variant.get("key")), as_text(base.get("key"))
    best = max(chances, key=lambda name: as_number(chances[name]) or 0.0, default="")
    failures: list[JSON] = ["not-enough-exposures"] if result.get("significance_code") == TOO_FEW else []
    return {
        "method": "bayesian",
        "chance_to_win": as_number(chances.get(key)),
        "significant": result.get("significant") is True and best in (key, base_key),
        "credible_interval": _relative(as_dict(result.get("credible_intervals")).get(key), _sample(base)),
        "validation_failures": failures,
        **_sample(variant),
    }


def _relative(stored: JSON, base: Mapping[str, JSON]) -> JSON:
    """Return the bounds of a variant's own value, less the baseline's value and divided by it."""
    bounds = _bounds(tuple(as_list(stored)))
    users, total = as_number(base.get("number_of_samples")), as_number(base.get("sum"))
    if bounds is None or not users or not total:
        return None
    return [bound * users / total - 1 for bound in bounds]


def _bounds(stored: Items) -> tuple[float, float] | None:
    numbers = [as_number(bound) for bound in stored]
    if len(numbers) != 2 or numbers[0] is None or numbers[1] is None:
        return None
    return numbers[0], numbers[1]


def _sample(variant: dict[str, JSON]) -> dict[str, JSON]:
    """Return the users and the sum of a variant, whichever names they have."""
    if "number_of_samples" in variant:
        return variant
    done, missed = as_number(variant.get("success_count")), as_number(variant.get("failure_count"))
    if done is not None:
        users = None if missed is None else done + missed
        return {**variant, "number_of_samples": users, "sum": done, "sum_squares": done}
    count = as_number(variant.get("count"))
    return {**variant, "number_of_samples": as_number(variant.get("absolute_exposure")), "sum": count}

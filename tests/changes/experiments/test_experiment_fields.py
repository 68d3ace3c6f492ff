"""Values of an experiment that a strict server refuses."""

from typing import Any

import pytest

from flagtui.changes.experiments.experiment_fields import problems_in_fields


def variants(**shares: float) -> dict[str, Any]:
    """Settings with these variants."""
    return {
        "feature_flag_variants": [
            {"key": key.replace("_", " "), "rollout_percentage": share} for key, share in shares.items()
        ]
    }


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        (variants(control=50, test=50), None),
        (variants(control=33.3, test=33.3, third=33.4), None),
        (variants(control=100), "an experiment needs at least two variants"),
        (variants(old=50, test=50), "one variant has to be called control: the others are compared with it"),
        (variants(control=50, a_b=50), "the variant a b needs letters, digits, - and _"),
        (variants(control=50, test=60), "the variants have 110 % together, which has to be 100 %"),
    ],
)
def test_variants_share_everyone_and_have_plain_keys(parameters: Any, problem: str | None) -> None:
    assert list(problems_in_fields({"parameters": parameters})) == ([problem] if problem else [])


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"method": "bayesian", "bayesian": {"ci_level": 0.95}}, None),
        ({"method": "frequentist", "frequentist": {"alpha": 0.05}}, None),
        ({"method": "guessing"}, "statistics are bayesian or frequentist"),
        ({"bayesian": {"ci_level": 1}}, "the confidence level is more than 0 and less than 100 %"),
        ({"frequentist": {"alpha": 0}}, "the confidence level is more than 0 and less than 100 %"),
    ],
)
def test_statistics_have_a_known_method_and_level(settings: Any, problem: str | None) -> None:
    assert list(problems_in_fields({"stats_config": settings})) == ([problem] if problem else [])

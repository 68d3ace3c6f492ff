"""Our distributions beside scipy's, over thousands of random places and the awkward ones."""

import numpy as np
import numpy.typing as npt
import pytest
import scipy
from tests.doubles.slices import at_most

from flagtui.service.experiments.analysis.distributions import (
    chi_square_survival,
    normal_cdf,
    normal_quantile,
    student_t_quantile,
    student_t_survival,
)

RANDOM = np.random.default_rng(20_261)
PLACES = at_most(1_000, 4_000)


def _degrees() -> npt.NDArray[np.float64]:
    spread = 10 ** RANDOM.uniform(0, 10, PLACES // 2)
    return np.concatenate([spread, RANDOM.integers(1, 120, PLACES // 2).astype(float)])


def test_the_normal_distribution_agrees_in_both_tails() -> None:
    places = RANDOM.normal(0, 8, PLACES)
    ours = [normal_cdf(place) for place in places]
    np.testing.assert_allclose(ours, scipy.stats.norm.cdf(places), rtol=1e-12, atol=0)


def test_the_normal_quantile_agrees() -> None:
    chances = np.concatenate([RANDOM.uniform(0, 1, PLACES), [1e-12, 1 - 1e-12, 0.5]])
    ours = [normal_quantile(chance) for chance in chances]
    np.testing.assert_allclose(ours, scipy.stats.norm.ppf(chances), atol=1e-9)


def test_the_t_distribution_agrees_for_few_many_and_fractional_degrees() -> None:
    degrees = _degrees()
    places = RANDOM.standard_t(3, PLACES) * 3
    ours = [student_t_survival(place, free) for place, free in zip(places, degrees, strict=True)]
    np.testing.assert_allclose(ours, scipy.stats.t.sf(places, degrees), atol=1e-10)


def test_the_t_quantile_agrees() -> None:
    degrees = _degrees()
    chances = RANDOM.uniform(0.0005, 0.9995, PLACES)
    ours = [student_t_quantile(chance, free) for chance, free in zip(chances, degrees, strict=True)]
    np.testing.assert_allclose(ours, scipy.stats.t.ppf(chances, degrees), rtol=1e-9, atol=1e-9)


def test_the_chi_square_distribution_agrees_up_to_twenty_variants() -> None:
    degrees = RANDOM.integers(1, 20, PLACES)
    places = RANDOM.exponential(15, PLACES)
    ours = [chi_square_survival(place, int(free)) for place, free in zip(places, degrees, strict=True)]
    np.testing.assert_allclose(ours, scipy.stats.chi2.sf(places, degrees), atol=1e-12)


@pytest.mark.parametrize("place", [0.0, -3.0, 5e-324])
def test_nothing_is_rarer_than_no_difference(place: float) -> None:
    assert chi_square_survival(place, 3) == 1.0


def test_the_t_distribution_is_symmetric_and_certain_at_infinity() -> None:
    assert student_t_survival(0.0, 5) == pytest.approx(0.5)
    assert student_t_survival(float("inf"), 5) == 0.0
    assert student_t_quantile(0.1, 7) == pytest.approx(-student_t_quantile(0.9, 7))

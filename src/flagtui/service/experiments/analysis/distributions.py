"""The normal, Student t and chi-square distributions, from `math` alone.

The absolute error is below 1e-10; the tests compare with an independent implementation.
"""

import math
from statistics import NormalDist

_TINY = 1e-300
_LARGE_DEGREES = 1e6
_ENOUGH = 1e-15


def normal_cdf(x: float) -> float:
    """Return P(Z <= x), by the complementary error function so that both tails keep their digits."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


normal_quantile = NormalDist().inv_cdf
"""Returns the x with P(Z <= x) = p, for 0 < p < 1 (Wichura's algorithm AS 241)."""


def student_t_survival(t: float, degrees: float) -> float:
    """Return P(T > t) for `degrees` > 0, which may be fractional.

    Half the regularised incomplete beta function I_x(degrees/2, 1/2) with x = degrees / (degrees + t²)
    (Abramowitz & Stegun 26.7.1); beyond a million degrees the normal approximation 26.7.8.
    """
    if t < 0:
        return 1.0 - student_t_survival(-t, degrees)
    if math.isinf(t):
        return 0.0
    square = t * t
    if degrees > _LARGE_DEGREES:
        return normal_cdf(-t * (1 - 1 / (4 * degrees)) / math.sqrt(1 + square / (2 * degrees)))
    return 0.5 * _beta_tail(square, degrees)


def student_t_quantile(p: float, degrees: float) -> float:
    """Return the t with P(T <= t) = p, for 0 < p < 1, by Newton's method kept inside a bracket."""
    if p < 0.5:
        return -student_t_quantile(1.0 - p, degrees)
    tail = 1.0 - p
    low, high = 0.0, max(1.0, normal_quantile(p))
    while student_t_survival(high, degrees) > tail:
        low, high = high, high * 2
    t = min(max(normal_quantile(p), low), high)
    for _ in range(200):
        excess = student_t_survival(t, degrees) - tail
        low, high = (t, high) if excess > 0 else (low, t)
        step = t + excess / _student_t_density(t, degrees)
        following = step if low < step < high else (low + high) / 2
        if abs(following - t) <= _ENOUGH * max(1.0, abs(t)):
            return following
        t = following
    return t


def chi_square_survival(x: float, degrees: int) -> float:
    """Return P(X > x) for whole degrees, by the finite sums of Abramowitz & Stegun 26.4.4 and 26.4.5."""
    half = x / 2
    if half <= 0:
        return 1.0
    if degrees % 2 == 0:
        total, power = 0.0, 0.0
    else:
        total, power = math.erfc(math.sqrt(half)), 0.5
    while power < degrees / 2:
        total += math.exp(power * math.log(half) - half - math.lgamma(power + 1))
        power += 1
    return min(1.0, total)


def _student_t_density(t: float, degrees: float) -> float:
    log_density = -_log_half_beta(degrees / 2) - 0.5 * math.log(degrees)
    return math.exp(log_density - (degrees + 1) / 2 * math.log1p(t * t / degrees))


def _beta_tail(square: float, degrees: float) -> float:
    """Return I_x(degrees/2, 1/2) at x = degrees / (degrees + square), by a continued fraction."""
    a, b = degrees / 2, 0.5
    x, rest = degrees / (degrees + square), square / (degrees + square)
    if rest == 0.0:
        return 1.0
    front = math.exp(-a * math.log1p(square / degrees) + b * math.log(rest) - _log_half_beta(a))
    if x < (a + 1) / (a + b + 2):
        return front * _beta_fraction(x, a, b) / a
    return 1.0 - front * _beta_fraction(rest, b, a) / b


def _log_half_beta(a: float) -> float:
    """Return log B(a, 1/2); by the series of log Γ(a + 1/2) − log Γ(a) where the difference loses digits."""
    if a < 12:
        return math.lgamma(a) + math.lgamma(0.5) - math.lgamma(a + 0.5)
    inverse = 1 / (a * a)
    fifth = -1 / 640 + inverse * (17 / 14336 - inverse * 31 / 18432)
    series = (-1 / 8 + inverse * (1 / 192 + inverse * fifth)) / a
    return 0.5 * math.log(math.pi) - 0.5 * math.log(a) - series


def _beta_fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method."""
    c, d = 1.0, 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 100_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1.0 / _away_from_zero(1.0 + term * d)
            c = _away_from_zero(1.0 + term / c)
            value *= d * c
        if abs(d * c - 1.0) < _ENOUGH:
            break
    return value


def _away_from_zero(number: float) -> float:
    return number if abs(number) > _TINY else _TINY

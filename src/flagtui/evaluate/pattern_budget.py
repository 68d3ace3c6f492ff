"""Limit the work that patterns of flags may cause: for one text, and in one request, screen or command.

The product's engine counts steps. Here an engine with a timeout runs every pattern that could be slow, and a
budget bounds all patterns that are evaluated for one purpose.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from time import thread_time
from typing import Final

TEXT_SECONDS: Final = 0.02
"""For one pattern on one text."""
TOTAL_SECONDS: Final = 0.1
"""For all patterns of one request, screen or command."""
RESERVE_SECONDS: Final = 0.05
QUICK_SECONDS: Final = 1e-3
"""For one text out of the reserve, once the total is used up: ordinary patterns are decided all the same."""
FREE_SECONDS: Final = 20e-6
"""Not charged for each text, as long as the rest of a comparison takes: ordinary patterns cost nothing."""
FREE_COMPILE_SECONDS: Final = 1e-3
"""Not charged for each new pattern, since an ordinary one compiles in less."""
PATTERN_LIMIT: Final = 4_000
"""Characters. A longer pattern takes too long to read."""
TEXT_LIMIT: Final = 100_000
"""Characters. In a longer text the engine looks at its clock too rarely."""
_WIDE: Final = re.compile(r"[^\x00-\x7f]|\\[uxUpP]")
"""Tokens that can create a set of thousands of characters."""
_MOST_WIDE_RANGES: Final = 5
"""Without regard to case, each takes Python's own engine 15 ms to compile."""
_QUICK_STEPS: Final = 100_000
"""About 2 ms in Python's own engine."""
_QUICK_REPETITIONS: Final = 3


class TooCostlyError(ValueError):
    """The pattern would take too long to evaluate here; the server's engine never takes long."""


class PatternBudget:
    """Processor seconds that patterns may still use: those of their threads, however busy the machine is."""

    def __init__(self, seconds: float = TOTAL_SECONDS) -> None:
        self._left = seconds
        self._reserve = RESERVE_SECONDS if seconds else 0.0
        self._costly: set[str] = set()

    @property
    def has_rest(self) -> bool:
        return self._left > 0 or self._reserve > 0

    def allowance(self, pattern: str) -> float:
        """Return the seconds for one text. Raises TooCostlyError when none are left for this pattern."""
        if not self.has_rest or pattern in self._costly:
            raise TooCostlyError
        # What is left may be too little for any text, and never be used up: such texts are not charged.
        return max(QUICK_SECONDS, min(TEXT_SECONDS, self._left))

    def give_up(self, pattern: str) -> None:
        """Try the pattern on no other text: one costly flag is not paid for by each person."""
        self._costly.add(pattern)

    def charge(self, seconds: float, free: float = FREE_SECONDS) -> None:
        used = max(0.0, seconds - free)
        if self._left > 0:
            self._left -= used
        else:
            self._reserve -= used


_BUDGET: Final[ContextVar[PatternBudget | None]] = ContextVar("pattern budget", default=None)


@contextmanager
def limited_patterns(seconds: float = TOTAL_SECONDS) -> Iterator[None]:
    """Let all patterns inside share one budget: set it where a request, a screen or a command begins."""
    token = _BUDGET.set(PatternBudget(seconds))
    try:
        yield
    finally:
        _BUDGET.reset(token)


def current_budget() -> PatternBudget:
    """Return the budget of this request, screen or command; outside of them each text has its own."""
    return _BUDGET.get() or PatternBudget()


def is_quick(pattern: str, value: str) -> bool:
    """Return whether an engine without a timeout takes few steps, whatever the pattern and the text are.

    Without alternatives and counts in braces, each repetition ends at one of the places of the text, so the
    ways to match are at most as many as the places, to the power of the repetitions and the start.
    """
    repetitions = _repetitions(pattern)
    if repetitions > _QUICK_REPETITIONS:
        return False
    ways: int = (len(value) + 1) ** (repetitions + 1)
    return ways * (len(pattern) + 1) <= _QUICK_STEPS


@lru_cache(maxsize=512)
def _repetitions(pattern: str) -> int:
    """Return the most repetitions; more than are quick with alternatives or counts in braces."""
    if "|" in pattern or "{" in pattern:
        return _QUICK_REPETITIONS + 1
    return pattern.count("*") + pattern.count("+") + pattern.count("?")


def is_costly_to_compile(pattern: str) -> bool:
    """Return whether to compile it could take seconds, in Python's own engine too."""
    if len(pattern) > PATTERN_LIMIT:
        return True
    has_folded_ranges = ignores_case(pattern) and pattern.count("-") > _MOST_WIDE_RANGES
    return has_folded_ranges and _WIDE.search(pattern) is not None


def ignores_case(pattern: str) -> bool:
    return re.search(r"\(\?[A-Za-z]*i", pattern) is not None


def is_malformed(pattern: str) -> bool:
    """Return whether Python rejects the pattern, as the product does before it stores one.

    Patterns that are costly to compile are not tried, nor is any once the budget is used up.
    """
    budget = current_budget()
    if is_costly_to_compile(pattern) or not budget.has_rest:
        return False
    start = thread_time()
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return True
    finally:
        budget.charge(thread_time() - start, FREE_COMPILE_SECONDS)
    return False

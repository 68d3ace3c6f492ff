"""Patterns of the ``regex`` library, whose searches end at a timeout and leave other threads running."""

from enum import Enum
from functools import lru_cache
from time import thread_time
from typing import Any

from flagtui.evaluate.evaluation import UnsupportedPatternError, WrongPatternError
from flagtui.evaluate.pattern_budget import (
    FREE_COMPILE_SECONDS,
    PATTERN_LIMIT,
    TEXT_LIMIT,
    PatternBudget,
    TooCostlyError,
    current_budget,
    ignores_case,
    is_costly_to_compile,
)
from flagtui.evaluate.pattern_syntax import translate


class _Refusal(Enum):
    """The reason why a pattern has no program."""

    WRONG = "wrong"
    UNSUPPORTED = "unsupported"
    COSTLY = "costly"


def search(pattern: str, value: str) -> bool | None:
    """Return whether the pattern is in the text; None for a wrong pattern.

    Raises UnsupportedPatternError and TooCostlyError.
    """
    if len(pattern) > PATTERN_LIMIT or len(value) > TEXT_LIMIT:
        raise TooCostlyError
    program = _program(pattern)
    match program:
        case _Refusal.WRONG:
            return None
        case _Refusal.UNSUPPORTED:
            raise UnsupportedPatternError(pattern)
        case _Refusal.COSTLY:
            raise TooCostlyError
        case _:
            return program.search(value, current_budget())


@lru_cache(maxsize=512)
def _program(pattern: str) -> "_Program | _Refusal":
    """Compile a pattern. Raises TooCostlyError when the budget is used up, which is not cached."""
    if is_costly_to_compile(pattern):
        return _Refusal.COSTLY
    budget = current_budget()
    budget.allowance(pattern)
    start = thread_time()
    try:
        return _Program(pattern)
    except WrongPatternError:
        return _Refusal.WRONG
    except UnsupportedPatternError:
        return _Refusal.UNSUPPORTED
    except TooCostlyError:
        return _Refusal.COSTLY
    finally:
        budget.charge(thread_time() - start, FREE_COMPILE_SECONDS)


class _Program:
    """Raises WrongPatternError, UnsupportedPatternError and TooCostlyError."""

    def __init__(self, pattern: str) -> None:
        # Loaded here, since few flags need it and it takes as long as all of this package.
        import regex

        self._pattern = pattern
        self._ignores_case = ignores_case(pattern)
        self._refuse_long_folds(pattern)
        flags = regex.V1 | regex.UNICODE
        try:
            self._compiled: Any = regex.compile(translate(pattern), flags, cache_pattern=False)
        except regex.error as error:
            if "property" in str(error):
                raise UnsupportedPatternError(pattern) from error
            raise WrongPatternError(pattern) from error

    def search(self, value: str, budget: PatternBudget) -> bool:
        """Return whether the pattern is in the text. Raises TooCostlyError and UnsupportedPatternError."""
        self._refuse_long_folds(value)
        allowance = budget.allowance(self._pattern)
        start = thread_time()
        try:
            return self._compiled.search(value, timeout=allowance, concurrent=True) is not None
        except TimeoutError as error:
            budget.give_up(self._pattern)
            raise TooCostlyError from error
        finally:
            budget.charge(thread_time() - start)

    def _refuse_long_folds(self, text: str) -> None:
        """Refuse patterns that ignore case with long folds: ß is ss here and not on the server."""
        if self._ignores_case and not text.isascii() and any(len(letter.casefold()) > 1 for letter in text):
            raise UnsupportedPatternError(text)

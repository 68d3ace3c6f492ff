"""Match a text with a regular expression as the server's engine does, in bounded time.

What a pattern takes is loaded with the first one: the evaluator is on the way to the first screen.
"""

import re
from functools import lru_cache
from typing import Final

from flagtui.evaluate.evaluation import UnsupportedPatternError
from flagtui.evaluate.pattern_budget import PATTERN_LIMIT, TooCostlyError, is_quick

_FEW: Final = 2
"""Patterns with more repetitions without an end are for the engine with a timeout alone."""

_WRONG: Final = object()
_COMMON: Final = re.compile(r"[\t-\r -~]*")
"""Texts of whose characters every engine thinks alike."""


def matches(pattern: str, value: str) -> bool | None:
    """Return whether it matches; None if it is invalid. Raises UnsupportedPatternError, TooCostlyError."""
    if len(pattern) > PATTERN_LIMIT:
        raise TooCostlyError
    plain = _plain(pattern)
    if plain is _WRONG:
        return None
    if isinstance(plain, re.Pattern) and is_quick(pattern, value) and _COMMON.fullmatch(value):
        return plain.search(value) is not None
    from flagtui.evaluate.timed_patterns import search

    return search(pattern, value)


@lru_cache(maxsize=512)
def _plain(pattern: str) -> re.Pattern[str] | object:
    """Return the pattern of the standard library where it is exact, so that nothing else loads.

    It finds no place between words in an empty text, though.
    """
    if not pattern.isascii() or "\\B" in pattern or len(re.findall(r"[*+]|,\}", pattern)) > _FEW:
        return None
    from flagtui.evaluate.library_patterns import compile_pattern

    try:
        return compile_pattern(pattern) or _WRONG
    except UnsupportedPatternError:
        return None

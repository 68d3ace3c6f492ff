"""Whether a text matches a regular expression as the server's engine reads it, in bounded time.

What a pattern takes is loaded with the first one: the evaluator is on the way to the first screen.
"""

import re
import time
from functools import lru_cache
from typing import Any, Final

from flagtui.evaluate.evaluation import UnsupportedPatternError, WrongPatternError

_AT_ONCE: Final = 0.05
"""Seconds for one text."""
_ALTOGETHER: Final = 0.5
"""Seconds of attempts that came to nothing, after which a pattern is not tried on further texts."""
_FEW: Final = 2
"""So many repetitions without an end stay cheap on any property, even where they backtrack."""

_WRONG: Final = object()
_COMMON: Final = re.compile(r"[\t-\r -~]*")
"""Texts of whose characters every engine thinks alike."""


class TooCostlyError(ValueError):
    """Whether it matches would take too long to find out here; the server's engine never takes long."""


def matches(pattern: str, value: str) -> bool | None:
    """None for a pattern that is wrong. Raises UnsupportedPatternError and TooCostlyError."""
    plain = _plain(pattern)
    if plain is _WRONG:
        return None
    if isinstance(plain, re.Pattern) and _COMMON.fullmatch(value):
        return plain.search(value) is not None
    thorough = _thorough(pattern)
    return None if thorough is None else thorough.matches(value)


@lru_cache(maxsize=512)
def _plain(pattern: str) -> re.Pattern[str] | object:
    """For most patterns the standard library is exact, and needs nothing to be loaded.

    It finds no place between words in an empty text, though.
    """
    if not pattern.isascii() or "\\B" in pattern or len(re.findall(r"[*+]|,\}", pattern)) > _FEW:
        return None
    from flagtui.evaluate.library_patterns import compiled

    try:
        return compiled(pattern) or _WRONG
    except UnsupportedPatternError:
        return None


@lru_cache(maxsize=512)
def _thorough(pattern: str) -> "_Thorough | None":
    try:
        return _Thorough(pattern)
    except WrongPatternError:
        return None


class _Thorough:
    """A pattern of the ``regex`` library, whose searches can be given a time."""

    def __init__(self, pattern: str) -> None:
        # Loaded here, since few flags need it and it takes as long as all of this package.
        import regex

        from flagtui.evaluate.pattern_syntax import translated

        self._ignores_case = re.search(r"\(\?[ms]*i", pattern) is not None
        self._refuse_long_folds(pattern)
        try:
            self._compiled: Any = regex.compile(translated(pattern), regex.V1 | regex.UNICODE)
        except regex.error as error:
            if "property" in str(error):
                raise UnsupportedPatternError(pattern) from error
            raise WrongPatternError(pattern) from error
        self._lost = 0.0

    def matches(self, value: str) -> bool:
        self._refuse_long_folds(value)
        if self._lost >= _ALTOGETHER:
            raise TooCostlyError
        start = time.perf_counter()
        try:
            return self._compiled.search(value, timeout=_AT_ONCE) is not None
        except TimeoutError as error:
            self._lost += time.perf_counter() - start
            raise TooCostlyError from error

    def _refuse_long_folds(self, text: str) -> None:
        """Without regard to case, ß is ss here and not on the server."""
        if self._ignores_case and not text.isascii() and any(len(one.casefold()) > 1 for one in text):
            raise UnsupportedPatternError(text)

"""Regular expressions in the syntax that the server's engine and Python's read alike.

The server's engine bounds its backtracking and Python's does not, so repetition of repetition, such as
``(a+)+``, is refused here, as is whatever the two engines read differently.
"""

import re
from functools import lru_cache

from flagtui.evaluate.evaluation import UnsupportedPatternError
from flagtui.evaluate.pattern_budget import PATTERN_LIMIT, TooCostlyError, is_quick

_TOKEN = re.compile(
    r"""
      (?P<escape> \\ (?: [dDsSwWfnrtbB] | x[0-9a-fA-F]{2} | [\x20-\x2F:;=?@\x5B-\x60\x7B-\x7E] ) )
    | (?P<dangling> \\ \Z )
    | (?P<set> \[ (?!\^?\]) \^? (?: \\ (?: [dDsSwWbfnrt] | x[0-9a-fA-F]{2} | [-\\\[\]^.$*+?(){}|] )
                        | (?!&&|--|~~) [^\]\\\[] )+ \] )
    | (?P<unclosed> \[ \^? (?: \\. | [^\]\\] )* \\? \Z )
    | (?P<open> \( \?: | \( (?!\?) )
    | (?P<close> \) )
    | (?P<count> \{ [0-9]{1,10} (?: , [0-9]{0,10} )? \} | [*+?] )
    | (?P<end> \$ )
    | (?P<literal> [^\\\[{(] )
    """,
    re.VERBOSE | re.DOTALL,
)
_SHORTHAND_RANGE = re.compile(r"\\[dDsSwW]-[^\]]|(?<!\\)-\\[dDsSwW]")
_DEEPEST = 100
_SET = re.compile(r"\[(?:\\.|[^\]\\])*\]|\\[^bBsSwW]", re.DOTALL)
"""Where a character that means something elsewhere means itself."""


def matches(pattern: str, value: str) -> bool | None:
    """Match as the product's Python library does, which leaves open more than it must.

    None when the pattern is wrong in any engine; raises UnsupportedPatternError and TooCostlyError.
    """
    if len(pattern) > PATTERN_LIMIT:
        raise TooCostlyError
    signs = _signs(pattern)
    if pattern.startswith("(?i)") or re.search(r"\\[bB]", signs):
        raise UnsupportedPatternError(pattern)
    pattern_object = compile_pattern(pattern)
    if pattern_object is None:
        return None
    if value.endswith("\n") and "$" in signs and re.search(r"[*+?{|]", signs):
        raise UnsupportedPatternError(pattern)
    if re.search(r"\\[sS]", pattern) and re.search("[\x1c-\x1f]", value):
        raise UnsupportedPatternError(pattern)
    is_odd = any(not letter.isascii() and not (letter.isalpha() or letter.isdecimal()) for letter in value)
    if is_odd and re.search(r"\\[wW]", pattern):
        raise UnsupportedPatternError(pattern)
    if is_quick(pattern, value):
        return pattern_object.search(value) is not None
    if is_odd and re.search(r"\\[dD]", pattern):
        # The other engine may know newer digits.
        raise UnsupportedPatternError(pattern)
    from flagtui.evaluate.timed_patterns import search

    return search(pattern, value)


@lru_cache(maxsize=512)
def _signs(pattern: str) -> str:
    """Return the pattern without the places where a character means itself."""
    return _SET.sub("", pattern)


@lru_cache(maxsize=512)
def compile_pattern(pattern: str) -> re.Pattern[str] | None:
    """Compile a pattern; None if every engine rejects it. Raises UnsupportedPatternError."""
    try:
        return re.compile(_translate(pattern))
    except re.error:
        return None
    except OverflowError as error:
        raise UnsupportedPatternError(pattern) from error


def _translate(pattern: str) -> str:
    flags, rest = ("(?i)", pattern[4:]) if pattern.startswith("(?i)") else ("", pattern)
    repetitions, tokens, position = _Repetitions(), [flags], 0
    while position < len(rest):
        token = _TOKEN.match(rest, position)
        if token is None:
            raise UnsupportedPatternError(pattern)
        kind, text = token.lastgroup or "", token[0]
        if kind == "unclosed":
            raise re.error("a set is not closed", pattern, position)
        if not repetitions.allow(kind, text):
            raise UnsupportedPatternError(pattern)
        tokens.append(_in_python(kind, text))
        position = token.end()
    return "".join(tokens)


def _in_python(kind: str, text: str) -> str:
    """Translate to Python, where ``$`` also matches before a last line break, unlike on the server."""
    if kind == "set" and _SHORTHAND_RANGE.search(text):
        raise UnsupportedPatternError(text)
    return r"\Z" if kind == "end" else text


class _Repetitions:
    """Checks token by token which parts of a pattern may be repeated."""

    def __init__(self) -> None:
        self._groups: list[bool] = [False]
        """For every open group: does it hold a repetition?"""
        self._before = ""
        self._closed_repeats = False

    def allow(self, kind: str, text: str) -> bool:
        before, self._before = (
            self._before,
            text if kind in {"literal", "end"} or text in {r"\b", r"\B"} else kind,
        )
        match kind:
            case "open":
                self._groups.append(False)
                return len(self._groups) < _DEEPEST
            case "close":
                self._close(before)
            case "count":
                return self._allow_count(text, before)
        return True

    def _close(self, before: str) -> None:
        self._closed_repeats = self._groups.pop() if len(self._groups) > 1 else False
        self._groups[-1] |= self._closed_repeats
        if before in {"open", "empty group"}:
            self._before = "empty group"

    def _allow_count(self, text: str, before: str) -> bool:
        if before == "close" and self._closed_repeats:
            return False
        if before in {"^", "$", r"\b", r"\B", "empty group"}:
            return False
        if text.startswith("{") and before in {"", "|", "open", "count"}:
            return False
        if before == "count" and text == "+":
            return False
        self._groups[-1] = True
        return True

"""Versions as the server compares them, and ranges of them: "~1.2.3", "^0.2", "1.2.x", or several."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from flagtui.evaluate.text import value_text as as_written

LARGEST: Final = 2**64 - 1
_VERSION = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?",
    re.ASCII,
)
_Identifiers = tuple[tuple[int, int, str, int], ...]


class Version(NamedTuple):
    """A version of Semantic Versioning; its order is that of its parts. Unlike there, builds count too."""

    major: int
    minor: int
    patch: int
    is_release: bool = True
    """A release is above everything before it, such as 2.0.0-beta.1."""
    pre: _Identifiers = ()
    """What to compare "beta.1" by; nothing for a release."""
    build: _Identifiers = ()

    @property
    def core(self) -> tuple[int, int, int]:
        return self[:3]


def version(value: object) -> Version:
    """Read a version as properties and conditions write it: "v1.2", 3, "3.08". Raises ValueError."""
    return _version(as_written(value))


@lru_cache(maxsize=4096)
def _version(written: str) -> Version:
    return read(complete(trim(written)))


def read(written: str) -> Version:
    """Parse three numbers without leading zeros, and an optional suffix. Raises ValueError."""
    match = _VERSION.fullmatch(written)
    if not match:
        raise ValueError(f"no version: {written}")
    major, minor, patch = int(match[1]), int(match[2]), int(match[3])
    pre, build = match[4] or "", match[5] or ""
    if max(major, minor, patch) > LARGEST or any(map(_has_leading_zero, pre.split("."))):
        raise ValueError(f"no version: {written}")
    return Version(major, minor, patch, not pre, _identifiers(pre), _identifiers(build))


def trim(written: str) -> str:
    """Return the text without one small v in front, and without the spaces after that."""
    return written.removeprefix("v").strip()


def complete(written: str) -> str:
    """Return the version with all three numbers, without leading zeros; its suffix is kept."""
    core, suffix = re.match(r"([^-+]*)(.*)", written, re.DOTALL).groups()  # type: ignore[union-attr]
    parts = [without_zeros(part) for part in core.split(".")]
    return ".".join([*parts, "0", "0"][: max(3, len(parts))]) + suffix


def without_zeros(part: str) -> str:
    """Return a number without its leading zeros; other text unchanged."""
    return part.lstrip("0") or "0" if part.isascii() and part.isdigit() else part


def _has_leading_zero(identifier: str) -> bool:
    return len(identifier) > 1 and identifier[0] == "0" and identifier.isdigit()


def _identifiers(joined: str) -> _Identifiers:
    """Return sort keys: numbers before words, by value, then by leading zeros; an empty text comes first."""
    return tuple(_identifier(part) for part in joined.split(".")) if joined else ()


def _identifier(part: str) -> tuple[int, int, str, int]:
    digits = part.lstrip("0")
    return (0, len(digits), digits, len(part)) if part.isdigit() else (1, 0, part, 0)


_PART = r"(?:0|[1-9]\d*|[*xX])"
_COMPARATOR = re.compile(
    rf" *(=|>=|>|<=|<|~|\^)? *({_PART})(?:\.({_PART})(?:\.({_PART})"
    r"(-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)?)? *",
    re.ASCII,
)
_ANY = re.compile(r" *[*xX] *", re.ASCII)
_WILDCARDS = "*xX"


_Key = tuple[Any, ...]
"""The sort key of versions, without builds. A longer key is just above its prefix."""


class Interval(NamedTuple):
    """The versions from `low` on and below `high`."""

    low: _Key = ()
    high: _Key = (LARGEST + 1,)
    pre_release_of: tuple[int, ...] = ()
    """The version whose pre-release it names: only of that one may a pre-release match."""
    released: tuple[int, ...] | None = None
    """What versions begin with of which no pre-release matches, even where another names it."""

    def admits(self, candidate: Version) -> bool:
        if candidate.pre and self.released is not None and candidate[: len(self.released)] == self.released:
            return False
        return self.low <= candidate[:5] < self.high


Range = tuple[Interval, ...]
"""All of them have to hold."""


def tilde(value: object) -> Range:
    """Return the range ~1.2.3: from 1.2.3, below 1.3.0. Missing parts are 0, so ~1 ends below 1.1.0."""
    return parse_range("~" + complete(trim(as_written(value))))


def caret(value: object) -> Range:
    """Return the range ^1.2.3: below 2.0.0; ^0.2.3: below 0.3.0; ^0.0.3: below 0.0.4."""
    return parse_range("^" + complete(trim(as_written(value))))


def wildcard(value: object) -> Range:
    """Return the range 1.2.* or 1.2.x: from 1.2.0, below 1.3.0. Without a wildcard it is a caret range."""
    return parse_range(".".join(map(without_zeros, trim(as_written(value)).split("."))))


def is_within(candidate: Version, bounds: Range) -> bool:
    """Return whether the version satisfies the whole range."""
    if not all(interval.admits(candidate) for interval in bounds):
        return False
    return not candidate.pre or any(interval.pre_release_of == candidate.core for interval in bounds)


def bump(parts: Sequence[int], place: int) -> tuple[int, int, int]:
    """Return the first version with a greater number in this place."""
    major, minor, patch = [*parts[:place], parts[place] + 1, 0, 0][:3]
    return major, minor, patch


def compatible(parts: Sequence[int]) -> tuple[int, int, int]:
    """Return the first version that is not compatible any more: the first number that is not 0 stays."""
    return bump(parts, next((place for place, part in enumerate(parts) if part), len(parts) - 1))


@lru_cache(maxsize=512)
def parse_range(written: str) -> Range:
    """Parse a range. Raises ValueError."""
    if _ANY.fullmatch(written):
        return ()
    return tuple(_interval(part) for part in written.split(","))


def _interval(written: str) -> Interval:
    match = _COMPARATOR.fullmatch(written)
    if not match:
        raise ValueError(f"no range of versions: {written}")
    parts = [None if part in _WILDCARDS else int(part) for part in match.groups()[1:4] if part is not None]
    numbers = [part for part in parts if part is not None]
    is_cut_off = len(numbers) < len(parts)
    if parts[: len(numbers)] != numbers or not numbers or max(numbers) > LARGEST:
        raise ValueError(f"no range of versions: {written}")
    pre = (match[5] or "").removeprefix("-")
    if is_cut_off and (pre or match[6]):
        raise ValueError(f"no range of versions: {written}")
    sign = match[1] or ("=" if is_cut_off else "^")
    pre_key = read(f"0.0.0-{pre}").pre if pre else ()
    return _between(sign, numbers, (not pre, pre_key), tuple(numbers) if pre else ())


def _between(sign: str, parts: list[int], end: _Key, named: tuple[int, ...]) -> Interval:
    """Return the interval of an operator; ``end`` orders a version with all of its numbers after them."""
    is_whole = len(parts) == 3
    first = (*parts, *end) if is_whole else _before([*parts, 0, 0][:3])
    after = (*first, ()) if is_whole else _before(bump(parts, len(parts) - 1))
    released = None if is_whole else tuple(parts)
    match sign:
        case "=":
            return Interval(first, after, named, released)
        case ">":
            return Interval(low=after, pre_release_of=named)
        case ">=":
            return Interval(low=first, pre_release_of=named, released=released)
        case "<":
            return Interval(high=first, pre_release_of=named)
        case "<=":
            return Interval(high=after, pre_release_of=named, released=released)
    until = compatible(parts) if sign == "^" else bump(parts, min(1, len(parts) - 1))
    return Interval(first, _before(until), named)


def _before(parts: Sequence[int]) -> _Key:
    """Return a key below every pre-release of this version."""
    return (*parts, False, ())

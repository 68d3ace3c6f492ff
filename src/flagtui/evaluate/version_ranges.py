"""Ranges of versions as the server reads them: "~1.2.3", "^0.2", "1.2.x", and several with commas between."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from flagtui.evaluate.text import written as as_written
from flagtui.evaluate.versions import LARGEST, Version, completed, read, trimmed, without_zeros

_PART = r"(?:0|[1-9]\d*|[*xX])"
_COMPARATOR = re.compile(
    rf" *(=|>=|>|<=|<|~|\^)? *({_PART})(?:\.({_PART})(?:\.({_PART})"
    r"(-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)?)? *",
    re.ASCII,
)
_ANY = re.compile(r" *[*xX] *", re.ASCII)
_WILDCARDS = "*xX"


@dataclass(frozen=True, slots=True)
class Comparator:
    """One bound. Parts that were not written are None."""

    sign: str
    """= > >= < <= ~ ^, or * for one that ends in a wildcard."""
    parts: tuple[int | None, int | None, int | None]
    pre: tuple[Any, ...] = ()
    """What to compare its pre-release by, as in a version."""

    def admits(self, found: Version) -> bool:
        match self.sign:
            case "=" | "*":
                return self._equals(found)
            case ">" | ">=":
                return self._is_beyond(found, 1) or (self.sign == ">=" and self._equals(found))
            case "<" | "<=":
                return self._is_beyond(found, -1) or (self.sign == "<=" and self._equals(found))
            case "~":
                return self._starts(found, 2) and self._is_from_patch(found)
        return self._is_compatible(found)

    def _equals(self, found: Version) -> bool:
        return self._starts(found, 3) and found.pre == self.pre

    def _starts(self, found: Version, length: int) -> bool:
        """Whether as many parts as are written, up to this length, are the same."""
        pairs = zip(self.parts[:length], found.core, strict=False)
        return all(part is None or part == actual for part, actual in pairs)

    def _is_beyond(self, found: Version, direction: int) -> bool:
        for part, actual in zip(self.parts, found.core, strict=True):
            if part is None:
                return False
            if part != actual:
                return (actual > part) == (direction > 0)
        mine, its = (not self.pre, self.pre), (found.is_release, found.pre)
        return its > mine if direction > 0 else its < mine

    def _is_from_patch(self, found: Version) -> bool:
        patch = self.parts[2]
        if patch is not None and found.patch != patch:
            return found.patch > patch
        return patch is None or self._is_up_to(found)

    def _is_compatible(self, found: Version) -> bool:
        """The first part that is not 0 stays."""
        major, minor, patch = self.parts
        if found.major != major:
            return False
        if minor is None:
            return True
        if patch is None:
            return found.minor >= minor if major else found.minor == minor
        fixed = 1 if major else 2 if minor else 3
        if not self._starts(found, fixed):
            return False
        wanted, actual = (minor, patch), (found.minor, found.patch)
        return actual > wanted or (actual == wanted and self._is_up_to(found))

    def _is_up_to(self, found: Version) -> bool:
        """Of versions with the same numbers: whether it is no earlier than this bound."""
        return (found.is_release, found.pre) >= (not self.pre, self.pre)

    def names(self, found: Version) -> bool:
        """Whether it writes a pre-release of just this version: only then may one match."""
        return bool(self.pre) and self.parts == found.core


Range = tuple[Comparator, ...]


def tilde(value: object) -> Range:
    """~1.2.3: from 1.2.3, below 1.3.0. Missing parts are 0, so ~1 ends below 1.1.0."""
    return parsed("~" + completed(trimmed(as_written(value))))


def caret(value: object) -> Range:
    """^1.2.3: below 2.0.0; ^0.2.3: below 0.3.0; ^0.0.3: below 0.0.4."""
    return parsed("^" + completed(trimmed(as_written(value))))


def wildcard(value: object) -> Range:
    """1.2.* or 1.2.x: from 1.2.0, below 1.3.0. Without a wildcard it reads like a caret."""
    return parsed(".".join(map(without_zeros, trimmed(as_written(value)).split("."))))


def contains(wanted: Range, found: Version) -> bool:
    if not all(comparator.admits(found) for comparator in wanted):
        return False
    return not found.pre or any(comparator.names(found) for comparator in wanted)


@lru_cache(maxsize=512)
def parsed(written: str) -> Range:
    """Raises ValueError when it is no range."""
    if _ANY.fullmatch(written):
        return ()
    return tuple(_comparator(part) for part in written.split(","))


def _comparator(written: str) -> Comparator:
    found = _COMPARATOR.fullmatch(written)
    if not found:
        raise ValueError(f"no range of versions: {written}")
    parts = [None if part in _WILDCARDS else int(part) for part in found.groups()[1:4] if part is not None]
    numbers = [part for part in parts if part is not None]
    is_cut_off = len(numbers) < len(parts)
    if parts[: len(numbers)] != numbers or not numbers or max(numbers) > LARGEST:
        raise ValueError(f"no range of versions: {written}")
    pre = (found[5] or "").removeprefix("-")
    if is_cut_off and (pre or found[6]):
        raise ValueError(f"no range of versions: {written}")
    sign = found[1] or ("*" if is_cut_off else "^")
    major, minor, patch = [*parts, None, None][:3]
    return Comparator(sign, (major, minor, patch), read(f"0.0.0-{pre}").pre if pre else ())

"""Versions as the server compares them, and ranges of them: "~1.2.3", "^0.2", "1.2.x", or several."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

from flagtui.evaluate.text import written as as_written

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
    """As a property or condition writes it: "v1.2", 3, "3.08". Raises ValueError when it is none."""
    return _version(as_written(value))


@lru_cache(maxsize=4096)
def _version(written: str) -> Version:
    return read(completed(trimmed(written)))


def read(written: str) -> Version:
    """Raises ValueError for anything but three numbers without leading zeros, and what may follow them."""
    found = _VERSION.fullmatch(written)
    if not found:
        raise ValueError(f"no version: {written}")
    major, minor, patch = int(found[1]), int(found[2]), int(found[3])
    pre, build = found[4] or "", found[5] or ""
    if max(major, minor, patch) > LARGEST or any(map(_has_leading_zero, pre.split("."))):
        raise ValueError(f"no version: {written}")
    return Version(major, minor, patch, not pre, _identifiers(pre), _identifiers(build))


def trimmed(written: str) -> str:
    """Without one small v in front, and without the spaces after that."""
    return written.removeprefix("v").strip()


def completed(written: str) -> str:
    """With all three numbers and none of their leading zeros; what follows a hyphen or plus is kept."""
    core, suffix = re.match(r"([^-+]*)(.*)", written, re.DOTALL).groups()  # type: ignore[union-attr]
    parts = [without_zeros(part) for part in core.split(".")]
    return ".".join([*parts, "0", "0"][: max(3, len(parts))]) + suffix


def without_zeros(part: str) -> str:
    """A number without its leading zeros; anything else as it is."""
    return part.lstrip("0") or "0" if part.isascii() and part.isdigit() else part


def _has_leading_zero(identifier: str) -> bool:
    return len(identifier) > 1 and identifier[0] == "0" and identifier.isdigit()


def _identifiers(joined: str) -> _Identifiers:
    """Numbers before words; numbers by value, and then by their leading zeros; nothing before everything."""
    return tuple(_identifier(one) for one in joined.split(".")) if joined else ()


def _identifier(one: str) -> tuple[int, int, str, int]:
    digits = one.lstrip("0")
    return (0, len(digits), digits, len(one)) if one.isdigit() else (1, 0, one, 0)


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


def is_within(found: Version, wanted: Range) -> bool:
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

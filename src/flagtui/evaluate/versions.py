"""Versions as the server compares them: three numbers, then what is before a release, then the build."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

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

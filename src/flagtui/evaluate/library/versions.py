"""Versions as conditions compare them: three numbers, anything after a hyphen or plus ignored."""

Version = tuple[int, int, int]
Bounds = tuple[Version, Version]


def version(value: object) -> Version:
    """Raises ValueError when it is no version; missing parts are 0, parts after the third are ignored."""
    return _three([_part(part) if part else None for part in _core(value).split(".")[:3]])


def within_patch(value: object) -> Bounds:
    """~1.2.3: from 1.2.3, below 1.3.0."""
    low = version(value)
    return low, (low[0], low[1] + 1, 0)


def within_compatible(value: object) -> Bounds:
    """^1.2.3: below 2.0.0; ^0.2.3: below 0.3.0; ^0.0.3: below 0.0.4."""
    low = major, minor, patch = version(value)
    if major:
        return low, (major + 1, 0, 0)
    return low, ((0, minor + 1, 0) if minor else (0, 0, patch + 1))


def within_wildcard(value: object) -> Bounds:
    """1.*: from 1.0.0, below 2.0.0; 1.2.*: below 1.3.0. Raises ValueError when there is no number."""
    text = str(value).strip().lstrip("vV").replace("*", "").rstrip(".")
    written = [part for part in text.split(".") if part][:3]
    parts = [_part(part) for part in written]
    if not parts:
        raise ValueError(f"no version: {value}")
    above = [*parts[:-1], parts[-1] + 1]
    return _three([*parts]), _three([*above])


def _core(value: object) -> str:
    return str(value).strip().lstrip("vV").split("-")[0].split("+")[0]


def _part(text: str) -> int:
    if not text.isdigit() or (len(text) > 1 and text[0] == "0"):
        raise ValueError(f"no part of a version: {text}")
    return int(text)


def _three(parts: list[int | None]) -> Version:
    major, minor, patch = [*parts, 0, 0][:3]
    if major is None:
        raise ValueError("a version starts with a number")
    return major, minor or 0, patch or 0

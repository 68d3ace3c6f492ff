"""Patterns of paths, as in `.gitignore`."""

from collections.abc import Callable, Sequence
from typing import Final

IGNORE_FILE: Final = ".flagtuiignore"
SETTINGS_FILE: Final = ".flagtui.toml"
"""Files at the top of a repository that have patterns."""
Matcher = Callable[[str], bool]


def never(_path: str) -> bool:
    """Match no path."""
    return False


_STAR: Final = "[^/]*"
_FOLDERS: Final = "(?:/.+)?"
_LEADING: Final = "^(?:.+/)?"
"""What pathspec writes for `*`, for `**` between names, and for `**` before them."""


def without_backtracking(regex: str) -> str:
    """Return the same expression of a path in which a star before another one tries its first match only.

    A later match leaves the next star less to choose from. Otherwise ten stars take longer than anyone waits.
    Source: `fnmatch.translate`.
    """
    first, *between = regex.split(_FOLDERS)
    if between and first.startswith(_LEADING):
        first = f"^(?>(?:.+?/)??{_stars_once(first.removeprefix(_LEADING))}(?=/))"
    else:
        first = _stars_once(first)
    last = [f"{_FOLDERS}{_stars_once(block)}" for block in between[-1:]]
    return "".join((first, *(f"(?>(?:/.+?)??{_stars_once(block)}(?=/))" for block in between[:-1]), *last))


def _stars_once(names: str) -> str:
    first, *after = names.split(_STAR)
    has_another = ["/" not in text.replace("[^/]", "") for text in after[:-1]]
    quick = [
        f"(?>{_STAR}?{text})" if is_quick else f"{_STAR}{text}"
        for text, is_quick in zip(after, (*has_another, False), strict=False)
    ]
    return "".join((first, *quick))


def match_patterns(lines: Sequence[str]) -> Matcher:
    """Return a test of paths for patterns as in `.gitignore`. Raises ValueError for a malformed pattern."""
    if not any(line.strip() for line in lines):
        return never
    # Loaded where there are patterns, since it takes as long as listing ten thousand files.
    import re

    from pathspec import GitIgnoreSpec

    try:
        spec = GitIgnoreSpec.from_lines(lines)
        for pattern in spec.patterns:
            if (
                pattern.regex
                and (quick := without_backtracking(pattern.regex.pattern)) != pattern.regex.pattern
            ):
                pattern.regex = re.compile(quick)
        return spec.match_file
    except re.error as error:
        # A range such as `[z-a]`.
        raise ValueError(error) from None

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


def match_patterns(lines: Sequence[str]) -> Matcher:
    """Return a test of paths for patterns as in `.gitignore`. Raises ValueError for a malformed pattern."""
    if not any(line.strip() for line in lines):
        return never
    # Loaded where there are patterns, since it takes as long as listing ten thousand files.
    import re

    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines).match_file
    except re.error as error:
        # A range such as `[z-a]`.
        raise ValueError(error) from None

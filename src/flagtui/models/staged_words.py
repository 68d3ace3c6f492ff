"""The staged change of a record, in words."""

from typing import NamedTuple


class StagedWords(NamedTuple):
    """The words of a staged change on a page. Texts are raw."""

    lines: tuple[str, ...]
    """Each changed value, old and new: `rollout 75 % → 40 %`."""
    is_outdated: bool
    """Whether the record has changed since it was staged; then the page shows the record of the server."""

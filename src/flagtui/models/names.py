"""What people call the things that conditions name by number."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True)
class Names:
    """As far as they are known; raw."""

    flags: Mapping[int, str] = field(default_factory=dict)
    """Keys by id."""
    groups: Mapping[int, str] = field(default_factory=dict)
    """Names of group types by index, such as 0: company."""
    cohorts: Mapping[int, str] = field(default_factory=dict)
    """Names by id."""
    undecided: Mapping[int, str] = field(default_factory=dict)
    """Why a flag that conditions ask for may never let anybody in, by id."""
    matching_version: int = 1
    """How the project compares values with true and false; see `evaluate.value_words`."""

    def group_noun(self, index: int) -> str:
        """`company groups`, or `groups of type 0` while the name is not known."""
        return f"{self.groups[index]} groups" if index in self.groups else f"groups of type {index}"


NO_NAMES: Final = Names()

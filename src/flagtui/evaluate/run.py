"""One evaluation under way: who, among which definitions, and which other flags are decided already."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.evaluation import Evaluation
from flagtui.evaluate.operators import Manner
from flagtui.evaluate.parts import Flag
from flagtui.evaluate.subject import Person


@dataclass(frozen=True, slots=True)
class Vantage:
    """Whose properties are read, and what is hashed."""

    properties: Mapping[str, Any]
    identifier: str | int


@dataclass(slots=True)
class Run:
    person: Person
    definitions: Definitions
    identifier: str | int
    """Of the person, or of the group for a flag about groups: what flags that are asked for hash."""
    evaluate: "Callable[[Run, Flag, Vantage], Evaluation]"
    """How a flag that another one asks for is evaluated, from the same vantage."""
    decided: dict[str, Evaluation | None] = field(default_factory=dict)
    """By flag key. None stands for a flag that was asked for and does not exist."""
    under_way: frozenset[str] = frozenset()
    groups_count: bool = True
    """False inside a dependency: its conditions about groups are skipped."""

    @property
    def manner(self) -> Manner:
        return Manner(self.person.now, self.definitions.matching_version)

    def aside(self) -> "Run":
        """For questions that are answered only to explain: what they decide is forgotten."""
        return replace(self, decided=dict(self.decided))

    def inside(self, flag_key: str) -> "Run":
        """For a flag that is asked for. It shares what is decided."""
        return replace(self, under_way=self.under_way | {flag_key}, groups_count=False)

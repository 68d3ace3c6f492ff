"""Conditions as queries: what the server counts to know how many users each one matches."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from flagtui.models.filters import Condition, Filters

OPTED_IN: Final = "those who opted in to early access"


@dataclass(frozen=True, slots=True)
class ConditionQuery:
    """A condition as sent to the server: with its own group type, or the flag's."""

    number: int
    """Position from 1, as users and the server count."""
    condition: Condition
    group_type: int | None

    @property
    def share(self) -> float:
        """Return the percentage."""
        return self.condition.rollout

    @property
    def identity(self) -> str:
        """Return what the server counts: properties and group type, without the percentage."""
        properties = self.condition.raw.get("properties") or []
        return json.dumps([properties, self.group_type], sort_keys=True, default=str)


def deciding_conditions(filters: Filters) -> Iterator[ConditionQuery]:
    """Yield each condition that can decide."""
    for number, condition in enumerate(filters.deciding, 1):
        yield ConditionQuery(number, condition, filters.group_type_of(condition))

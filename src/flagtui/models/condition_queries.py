"""Conditions as a server is asked to count their users: which ones, and which are too long."""

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final

import msgspec

from flagtui.models.filters import Condition, Filters
from flagtui.models.json_value import JSON, as_list

OPTED_IN: Final = "those who opted in to early access"
MOST_VALUES: Final = 10_000
"""Properties and listed values of one condition beyond which no server is asked to count its users."""
TOO_LONG: Final = f"a condition with more than {MOST_VALUES:,} values is too long to count"


class ConditionQuery(msgspec.Struct, frozen=True, dict=True):
    """A condition as sent to the server: with its own group type, or the flag's."""

    number: int
    """Position from 1, as users and the server count."""
    condition: Condition
    group_type: int | None

    @property
    def share(self) -> float:
        return self.condition.rollout

    @property
    def is_countable(self) -> bool:
        """Return whether a server is asked to count: the request contains the whole condition."""
        properties = self.condition.properties
        if len(properties) > MOST_VALUES:
            return False
        return len(properties) + sum(len(as_list(item.value)) for item in properties) <= MOST_VALUES

    @staticmethod
    def is_short(raw: Mapping[str, JSON]) -> bool:
        """Return `is_countable` for a stored condition, without reading its properties."""
        properties = [item for item in as_list(raw.get("properties")) if isinstance(item, dict)]
        return len(properties) + sum(len(as_list(item.get("value"))) for item in properties) <= MOST_VALUES

    @cached_property
    def identity(self) -> str:
        """Return the counted part: properties and group type, without the percentage."""
        properties = self.condition.raw.get("properties") or []
        if not properties:
            return f"[[], {self.group_type}]"
        return json.dumps([properties, self.group_type], sort_keys=True, default=str)


def deciding_conditions(filters: Filters) -> Iterator[ConditionQuery]:
    """Yield each condition that can decide."""
    for number, condition in enumerate(filters.deciding, 1):
        yield ConditionQuery(number, condition, filters.group_type_of(condition))

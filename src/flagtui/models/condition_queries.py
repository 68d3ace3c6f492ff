"""Conditions as a server is asked to count their users: which ones, and which are too long."""

import json
from collections.abc import Iterator, Mapping, Sequence
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
        return _is_short([item.value for item in self.condition.properties])

    @staticmethod
    def is_short(raw: Mapping[str, JSON]) -> bool:
        """Return `is_countable` for a stored condition, without reading its properties."""
        properties = as_list(raw.get("properties"))
        return _is_short([item.get("value") for item in properties if isinstance(item, dict)])

    @cached_property
    def identity(self) -> str:
        """Return the counted part: properties and group type, without the percentage."""
        properties = self.condition.raw.get("properties") or []
        if not properties:
            return f"[[], {self.group_type}]"
        return json.dumps([properties, self.group_type], sort_keys=True, default=str)


def _is_short(values: Sequence[JSON]) -> bool:
    return len(values) + sum(len(as_list(value)) for value in values) <= MOST_VALUES


def deciding_conditions(filters: Filters) -> Iterator[ConditionQuery]:
    """Yield each condition that can decide."""
    for number, condition in enumerate(filters.deciding, 1):
        yield ConditionQuery(number, condition, filters.group_type_of(condition))

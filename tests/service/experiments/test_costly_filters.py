"""A metric whose filter The pattern is too costly to evaluate here has no result, never a smaller one."""

import sqlite3
from datetime import UTC, datetime

import pytest

from flagtui.service.experiments.analysis.metric import NotComputable
from flagtui.service.experiments.stored_events import People, matcher

NOW = datetime(2026, 3, 10, tzinfo=UTC)


@pytest.mark.parametrize("operator", ["regex", "not_regex"])
def test_metric_behind_a_costly_pattern_is_not_computed(operator: str) -> None:
    costly = {"key": "name", "operator": operator, "value": "(?=.)(a|aa)+$"}
    matches = matcher([costly], People(sqlite3.connect(":memory:")), NOW)
    with pytest.raises(NotComputable, match="The pattern is too costly to evaluate here"):
        matches({"name": "a" * 80 + "!"}, None)

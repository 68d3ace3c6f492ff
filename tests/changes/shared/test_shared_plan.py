"""Values of holdouts and shared metrics that servers refuse are foreseen."""

from typing import Any

import pytest
from tests.doubles.expected import expect

from flagtui.changes.shared.shared_plan import (
    HOLDOUT,
    LONGEST,
    METRIC,
    SharedIntent,
    SharedPlan,
    plan_shared,
)
from flagtui.changes.skipped import Blocked
from flagtui.models.experiment import SavedMetric

QUERY = {"kind": "ExperimentMetric"}


@pytest.mark.parametrize(
    ("kind", "values", "reason"),
    [
        (METRIC, {"name": " ", "query": QUERY}, f"a name has 1 to {LONGEST} characters"),
        (METRIC, {"name": "x" * (LONGEST + 1), "query": QUERY}, f"a name has 1 to {LONGEST} characters"),
        (METRIC, {"name": "x", "description": 7, "query": QUERY}, "a description has at most"),
        (METRIC, {"name": "x"}, "a new shared metric needs a query"),
        (METRIC, {"name": "x", "query": "SELECT 1"}, "the query of a metric is a JSON object"),
        (HOLDOUT, {"name": "x"}, "a new holdout needs a share"),
        (
            HOLDOUT,
            {"name": "x", "filters": [{"rollout_percentage": 101}]},
            "a share is between 0 % and 100 %",
        ),
        (
            HOLDOUT,
            {"name": "x", "filters": [{"rollout_percentage": 10**400}]},
            "a share is between 0 % and 100 %",
        ),
    ],
)
def test_value_that_servers_refuse_is_named(kind: str, values: dict[str, Any], reason: str) -> None:
    blocked = expect(plan_shared(SharedIntent(kind, 0, values, "create"), None), Blocked)
    assert blocked.reason.startswith(reason)


@pytest.mark.parametrize(
    ("intent", "consequences"),
    [
        (
            SharedIntent(METRIC, 3, {}, "delete"),
            {
                "Permanent": "deleted at once on the server, which cannot restore it",
                "Experiments": "experiments that measure it continue without it",
                "Kept here": "a copy in the journal; undo creates it again with another number",
            },
        ),
        (
            SharedIntent(METRIC, 3, {"query": {"kind": "Other"}}, "edit"),
            {"Experiments": "all that measure it measure the new query"},
        ),
    ],
)
def test_question_names_the_consequences(intent: SharedIntent, consequences: dict[str, str]) -> None:
    fresh = SavedMetric.of({"id": 3, "name": "Paid", "query": QUERY})
    plan = expect(plan_shared(intent, fresh), SharedPlan)
    assert {each.label: each.text for each in plan.consequences} == consequences

"""A response about a shared metric is lost: what is there then."""

import pytest
from tests.doubles.expected import expect

from flagtui.api import Client
from flagtui.changes.shared.shared_plan import METRIC, SharedIntent, SharedPlan, plan_shared
from flagtui.changes.shared.shared_save import SharedAdapter
from flagtui.models.experiment import SavedMetric
from flagtui.models.json_value import JSON

QUERY = {"kind": "ExperimentMetric", "source": {"kind": "EventsNode", "event": "query run"}}
ADAPTER = SharedAdapter(Client("https://service.test", "phx_key", 1))
CREATION = expect(
    plan_shared(SharedIntent(METRIC, 0, {"name": "Runs", "query": QUERY}, "create"), None, newest=2),
    SharedPlan,
)


@pytest.mark.parametrize(
    ("query", "is_created"),
    [
        (QUERY, True),
        ({**QUERY, "uuid": "9e5b", "fingerprint": "ab12"}, True),
        ({**QUERY, "goal": "decrease"}, False),
    ],
)
def test_creation_is_recognised_with_what_servers_add(query: JSON, is_created: bool) -> None:
    seen = SavedMetric.of({"id": 3, "name": "Runs", "query": query})
    assert (ADAPTER.judge(CREATION, seen) is not None) is is_created
    # With other fields it may be that of another user: never reported as not created.
    assert not ADAPTER.is_as_before(CREATION, seen)


def test_creation_failed_where_no_record_has_the_name() -> None:
    assert ADAPTER.judge(CREATION, None) is None
    assert ADAPTER.is_as_before(CREATION, None)

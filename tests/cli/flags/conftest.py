"""A flag for each test."""

import pytest
from tests.cli.conftest import Service


@pytest.fixture
def key(request: pytest.FixtureRequest, service: Service) -> str:
    """A flag of the test's own: on, for half of those whose plan is pro."""
    plan = {"key": "plan", "type": "person", "value": "pro", "operator": "exact"}
    groups = [{"properties": [plan], "rollout_percentage": 50}]
    body = {"key": f"cli-{abs(hash(request.node.name))}", "active": True, "filters": {"groups": groups}}
    return service.ask(lambda client: client.flags.create(body)).key

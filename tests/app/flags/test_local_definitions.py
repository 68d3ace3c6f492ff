"""Definitions for local evaluation, completed beyond the server's document."""

import httpx
import pytest

from flagtui.api import Client
from flagtui.details.evaluations import definitions_of
from flagtui.details.local_definitions import LocalDefinitions, ProjectCohorts

SINCE_MAY = {"key": "joined", "type": "person", "operator": "is_date_after", "value": "2026-05-01"}
FLAG = {"id": 1, "key": "k", "active": True, "filters": {"groups": [{"properties": [SINCE_MAY]}]}}


class Town(httpx.AsyncBaseTransport):
    """A project in New York; counts how often it is asked where it is."""

    def __init__(self, status: int) -> None:
        self.status = status
        self.asked = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/local_evaluation/"):
            return httpx.Response(200, json={"flags": [FLAG], "cohorts": {}, "group_type_mapping": {}})
        assert request.url.path == "/api/projects/1/"
        self.asked += 1
        return httpx.Response(self.status, json={"id": 1, "timezone": "America/New_York"})


@pytest.mark.parametrize(("status", "zone"), [(200, "America/New_York"), (403, "UTC")])
async def test_dates_use_the_project_time_zone_requested_once(status: int, zone: str) -> None:
    server = Town(status)
    async with Client("https://flags.test", "phx_test", 1, transport=server) as client:
        local = LocalDefinitions(client, ProjectCohorts(client))
        for _ in range(2):
            definitions = await definitions_of(local)
            assert definitions is not None
            assert definitions.time_zone == zone
        assert (server.asked, local.trouble) == (1, None)

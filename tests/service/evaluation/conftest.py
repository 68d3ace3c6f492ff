"""A service with an empty project to put flags and people into, and one with the sample on a real port."""

import json
import shutil
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from tests.doubles.faulty_service import serve
from tests.doubles.official_sdk import quiet_client
from tests.doubles.service_world import KEY, START, Caller, Start, fixtures_of
from tests.doubles.templates import sample_database

from flagtui.service.application import close_service, create_service
from flagtui.service.clock import stamp

SAMPLE_KEY = "phx_sample"
TOKEN = "phc_acmeWebApp"
STAFF = {"key": "email", "type": "person", "operator": "ends_with", "value": "@acme.com"}
__all__ = ["KEY", "START", "Start"]


@dataclass
class Service(Caller):
    """Flags, people, groups and cohorts of one project; the client itself has the key for everything."""

    headers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.client.headers["Authorization"] = f"Bearer {KEY}"

    async def flag(self, key: str, *properties: Any, share: float | None = 100, **fields: Any) -> int:
        """Creates a flag with one condition, or with the `filters` that are given."""
        filters = {"groups": [{"properties": list(properties), "rollout_percentage": share}]}
        made = await self.post("", {"key": key, "filters": filters, **fields}, 201)
        flag_id: int = made["id"]
        return flag_id

    def person(self, distinct_id: str, **properties: Any) -> int:
        columns = {"project_id": 1, "uuid": str(uuid.uuid4()), "created_at": stamp(START)}
        added = self.insert("persons", properties=properties, **columns)
        self.write("INSERT INTO distinct_ids VALUES (1, ?, ?)", distinct_id, added)
        return added

    def group(self, kind: str, index: int, key: str, **properties: Any) -> None:
        self.write("INSERT OR IGNORE INTO group_types VALUES (1, ?, ?)", index, kind)
        values = (index, key, json.dumps(properties), stamp(START))
        self.write("INSERT INTO groups VALUES (1, ?, ?, ?, ?)", *values)

    def cohort(self, *properties: Any, members: tuple[int, ...] = ()) -> int:
        """A list of people when no properties are given."""
        filters = {"properties": {"type": "AND", "values": list(properties)}} if properties else {}
        columns = {"project_id": 1, "name": "Some", "created_at": stamp(START)}
        added = self.insert("cohorts", is_static=not properties, filters=filters, **columns)
        for member in members:
            self.write("INSERT INTO cohort_members VALUES (?, ?)", added, member)
        return added


start, service = fixtures_of(Service)


@pytest.fixture
async def token(service: Service) -> str:
    token_value: str = service.rows("SELECT api_token FROM projects")[0]["api_token"]
    return token_value


@dataclass(frozen=True)
class Port:
    """The sample service as programs outside see it."""

    url: str
    application: Starlette
    answers: list[tuple[str, int]]
    """Path and status of every answer so far."""


@pytest.fixture(scope="session")
def sample_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Port]:
    path = tmp_path_factory.mktemp("sample") / "sample.db"
    shutil.copy(sample_database(tmp_path_factory), path)
    application = create_service(path, key=SAMPLE_KEY)
    answers: list[tuple[str, int]] = []
    with serve(noting(application, answers)) as url:
        yield Port(url, application, answers)
    close_service(application)


@pytest.fixture
def sdk(sample_port: Port) -> Iterator[Any]:
    client = quiet_client(sample_port.url, token=TOKEN, key=SAMPLE_KEY)
    yield client
    client.shutdown()


def noting(application: ASGIApp, answers: list[tuple[str, int]]) -> ASGIApp:
    async def note_answers(scope: Scope, receive: Receive, send: Send) -> None:
        async def note(message: Message) -> None:
            if message["type"] == "http.response.start":
                answers.append((scope["path"], message["status"]))
            await send(message)

        await application(scope, receive, note)

    return note_answers

"""A service with an empty project to put flags and people into, and one with the sample on a real port."""

import json
import socket
import sqlite3
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread
from typing import Any, Unpack

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from tests.doubles.new_database import copy_tables

from flagtui.service.application import Settable, close_service, create_service
from flagtui.service.clock import stamp
from flagtui.service.keys import NewKey, insert_key

KEY = "phx_everything"
SAMPLE_KEY = "phx_sample"
START = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)


@dataclass
class Service:
    client: httpx.AsyncClient
    application: Starlette
    now: datetime = START
    ids: dict[str, int] = field(default_factory=dict)

    async def send(self, method: str, path: str, body: Any = None, **query: Any) -> httpx.Response:
        """`path` below the flags of the project, or from the root when it starts with a slash."""
        self.now += timedelta(seconds=1)
        url = path if path.startswith("/") else f"/api/projects/1/feature_flags/{path}"
        content = {} if body is None else {"json": body}
        return await self.client.request(method, url, params=query or None, **content)

    async def get(self, path: str, **query: Any) -> Any:
        response = await self.send("GET", path, **query)
        assert response.status_code == 200, response.text
        return response.json()

    async def post(self, path: str, body: Any = None, status: int = 200) -> Any:
        response = await self.send("POST", path, body)
        assert response.status_code == status, response.text
        return response.json()

    async def flag(self, key: str, *properties: Any, share: float | None = 100, **fields: Any) -> int:
        """Creates a flag with one condition, or with the `filters` that are given."""
        filters = {"groups": [{"properties": list(properties), "rollout_percentage": share}]}
        made = await self.post("", {"key": key, "filters": filters, **fields}, 201)
        flag_id: int = made["id"]
        return flag_id

    def store(self, sql: str, *values: Any) -> int:
        def work(db: sqlite3.Connection) -> int:
            return db.execute(sql, values).lastrowid or 0

        added: int = self._write(work)
        return added

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self._write(lambda db: db.execute(sql, values).fetchall())]

    def person(self, distinct_id: str, **properties: Any) -> int:
        added = self.store(
            "INSERT INTO persons (project_id, uuid, properties, created_at) VALUES (1, ?, ?, ?)",
            str(uuid.uuid4()),
            json.dumps(properties),
            stamp(START),
        )
        self.store("INSERT INTO distinct_ids VALUES (1, ?, ?)", distinct_id, added)
        return added

    def group(self, kind: str, index: int, key: str, **properties: Any) -> None:
        self.store("INSERT OR IGNORE INTO group_types VALUES (1, ?, ?)", index, kind)
        self.store(
            "INSERT INTO groups VALUES (1, ?, ?, ?, ?)", index, key, json.dumps(properties), stamp(START)
        )

    def cohort(self, *properties: Any, members: tuple[int, ...] = ()) -> int:
        """A list of people when no properties are given."""
        filters = {"properties": {"type": "AND", "values": list(properties)}} if properties else {}
        added = self.store(
            "INSERT INTO cohorts (project_id, name, is_static, filters, created_at)"
            " VALUES (1, 'Some', ?, ?, ?)",
            not properties,
            json.dumps(filters),
            stamp(START),
        )
        for member in members:
            self.store("INSERT INTO cohort_members VALUES (?, ?)", added, member)
        return added

    def key(self, *scopes: str) -> dict[str, str]:
        """The header of a new key with these scopes."""
        secret = f"phx_{uuid.uuid4().hex}"
        key = NewKey(label="few", scopes=scopes, secret=secret)
        self._write(lambda db: insert_key(db, key, stamp(self.now)))
        return {"Authorization": f"Bearer {secret}"}

    def _write(self, work: Callable[[sqlite3.Connection], Any]) -> Any:
        return self.application.state.dispatcher.database.write(work).result()


Start = Callable[..., Any]


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Starts the service of a test with the settings that are named."""
    async with AsyncExitStack() as stack:

        async def begin(**choices: Unpack[Settable]) -> Service:
            chosen: Settable = {"clock": lambda: started.now, **choices}
            application = create_service(copy_tables(tmp_path / "service.db"), key=KEY, **chosen)
            stack.callback(close_service, application)
            client = httpx.AsyncClient(
                transport=httpx.ASGITransport(app=application),
                base_url="http://127.0.0.1",
                headers={"Authorization": f"Bearer {KEY}"},
            )
            started.client, started.application = await stack.enter_async_context(client), application
            return started

        started = Service(httpx.AsyncClient(transport=httpx.ASGITransport(Starlette())), Starlette())
        await started.client.aclose()
        yield begin


@pytest.fixture
async def service(start: Start) -> Service:
    started: Service = await start()
    return started


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
    application = create_service(path, key=SAMPLE_KEY, sample="company")
    answers: list[tuple[str, int]] = []
    with served(noting(application, answers)) as url:
        yield Port(url, application, answers)
    close_service(application)


def noting(application: ASGIApp, answers: list[tuple[str, int]]) -> ASGIApp:
    async def noted(scope: Scope, receive: Receive, send: Send) -> None:
        async def note(message: Message) -> None:
            if message["type"] == "http.response.start":
                answers.append((scope["path"], message["status"]))
            await send(message)

        await application(scope, receive, note)

    return noted


@contextmanager
def served(application: ASGIApp) -> Iterator[str]:
    """On a free loopback port. It listens before the server runs, so nobody has to wait for it.

    Naming TCP is what makes it send at once instead of waiting for a full packet.
    """
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    config = uvicorn.Config(application, log_level="critical", lifespan="off", ws="none")
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()

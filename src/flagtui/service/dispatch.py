"""From a request to an answer: finds the operation, checks access, runs the handler where it belongs."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from flagtui.evaluate.pattern_budget import limited_patterns
from flagtui.service.access import NOBODY, Throttle, admit, identify, with_named_project
from flagtui.service.answers import Answer, answer
from flagtui.service.call import Call
from flagtui.service.clock import stamp
from flagtui.service.database import Database
from flagtui.service.database_files import DatabaseMoved
from flagtui.service.errors import (
    Fault,
    closed_to_keys,
    database_moved,
    database_unavailable,
    method_not_allowed,
    not_found,
    server_error,
    too_large,
    too_slow,
)
from flagtui.service.keys import note_use
from flagtui.service.operations import Operation, Routes
from flagtui.service.scheduling import apply_due, first_due
from flagtui.service.settings import Settings

T = TypeVar("T")
BODY_SECONDS = 30.0
BODIES_AT_ONCE = 16
"""Bodies that are read at the same time, since each is held in memory; more wait for their turn."""
USE_NOTED_EVERY = timedelta(hours=1)
_log = logging.getLogger("flagtui.service")
# Inside the app nobody listens, and the last resort of logging would write on the screen.
_log.addHandler(logging.NullHandler())


def _refuse_method(call: Call) -> Answer:
    raise method_not_allowed(call.method, "")


UNKNOWN = Operation("GET", "", _refuse_method, "A method that the path does not know")
"""Checked for access like the others, so that a stranger learns nothing of paths."""


@dataclass(frozen=True)
class Match:
    """What the table says of a request; `operation` is None for a method the path does not know."""

    operation: Operation | None
    params: Mapping[str, str]
    methods: tuple[str, ...]


class Dispatcher:
    """The ASGI application of every path."""

    def __init__(self, database: Database, routes: Routes, settings: Settings) -> None:
        self.database = database
        self.routes = routes
        self.settings = settings
        self._throttle = Throttle(settings.rate_limit)
        self._used: dict[str, datetime] = {}
        self._bodies = asyncio.Semaphore(BODIES_AT_ONCE)
        with database.reading() as db:
            self._next_due = first_due(db)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return
        request = Request(scope, receive)
        given = await self._answer(request)
        content = b"" if request.method == "HEAD" else given.content
        media = "application/json" if given.content else None
        response = Response(content, given.status, dict(given.headers), media_type=media)
        if request.method == "HEAD":
            response.headers["content-length"] = str(len(given.content))
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Answer:
        try:
            return await self._handle(request)
        except Fault as fault:
            return _fault_answer(fault)
        except ClientDisconnect:
            return Answer(status=400)
        except DatabaseMoved as error:
            _log.error("%s; nothing is written until a restart", error)
            return _fault_answer(database_moved())
        except sqlite3.OperationalError as error:
            _log.error("database: %s", error)
            return _fault_answer(database_unavailable())
        except Exception:
            # The outermost place: one broken request must not end the demo or the server it runs in.
            _log.exception("%s %s failed", request.method, request.url.path)
            return _fault_answer(server_error())

    async def _handle(self, request: Request) -> Answer:
        match = self._match(request)
        await self.make_due_changes()
        raw = await self._read_body(request)
        operation = match.operation
        with self.database.reading() as db:
            call = self._admitted(db, request, match, raw)
            if operation is None:
                self._refuse_unknown_action(match, request.method)
                return _describe(request, match)
            if not operation.writes and not operation.slow:
                return _carry_out(operation, call)

        def handling(db: sqlite3.Connection) -> Answer:
            return _carry_out(operation, replace(call, db=db))

        if operation.writes:
            return await self._write(handling)
        return await asyncio.wrap_future(self.database.read_long(handling))

    def _refuse_unknown_action(self, match: Match, method: str) -> None:
        """Older servers took the name of a newer action for an id, and keys then lacked a scope for it."""
        if (
            self.settings.generation.is_older
            and method == "POST"
            and not match.params.get("id", "0").isdigit()
        ):
            raise closed_to_keys()

    async def make_due_changes(self) -> None:
        """Makes scheduled changes whose time has come: no answer shows a flag as it was before them."""
        now = self.settings.clock()
        if self._next_due is not None and self._next_due <= stamp(now):
            await self._write(lambda db: apply_due(db, self.settings, now))

    async def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Any write can plan, move or drop a change, so each looks when the next one is due."""

        def working(db: sqlite3.Connection) -> tuple[T, str | None]:
            return work(db), first_due(db)

        result, self._next_due = await asyncio.wrap_future(self.database.write(working))
        return result

    def _match(self, request: Request) -> Match:
        path = request.url.path
        if path.startswith("/api/environments/"):
            path = "/api/projects/" + path.removeprefix("/api/environments/")
        found = self.routes.find(path)
        if found is None:
            raise not_found("Endpoint not found.")
        methods, params = found
        method = "GET" if request.method == "HEAD" else request.method
        return Match(methods.get(method), params, tuple(sorted({*methods, "OPTIONS"})))

    def _admitted(self, db: sqlite3.Connection, request: Request, match: Match, raw: bytes) -> Call:
        caller, project, now = NOBODY, None, self.settings.clock()
        if match.operation is None or not match.operation.public:
            caller = identify(db, request.headers.get("authorization"))
            params = with_named_project(db, match.params, request.query_params.get("token", ""))
            project = admit(db, caller, match.operation or UNKNOWN, params, self.settings)
            self._throttle.count(caller.key_id, now)
            self._note_use(caller.key_id, now)
        return Call(
            db=db,
            method=request.method,
            base_url=f"{request.url.scheme}://{request.url.netloc}",
            path=request.url.path,
            params=match.params,
            query=request.query_params,
            headers=request.headers,
            raw_body=raw,
            settings=self.settings,
            caller=caller,
            scoped_project=project,
            now=now,
        )

    def _note_use(self, key_id: str, now: datetime) -> None:
        """Remembers when a key was last used, to the hour; nobody waits for it."""
        if key_id not in self._used or now - self._used[key_id] >= USE_NOTED_EVERY:
            self._used[key_id] = now
            self.database.write(lambda db: note_use(db, key_id, stamp(now)))

    async def _read_body(self, request: Request) -> bytes:
        """Stops reading as soon as the body is known to be too large."""
        if request.method not in ("POST", "PUT", "PATCH"):
            return b""
        limit = self.settings.max_body_bytes
        announced = request.headers.get("content-length", "0")
        if announced.isascii() and announced.isdigit() and int(announced) > limit:
            raise too_large(limit)
        chunks = bytearray()
        try:
            async with self._bodies, asyncio.timeout(BODY_SECONDS):
                async for chunk in request.stream():
                    chunks += chunk
                    if len(chunks) > limit:
                        raise too_large(limit)
        except TimeoutError:
            raise too_slow() from None
        return bytes(chunks)


def _carry_out(operation: Operation, call: Call) -> Answer:
    """Handle one request, on the thread where that belongs; its patterns share one budget."""
    with limited_patterns():
        return operation.handle(call)


def _fault_answer(fault: Fault) -> Answer:
    return Answer(fault.content, fault.status, fault.headers)


def _describe(request: Request, match: Match) -> Answer:
    allowed = ", ".join(match.methods)
    if request.method == "OPTIONS":
        described = {"renders": ["application/json"], "parses": ["application/json"]}
        return answer(described, headers={"Allow": allowed})
    raise method_not_allowed(request.method, allowed)

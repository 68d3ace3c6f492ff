"""From a request to its response: finds the operation, checks access, runs the handler where it belongs."""

import asyncio
import logging
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from datetime import datetime, timedelta

import msgspec
from msgspec.structs import replace
from starlette import responses
from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope, Send

from flagtui.evaluate.pattern_budget import limited_patterns
from flagtui.service.access import ANONYMOUS, Throttle, admit, identify, with_named_project
from flagtui.service.call import Call
from flagtui.service.clock import stamp
from flagtui.service.database import Database, WrittenT
from flagtui.service.database_files import DatabaseMoved
from flagtui.service.errors import (
    Fault,
    closed_to_keys,
    database_damaged,
    database_moved,
    database_unavailable,
    method_not_allowed,
    server_error,
    throttle_fault,
)
from flagtui.service.keys import note_use
from flagtui.service.news import News
from flagtui.service.operations import Operation, Routes, allowed_methods
from flagtui.service.request_body import check_announced, read_body
from flagtui.service.responses import Response, respond
from flagtui.service.scheduling import apply_due, first_due
from flagtui.service.settings import Settings
from flagtui.service.turns import NoTurn, Turns

AT_ONCE = 16
"""Changes under way at the same time, from the first byte of the body to the commit: each body is in memory.
As many long reads and reads with a body."""
AT_ONCE_PER_KEY = 4
TURN_SECONDS = 60.0
"""How long a request waits for its turn."""
ADMITTED_FOR = timedelta(seconds=1)
"""How long the check of a key holds while the body arrives."""
USE_NOTED_EVERY = timedelta(hours=1)
_log = logging.getLogger("flagtui.service")
# Inside the app no handler is set, and the last resort of logging would write on the screen.
_log.addHandler(logging.NullHandler())


def _refuse_method(call: Call) -> Response:
    raise method_not_allowed(call.method, "")


UNKNOWN = Operation("GET", "", _refuse_method, "A method that the path does not know")
"""Checked for access like the others, so that a stranger learns nothing of paths."""


class Match(msgspec.Struct, frozen=True):
    """The route of a request; `operation` is None for a method the path does not know."""

    operation: Operation | None
    params: Mapping[str, str]
    methods: tuple[str, ...]
    described: Operation = UNKNOWN
    """For OPTIONS: the operation whose access the caller needs, with the scope to read."""


class HttpApplication(ABC):
    """An ASGI application, and the outermost place: every fault of a request becomes its response."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return
        request = Request(scope, receive)
        given = await self._answer(request)
        if given.events is not None and request.method != "HEAD":
            headers = {"Cache-Control": "no-store", **given.headers}
            await responses.StreamingResponse(given.events, given.status, headers, "text/event-stream")(
                scope, receive, send
            )
            return
        content = b"" if request.method == "HEAD" else given.content
        media = "application/json" if given.content else None
        sent = responses.Response(content, given.status, dict(given.headers), media_type=media)
        if request.method == "HEAD":
            sent.headers["content-length"] = str(len(given.content))
        await sent(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        try:
            return await self.handle(request)
        except Fault as fault:
            return _fault_answer(fault)
        except ClientDisconnect:
            return Response(status=400)
        except DatabaseMoved as error:
            _log.error("%s; nothing is written until a restart", error)
            return _fault_answer(database_moved())
        except sqlite3.OperationalError as error:
            _log.error("database: %s", error)
            return _fault_answer(database_unavailable())
        except Exception as error:
            if type(error) is sqlite3.DatabaseError:
                # The class itself, for a damaged file; statements that are wrong raise its subclasses.
                _log.error("database: %s", error)
                return _fault_answer(database_damaged())
            # The outermost place: one broken request must not end the demo or the server it runs in.
            _log.exception("%s %r failed", request.method, request.scope["path"])
            return _fault_answer(server_error())

    @abstractmethod
    async def handle(self, request: Request) -> Response:
        """Return the response; raises the faults of `errors`."""


class Dispatcher(HttpApplication):
    """The ASGI application of every path."""

    def __init__(self, database: Database, routes: Routes[Operation], settings: Settings) -> None:
        self.database = database
        self.routes = routes
        self.settings = settings
        self.news = News()
        self._throttle = Throttle(settings.rate_limit)
        self._used: dict[str, datetime] = {}
        self._changes = Turns(AT_ONCE, AT_ONCE_PER_KEY)
        self._reads = Turns(AT_ONCE, AT_ONCE_PER_KEY)
        with database.reading() as db:
            self._next_due = first_due(db)

    async def handle(self, request: Request) -> Response:
        """Check the head, then read the body, if the operation has one, and run the handler."""
        match = self._match(request)
        await self.make_due_changes()
        with self.database.reading() as db:
            call = self._admit(db, request, match)
            self._count(call)
            operation = match.operation
            if operation is None:
                self._refuse_unknown_action(match, request.method)
                return _describe(request, match)
            if not (operation.has_body or operation.writes or operation.slow):
                return _carry_out(operation, call)
        if operation.has_body:
            check_announced(request.headers, self.settings.max_body_bytes, any_media=operation.any_media)
        turns = self._changes if operation.writes else self._reads
        try:
            # Callers of public operations are distinguished by what they send, unchecked so far.
            owner = call.caller.key_id or request.headers.get("authorization", "")
            async with turns.hold(owner, TURN_SECONDS):
                if operation.has_body:
                    body = await read_body(request, self.settings.max_body_bytes, self.settings.pace)
                    call = replace(call, raw_body=body)
                call = await self._admitted_still(request, match, call)
                return await self._run(operation, call)
        except NoTurn:
            raise throttle_fault(1) from None

    async def _admitted_still(self, request: Request, match: Match, call: Call) -> Call:
        """Admit the caller again if the turn or the body took long: the key may have been revoked."""
        if self.settings.clock() - call.now <= ADMITTED_FOR:
            return call
        await self.make_due_changes()
        with self.database.reading() as db:
            return replace(self._admit(db, request, match), raw_body=call.raw_body)

    async def _run(self, operation: Operation, call: Call) -> Response:
        def handling(db: sqlite3.Connection) -> Response:
            return _carry_out(operation, replace(call, db=db))

        if operation.writes:
            return await self._write(handling)
        if operation.slow:
            return await asyncio.wrap_future(self.database.read_long(handling))
        with self.database.reading() as db:
            return handling(db)

    def _refuse_unknown_action(self, match: Match, method: str) -> None:
        """Refuse newer actions as older servers do: they read the name as an id without a scope for keys."""
        if (
            self.settings.generation.is_older
            and method == "POST"
            and not match.params.get("id", "0").isdigit()
        ):
            raise closed_to_keys()

    async def make_due_changes(self) -> None:
        """Apply due scheduled changes, so that no response shows the previous state of a flag."""
        now = self.settings.clock()
        if self._next_due is not None and self._next_due <= stamp(now):
            await self._write(lambda db: apply_due(db, self.settings, now))

    async def _write(self, work: Callable[[sqlite3.Connection], WrittenT]) -> WrittenT:
        """Write, then look when the next change is due: any write can plan, move or drop one."""

        def working(db: sqlite3.Connection) -> tuple[WrittenT, str | None]:
            return work(db), first_due(db)

        result, self._next_due = await await_commit(self.database.write(working))
        self.news.announce()
        return result

    def _match(self, request: Request) -> Match:
        # Not `request.url.path`, from which Python's parser drops line breaks and tabs.
        path: str = request.scope["path"]
        if path.startswith("/api/environments/"):
            path = "/api/projects/" + path.removeprefix("/api/environments/")
        methods, params = self.routes.find(path)
        method = "GET" if request.method == "HEAD" else request.method
        described = _options_of(methods.values()) if method == "OPTIONS" else UNKNOWN
        return Match(methods.get(method), params, allowed_methods(methods), described)

    def _admit(self, db: sqlite3.Connection, request: Request, match: Match) -> Call:
        caller, project, now = ANONYMOUS, None, self.settings.clock()
        if match.operation is None or not match.operation.public:
            caller = identify(db, request.headers.get("authorization"))
            params = with_named_project(db, match.params, request.query_params.get("token", ""))
            project = admit(db, caller, match.operation or match.described, params, self.settings)
        return Call(
            db=db,
            method=request.method,
            base_url=_base_url(request),
            path=request.scope["path"],
            params=match.params,
            query=request.query_params,
            headers=request.headers,
            settings=self.settings,
            caller=caller,
            scoped_project=project,
            now=now,
            news=self.news,
        )

    def _count(self, call: Call) -> None:
        """Count the request against the rate limit; remember when its key was last used, to the hour."""
        key_id, now = call.caller.key_id, call.now
        if not key_id:
            return
        self._throttle.count(key_id, now)
        if key_id not in self._used or now - self._used[key_id] >= USE_NOTED_EVERY:
            self._used[key_id] = now
            self.database.write(lambda db: note_use(db, key_id, stamp(now)))


async def await_commit(writing: Future[WrittenT]) -> WrittenT:
    """Wait for a write; once its transaction has begun, wait on even when the server cancels the request.

    It commits then, and a response that asks the caller to try again would cause a second write.
    """
    waiting = asyncio.wrap_future(writing)
    while not waiting.done():
        try:
            await asyncio.shield(waiting)
        except asyncio.CancelledError:
            if writing.cancel():
                raise
    return waiting.result()


def _base_url(request: Request) -> str:
    """Return scheme and host; without Starlette's URL, whose making costs as much as a query of the key."""
    return f"{request.scope.get('scheme', 'http')}://{request.headers.get('host') or request.url.netloc}"


def _carry_out(operation: Operation, call: Call) -> Response:
    """Handle one request, on the thread where that belongs; its patterns share one budget."""
    with limited_patterns():
        return operation.handle(call)


def _fault_answer(fault: Fault) -> Response:
    return Response(fault.content, fault.status, fault.headers)


def _options_of(operations: Iterable[Operation]) -> Operation:
    """Return an operation of a path as OPTIONS needs it: the scope to read is enough."""
    operation = min(operations, key=lambda item: item.method != "GET")
    if operation.scope is None or operation.public:
        return UNKNOWN
    return replace(operation, scope=operation.scope.replace(":write", ":read"))


def _describe(request: Request, match: Match) -> Response:
    allowed = ", ".join(match.methods)
    if request.method == "OPTIONS":
        described = {"renders": ["application/json"], "parses": ["application/json"]}
        return respond(described, headers={"Allow": allowed})
    raise method_not_allowed(request.method, allowed)

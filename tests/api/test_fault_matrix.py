"""Every operation of the specification against every fault: a named error or the right answer, never more.

What a fault is called has its test here; tests/changes/test_every_kind.py has what it means for a change.
"""

import gzip
import json
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import httpx
import pytest
from msgspec.structs import replace
from tests.doubles.every_operation import CALLS, Example, example
from tests.doubles.servers import KEY, Dripping, MakeClient
from tests.doubles.slices import one_in

from flagtui.api import Client, Deadlines, errors
from flagtui.api.errors import ApiError
from flagtui.api.operations import SEED
from flagtui.api.request_log import LogLine
from flagtui.models.record import Record
from flagtui.models.rows import RowPage

PAGE: Final = b"<!doctype html><html><head><title>Sign in</title></head><body></body></html>"


class Breaking(Dripping):
    """Some bytes, and then the connection is gone."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self.parts[0]
        raise httpx.RemoteProtocolError("peer closed connection without sending complete message body")


Serve = Callable[[Example], httpx.Response]


@dataclass(frozen=True)
class Fault:
    """What goes wrong, and what that may be called."""

    name: str
    serve: Serve
    kinds: type[ApiError] | tuple[type[ApiError], ...]
    may_be_right: bool = False
    """An odd answer that still is one."""
    hangs: bool = False
    words: str = ""
    """What is said of it."""


def whole(stored: Example) -> bytes:
    return b"" if stored["answer"] is None else json.dumps(stored["answer"]).encode()


def raising(fault: Exception, cause: BaseException | None = None) -> Serve:
    def serve(stored: Example) -> httpx.Response:
        raise fault from cause

    return serve


def answering(status: int, body: Any = b"", **headers: str) -> Serve:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return lambda stored: httpx.Response(status, content=content, headers=headers)


def streaming(make: Callable[[bytes], httpx.AsyncByteStream]) -> Serve:
    return lambda stored: httpx.Response(200, stream=make(whole(stored) or b" "))


def alter(change: Callable[[bytes], bytes], **headers: str) -> Serve:
    return lambda stored: httpx.Response(200, stream=httpx.ByteStream(change(whole(stored))), headers=headers)


GZIP: Final = {"Content-Encoding": "gzip"}
NO_NAME: Final = "[Errno -2] Name or service not known"
NO_HOST: Final = "No host is called flags.example.test."
NO_TLS: Final = "[SSL: WRONG_VERSION_NUMBER] wrong version number"
BOMB: Final = gzip.compress(b" " * 2**21)


def with_field(text: bytes) -> Callable[[bytes], bytes]:
    """Puts one more field into an object; other answers stay as they are."""
    return lambda body: b"{" + text + b"," + body[1:] if body.startswith(b"{") and len(body) > 2 else body


def error_body(detail: str, code: str = "permission_denied") -> dict[str, Any]:
    return {"type": "x", "code": code, "detail": detail, "attr": None}


CLOSED: Final = error_body("This action does not support personal API key access")
NO_SCOPE: Final = error_body("API key missing required scope 'x:read'")
FAILED: Final = error_body("A server error occurred.", "error")
BUSY: Final = error_body("database", "database_unavailable")
NO_PROJECT: Final = error_body("Project not found.", "not_found")
NO_PLACE: Final = error_body("Endpoint not found.", "not_found")


FAULTY: Final = (errors.ServerFault, errors.NotFound)
DEEP: Final = b'"deep":' + b"[" * 2_000 + b"]" * 2_000
CUT: Final = (errors.Unreadable, errors.Unanswered)

FAULTS: Final = [
    Fault("no such name", raising(httpx.ConnectError("x"), socket.gaierror(-2, "x")), errors.NameNotFound),
    Fault("name in words", raising(httpx.ConnectError(NO_NAME)), errors.NameNotFound, words=NO_HOST),
    Fault("refused", raising(httpx.ConnectError("x"), ConnectionRefusedError()), errors.Refused),
    Fault("no route", raising(httpx.ConnectError("x"), OSError(113, "no route")), errors.Unreachable),
    Fault("tls", raising(httpx.ConnectError("SSL"), ssl.SSLError(1, "expired")), errors.TlsFailed),
    Fault("no tls", raising(httpx.ConnectError(NO_TLS)), errors.TlsFailed, words="responds without TLS"),
    Fault("connect timeout", raising(httpx.ConnectTimeout("x")), errors.ConnectTimedOut),
    Fault("pool timeout", raising(httpx.PoolTimeout("x")), errors.ConnectTimedOut),
    Fault("proxy", raising(httpx.ProxyError(f"407 {KEY}")), errors.ProxyFailed),
    Fault("local protocol", raising(httpx.LocalProtocolError("x")), errors.Unreachable),
    Fault("read timeout", raising(httpx.ReadTimeout("x")), errors.Unanswered),
    Fault("write timeout", raising(httpx.WriteTimeout("x")), errors.Unanswered),
    Fault("reset", raising(httpx.ReadError(f"Bearer {KEY}"), ConnectionResetError()), errors.Unanswered),
    Fault("write error", raising(httpx.WriteError("x")), errors.Unanswered),
    Fault("close error", raising(httpx.CloseError("x")), errors.Unanswered),
    Fault("bare reset", raising(ConnectionResetError(104, "reset")), errors.Unanswered),
    Fault("protocol", raising(httpx.RemoteProtocolError("x")), errors.Unanswered),
    Fault("body hangs", streaming(partial(Dripping, hangs=True)), errors.Unanswered, hangs=True),
    Fault("body breaks", streaming(Breaking), errors.Unanswered),
    Fault("half a body", alter(lambda body: body[: len(body) // 2]), errors.Unreadable, True),
    Fault("half a gzip", alter(lambda body: gzip.compress(body)[:-9], **GZIP), errors.Unanswered),
    Fault("no gzip", alter(lambda body: b"x" + body, **GZIP), CUT),
    Fault("not asked encoding", alter(lambda body: body, **{"Content-Encoding": "br"}), errors.Unreadable),
    Fault("gzip bomb", alter(lambda body: BOMB, **GZIP), errors.ResponseTooLarge),
    Fault("as large as allowed", alter(lambda body: body.ljust(2**20)), errors.Unreadable, True),
    Fault("huge", alter(lambda body: b" " * (2**20 + 1)), errors.ResponseTooLarge),
    Fault("web page", answering(200, PAGE), errors.Unreadable),
    Fault("empty", answering(200), errors.Unreadable, True),
    Fault("no content", answering(204), errors.Unreadable, True),
    Fault("null", answering(200, b"null"), errors.Unreadable, True),
    Fault("list", answering(200, b"[1]"), errors.Unreadable, True),
    Fault("number", answering(200, b"3"), errors.Unreadable, True),
    Fault("something else", answering(200, {"id": 4_711}), errors.Unreadable, True),
    Fault("text for a number", answering(200, {"id": "5"}), errors.Unreadable, True),
    Fault("nan", alter(with_field(b'"x":NaN')), errors.Unreadable, True),
    Fault("deep", alter(with_field(DEEP)), errors.Unreadable, True),
    Fault("large integer", alter(with_field(b'"x":' + str(2**70).encode())), (), True),
    Fault("endless integer", alter(with_field(b'"x":' + b"9" * 5_000)), errors.Unreadable, True),
    Fault("half surrogate", alter(with_field(b'"x":"\\ud800"')), (), True),
    Fault("duplicate key", alter(with_field(b'"id":0,"results":0,"key":0')), errors.Unreadable, True),
    Fault("wrong content type", alter(lambda body: body, **{"Content-Type": "text/html"}), (), True),
    Fault("invalid utf-8", alter(lambda body: b"\xff" + body), errors.Unreadable),
    Fault("moved here", answering(302, Location="/api/"), errors.Redirected),
    Fault("moved away", answering(302, Location="https://evil.test/"), errors.Redirected),
    Fault("moved for now", answering(307, Location="/elsewhere/"), errors.Redirected),
    Fault("moved for good", answering(308, Location=""), errors.Redirected),
    Fault("see other", answering(303, Location="/api/"), errors.Redirected),
    Fault("moved to nonsense", answering(301, Location="javascript:x"), errors.Redirected),
    Fault("400", answering(400, error_body("Bad.", "invalid_input")), errors.Invalid),
    Fault("401", answering(401, error_body("invalid", "authentication_failed")), errors.NotSignedIn),
    Fault("403 scope", answering(403, NO_SCOPE), errors.MissingScope),
    Fault("403 closed", answering(403, CLOSED), errors.ClosedToKeys, True),
    Fault("404 project", answering(404, NO_PROJECT), errors.ProjectNotFound, True),
    Fault("404 endpoint", answering(404, NO_PLACE), errors.EndpointNotFound, True),
    Fault("404 empty", answering(404), (errors.NotFound, errors.EndpointNotFound), True),
    Fault("405 empty", answering(405), errors.NotOffered, True),
    Fault("409", answering(409, error_body("changed", "conflict")), errors.Conflict),
    Fault("429", answering(429, error_body("slow", "throttled"), **{"Retry-After": "3"}), errors.RateLimited),
    Fault("500", answering(500, FAILED), FAULTY),
    Fault("503", answering(503, BUSY, **{"Retry-After": "1"}), errors.ServerFault),
]  # fmt: skip


def same(result: Any, expected: Any) -> bool:
    """Whether an odd answer was read as the plain one: whatever the plain one says is in it."""
    if isinstance(result, Record) and isinstance(expected, Record):
        return type(result) is type(expected) and bool(result.raw.items() >= expected.raw.items())
    if isinstance(result, RowPage) and isinstance(expected, RowPage):
        # The odd answer has another length.
        result, expected = (replace(page, body_size=0) for page in (result, expected))
    return bool(result == expected)


NOTHING_TO_READ: Final = {"experiments.hard_delete", "flags.hard_delete", "event_definitions.delete"}
"""Their answers are empty, so what is in one does not matter as long as it is no web page."""


async def outcome(client: Client, name: str) -> Any:
    try:
        return await CALLS[name](client, example(name))
    except ApiError as error:
        return error


def must_be_error(fault: Fault, name: str, error: ApiError) -> None:
    kinds = fault.kinds if isinstance(fault.kinds, tuple) else (fault.kinds,)
    expected = (*kinds, errors.NotOffered) if SEED[name].method == "DELETE" else kinds
    assert type(error) in expected, f"{name}: {error!r}"
    assert all(text.endswith(".") for text in (error.what, error.now, error.next))
    assert fault.words in error.what
    if SEED[name].is_write:
        assert error.sent == ("not known" in error.now)


def must_be_right(fault: Fault, name: str, result: Any, plain: Any) -> None:
    assert fault.may_be_right, f"{name} took {fault.name} for an answer: {result!r}"
    if name not in NOTHING_TO_READ and (result, name) != (None, "experiments.requires_flag_implementation"):
        assert same(result, plain) or (name, fault.name) in LOOSE, f"{name}, {fault.name}: {result!r}"


OBJECTS: Final = ("something else", "text for a number")
LOOSE: Final = {
    *(("flags.remote_config", odd) for odd in ("empty", "no content", "null", "number", "list", *OBJECTS)),
    *((f"flags.{name}", odd) for name in ("dashboard", "enrich_usage_dashboard") for odd in OBJECTS),
}
"""Where anything is an answer: a payload is any JSON, and not to have succeeded is one too."""


def operations(fault: Fault) -> list[str]:
    """A short run tries one in three where the status or the link decides, before an operation reads."""
    try:
        is_read = fault.serve(example("flags.get")).is_success
    except (httpx.HTTPError, OSError):
        is_read = False
    return one_in(1 if is_read else 3, [*SEED])


PLAIN: Final[dict[str, Any]] = {}
"""What each operation returns when nothing is wrong."""


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
async def test_every_operation_survives(make_client: MakeClient, fault: Fault) -> None:
    for name in operations(fault):
        operation, stored = SEED[name], example(name)
        sent: list[httpx.Request] = []
        lines: list[LogLine] = []

        def answer(
            request: httpx.Request, stored: Example = stored, sent: list[httpx.Request] = sent
        ) -> httpx.Response:
            sent.append(request)
            return fault.serve(stored)

        wait = 0.004 if fault.hangs else 5.0
        client = make_client(answer, deadlines=Deadlines(read=wait, write=wait, slow=wait), log=lines.append)
        client.connection.response_limit = 2**20
        result = await outcome(client, name)
        if isinstance(result, ApiError):
            must_be_error(fault, name, result)
            assert client.link.is_offline or not isinstance(result, errors.Unreachable)
        else:
            if name not in PLAIN:
                plain = httpx.Response(stored["status"], content=whole(stored))
                PLAIN[name] = await outcome(make_client(lambda _, plain=plain: plain), name)
            must_be_right(fault, name, result, PLAIN[name])
        assert len(sent) == 1 if operation.is_write else len(sent) <= 9, f"{name}: {len(sent)} requests"
        assert {request.url.host for request in sent} == {"flags.example.test"}
        assert {request.headers["authorization"] for request in sent} == {f"Bearer {KEY}"}
        assert not any(KEY in f"{request.url} {request.content!r}" for request in sent)
        assert KEY not in f"{result} {result!r} {client!r} {client.connection!r} {client.link!r} {lines}"

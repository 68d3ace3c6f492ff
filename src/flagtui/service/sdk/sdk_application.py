"""The endpoints of programs as an application of their own, over one source of flags.

Pages and pollers send the same body again and again: responses are kept for a moment.
"""

from collections.abc import AsyncIterator, Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from time import monotonic
from typing import Any, Final, Protocol

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.types import ASGIApp

from flagtui.evaluate.pattern_budget import limited_patterns
from flagtui.service.dispatch import HttpApplication
from flagtui.service.errors import method_not_allowed
from flagtui.service.operations import Routes
from flagtui.service.request_body import Pace, check_announced, read_body
from flagtui.service.responses import Response
from flagtui.service.sdk.endpoints import Endpoint
from flagtui.service.sdk.program_scope import runtime_of
from flagtui.service.sdk.sdk_call import LARGEST_BODY, FlagSource, Noted, SdkCall


class CountingSource(FlagSource, Protocol):
    """A source of flags that counts what programs request."""

    def requests_of(self, caller: str, noted: Sequence[Noted]) -> Sequence[Hashable]:
        """Return the counts of one response; `caller` is the `User-Agent` of the program."""

    def count(self, requests: Sequence[Hashable]) -> None:
        """Count it once more."""


class SdkApplication(HttpApplication):
    """Responds to the endpoints of one table; every request is for the same source."""

    def __init__(self, source: CountingSource, endpoints: Iterable[Endpoint]) -> None:
        self._source = source
        self._routes = Routes(endpoints)
        self._cache = ResponseCache()

    async def handle(self, request: Request) -> Response:
        """Find the endpoint, read the body and respond."""
        # Not `request.url.path`, from which Python's parser drops line breaks and tabs.
        methods, params = self._routes.find(request.scope["path"])
        endpoint = methods.get("GET" if request.method == "HEAD" else request.method)
        if endpoint is None:
            raise method_not_allowed(request.method, ", ".join(sorted(methods)))
        raw = b""
        if endpoint.method == "POST":
            check_announced(request.headers, LARGEST_BODY, any_media=True)
            raw = await read_body(request, LARGEST_BODY, Pace())
        if not endpoint.evaluates:
            return self._respond(endpoint, request, params, raw)[0]
        headers = request.headers
        target = (request.scope["path"], request.scope["query_string"], raw)
        sender = (headers.get("user-agent"), headers.get("if-none-match"), runtime_of(headers))
        cached = self._cache.find(self._source.flag_set(), (target, sender))
        if cached is None:
            response, noted = self._respond(endpoint, request, params, raw)
            counted = self._source.requests_of(headers.get("user-agent", ""), noted)
            cached = self._cache.keep((target, sender), response, counted)
        self._source.count(cached.counted)
        return cached.response

    def _respond(
        self, endpoint: Endpoint, request: Request, params: Mapping[str, str], raw: bytes
    ) -> tuple[Response, Sequence[Noted]]:
        call = SdkCall(self._source, params, request.query_params, request.headers, raw)
        with limited_patterns():
            return endpoint.respond(call), call.noted


def make_sdk_application(
    source: CountingSource,
    endpoints: Iterable[Endpoint],
    running: Callable[[], AbstractAsyncContextManager[None]],
) -> ASGIApp:
    """Return the application; `running` surrounds the time in which it serves."""

    @asynccontextmanager
    async def lifespan(_application: Starlette) -> AsyncIterator[None]:
        async with running():
            yield

    application = Starlette(lifespan=lifespan)
    # Not a Mount: its pattern stops at a line break, and such paths would be answered in plain text.
    application.router.default = SdkApplication(source, endpoints)
    return application


SECONDS: Final = 1.0
"""How long a response is repeated: conditions with relative dates are hardly ever older than that."""
MOST: Final = 256
"""Responses that are kept; the largest have all flags of a project."""


class CachedResponse(msgspec.Struct, frozen=True):
    """A response, and the counts to add each time it is sent."""

    response: Response
    counted: Any
    expires_at: float


class ResponseCache:
    """Keeps responses for as long as the flags are the same, for a second at most."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._flags: object = None
        self._responses: dict[Hashable, CachedResponse] = {}

    def find(self, flags: object, request: Hashable) -> CachedResponse | None:
        """Return the response to a request that was made with these flags."""
        if flags is not self._flags:
            self._flags = flags
            self._responses.clear()
        cached = self._responses.get(request)
        return cached if cached is not None and self._clock() < cached.expires_at else None

    def keep(self, request: Hashable, response: Response, counted: Any) -> CachedResponse:
        """Keep the response to a request; the flags are those of the last call of `find`."""
        if len(self._responses) >= MOST:
            self._responses.clear()
        cached = self._responses[request] = CachedResponse(response, counted, self._clock() + SECONDS)
        return cached

"""The endpoints of programs as an application of their own, over one source of flags."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.types import ASGIApp

from flagtui.evaluate.pattern_budget import limited_patterns
from flagtui.service.answers import Answer
from flagtui.service.dispatch import HttpApplication
from flagtui.service.errors import method_not_allowed, not_found
from flagtui.service.operations import Routes
from flagtui.service.request_body import Pace, check_announced, read_body
from flagtui.service.sdk.endpoints import Endpoint
from flagtui.service.sdk.sdk_call import LARGEST_BODY, FlagSource, SdkCall


class SdkApplication(HttpApplication):
    """Responds to the endpoints of one table; every request is for the same source."""

    def __init__(self, source: FlagSource, endpoints: Iterable[Endpoint]) -> None:
        self._source = source
        self._routes = Routes(endpoints)

    async def handle(self, request: Request) -> Answer:
        """Find the endpoint, read the body and respond."""
        # Not `request.url.path`, from which Python's parser drops line breaks and tabs.
        route = self._routes.find(request.scope["path"])
        if route is None:
            raise not_found("Endpoint not found.")
        methods, params = route
        endpoint = methods.get("GET" if request.method == "HEAD" else request.method)
        if endpoint is None:
            raise method_not_allowed(request.method, ", ".join(sorted(methods)))
        raw = b""
        if endpoint.method == "POST":
            check_announced(request.headers, LARGEST_BODY, any_media=True)
            raw = await read_body(request, LARGEST_BODY, Pace())
        with limited_patterns():
            return endpoint.respond(SdkCall(self._source, params, request.query_params, request.headers, raw))


def make_sdk_application(
    source: FlagSource,
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

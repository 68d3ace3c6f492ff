"""The connection: the one place where requests are sent, counted, timed, retried and read."""

from __future__ import annotations

import asyncio
import dataclasses
import math
import random
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from flagtui import __version__
from flagtui.api.clock import Clock
from flagtui.api.connection_state import ConnectionState
from flagtui.api.errors import ApiError, Invalid, NotSignedIn, RateLimited, Unreachable
from flagtui.api.faults import network_error, refusal, setup_error
from flagtui.api.heavy_work import off_loop
from flagtui.api.hosts import Host, KeyAuth, is_loopback
from flagtui.api.http_library import httpx
from flagtui.api.limits import (
    COMPUTED,
    GATEWAY_FAULTS,
    WAIT_LIMIT,
    Budget,
    Patience,
    date_of,
    is_outage,
    pause_before_retry,
)
from flagtui.api.operations import Capabilities
from flagtui.api.request import RESPONSE_LIMIT, Request, Response, read_body
from flagtui.api.request_log import Log, LogLine

_HOPS: Final = 3
_AT_ONCE: Final = 12
"""Requests in flight at the same time."""


class Deadlines(msgspec.Struct, frozen=True):
    """Timeouts in seconds.

    The totals run from the first byte sent to the last byte received, so a slow trickle cannot extend them.
    """

    connect: float = 5.0
    read: float = 15.0
    write: float = 20.0
    slow: float = 60.0

    def total(self, request: Request) -> float:
        """Return the total timeout of a request, in seconds."""
        if request.operation.is_write:
            return self.write
        return self.slow if request.operation.is_slow else self.read


@dataclass(eq=False)
class Connection:
    """Shared state of all projects of one host and key: the sockets, the rate limit, the link state."""

    host: Host
    auth: KeyAuth
    clock: Clock
    transport: httpx.AsyncBaseTransport | None = None
    deadlines: Deadlines = field(default_factory=Deadlines)
    log: Log | None = None
    response_limit: int = RESPONSE_LIMIT
    """Bytes of one unpacked response."""
    link: ConnectionState = field(init=False)
    budget: Budget = field(init=False)
    patience: Patience = field(init=False)
    capabilities: Capabilities = field(default_factory=Capabilities)
    is_read_only: bool = False
    """Refuse every write: send only GET, and the POSTs that change nothing."""
    ca_bundle: str = ""
    """A file of certificates to trust instead of the system's; empty for none."""
    longest_wait: float = math.inf
    """Seconds of all pauses that one request may wait for."""
    _http: httpx.AsyncClient | None = None
    _turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE))

    def __post_init__(self) -> None:
        self.link = ConnectionState(self.clock)
        self.patience = Patience(self.clock)
        self.budget = Budget(self.clock, self.link, is_limited=not is_loopback(self.host.name))

    async def ask(self, request: Request) -> Response:
        """Send the request and return the response; raises `ApiError`. A write is sent once."""
        if self.is_read_only and request.operation.is_write:
            raise Invalid("This connection only reads, so nothing was sent.", facts=request.facts())
        self.capabilities.check(request.operation)
        try:
            return await self._ask(request)
        except ApiError as error:
            operation = request.operation
            if not operation.is_write and not operation.is_slow and is_outage(error):
                self.link.read_failed(error)
            raise

    async def _ask(self, request: Request) -> Response:
        self._expect_response(request)
        content = await off_loop(request.encode_body, request.body)
        ends = self.clock.monotonic() + self.deadlines.total(request)
        attempt, started_at, waited = 1, self.link.events, 0.0
        while True:
            await self.budget.take(request.urgency, COMPUTED if request.operation.is_slow else 1)
            try:
                return await self._attempt(request, content, attempt, started_at)
            except ApiError as error:
                self.capabilities.remember(request.operation, error)
                pause = pause_before_retry(error, attempt, random.random())
                is_too_long = pause is not None and waited + pause > self.longest_wait
                if pause is not None and (is_too_long or not self.patience.spend_repeat()):
                    pause = None
                if isinstance(error, RateLimited):
                    self.budget.pause(min(pause or error.retry_after or 1.0, WAIT_LIMIT))
                if pause is None:
                    raise
                if not isinstance(error, RateLimited):
                    if self.clock.monotonic() + pause > ends:
                        raise
                    with self.link.retry_in(pause, error):
                        await self.clock.sleep(pause)
                attempt, waited = attempt + 1, waited + pause

    async def close(self) -> None:
        if self._http is not None:
            await self._http.aclose()
            self._http = None

    def _expect_response(self, request: Request) -> None:
        rest = self.patience.resting(request.urgency)
        if rest:
            what = f"{self.host} did not respond several times; requests pause for {rest:.0f} s."
            raise Unreachable(what, facts=request.facts())
        if (pause := self.budget.paused) > self.longest_wait:
            facts = request.facts()._replace(retry_after=pause)
            raise RateLimited(f"Too many requests; wait {max(pause, 1):.0f} s.", facts=facts)

    async def _attempt(self, request: Request, content: bytes | None, attempt: int, event: int) -> Response:
        began = self.clock.monotonic()
        line = LogLine(request.operation.method, request.path, attempt)
        self.link.began()
        try:
            response = await self._exchange(request, content)
            response = dataclasses.replace(response, elapsed=self.clock.monotonic() - began)
            line = replace(line, status=response.status, size=len(response.body))
            self.link.note_response(
                response.server_time, None if request.operation.is_slow else response.elapsed
            )
            if response.status in GATEWAY_FAULTS:
                self.patience.note_failure()
            else:
                self.patience.note_response()
            if response.status >= 300 and not (response.status == 304 and request.etag):
                facts = request.facts(response.status)._replace(
                    other_region=self.host.other_region, host_notice=self.host.notice
                )
                location = self.auth.redact(response.headers["location"].encode()).decode()
                headers = {**response.headers, "location": location}
                raise refusal(facts, headers, self.auth.redact(response.body))
            return response
        except ApiError as error:
            line = replace(line, status=error.status, fault=type(error).__name__)
            if error.status is None:
                self.link.note_failure(error, event)
                self.patience.note_failure()
            elif isinstance(error, NotSignedIn):
                self.link.key_refused()
            raise
        finally:
            if self.log:
                self.log(replace(line, milliseconds=round((self.clock.monotonic() - began) * 1000, 1)))

    async def _exchange(self, request: Request, content: bytes | None) -> Response:
        """Send the request once one of the slots is free, and return the response in time."""
        try:
            try:
                async with asyncio.timeout(self.deadlines.read):
                    await self._turns.acquire()
            except TimeoutError as fault:
                # It means that nothing was sent.
                raise httpx.PoolTimeout("too many requests at once") from fault
            try:
                async with asyncio.timeout(self.deadlines.total(request)):
                    return await self._send(request, content)
            finally:
                self._turns.release()
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, TimeoutError, OSError) as fault:
            raise network_error(fault, request, self.host.origin) from fault

    async def _send(self, request: Request, content: bytes | None) -> Response:
        http = self._http or self._open()
        headers = {"If-None-Match": request.etag} if request.etag else {}
        if content is not None:
            headers["Content-Type"] = "application/json"
        url = httpx.URL(f"{self.host.origin}{request.path}")
        if request.query:
            url = url.copy_with(params=request.query)
        for _ in range(_HOPS):
            outgoing = http.build_request(request.operation.method, url, content=content, headers=headers)
            streamed = await http.send(outgoing, stream=True, auth=self.auth)
            try:
                body = await read_body(streamed, request, self.response_limit)
            finally:
                await streamed.aclose()
            onward = self._onward(request, streamed)
            if onward is None:
                break
            url = onward
        return Response(
            status=streamed.status_code,
            headers={**streamed.headers, "location": streamed.extensions["location"]},
            body=body,
            request=request,
            server_time=date_of(streamed.headers.get("date", "")),
        )

    def _onward(self, request: Request, streamed: httpx.Response) -> httpx.URL | None:
        """Return the redirect target of a read; None unless scheme, host and port are the same."""
        if request.operation.method != "GET" or streamed.status_code not in {301, 302, 307, 308}:
            return None
        try:
            url = streamed.request.url.join(streamed.extensions["location"])
        except httpx.InvalidURL:
            return None
        return url if self.auth.is_for(url) else None

    def _trust(self) -> ssl.SSLContext:
        if self.host.scheme == "http" or self.transport is not None:
            # Without TLS no certificate is ever needed, and loading them all takes 20 ms.
            return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if self.ca_bundle:
            return ssl.create_default_context(cafile=Path(self.ca_bundle).expanduser())
        # SSL_CERT_FILE and SSL_CERT_DIR count for this machine too; only proxies do not.
        return httpx.create_ssl_context(trust_env=True)

    def _open(self) -> httpx.AsyncClient:
        wait = httpx.Timeout(None, connect=self.deadlines.connect)
        try:
            self._http = httpx.AsyncClient(
                transport=self.transport,
                timeout=wait,
                follow_redirects=False,
                # No limit here: the pool counts connections whose request was cancelled at the wrong moment
                # for ever, and after a dozen of them nothing would be sent any more. `_turns` is the limit.
                limits=httpx.Limits(max_connections=None, max_keepalive_connections=10),
                verify=self._trust(),
                # A proxy variable meant for the network must not see requests to this machine.
                trust_env=not is_loopback(self.host.name),
                event_hooks={"response": [_keep_location]},
                headers={
                    "Accept": "application/json",
                    "Accept-Encoding": "gzip",
                    "User-Agent": f"flagtui/{__version__}",
                },
            )
        except (ValueError, ImportError, OSError, RuntimeError, httpx.InvalidURL) as fault:
            raise setup_error(fault, self.ca_bundle) from None
        return self._http


async def _keep_location(streamed: httpx.Response) -> None:
    """Keep httpx from parsing the redirect address: a malformed one would look like an unsent request."""
    streamed.extensions["location"] = streamed.headers.pop("location", "")

"""The connection: the one place where requests are sent, counted, timed, retried and read."""

from __future__ import annotations

import asyncio
import random
import ssl
from dataclasses import dataclass, field, replace
from typing import Final

from flagtui import __version__
from flagtui.api.auth import KeyAuth
from flagtui.api.capabilities import Capabilities
from flagtui.api.clock import Clock
from flagtui.api.connection_state import ConnectionState
from flagtui.api.errors import ApiError, Invalid, RateLimited, Unreachable
from flagtui.api.faults import network_error, refusal, setup_error
from flagtui.api.hosts import Host
from flagtui.api.http_library import httpx
from flagtui.api.rate_limiter import COMPUTED, Budget
from flagtui.api.request import ANSWER_LIMIT, Answer, Question, read_body
from flagtui.api.request_log import Log, LogLine
from flagtui.api.retry import GATEWAY_FAULTS, Patience, date_of, is_outage, pause_before_retry

_HOPS: Final = 3
_AT_ONCE: Final = 12
"""Requests in flight at the same time."""


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Timeouts in seconds.

    The totals run from the first byte sent to the last byte received, so a slow trickle cannot extend them.
    """

    connect: float = 5.0
    read: float = 15.0
    write: float = 20.0
    slow: float = 60.0

    def total(self, question: Question) -> float:
        """Return the total timeout of a request, in seconds."""
        if question.operation.is_write:
            return self.write
        return self.slow if question.operation.is_slow else self.read


@dataclass(eq=False)
class Connection:
    """Shared state of all projects of one host and key: the sockets, the rate limit, the link state."""

    host: Host
    auth: KeyAuth
    clock: Clock
    transport: httpx.AsyncBaseTransport | None = None
    deadlines: Deadlines = field(default_factory=Deadlines)
    log: Log | None = None
    answer_limit: int = ANSWER_LIMIT
    """Bytes of one unpacked response."""
    link: ConnectionState = field(init=False)
    budget: Budget = field(init=False)
    patience: Patience = field(init=False)
    capabilities: Capabilities = field(default_factory=Capabilities)
    is_read_only: bool = False
    """Refuse every write: send only GET, and the POSTs that change nothing."""
    _http: httpx.AsyncClient | None = None
    _turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE))

    def __post_init__(self) -> None:
        self.link = ConnectionState(self.clock)
        self.patience = Patience(self.clock)
        self.budget = Budget(self.clock, self.link, is_limited=not self.host.is_loopback)

    async def ask(self, question: Question) -> Answer:
        """Send the request and return the response; raises `ApiError`. A write is sent once."""
        if self.is_read_only and question.operation.is_write:
            raise Invalid("This connection only reads, so nothing was sent.", facts=question.facts())
        self.capabilities.check(question.operation)
        try:
            return await self._ask(question)
        except ApiError as error:
            operation = question.operation
            if not operation.is_write and not operation.is_slow and is_outage(error):
                self.link.read_failed(error)
            raise

    async def _ask(self, question: Question) -> Answer:
        self._expect_an_answer(question)
        content = question.encoded()
        ends = self.clock.monotonic() + self.deadlines.total(question)
        attempt, started_at = 1, self.link.now
        while True:
            await self.budget.take(question.urgency, COMPUTED if question.operation.is_slow else 1)
            try:
                return await self._attempt(question, content, attempt, started_at)
            except ApiError as error:
                self.capabilities.remember(question.operation, error)
                pause = pause_before_retry(error, attempt, random.random())
                if pause is not None and not self.patience.spend_repeat():
                    pause = None
                if isinstance(error, RateLimited):
                    self.budget.pause(pause or error.retry_after or 1.0)
                if pause is None:
                    raise
                if not isinstance(error, RateLimited):
                    if self.clock.monotonic() + pause > ends:
                        raise
                    await self.clock.sleep(pause)
                attempt += 1

    async def close(self) -> None:
        """Close the sockets."""
        if self._http is not None:
            await self._http.aclose()
            self._http = None

    def _expect_an_answer(self, question: Question) -> None:
        rest = self.patience.resting(question.urgency)
        if rest:
            what = f"{self.host} did not respond several times; requests pause for {rest:.0f} s."
            raise Unreachable(what, facts=question.facts())

    async def _attempt(self, question: Question, content: bytes | None, attempt: int, asked: int) -> Answer:
        began = self.clock.monotonic()
        line = LogLine(question.operation.method, question.path, attempt)
        self.link.began()
        try:
            answer = await self._exchange(question, content)
            answer = replace(answer, elapsed=self.clock.monotonic() - began)
            line = replace(line, status=answer.status, size=len(answer.body))
            self.link.answered(answer.server_time, None if question.operation.is_slow else answer.elapsed)
            if answer.status in GATEWAY_FAULTS:
                self.patience.failed()
            else:
                self.patience.answered()
            if answer.status >= 300 and not (answer.status == 304 and question.etag):
                facts = replace(question.facts(answer.status), other_region=self.host.other_region)
                location = self.auth.redact(answer.headers["location"].encode()).decode()
                headers = {**answer.headers, "location": location}
                raise refusal(facts, headers, self.auth.redact(answer.body))
            return answer
        except ApiError as error:
            line = replace(line, status=error.status, fault=type(error).__name__)
            if error.status is None:
                self.link.failed(error, asked)
                self.patience.failed()
            raise
        finally:
            self.link.ended()
            if self.log:
                self.log(replace(line, milliseconds=round((self.clock.monotonic() - began) * 1000, 1)))

    async def _exchange(self, question: Question, content: bytes | None) -> Answer:
        try:
            await self._wait_for_turn()
            try:
                async with asyncio.timeout(self.deadlines.total(question)):
                    return await self._send(question, content)
            finally:
                self._turns.release()
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, TimeoutError, OSError) as fault:
            raise network_error(fault, question, self.host.origin) from fault

    async def _wait_for_turn(self) -> None:
        """Wait for one of the slots. A PoolTimeout means that nothing was sent."""
        try:
            async with asyncio.timeout(self.deadlines.read):
                await self._turns.acquire()
        except TimeoutError as fault:
            raise httpx.PoolTimeout("too many requests at once") from fault

    async def _send(self, question: Question, content: bytes | None) -> Answer:
        http = self._http or self._open()
        headers = {"If-None-Match": question.etag} if question.etag else {}
        if content is not None:
            headers["Content-Type"] = "application/json"
        url = httpx.URL(f"{self.host.origin}{question.path}")
        if question.query:
            url = url.copy_with(params=question.query)
        for _ in range(_HOPS):
            request = http.build_request(question.operation.method, url, content=content, headers=headers)
            response = await http.send(request, stream=True, auth=self.auth)
            try:
                body = await read_body(response, question, self.answer_limit)
            finally:
                await response.aclose()
            onward = self._onward(question, response)
            if onward is None:
                break
            url = onward
        return Answer(
            status=response.status_code,
            headers={**response.headers, "location": response.extensions["location"]},
            body=body,
            question=question,
            server_time=date_of(response.headers.get("date", "")),
        )

    def _onward(self, question: Question, response: httpx.Response) -> httpx.URL | None:
        """Return the redirect target of a read; None unless scheme, host and port are the same."""
        if question.operation.method != "GET" or response.status_code not in {301, 302, 307, 308}:
            return None
        try:
            url = response.request.url.join(response.extensions["location"])
        except httpx.InvalidURL:
            return None
        return url if self.auth.is_for(url) else None

    def _trust(self) -> ssl.SSLContext:
        if self.host.scheme == "http" or self.transport is not None:
            # Without TLS no certificate is ever needed, and loading them all takes 20 ms.
            return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
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
                trust_env=not self.host.is_loopback,
                event_hooks={"response": [_keep_location]},
                headers={
                    "Accept": "application/json",
                    "Accept-Encoding": "gzip",
                    "User-Agent": f"flagtui/{__version__}",
                },
            )
        except (ValueError, ImportError, OSError) as fault:
            raise setup_error(fault) from None
        return self._http


async def _keep_location(response: httpx.Response) -> None:
    """Keep httpx from parsing the redirect address: a malformed one would look like an unsent request."""
    response.extensions["location"] = response.headers.pop("location", "")

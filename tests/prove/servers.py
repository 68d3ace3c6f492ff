"""Servers for the monkey: prompt, strict, older, slow, failing in every way, hostile."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

import httpx
from tests.doubles.faults import FAULTS

from flagtui.api.http_library import Application, in_process
from flagtui.service.sample_data.nasty import CONTROLS, MARKUP, SCRIPTS

SLOW: Final = (0.08, 0.3)
"""Seconds between which a slow server answers."""


@dataclass(frozen=True)
class Server:
    """How one behaves."""

    options: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the service."""
    nasty: bool = False
    delay: tuple[float, float] = (0.0, 0.0)
    every: int = 0
    """Every so many answers is a fault, by turns of each kind; 0 never."""
    lies: int = 0
    """Every so many answers has values of other types and texts that try to harm the terminal; 0 never."""
    trouble: str = ""
    """What the machine suffers from, for a few seconds at a time: `full`, a disk that takes nothing more, or
    `locked`, a database that another process holds."""


SERVERS: Final[Mapping[str, Server]] = {
    "demo": Server(),
    "strict": Server({"strict": True, "strict_filters": True, "strict_versions": True}),
    "legacy": Server({"legacy": True}),
    "slow": Server(delay=SLOW),
    "failing": Server(delay=(0.0, 0.05), every=3),
    "broken": Server(every=1),
    "full": Server(trouble="full"),
    "locked": Server(trouble="locked"),
    "hostile": Server(nasty=True, delay=(0.0, 0.1), lies=3),
}

_BY_TURNS: Final = tuple(FAULTS.values())

LIES: Final[tuple[Any, ...]] = (
    *(None, "", -1, 2**40, 1.5, True, [], {}, [None], {"a": [1]}),
    *(*CONTROLS, *MARKUP, *SCRIPTS),
)


class Between(httpx.AsyncBaseTransport):
    """A way to the service that behaves as this server does; the same every time it is made."""

    def __init__(self, server: Server, service: Application) -> None:
        self._server, self._inner = server, in_process(service)
        self._random = Random(17)
        self._count = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        server, self._count = self._server, self._count + 1
        count = self._count
        if any(server.delay):
            await asyncio.sleep(self._random.uniform(*server.delay))
        is_fault = bool(server.every) and count % server.every == 0
        fault = _BY_TURNS[count // max(1, server.every) % len(_BY_TURNS)]
        is_sent = not is_fault or fault.means != "not_reached"
        answer = await self._inner.handle_async_request(request) if is_sent else httpx.Response(200)
        if is_fault:
            response = fault.serve(request, await _read(answer))
            if isinstance(response, Exception):
                raise response
            return response
        if server.lies and count % server.lies == 0:
            return _lying(await _read(answer), self._random)
        return answer


async def _read(answer: httpx.Response) -> httpx.Response:
    await answer.aread()
    return answer


def _lying(answer: httpx.Response, random: Random) -> httpx.Response:
    try:
        body = json.loads(answer.content)
    except ValueError:
        return answer
    for _ in range(random.randint(1, 6)):
        body = _twist(body, random)
    return httpx.Response(answer.status_code, json=body)


def _twist(body: Any, random: Random) -> Any:
    """One value somewhere in it is another."""
    if random.random() < 0.15:
        return random.choice(LIES)
    if isinstance(body, dict) and body:
        name = random.choice(list(body))
        return {**body, name: _twist(body[name], random)}
    if isinstance(body, list) and body:
        place = random.randrange(len(body))
        return [*body[:place], _twist(body[place], random), *body[place + 1 :]]
    return random.choice(LIES)

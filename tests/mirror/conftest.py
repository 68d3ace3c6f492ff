"""A mirror of some definitions, on a clock that a test turns, and requests to it."""

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from tests.doubles.mirror_agreement import SampleMirror, mirroring_sample, overrides_of
from tests.doubles.steady_clock import SteadyClock
from tests.service.evaluation.conftest import Port, sample_port

from flagtui.mirror.endpoints import MirrorEndpoints
from flagtui.mirror.mirror import Mirror
from flagtui.mirror.mirrored_flags import MirroredFlags
from flagtui.mirror.upstream import UpstreamError
from flagtui.service.sdk.sdk_application import make_sdk_application
from flagtui.testing import flag_mirror

__all__ = ["flag_mirror", "sample_port"]

SECRET = "of-the-test"
EVERYONE = {"groups": [{"properties": [], "rollout_percentage": 100}]}
EMAIL = {"key": "email", "type": "person", "operator": "icontains", "value": "@acme.com"}


def flag(key: str, filters: Mapping[str, Any] = EVERYONE, **fields: Any) -> dict[str, Any]:
    return {"id": len(key), "key": key, "version": 1, "active": True, "filters": filters, **fields}


@dataclass
class Shelf:
    """An upstream whose next responses a test chooses."""

    flags: list[dict[str, Any]]
    name: str = "the shelf"
    is_polled: bool = True
    as_of: float | None = None
    error: UpstreamError | None = None
    is_changed: bool = True
    fetches: int = 0

    async def fetch(self) -> Mapping[str, Any] | None:
        self.fetches += 1
        if self.error is not None:
            raise self.error
        is_changed, self.is_changed = self.is_changed, False
        # As from a server, an empty list is never "unchanged".
        return {"flags": self.flags} if is_changed or not self.flags else None

    async def time_zone(self) -> str:
        return "UTC"

    async def close(self) -> None:
        pass


@dataclass
class Mirrored:
    """A mirror, its upstream, its clock and the lines it wrote."""

    mirror: Mirror
    upstream: Shelf
    clock: SteadyClock
    lines: list[str] = field(default_factory=list)


@pytest.fixture
async def mirrored() -> Mirrored:
    upstream = Shelf([flag("plain"), flag("for-staff", {"groups": [{"properties": [EMAIL]}]})])
    clock, lines = SteadyClock(), list[str]()
    mirror = Mirror(upstream, MirroredFlags(), lines.append, clock=clock)
    await mirror.start()
    return Mirrored(mirror, upstream, clock, lines)


@pytest.fixture
async def client(mirrored: Mirrored) -> AsyncIterator[httpx.AsyncClient]:
    table = MirrorEndpoints(mirrored.mirror, SECRET).table()
    application = make_sdk_application(mirrored.mirror.flags, table, mirrored.mirror.running)
    transport = httpx.ASGITransport(app=application)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as opened:
        yield opened


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "overridden"])
def sample(request: pytest.FixtureRequest, sample_port: Port) -> Iterator[SampleMirror]:
    with mirroring_sample(sample_port) as served:
        if request.param:
            served.mirror.set(overrides_of(served))
        yield served

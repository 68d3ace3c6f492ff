"""The service of the evaluation tests, and requests as libraries send them."""

from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from tests.service.evaluation.conftest import Service, sample_port, sdk, service, start, token

__all__ = ["sample_port", "sdk", "service", "start", "token"]

Ask = Callable[..., Awaitable[Any]]


@pytest.fixture
def send(service: Service) -> Callable[..., Awaitable[httpx.Response]]:
    """Posts bytes, without the key of the other tests."""

    async def post(path: str, content: bytes, **headers: str) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        service.client.headers.pop("authorization", None)
        return await service.client.post(path, content=content, headers=named)

    return post


@pytest.fixture
def ask(service: Service, token: str) -> Ask:
    """Requests the flags of a person; returns the JSON."""

    async def flags(path: str = "/flags/?v=2", distinct_id: str = "u-1", **body: Any) -> Any:
        sent = {"token": token, "distinct_id": distinct_id, **body}
        response = await service.client.post(path, json=sent)
        assert response.status_code == 200, response.text
        return response.json()

    return flags

"""Bodies in every form that libraries send them."""

import base64
import gzip
import json
from collections.abc import Awaitable, Callable
from urllib.parse import quote

import httpx
import pytest
from tests.service.evaluation.conftest import Service

Send = Callable[..., Awaitable[httpx.Response]]


def body_of(token: str) -> bytes:
    return json.dumps({"token": token, "distinct_id": "u-1"}).encode()


@pytest.mark.parametrize("query", ["?v=2", "?v=2&compression=gzip-js"])
async def test_compressed_body_is_read(service: Service, send: Send, token: str, query: str) -> None:
    await service.flag("plain")
    response = await send(f"/flags/{query}", gzip.compress(body_of(token)), content_type="text/plain")
    assert response.json()["flags"].keys() == {"plain"}


async def test_form_with_base64_is_read(service: Service, send: Send, token: str) -> None:
    await service.flag("plain")
    form = f"data={quote(base64.b64encode(body_of(token)))}".encode()
    response = await send(
        "/flags/?v=2&compression=base64", form, content_type="application/x-www-form-urlencoded"
    )
    assert response.json()["flags"].keys() == {"plain"}


async def test_body_without_a_media_type_is_read(service: Service, send: Send, token: str) -> None:
    await service.flag("plain")
    assert (await send("/flags/?v=2", body_of(token))).json()["flags"].keys() == {"plain"}


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"{", 400),
        (b"[]", 400),
        (b"\x1f\x8bdamaged", 400),
        (gzip.compress(b'{"a": 1}', mtime=0)[:-9], 400),
        (b"data=%%%", 400),
        (b"[" * 5_000, 400),
        (gzip.compress(b"[" + b" " * (21 * 2**20), mtime=0), 413),
    ],
    ids=("open", "list", "damaged", "cut", "form", "deep", "large"),
)
async def test_broken_body_is_refused(send: Send, content: bytes, status: int) -> None:
    assert (await send("/flags/?v=2", content)).status_code == status


async def test_events_are_accepted_in_every_form(send: Send) -> None:
    for path in ("/batch/", "/e/", "/i/v0/e/", "/i/v0/ai/batch/", "/s/", "/capture"):
        for content in (b'{"batch": [{}, {}]}', b"not JSON", gzip.compress(b"[{}]"), b""):
            response = await send(path, content)
            assert (response.status_code, response.json()) == (200, {"status": 1})

"""Bodies: packed, broken, endless, odd."""

import gzip
import json
import zlib

import httpx
import pytest
from tests.doubles.servers import Answering, Dripping, MakeClient, always

from flagtui.api import errors
from flagtui.api.errors import ApiError
from flagtui.api.request import RESPONSE_LIMIT

FLAG = {"id": 5, "key": "a"}


def bomb(size: int) -> bytes:
    engine = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = b" " * 2**20
    return b"".join(engine.compress(block) for _ in range(size // len(block))) + engine.flush()


def packed_as(encoding: str, body: Dripping) -> Answering:
    return lambda request: httpx.Response(200, stream=body, headers={"Content-Encoding": encoding})


async def test_body_is_cut_at_its_limit_packed_or_endless(make_client: MakeClient) -> None:
    body = Dripping(bomb(RESPONSE_LIMIT + 64 * 2**20))
    client = make_client(packed_as("gzip", body))
    with pytest.raises(errors.ResponseTooLarge) as caught:
        await client.flags.get(5)
    assert "64 MB" in caught.value.what
    assert body.is_closed
    body = Dripping(*[b" " * 2**20] * 70)
    client = make_client(lambda request: httpx.Response(200, stream=body))
    with pytest.raises(errors.TooLarge):
        await client.flags.get(5)


WHOLE = json.dumps(FLAG).encode()


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [("deflate", zlib.compress(WHOLE)), ("identity", WHOLE), ("GZIP", gzip.compress(WHOLE, mtime=0))],
)
async def test_a_packed_answer_is_unpacked(make_client: MakeClient, encoding: str, packed: bytes) -> None:
    client = make_client(packed_as(encoding, Dripping(packed[:7], packed[7:])))
    assert (await client.flags.get(5)).raw == FLAG


@pytest.mark.parametrize(
    ("encoding", "packed", "kind"),
    [
        ("gzip", gzip.compress(WHOLE, mtime=0)[:-12], errors.Unanswered),
        ("gzip", b"not gzip at all", errors.Unreadable),
        ("br", WHOLE, errors.Unreadable),
    ],
)
async def test_a_packed_answer_that_is_broken_is_no_answer(
    make_client: MakeClient, encoding: str, packed: bytes, kind: type[ApiError]
) -> None:
    client = make_client(packed_as(encoding, Dripping(packed)))
    with pytest.raises(kind) as caught:
        await client.flags.update(5, {"active": True})
    assert caught.value.sent


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>Sign in</html>", b"null", b"[]", b"3", b'{"id": 5, "key"', b'{"id": NaN}', b"\xff",
     b'{"id":' + b"[" * 2000 + b"]" * 2000 + b"}", b'{"id": ' + b"9" * 5000 + b"}", b'{"id": "5"}'],
)  # fmt: skip
async def test_success_without_a_flag_in_its_body_is_an_error(make_client: MakeClient, body: bytes) -> None:
    client = make_client(always(200, body))
    with pytest.raises(errors.Unreadable) as caught:
        await client.flags.update(5, {"active": True})
    assert caught.value.sent
    assert client.link.requests == 1


async def test_odd_but_valid_json_is_an_answer(make_client: MakeClient) -> None:
    big, deep = b"9" * 30, b"[" * 50 + b"]" * 50
    body = b'{"id": 4, "id": 5, "key": "\\ud800x", "big": %b, "deep": %b}' % (big, deep)
    flag = await make_client(always(200, body)).flags.get(5)
    assert (flag.id, flag.key, flag.raw["big"]) == (5, "�x", int("9" * 30))

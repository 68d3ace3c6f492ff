"""The identity behind a key, as far as the key and the server allow."""

import httpx
import pytest

from flagtui.api import Client
from flagtui.api.errors import ApiError
from flagtui.store.key_info import load_identity


def answered_by(response: httpx.Response) -> Client:
    return Client("https://flags.example.test", "phx_1", 1, transport=httpx.MockTransport(lambda _: response))


@pytest.mark.parametrize(
    "response", [httpx.Response(404, html="<html>"), httpx.Response(403, html="<html>"), httpx.Response(404)]
)
async def test_server_of_another_kind_knows_no_key(response: httpx.Response) -> None:
    async with answered_by(response) as client:
        with pytest.raises(ApiError) as caught:
            await load_identity(client)
    assert "Check the host" in caught.value.next


async def test_key_without_scopes_is_known_without_a_name() -> None:
    async with answered_by(httpx.Response(403, json={"detail": "You lack the scope."})) as client:
        introduction = await load_identity(client)
    assert (introduction.me, introduction.key, introduction.projects) == (None, None, ())

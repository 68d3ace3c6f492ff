"""How many events the tab says there are, while the server's own count is only a lower bound."""

from typing import Any

import httpx

from flagtui.api import Client
from flagtui.app.shell.status_line import count_of
from flagtui.store.workspace import Workspace

CAP = 400
ALL = 730


def answer(request: httpx.Request) -> httpx.Response:
    """A list that stops counting at CAP and goes on to ALL."""
    offset, limit = (int(request.url.params.get(name, "0")) for name in ("offset", "limit"))
    rows: list[dict[str, Any]] = [
        {"id": f"id-{at}", "name": f"event {at}"} for at in range(offset, min(offset + limit, ALL))
    ]
    following = "more" if offset + limit < ALL else None
    body = {"count": CAP, "next": following, "previous": None, "count_is_capped": True, "results": rows}
    return httpx.Response(200, json=body)


async def test_count_has_a_plus_until_the_last_page() -> None:
    told: list[str] = []
    async with Client("http://127.0.0.1:1", "phx_key", 1, transport=httpx.MockTransport(answer)) as client:
        workspace = Workspace(client)
        assert count_of(workspace, "events") == ""
        workspace.loading("events").watch(lambda: told.append(count_of(workspace, "events")))
        await workspace.refresh("events")
    assert "100 of 400+" in told
    assert told[-1] == "730"
    assert all(words in ("", "730") or words.endswith("+") for words in told)

"""The words of the first line about reads after a failure."""

from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from flagtui.api import Client
from flagtui.api.errors import ApiError, BadKey, ErrorFacts, MissingScope, Refused
from flagtui.app.shell.status_line import count_of, link_of, retry_words
from flagtui.store.workspace import Workspace


@pytest.mark.parametrize(
    ("retry_in", "retry_at", "words"),
    [(0.0, 0.0, ""), (4.2, 104.2, "retrying in 5 s"), (0.0, 100.0, "retrying now")],
)
def test_retry_is_counted_down_and_named_while_it_runs(retry_in: float, retry_at: float, words: str) -> None:
    app_state: Any = SimpleNamespace(retry_in=retry_in, retry_at=retry_at)
    assert retry_words(app_state) == words


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (MissingScope("The key lacks a scope (403).", facts=ErrorFacts(status=403)), "403"),
        (Refused("Nothing listens there."), "no connection"),
        (BadKey("There is no API key for the profile prod."), "sign in"),
    ],
)
def test_server_that_refused_to_open_a_project_was_connected(trouble: ApiError, words: str) -> None:
    before_opening = {
        "workspace": None,
        "shows_saving": False,
        "reading": "",
        "retry_in": 0.0,
        "retry_at": 0.0,
    }
    session = SimpleNamespace(mirror=None)
    app_state: Any = SimpleNamespace(trouble=trouble, session=session, **before_opening)
    assert link_of(app_state).words == words


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
    counts: list[str] = []
    async with Client("http://127.0.0.1:1", "phx_key", 1, transport=httpx.MockTransport(answer)) as client:
        workspace = Workspace(client)
        assert count_of(workspace, "events") == ""
        workspace.loading("events").watch(lambda: counts.append(count_of(workspace, "events")))
        await workspace.refresh("events")
    assert "100 of 400+" in counts
    assert counts[-1] == "730"
    assert all(words in ("", "730") or words.endswith("+") for words in counts)

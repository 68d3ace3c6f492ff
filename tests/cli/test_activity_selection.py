"""Queries of the activity: how far back they search."""

import httpx
import pytest
from tests.doubles.servers import MakeClient, clock, make_client

from flagtui import local_time
from flagtui.cli.plumbing.activity_selection import SEARCHED, select_changes
from flagtui.cli.plumbing.project_session import ProjectSession

__all__ = ["clock", "make_client"]
NEWEST = 1_774_742_340
"""2026-03-28 23:59 UTC."""


def page(request: httpx.Request) -> httpx.Response:
    """Answer with a page of a log that goes back a minute with each entry, and never ends."""
    limit, number = int(request.url.params["limit"]), int(request.url.params["page"])
    entries = [
        {
            "id": f"e{place}",
            "activity": "updated",
            "item_id": "1",
            "detail": {"name": "nav" if place < SEARCHED else "old"},
            "created_at": local_time.iso(NEWEST - place * local_time.MINUTE),
        }
        for place in range((number - 1) * limit, number * limit)
    ]
    return httpx.Response(200, json={"results": entries, "total_count": 10**6, "next": "there"})


@pytest.mark.parametrize(
    ("words", "warning"),
    [
        (
            ["old"],
            "flagtui: only the newest 5,000 changes were searched, those after 2026-03-25 12:39 UTC.\n",
        ),
        (["nav"], ""),
        (["old", "since:2026-03-27"], ""),
        ([], ""),
    ],
)
async def test_a_query_names_where_its_search_ended(
    words: list[str], warning: str, make_client: MakeClient, capsys: pytest.CaptureFixture[str]
) -> None:
    session = ProjectSession(None, make_client(page))  # type: ignore[arg-type]  # no profile is asked for here
    changes, _ = await select_changes(session, words, 50)
    assert {change.key for change in changes} <= {"nav"}
    assert len(changes) == (0 if "old" in words else 50)
    assert capsys.readouterr().err == warning

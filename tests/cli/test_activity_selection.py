"""Queries of the activity: how far back they search."""

import httpx
import pytest
from tests.doubles.servers import MakeClient, clock, make_client

from flagtui import local_time
from flagtui.cli.plumbing.activity_selection import SEARCHED, select_changes
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.record_history import read_changes

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


@pytest.mark.parametrize("records", ["flags", "experiments"])
async def test_a_history_names_changes_beyond_its_limit(
    records: str, make_client: MakeClient, capsys: pytest.CaptureFixture[str]
) -> None:
    changes = await read_changes(getattr(make_client(page), records), [1, 2], 150)
    assert [change.entry.id for change in changes] == [f"e{place}" for place in range(150)] * 2
    line = "flagtui: more than 150 changes match; the others are not printed. To print more: --limit 1500\n"
    assert capsys.readouterr().err == 2 * line


def log_without_its_reader(request: httpx.Request) -> httpx.Response:
    """Answer with one change, and refuse to name the owner of the key."""
    if request.url.path.endswith("/@me/"):
        return httpx.Response(403, json={"type": "authentication_error", "detail": "Not you."})
    switch = {"field": "active", "before": True, "after": False}
    change = {
        "id": "e1",
        "activity": "updated",
        "item_id": "1",
        "detail": {"name": "nav", "changes": [switch]},
    }
    return httpx.Response(200, json={"results": [change], "total_count": 1, "next": None})


@pytest.mark.parametrize("word", ["by:me", "by:ada,me", "-by:me"])
async def test_changes_of_an_unknown_owner_are_refused(word: str, make_client: MakeClient) -> None:
    session = ProjectSession(None, make_client(log_without_its_reader))  # type: ignore[arg-type]
    with pytest.raises(Trouble, match="by:me cannot be known with this key"):
        await select_changes(session, [word], 50)


@pytest.mark.parametrize(("words", "count"), [(["turned", "off"], 1), (["turned on"], 0), (["nav"], 1)])
async def test_words_match_the_change_as_it_is_printed(
    words: list[str], count: int, make_client: MakeClient
) -> None:
    session = ProjectSession(None, make_client(log_without_its_reader))  # type: ignore[arg-type]
    assert len((await select_changes(session, words, 50))[0]) == count


async def test_deletions_in_effect_match_and_unread_kinds_are_named(
    make_client: MakeClient, capsys: pytest.CaptureFixture[str]
) -> None:
    log = [
        {"id": f"e{place}", "activity": activity, "item_id": item, "detail": {"name": name}}
        for place, (activity, item, name) in enumerate(
            [("restored", "1", "back"), ("deleted", "2", "gone"), ("deleted", "1", "back")]
        )
    ]
    answer = {"results": log, "total_count": 3, "next": None}
    session = ProjectSession(None, make_client(lambda _request: httpx.Response(200, json=answer)))  # type: ignore[arg-type]
    changes, _ = await select_changes(session, ["is:deleted"], 50)
    assert [change.key for change in changes] == ["gone"]
    for words, is_named in (("kind:launched", True), ("-kind:event gone-too", False)):
        assert (await select_changes(session, [words], 50))[0] == []
        assert ("are listed around a moment only" in capsys.readouterr().err) is is_named

"""The first line of every screen: its parts, its words about reads, and the connection behind them."""

import os
import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, Final

import httpx
import pytest
from msgspec import structs
from rich.cells import cell_len
from tests.doubles import quiet
from tests.doubles.flag_app import StyledApp
from textual.app import ComposeResult
from textual.events import Resize
from textual.geometry import Size

from flagtui.api import Client
from flagtui.api.errors import ApiError, BadKey, ErrorFacts, MissingScope, Refused
from flagtui.app.shell.header import MORE, RECOGNISED, Header, Link, Location, Tab, fit_tabs
from flagtui.app.shell.polling import Polling
from flagtui.app.shell.status_line import count_of, link_of, retry_words
from flagtui.store.workspace import Workspace

LONG = Location(
    badge="flags.staging.eu-central-1.example.com",
    colour="neutral",
    organization="Umbrella Corporation of Raccoon City",
    project="The website, the shop and everything else",
    project_id=123_456,
    host="flags.production.example.com",
    user="alice.liddell.of.wonderland@acme.example.com",
    overridden="FLAGTUI_HOST FLAGTUI_API_KEY FLAGTUI_PROJECT",
)
WIDE_LETTERS = Location(
    badge="製品環境",
    colour="error",
    organization="株式会社ウェブ",
    project="ウェブアプリケーション全体",
    project_id=7,
    host="旗.example",
    user="佐藤@例え.jp",
)
MANY_VARIABLES = Location(
    badge="STAGING-OF-THE-SHOP-IN-FRANKFURT",
    colour="warning",
    organization="acme",
    project="Web app",
    project_id=1,
    host="eu.posthog.com",
    user="alice@example.com",
    overridden="FLAGTUI_HOST +4",
)
SHORT = Location("PROD", "error", "acme", "Web app", 1, "eu.posthog.com", "alice@acme.com")
LOCATIONS = {"long": LONG, "wide letters": WIDE_LETTERS, "many variables": MANY_VARIABLES, "short": SHORT}
LINKS = (Link("synced", "synced 4 min ago"), Link("offline", "invalid response, data 23 min old"))


class OneLine(StyledApp):
    def compose(self) -> ComposeResult:
        yield Header()


def parts_of(location: Location, link: Link) -> Iterator[str]:
    yield from ("flagtui", location.badge, location.organization, location.project, f"#{location.project_id}")
    yield from (location.host, location.overridden, location.user)
    yield link.words


def is_one_part(shown: str, parts: list[str]) -> bool:
    start = shown.removesuffix("…").rstrip()
    return shown in parts or (shown.endswith("…") and any(each.startswith(start) for each in parts))


WIDTHS: Final = range(40, 201, 1 if os.environ.get("FLAGTUI_DISPLAY_WIDTH") else 7)
"""All of them in `make check-display`."""


@pytest.mark.parametrize("location", LOCATIONS.values(), ids=LOCATIONS)
async def test_no_two_things_run_together_at_any_width(location: Location) -> None:
    app = OneLine()
    async with app.run_test(size=(40, 2)):
        header = app.query_one(Header)
        for width in WIDTHS:
            app.post_message(Resize(size := Size(width, 2), size))
            await quiet.settle(app)
            assert header.size.width == width
            for link in LINKS:
                parts = list(parts_of(location, link))
                header.show_location(location, link)
                text = header.render().plain
                assert cell_len(text) <= width
                apart = re.split(r"\s{2,}| › | (?=#\d)|[●▲] ", text)
                shown = [part.strip() for part in apart if part.strip()]
                assert [part for part in shown if not is_one_part(part, parts)] == [], f"{width}: {text}"
                assert is_one_part(shown[-1], [link.words]), f"{width}: {text}"
                assert any(is_one_part(part, [location.badge]) for part in shown), f"{width}: {text}"


async def test_project_stays_longest_and_the_host_is_shown_once() -> None:
    app = OneLine()
    async with app.run_test(size=(60, 2)):
        header = app.query_one(Header)
        header.show_location(LONG, LINKS[0])
        text = header.render().plain
        assert "The w" in text
        assert "flagtui" not in text
    app, host = OneLine(), "flags.example.com"
    async with app.run_test(size=(140, 2)):
        header = app.query_one(Header)
        header.show_location(Location(host, "neutral", project="Web", host=host), LINKS[0])
        assert header.render().plain.count(host) == 1
    app = OneLine()
    async with app.run_test(size=(96, 2)):
        header = app.query_one(Header)
        header.show_location(
            structs.replace(SHORT, badge="127.0.0.1:18120", overridden=LONG.overridden), LINKS[0]
        )
        assert "acme › Web app" in header.render().plain, "the longer part that went made room"


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


@pytest.mark.parametrize(
    ("waiting", "link"),
    [
        (0.0, Link("loading", "saving…, reading new-nav… esc cancels")),
        (38.2, Link("retrying", "saving in 40 s…, reading new-nav in 40 s… esc cancels")),
    ],
)
def test_reading_counts_down_while_the_server_asked_to_wait(waiting: float, link: Link) -> None:
    client = SimpleNamespace(link=SimpleNamespace(waiting=waiting))
    app_state: Any = SimpleNamespace(
        session=SimpleNamespace(mirror=None),
        workspace=SimpleNamespace(client=client, unresolved=0),
        trouble=None,
        shows_saving=True,
        reading="new-nav",
    )
    assert link_of(app_state) == link


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


@pytest.mark.parametrize(
    ("trouble", "is_connecting", "times"),
    [
        (Refused("Nothing listens there."), False, 1),
        # The attempt in progress is enough.
        (Refused("Nothing listens there."), True, 0),
        # Only another key helps, and the app asks for it.
        (BadKey("There is no API key."), False, 0),
        (None, False, 0),
    ],
)
async def test_unopened_project_is_connected_again_after_outages(
    trouble: ApiError | None, is_connecting: bool, times: int
) -> None:
    session = SimpleNamespace(clock=SimpleNamespace(monotonic=lambda: 0.0))
    app_state: Any = SimpleNamespace(
        session=session, workspace=None, trouble=trouble, is_connecting=is_connecting
    )
    attempts: list[int] = []
    await Polling(app_state, lambda: attempts.append(1)).poll()
    assert len(attempts) == times


LISTS = [Tab("1", "Flags", "248"), Tab("2", "Experiments", "31"), Tab("3", "Events"), Tab("4", "Activity")]
SEARCHES = [Tab(str(key), f"{word} long name of a search", "7") for key, word in enumerate("abcde", 5)]


@pytest.mark.parametrize(("width", "searches"), [(170, 5), (132, 5), (80, 1), (60, 1)])
@pytest.mark.parametrize("current", ["1", "5", "9"])
def test_tab_in_front_has_room_among_searches(current: str, width: int, searches: int) -> None:
    tabs = fit_tabs([*LISTS, *SEARCHES], current, width)
    assert (tabs[-1] == MORE) is (width == 80)
    tabs = [tab for tab in tabs if tab is not MORE]
    is_search = current > "4"
    assert [tab.key for tab in tabs[:4]] == ["1", "2", "3", "4"]
    assert len(tabs) - 4 == (searches if searches == 5 else is_search)
    assert [tab.key for tab in tabs if tab.count] == ([current] if width > 60 or not is_search else [])
    shown = "  ".join(f" {tab.sign} {tab.title} {tab.count} ".replace("  ", " ") for tab in tabs)
    assert cell_len(shown) <= width
    front = next(tab for tab in tabs if tab.key == current)
    assert width < 132 or front.title == next(tab for tab in [*LISTS, *SEARCHES] if tab.key == current).title
    assert not front.title.startswith("…")
    assert cell_len(front.title) >= RECOGNISED or not is_search

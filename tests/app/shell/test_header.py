"""The first line of every screen: its parts, its words about reads, and the connection behind them."""

import os
import re
from collections.abc import AsyncIterator, Iterator
from types import SimpleNamespace
from typing import Any, Final

import httpx
import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from tests.doubles import quiet
from tests.doubles.flag_app import StyledApp
from tests.doubles.servers import MakeClient
from textual.events import Resize
from textual.geometry import Size

from flagtui.api.errors import ApiError, BadKey, ErrorFacts, MissingScope, NotSignedIn, Refused
from flagtui.app.shell.header import MORE, RECOGNISED, Header, Link, Location, Tab, fit_tabs
from flagtui.app.shell.polling import Polling
from flagtui.app.shell.status_line import count_of, link_of, retry_words
from flagtui.store.workspace import Workspace

VARIABLES = "FLAGTUI_HOST FLAGTUI_API_KEY FLAGTUI_PROJECT"
SHORT = Location("PROD", "error", "acme", "Web app", 1, "eu.posthog.com", "alice@acme.com")
LONG = Location(
    "flags.staging.eu-central-1.example.com", "neutral",
    "Umbrella Corporation of Raccoon City", "The website, the shop and everything else", 123_456,
    "flags.production.example.com", "alice.liddell.of.wonderland@acme.example.com", VARIABLES,
)  # fmt: skip
WIDE_LETTERS = Location(
    "製品環境", "error", "株式会社ウェブ", "ウェブアプリケーション全体", 7, "旗.example", "佐藤@例え.jp"
)
MANY_VARIABLES = replace(
    SHORT, badge="STAGING-OF-THE-SHOP-IN-FRANKFURT", colour="warning", overridden="FLAGTUI_HOST +4"
)
LOCATIONS = {"long": LONG, "wide letters": WIDE_LETTERS, "many variables": MANY_VARIABLES, "short": SHORT}
LINKS = (Link("synced", "synced 4 min ago"), Link("offline", "invalid response, data 23 min old"))
WIDTHS: Final = range(40, 201, 1 if os.environ.get("FLAGTUI_DISPLAY_WIDTH") else 7)
"""All of them in `make check-display`."""


@pytest.fixture
async def header() -> AsyncIterator[Header]:
    app = StyledApp(Header())
    async with app.run_test(size=(40, 2)):
        yield app.query_one(Header)


async def draw(header: Header, location: Location, link: Link, width: int) -> str:
    header.app.post_message(Resize(size := Size(width, 2), size))
    await quiet.settle(header.app)
    assert header.size.width == width
    header.show_location(location, link)
    return header.render().plain


def parts_of(location: Location, link: Link) -> Iterator[str]:
    yield from ("flagtui", location.badge, location.organization, location.project, f"#{location.project_id}")
    yield from (location.host, location.overridden, location.user)
    yield link.words


def is_one_part(shown: str, parts: list[str]) -> bool:
    start = shown.removesuffix("…").rstrip()
    return shown in parts or (shown.endswith("…") and any(each.startswith(start) for each in parts))


@pytest.mark.parametrize("location", LOCATIONS.values(), ids=LOCATIONS)
async def test_no_two_things_run_together_at_any_width(location: Location, header: Header) -> None:
    for width in WIDTHS:
        for link in LINKS:
            parts = list(parts_of(location, link))
            text = await draw(header, location, link, width)
            assert cell_len(text) <= width
            apart = re.split(r"\s{2,}| › | (?=#\d)|[●▲] ", text)
            shown = [part.strip() for part in apart if part.strip()]
            assert [part for part in shown if not is_one_part(part, parts)] == [], f"{width}: {text}"
            assert is_one_part(shown[-1], [link.words]), f"{width}: {text}"
            assert any(is_one_part(part, [location.badge]) for part in shown), f"{width}: {text}"


async def test_project_stays_longest_and_the_host_is_shown_once(header: Header) -> None:
    text = await draw(header, LONG, LINKS[0], 60)
    assert "The w" in text
    assert "flagtui" not in text
    host = "flags.example.com"
    text = await draw(header, Location(host, "neutral", project="Web", host=host), LINKS[0], 140)
    assert text.count(host) == 1
    location = replace(SHORT, badge="127.0.0.1:18120", overridden=VARIABLES)
    text = await draw(header, location, LINKS[0], 96)
    assert "acme › Web app" in text, "the longer part that went made room"


def state(**parts: Any) -> Any:
    """The state of an app that has not opened a project, but for these parts."""
    session = SimpleNamespace(mirror=None, clock=SimpleNamespace(monotonic=lambda: 0.0))
    closed = {"session": session, "workspace": None, "trouble": None, "is_connecting": False}
    quiet_parts = {"saving": "", "reading": "", "retry_in": 0.0, "retry_at": 0.0}
    return SimpleNamespace(**closed | quiet_parts | parts)


def test_retry_is_counted_down_and_named_while_it_runs() -> None:
    retries = {(0.0, 0.0): "", (4.2, 104.2): "retrying in 5 s", (0.0, 100.0): "retrying now"}
    for (retry_in, retry_at), words in retries.items():
        assert retry_words(state(retry_in=retry_in, retry_at=retry_at)) == words


REFUSED, NO_KEY = Refused("Nothing listens there."), BadKey("There is no API key for the profile prod.")
NO_SCOPE = MissingScope("The key lacks a scope (403).", facts=ErrorFacts(status=403))


def test_server_that_refused_to_open_a_project_was_connected() -> None:
    for trouble, words in ((NO_SCOPE, "403"), (REFUSED, "no connection"), (NO_KEY, "sign in")):
        assert link_of(state(trouble=trouble)).words == words
    assert link_of(state(), NotSignedIn("The key was not accepted (401).")).words == "sign in again"


@pytest.mark.parametrize(("waiting", "link"), [
    (0.0, Link("loading", "saving 3 of 26…, reading new-nav… esc cancels")),
    (38.2, Link("retrying", "saving 3 of 26 in 40 s…, reading new-nav in 40 s… esc cancels")),
])  # fmt: skip
def test_reading_counts_down_while_the_server_asked_to_wait(waiting: float, link: Link) -> None:
    client = SimpleNamespace(link=SimpleNamespace(waiting=waiting))
    workspace = SimpleNamespace(client=client, unresolved=0)
    assert link_of(state(workspace=workspace, saving="saving 3 of 26", reading="new-nav")) == link


@pytest.mark.parametrize(("trouble", "is_connecting", "times"), [
    (REFUSED, False, 1),
    # The attempt in progress is enough.
    (REFUSED, True, 0),
    # Only another key helps, and the app asks for it.
    (NO_KEY, False, 0),
    (None, False, 0),
])  # fmt: skip
async def test_unopened_project_is_connected_again_after_outages(
    trouble: ApiError | None, is_connecting: bool, times: int
) -> None:
    attempts: list[int] = []
    await Polling(state(trouble=trouble, is_connecting=is_connecting), lambda: attempts.append(1)).poll()
    assert len(attempts) == times


CAP, ALL = 400, 730


def answer(request: httpx.Request) -> httpx.Response:
    """A list that stops counting at CAP and goes on to ALL."""
    offset, limit = (int(request.url.params.get(name, "0")) for name in ("offset", "limit"))
    end = min(offset + limit, ALL)
    rows = [{"id": f"id-{at}", "name": f"event {at}"} for at in range(offset, end)]
    page = {"count": CAP, "next": "more" if end < ALL else None, "previous": None}
    return httpx.Response(200, json={**page, "count_is_capped": True, "results": rows})


async def test_count_has_a_plus_until_the_last_page(make_client: MakeClient) -> None:
    counts, workspace = list[str](), Workspace(make_client(answer))
    assert count_of(workspace, "events") == ""
    workspace.loading("events").watch(lambda: counts.append(count_of(workspace, "events")))
    await workspace.refresh("events")
    assert "100 of 400+" in counts
    assert counts[-1] == "730"
    assert all(words in ("", "730") or words.endswith("+") for words in counts)


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

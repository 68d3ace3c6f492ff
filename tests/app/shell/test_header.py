"""The first line of every screen: parts hidden on narrow screens, never run together."""

import os
import re
from collections.abc import Iterator
from typing import Final

import pytest
from rich.cells import cell_len
from tests.doubles import quiet
from tests.doubles.flag_app import StyledApp
from textual.app import ComposeResult
from textual.events import Resize
from textual.geometry import Size

from flagtui.app.shell.header import Header, Link, Location

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

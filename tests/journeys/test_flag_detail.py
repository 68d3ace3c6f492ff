"""A flag's own screen: every tab, at every size, for every kind of server."""

import json
import re
from time import monotonic

import httpx
from tests.doubles.quiet import PATIENCE
from tests.doubles.sights import find_missing
from tests.doubles.targeting import group
from tests.doubles.turned_clock import pass_time, start_polling
from tests.doubles.whole_program import WIDE, Program, Setting, running, words
from tests.journeys.modes import is_legacy
from tests.journeys.steps import make_flag

from flagtui.app.flags.flag_screen import FlagScreen
from flagtui.app.widgets.field import Field

SIZE = WIDE


async def tab(program: Program, name: str) -> str:
    screen = program.front(FlagScreen)
    screen.action_open_tab(name)
    await program.settle()
    return left_text(program)


def left_text(program: Program) -> str:
    """The words of the tabs, without the column beside them."""
    return words("\n".join(line[:84] for line in program.screen.split("\n")))


def side(program: Program) -> str:
    """The words of the column beside the tabs."""
    return words("\n".join(line[84:] for line in program.screen.split("\n")))


OVERVIEW = (
    "1 50 % of users where email ends with @acme.com",
    *("and country is any of DE, FR, NL", "2 10 % of everyone else", "STATUS active"),
)
BESIDE = ("experiment #31", "needed by checkout-v2-banner", "v13 Alice condition 1: 25 % → 50 %")
TABS = {
    "conditions": ("first match wins",),
    "variants": ("total 100 %", '"cta": "Buy now"'),
    "reach": ("up to 86 of 515 users", "69 match · 50 % of them are about 34 users"),
    "links": ("EXPERIMENTS #31", "NEEDED BY checkout-v2-banner", "+ condition: 100 %", "EARLY ACCESS none"),
    "json": ('"key": "checkout-redesign",',),
}
"""By tab: what it says of the flag checkout-redesign."""


async def test_tabs_tell_all_and_stale_flags_lead_to_archive(narrow_mode: Setting) -> None:
    async with running(narrow_mode) as program:
        await program.go_to("checkout-redesign", "enter")
        assert find_missing(left_text(program), *OVERVIEW) == []
        assert find_missing(side(program), *BESIDE) == []
        for name, expected in TABS.items():
            shown = await tab(program, name)
            missing = find_missing(shown, *expected)
            # The oldest servers count no users.
            assert missing == (list(expected) if name == "reach" and is_legacy(narrow_mode) else []), name
        program.see(sent=0)
        await program.press("escape")
        await program.go_to("onboarding-tour", shows="CLEANUP 1 everyone gets it")
        await program.press("enter", shows="no call recorded")
        if is_legacy(narrow_mode):
            program.see("STATUS inactive", "since this server has no archive")
            await program.press("d", "y", toast="onboarding-tour is deleted")
            return
        program.see("STATUS stale", "a archives it, turned off; a again unarchives it")
        await program.press("a", "y")
        assert (await program.stored("onboarding-tour", archived=True)).archived


async def test_keys_walk_through_the_tabs_and_search_the_json(shared: Program) -> None:
    await shared.go_to("checkout-redesign", "enter")
    screen = shared.front(FlagScreen)
    seen = []
    for _ in FlagScreen.tabs:
        seen.append(screen._tab)
        # In the fields of a tab Tab goes from one to the next.
        await shared.press(*["escape"] * isinstance(screen.focused, Field), "tab")
    assert tuple(seen) == (*FlagScreen.tabs,)
    await shared.press("left")
    assert screen._tab == "json"
    await shared.press("h")
    assert screen._tab == "history"
    await shared.press("question_mark", "pagedown", shows="Restore this version, after the usual question")
    shared.see(lacks="SEARCH LINE")
    await shared.press("escape")
    await tab(shared, "json")
    await shared.press("minus", shows='"filters": { …', lacks='"rollout_percentage"')
    await shared.press("slash", *"rollout_perc", shows="filters.groups[0].rollout_percentage")
    shared.see("lines have it")
    await shared.press("enter", shows="filters.groups[1].rollout_percentage")
    await shared.press("escape", "enter", lacks='"rollout_percentage": 10')
    await shared.press("escape", "escape")
    assert shared.app.screen is not screen


async def test_secrets_are_masked_and_saved_changes_drawn_at_once(narrow_mode: Setting) -> None:
    async with running(narrow_mode) as program:
        value = "sesame opens the door"
        filters = {"groups": [group(100)], "payloads": {"true": json.dumps({"word": value})}}
        secret = {"is_remote_configuration": True, "has_encrypted_payloads": True}
        await make_flag(program, "secret-config", filters, **secret)
        await program.press("enter")
        for name in FlagScreen.tabs:
            assert value not in await tab(program, name), name
        await tab(program, "variants")
        program.see("•••••• encrypted; m shows it")
        await program.press("m", shows=value)
        await program.press("m", lacks=value)
        await program.press("escape")
        await program.go_to("new-nav", "enter", shows="● new-nav")
        await program.press("m", toast="new-nav has no encrypted payload")
        await program.press("space", "y", shows=("○ new-nav", " OFF ", "no one: the flag is off"))
        assert not (await program.stored("new-nav")).active


class Unversioned(httpx.AsyncBaseTransport):
    """A server that stores neither versions nor times of changes."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self.inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self.inner.handle_async_request(request)
        body = re.sub(rb'"(version|updated_at)":("[^"]*"|\d+)', rb'"\1":null', await response.aread())
        headers = {"content-type": response.headers.get("content-type", "")}
        return httpx.Response(response.status_code, headers=headers, content=body)


async def test_changes_of_flags_without_versions_are_drawn(program: Program) -> None:
    program.wire.inner = Unversioned(program.wire.inner)
    await program.press("f5")
    await program.go_to("new-nav", "percent_sign", *"33", "enter", shows="25 % → 33 %")
    await program.press("y", shows=("1 33 % of everyone", "now Alice", "rollout 25 % → 33 %"))
    await program.press("h", shows="rollout 25 % → 33 %")
    clock = await start_polling(program, 60)
    for version, plan in (6, "pro"), (7, "team"), (8, "free"):
        plans = {"key": "plan", "type": "person", "value": [plan], "operator": "exact"}
        body = {"filters": {"groups": [group(33, plans)]}}
        await program.colleague().flags.update(program.row("new-nav").id, body)
        await pass_time(program, clock, 60)
        # The poll reads the list, then the details and the log.
        deadline = monotonic() + PATIENCE
        while f"now v{version}" not in words(program.screen) and monotonic() < deadline:
            await program.settle()
        program.see(f"now v{version} Alice condition 1:")
        if plan == "team":
            # Polls have read the whole list; after F5 they read what the activity names.
            await program.press("f5")
    assert "1 33 % of users where plan is free" in await tab(program, "overview")
    await program.press("h", "home", "down", "z")
    clock.turn(1)
    await program.press("y", shows="now v9 Alice condition 1:")
    assert "1 33 % of users where plan is team" in await tab(program, "overview")

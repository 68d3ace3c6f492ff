"""A flag's own screen: every tab, at every size, for every kind of server."""

import json

import pytest
from tests.doubles.whole_program import WIDE, Program, Setting, running, words
from tests.journeys.modes import is_legacy

from flagtui.app.flags.flag_screen import FlagScreen
from flagtui.app.widgets.field import Field

pytestmark = pytest.mark.asyncio(loop_scope="module")


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


async def test_tabs_tell_all_and_stale_flags_lead_to_archive(narrow_mode: Setting) -> None:
    async with running(narrow_mode) as program:
        await program.go_to("checkout-redesign", "enter")
        overview = left_text(program)
        assert "1 50 % of users where email ends with @acme.com" in overview
        assert "and country is any of DE, FR, NL" in overview
        assert "2 10 % of everyone else" in overview
        assert "STATUS active" in overview
        assert "experiment #31" in side(program)
        assert "needed by checkout-v2-banner" in side(program)
        assert "v13 Alice condition 1: 25 % → 50 %" in side(program)
        assert "first match wins" in await tab(program, "conditions")
        variants = await tab(program, "variants")
        assert "total 100 %" in variants
        assert '"cta": "Buy now"' in variants
        reach = await tab(program, "reach")
        if is_legacy(narrow_mode):
            assert "of 515 users" not in reach
        else:
            assert "up to 86 of 515 users" in reach
            assert "69 match · 50 % of them are about 34 users" in reach
        links = await tab(program, "links")
        assert "EXPERIMENTS #31" in links
        assert "NEEDED BY checkout-v2-banner" in links
        assert "+ condition: 100 %" in links
        assert "EARLY ACCESS none" in links
        assert '"key": "checkout-redesign",' in await tab(program, "json")
        assert program.wire.writes() == []
        await program.press("escape")
        await program.go_to("onboarding-tour")
        assert "CLEANUP 1 everyone gets it" in words(program.screen)
        await program.press("enter")
        text = words(program.screen)
        assert ("STATUS inactive" if is_legacy(narrow_mode) else "STATUS stale") in text
        assert "no call recorded" in text
        if is_legacy(narrow_mode):
            assert "since this server has no archive" in text
            await program.press("d", "y")
            assert "onboarding-tour is deleted" in program.notices[-1]
            return
        assert "a archives it, turned off; a again unarchives it" in text
        await program.press("a", "y")
        assert (await program.stored("onboarding-tour", archived=True)).archived


async def test_keys_walk_through_the_tabs_and_search_the_json(program: Program) -> None:
    await program.go_to("checkout-redesign", "enter")
    screen = program.front(FlagScreen)
    seen = []
    for _ in FlagScreen.tabs:
        seen.append(screen._tab)
        # In the fields of a tab Tab goes from one to the next.
        await program.press(*["escape"] * isinstance(screen.focused, Field), "tab")
    assert tuple(seen) == (*FlagScreen.tabs,)
    await program.press("left")
    assert screen._tab == "json"
    await program.press("h")
    assert screen._tab == "history"
    await program.press("question_mark", "pagedown")
    assert "Restore this version, after the usual question" in program.screen
    assert "SEARCH LINE" not in program.screen
    await program.press("escape")
    await tab(program, "json")
    await program.press("minus")
    assert '"filters": { …' in program.screen
    assert '"rollout_percentage"' not in program.screen
    await program.press("slash", *"rollout_perc")
    assert "filters.groups[0].rollout_percentage" in program.screen
    assert "lines have it" in program.screen
    await program.press("enter")
    assert "filters.groups[1].rollout_percentage" in program.screen
    await program.press("escape")
    await program.press("enter")
    assert '"rollout_percentage": 10' not in program.screen
    await program.press("escape", "escape")
    assert program.app.screen is not screen


async def test_secrets_are_masked_and_saved_changes_drawn_at_once(narrow_mode: Setting) -> None:
    async with running(narrow_mode) as program:
        value = "sesame opens the door"
        body = {
            "key": "secret-config",
            "is_remote_configuration": True,
            "has_encrypted_payloads": True,
            "filters": {"groups": [{"properties": []}], "payloads": {"true": json.dumps({"word": value})}},
        }
        secret = await program.colleague().flags.create(body)
        await program.press("f5")
        await program.go_to(secret.key, "enter")
        for name in FlagScreen.tabs:
            assert value not in await tab(program, name), name
        await tab(program, "variants")
        assert "•••••• encrypted; m shows it" in words(program.screen)
        await program.press("m")
        assert value in program.screen
        await program.press("m")
        assert value not in program.screen
        await program.press("escape")
        await program.go_to("new-nav", "enter")
        assert "● new-nav" in program.screen
        await program.press("m")
        assert program.notices[-1] == "new-nav has no encrypted payload"
        await program.press("space", "y")
        assert "○ new-nav" in program.screen
        assert " OFF " in program.screen
        assert "no one: the flag is off" in words(program.screen)
        assert not (await program.stored("new-nav")).active

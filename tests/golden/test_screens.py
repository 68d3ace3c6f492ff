"""Every screen as text, at the sizes people have."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.doubles.code_source import FakeCode, make_scan
from tests.doubles.open_mirror import open_mirror
from tests.doubles.whole_program import NOW, Setting, running
from tests.golden.conftest import SIZES, Golden

from flagtui.mirror.requests_seen import RecordFile
from flagtui.models.code_uses import CodeUse, UseFinding

FINDING = UseFinding("rolled-out", "Everyone gets true of new-nav: keep what it turns on.")
UNKNOWN = UseFinding("unknown-key", "There is no flag new-navv, and none was deleted.")
DELETED = UseFinding("deleted-key", "The flag old-prices was deleted; the call gets no value.")
NO_EVENT = UseFinding("unknown-key", "There is no event definition order payed.")
BECOMES = "keep what it turns on"
PLACES = (
    CodeUse("src/nav/sidebar.ts", 12, 5, "call", "new-nav", "flag", "ts", BECOMES, (FINDING,)),
    CodeUse("web/src/components/layout/header.tsx", 118, 22, "wrapper", "new-nav", "flag", "tsx", BECOMES),
    CodeUse("tests/nav/sidebar.test.ts", 3, 1, "test", "new-nav", "flag", "ts"),
    CodeUse("docs/nav.md", 40, 11, "string", "new-nav"),
    CodeUse("src/nav/menu.ts", 8, 5, "call", "new-navv", "flag", "ts", findings=(UNKNOWN,)),
    CodeUse("src/nav/tree.ts", 19, 12, "call", "new-navv", "flag", "ts", findings=(UNKNOWN,)),
    CodeUse("api/prices.py", 77, 20, "call", "old-prices", "flag", "python", findings=(DELETED,)),
    CodeUse("src/checkout/pay.ts", 31, 9, "call", "order payed", "event", "ts", findings=(NO_EVENT,)),
)
SCREENS: dict[str, tuple[str, ...]] = {
    "flags": (),
    "flags-searched": ("slash", *"is:stale", "enter"),
    "flags-marked": ("x", "x", "down"),
    "flag": ("down", "enter"),
    "flag-code": ("slash", *"new-nav", "enter", "enter", "left", "left"),
    "code-keys": ("f6",),
    "question": ("down", "down", "space"),
    "question-delete": ("down", "down", "d"),
    "question-left-out": ("x", *("down",) * 18, "X", "d"),
    "results-left-out": ("x", *("down",) * 18, "X", "d", "1", "4", "enter"),
    "rollout": ("down", "percent_sign"),
    "form": ("down", "e"),
    "columns": ("c",),
    "help": ("question_mark",),
    "staging": ("plus", "down", "down", "space", "down", "percent_sign", *"40", "enter", "escape"),
    "staged-set": (
        "plus",
        "down",
        "down",
        "space",
        "down",
        "percent_sign",
        *"40",
        "enter",
        "escape",
        "ampersand",
    ),
    "staged-question": ("plus", "down", "down", "space", "ampersand", "escape", "ampersand", "A"),
    "projects": ("p",),
    "activity": ("4",),
    "activity-moment": ("4", "at", *"08:58", "enter"),
    "cohorts": ("down", "e", *("down",) * 8, "enter", *"a cohort", "enter", "enter"),
}


@pytest.mark.parametrize("name", SCREENS)
async def test_a_screen_is_drawn_as_it_was_at_every_size(setting: Setting, golden: Golden, name: str) -> None:
    code = FakeCode(make_scan(*PLACES, taken_at=NOW.timestamp() - 7_200))
    async with running(replace(setting, size=SIZES[0], code=code)) as program:
        await program.press(*SCREENS[name])
        for width, height in SIZES:
            await program.pilot.resize_terminal(width, height)
            await program.settle()
            golden.check(f"{name}-{width}x{height}", program.screen)


MIRROR_SCREENS: dict[str, tuple[str, ...]] = {
    "mirror-flags": (),
    "mirror-flag": ("slash", *"new-nav", "enter", "enter"),
    "mirror-values": ("slash", *"ai-summaries", "enter", "space"),
    "mirror-share": ("percent_sign", *"20"),
    "mirror-question": ("slash", *"new-nav", "enter", "space", *"off", "enter"),
}


@pytest.mark.parametrize("name", MIRROR_SCREENS)
async def test_screens_of_a_mirror_are_unchanged(
    setting: Setting, golden: Golden, name: str, tmp_path: Path
) -> None:
    record = RecordFile(tmp_path / "requests.ndjson")
    mirror = open_mirror("new-nav=on", "new-nav=off@ann", "ai-summaries=v2@bob", record=record)
    mirror.request("new-nav", "nev-nav", times=3)
    async with running(replace(setting, size=SIZES[0], mirror=mirror)) as program:
        await program.press(*MIRROR_SCREENS[name])
        for width, height in SIZES:
            await program.pilot.resize_terminal(width, height)
            await program.settle()
            golden.check(f"{name}-{width}x{height}", program.screen)


@pytest.mark.parametrize("size", [(40, 10), (40, 8)], ids=str)
async def test_a_small_terminal_still_shows_keys_and_states(setting: Setting, size: tuple[int, int]) -> None:
    async with running(replace(setting, size=size)) as program:
        assert "checkout-redes" in program.screen
        assert "50 %" in program.screen
        assert program.screen.splitlines()[0].endswith("● synced just now")


async def test_tiny_terminal_shows_a_message_and_recovers(setting: Setting) -> None:
    async with running(replace(setting, size=(80, 24))) as program:
        await program.press("down", "down", "space")
        await program.pilot.resize_terminal(30, 5)
        await program.settle()
        assert "flagtui needs 40×8" in program.screen
        await program.press("y")
        assert program.wire.writes() == []
        await program.pilot.resize_terminal(80, 24)
        await program.settle()
        assert "Turn OFF in TEST" in program.screen


async def test_list_around_a_dialog_is_laid_out_before_idle(
    setting: Setting,
) -> None:
    async with running(replace(setting, size=(80, 24))) as program:
        await program.press(*SCREENS["rollout"])
        chips = program.app.screen_stack[-2].query_one("#chips")
        # Often, since Textual lays out at once what comes a sixtieth of a second after the last time.
        for width, hint in [(58, "search  "), (46, "search   type:experiment")] * 5:
            chips.styles.width = width
            await program.settle()
            assert f"/ {hint}  " in program.screen

"""Every screen as text, at the sizes people have."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.doubles.code_source import FakeCode, make_scan
from tests.doubles.open_mirror import open_mirror
from tests.doubles.whole_program import NOW, Program, Setting, running
from tests.golden.conftest import SIZES, Golden, draw

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
SCENES: tuple[dict[str, tuple[str, ...]], ...] = (
    {
        "flags": (),
        "columns": ("c",),
        "help": ("escape", "question_mark"),
        "projects": ("escape", "p"),
        "code-keys": ("escape", "f6"),
        "flags-marked": ("escape", "x", "x", "down"),
    },
    {
        "rollout": ("down", "percent_sign"),
        "form": ("escape", "e"),
        "cohorts": (*("down",) * 8, "enter", *"a cohort", "enter", "enter"),
    },
    {
        "question": ("down", "down", "space"),
        "question-delete": ("escape", "d"),
        "flag": ("escape", "up", "enter"),
    },
    {
        "flags-searched": ("slash", *"is:stale", "enter"),
        "flag-code": ("escape", "slash", *"new-nav", "enter", "enter", "left", "left"),
        "activity": ("escape", "4"),
        "activity-moment": ("at", *"08:58", "enter"),
    },
    {"question-left-out": ("x", *("down",) * 18, "X", "d"), "results-left-out": ("1", "4", "enter")},
    {
        "staging": ("plus", "down", "down", "space", "down", "percent_sign", *"40", "enter", "escape"),
        "staged-set": ("ampersand",),
    },
    {"staged-question": ("plus", "down", "down", "space", "ampersand", "escape", "ampersand", "A")},
)
"""By the name of each screen, the keys that lead to it from the former, or from the list of flags."""


@pytest.mark.parametrize("scenes", SCENES, ids=lambda scenes: next(iter(scenes)))
async def test_screens_are_drawn_as_they_were_at_every_size(
    setting: Setting, golden: Golden, scenes: dict[str, tuple[str, ...]]
) -> None:
    code = FakeCode(make_scan(*PLACES, taken_at=NOW.timestamp() - 7_200))
    async with running(replace(setting, size=SIZES[0], code=code)) as program:
        await draw_each(program, golden, scenes)


MIRROR_SCENES: dict[str, tuple[str, ...]] = {
    "mirror-flags": (),
    "mirror-share": ("percent_sign", *"20"),
    "mirror-values": ("escape", "slash", *"ai-summaries", "enter", "space"),
    "mirror-question": ("escape", "escape", "slash", *"new-nav", "enter", "space", *"off", "enter"),
    "mirror-flag": ("escape", "escape", "enter"),
}


async def test_screens_of_a_mirror_are_unchanged(setting: Setting, golden: Golden, tmp_path: Path) -> None:
    record = RecordFile(tmp_path / "requests.ndjson")
    mirror = open_mirror("new-nav=on", "new-nav=off@ann", "ai-summaries=v2@bob", record=record)
    mirror.request("new-nav", "nev-nav", times=3)
    async with running(replace(setting, size=SIZES[0], mirror=mirror)) as program:
        await draw_each(program, golden, MIRROR_SCENES)


async def draw_each(program: Program, golden: Golden, scenes: dict[str, tuple[str, ...]]) -> None:
    """Compare each screen at every size; its keys are pressed at the first."""
    for name, keys in scenes.items():
        await program.pilot.resize_terminal(*SIZES[0])
        await program.press(*keys)
        if name == "staged-question":
            # Whether the toast of the staged change is still there depends on how fast the machine is.
            program.app.clear_notifications()
        await draw(program, golden, name)


@pytest.mark.parametrize("size", [(40, 10), (40, 8)], ids=str)
async def test_a_small_terminal_still_shows_keys_and_states(setting: Setting, size: tuple[int, int]) -> None:
    async with running(replace(setting, size=size)) as program:
        program.see("checkout-redes", "50 %")
        assert program.screen.splitlines()[0].endswith("● synced just now")


async def test_tiny_terminal_shows_a_message_and_recovers(setting: Setting) -> None:
    async with running(replace(setting, size=(80, 24))) as program:
        await program.press("down", "down", "space")
        await program.pilot.resize_terminal(30, 5)
        await program.settle(shows="flagtui needs 40×8")
        await program.press("y", sent=0)
        await program.pilot.resize_terminal(80, 24)
        await program.settle(shows="Turn OFF in TEST")


async def test_list_around_a_dialog_is_laid_out_before_idle(setting: Setting) -> None:
    async with running(replace(setting, size=(80, 24))) as program:
        await program.press("down", "percent_sign")
        chips = program.app.screen_stack[-2].query_one("#chips")
        # Often, since Textual lays out at once what comes a sixtieth of a second after the last time.
        for width, hint in [(58, "search  "), (46, "search   type:experiment")] * 5:
            chips.styles.width = width
            await program.settle(shows=f"/ {hint}  ")

"""The project's activity and a flag's history: found, compared, taken back."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.doubles import quiet
from tests.doubles.whole_program import WIDE, Program, Setting, running, words
from tests.journeys.modes import NARROW_MODES

from flagtui.app.activity.activity_screen import ActivityScreen
from flagtui.app.flags.flag_screen import FlagScreen
from flagtui.changes.guard import GuardRules, Level


@pytest.fixture
def setting(template: Path, tmp_path: Path) -> Setting:
    return Setting(template, tmp_path, size=WIDE)


async def beside(program: Program) -> str:
    """The pane beside the log, which waits for the cursor to rest."""
    for _ in range(60):
        told = words("\n".join(line[88:] for line in program.screen.split("\n")))
        if " - " in told:
            break
        await program.pilot.pause(0.05)
    return told


@pytest.mark.parametrize("mode", NARROW_MODES)
async def test_the_log_is_told_in_words_found_and_opened(setting: Setting, mode: str) -> None:
    async with running(replace(setting, options=NARROW_MODES[mode])) as program:
        await program.press("4")
        screen = program.app.screen
        assert isinstance(screen, ActivityScreen)
        assert "checkout-redesign Alice condition 1: 25 % → 50 %" in words(program.screen)
        await program.press("down")
        assert "filters.groups[0].rollout_percentage - 25 + 50" in await beside(program)
        for line, expected in {
            "flag:kill-search": "rollout 100 % → 0 %, turned off",
            "by:sam flag:checkout-redesign kind:targeting": "condition 1: + country",
            "kind:deleted": "deleted",
            "turned off": "turned off",
            "since:1h": "3 of",
        }.items():
            screen.search.set_line(line)
            await program.settle()
            assert expected in words(program.screen), line
        screen.search.set_line("by:sam flag:checkout-redesign")
        await program.settle()
        assert "Alice" not in "\n".join(program.screen.split("\n")[5:])
        await program.press("enter")
        assert isinstance(program.app.screen, FlagScreen)
        assert "● checkout-redesign" in program.screen
        await program.press("1")
        assert "KEY" in program.screen


async def test_irreversible_entry_names_its_reason(
    setting: Setting,
) -> None:
    async with running(setting) as program:
        await program.press("4")
        screen = program.app.screen
        assert isinstance(screen, ActivityScreen)
        screen.search.set_line('"saved without a change" flag:new-nav')
        await program.press("z")
        assert "what it changed is not logged" in program.notices[-1]
        assert program.wire.writes() == []
    read_only = replace(setting, rules=GuardRules(Level.READ_ONLY, place="PROD"))
    async with running(read_only) as program:
        await program.press("4")
        assert "revert" not in program.screen.split("\n")[-2]
        await program.press("z")
        assert "4 Activity" in program.screen


@pytest.mark.parametrize("mode", NARROW_MODES)
async def test_two_versions_are_compared_and_one_is_brought_back(setting: Setting, mode: str) -> None:
    async with running(replace(setting, options=NARROW_MODES[mode])) as program:
        await program.go_to("ai-summaries")
        before = await program.stored("ai-summaries")
        await program.press("h")
        assert "rollout 5 % → 10 %" in words(program.screen)
        await program.press("x", "down", "down")
        told = words(program.screen)
        assert "v1 → v3" in told
        await program.press("z")
        question = words(program.screen)
        assert "Restore an older version in TEST" in question
        assert program.wire.writes() == []
        await program.press("y")
        after = await program.stored("ai-summaries")
        assert after.version == (before.version or 0) + 1
        assert after.targeting.rollout != before.targeting.rollout
        assert "v4" in program.screen


async def test_rows_name_their_cohorts_once_the_names_arrive(setting: Setting) -> None:
    async with running(setting) as program:
        colleague, flag = program.colleague(), await program.stored("new-nav")
        asks = {"properties": [{"type": "cohort", "key": "id", "value": 3}], "rollout_percentage": 25}
        await colleague.flags.update(flag.id, {"filters": {"groups": [asks]}})
        program.wire.held = lambda request: request.url.path.endswith("/cohorts/")
        await quiet.press(program.app, "4")
        while not program.wire.passed[-1].endswith("/cohorts/"):
            await quiet.settle(program.app)
        assert "condition 1: + cohort 3" in program.screen
        await quiet.press(program.app, "j")
        await quiet.settle(program.app)
        program.wire.let_go.set()
        await program.settle()
        assert "condition 1: + Paying customers" in program.screen
        await program.press("slash", *"paying")
        assert "1 of" in program.screen
        assert "new-nav" in program.screen
        assert sum(line.endswith("/cohorts/") for line in program.wire.passed) == 1

"""Experiments as text: the list, one of them, its days as plot and as table, and without colour."""

from dataclasses import replace

import pytest
from tests.doubles.whole_program import Program, Setting, running
from tests.golden.conftest import Golden

SIZES = [(132, 40), (80, 24), (60, 15)]


async def draw(program: Program, golden: Golden, story: str) -> None:
    """The screen at every size."""
    for width, height in SIZES:
        await program.pilot.resize_terminal(width, height)
        await program.settle()
        golden.check(f"{story}-{width}x{height}", program.screen)


async def stand_on(program: Program, name: str) -> None:
    await program.press("2", "slash")
    program.app.screen.query_one("SearchLine").set_line(name)  # type: ignore[attr-defined]  # found by name
    await program.press("enter")


async def test_experiments_are_drawn_as_they_were_at_every_size(setting: Setting, golden: Golden) -> None:
    async with running(replace(setting, size=SIZES[0])) as program:
        await stand_on(program, "Words on the upgrade")
        await program.press("escape", "escape", "r")
        await draw(program, golden, "experiments")
        await program.press("enter")
        await draw(program, golden, "experiment-three-variants")
        await program.press("escape")
        await stand_on(program, "Checkout redesign")
        await program.press("enter")
        await draw(program, golden, "experiment")
        await program.press("enter")
        await draw(program, golden, "experiment-days")
        await program.press("t")
        await draw(program, golden, "experiment-table")


async def test_a_step_is_asked_about_as_it_was_at_every_size(setting: Setting, golden: Golden) -> None:
    async with running(replace(setting, size=SIZES[0])) as program:
        await stand_on(program, "Pricing page test")
        await program.press("W", *"test", "enter", "enter", *"won", "enter", *"clear", "enter")
        await draw(program, golden, "experiment-ship")


async def test_without_colour_the_days_come_as_a_table(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with running(replace(setting, size=SIZES[1])) as program:
        await stand_on(program, "Checkout redesign")
        await program.press("enter", "enter")
        assert "DAY" in program.screen
        assert "2026-03-01" in program.screen
        await program.press("t")
        assert "% over the baseline" in program.screen

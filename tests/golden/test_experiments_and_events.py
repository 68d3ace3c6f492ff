"""Experiments and events as text: lists, pages, days as plot and as table, the inbox with decisions."""

import asyncio
import io
import sys
from collections.abc import Iterable
from typing import Any

import pytest
from msgspec.structs import replace
from rich.color import ColorSystem
from rich.segment import Segment
from tests.doubles.whole_program import Program, Setting, running
from tests.golden.conftest import SIZES, Golden, draw

from flagtui.app.events.event_list import EventsScreen
from flagtui.app.events.inbox_screen import InboxScreen


async def stand_on(program: Program, name: str) -> None:
    await program.press("2", "slash")
    program.app.screen.query_one("SearchLine").set_line(name)  # type: ignore[attr-defined]  # found by name
    await program.press("enter")


async def test_experiments_are_drawn_as_they_were_at_every_size(setting: Setting, golden: Golden) -> None:
    async with running(replace(setting, size=SIZES[0])) as program:
        await stand_on(program, "Words on the upgrade")
        await program.press("escape", "escape", "R")
        # The results are read in the background.
        async with asyncio.timeout(20):
            while "calculated just now" not in program.screen:
                await program.pilot.pause()
        await draw(program, golden, "experiments")
        await program.press("enter")
        await draw(program, golden, "experiment-three-variants")
        await program.press("escape")
        await stand_on(program, "Checkout redesign")
        await program.press("enter")
        await draw(program, golden, "experiment")
        await program.press("enter")
        await draw(program, golden, "experiment-days")
        await draw(program, golden, "experiment-days-colour", sixteen)
        await program.press("v")
        await draw(program, golden, "experiment-table")


async def test_form_and_question_match_their_golden_screens_at_every_size(
    setting: Setting, golden: Golden
) -> None:
    async with running(replace(setting, size=SIZES[0])) as program:
        await stand_on(program, "Seats in the upgrade dialog")
        await program.press("e")
        await draw(program, golden, "experiment-form")
        await program.pilot.resize_terminal(*SIZES[0])
        await program.press("escape")
        await stand_on(program, "Pricing page test")
        await program.press("W", *"test", "enter", "enter", *"won", "enter", *"clear", "enter")
        await draw(program, golden, "experiment-ship")


def sixteen(program: Program) -> str:
    """The screen, and below it the colour of each character as a terminal with sixteen of them shows it.

    Capitals are the bright ones; a dot is the terminal's own colour.
    """
    strips: Iterable[Any] = program.app.screen._compositor.render_strips()
    lines = ["".join(map(_letters, strip)).rstrip() for strip in strips]
    return program.screen + "\n" + "\n".join(lines).rstrip() + "\n"


def _letters(segment: Segment) -> str:
    colour = segment.style.color if segment.style else None
    number = None if colour is None or colour.is_default else colour.downgrade(ColorSystem.STANDARD).number
    letter = "." if number is None else "krgybmcwKRGYBMCW"[number]
    return "".join(" " if character == " " else letter for character in segment.text)


async def test_letters_are_enough_for_a_plot(
    setting: Setting, golden: Golden, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "__stderr__", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    async with running(replace(setting, size=SIZES[0])) as program:
        await stand_on(program, "Words on the upgrade")
        await program.press("enter", "enter")
        await draw(program, golden, "experiment-days-ascii")


async def test_days_are_a_table_without_colours(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with running(replace(setting, size=SIZES[0])) as program:
        await stand_on(program, "Checkout redesign")
        await program.press("enter", "enter", shows="DAY ")


async def test_events_are_drawn_as_they_were_at_every_size(setting: Setting, golden: Golden) -> None:
    async with running(replace(setting, size=SIZES[0])) as program:
        page = await program.colleague().experiments.page({"limit": 1})
        source = {"kind": "EventsNode", "event": "checkout_completed", "math": "total"}
        metric = {"kind": "ExperimentMetric", "metric_type": "mean", "source": source}
        await program.colleague().experiments.update(page.rows[0].id, {"metrics": [metric]})
        await program.press("3")
        screen = program.front(EventsScreen)
        screen.go_to(next(row.id for row in screen.rows._rows if row.name == "checkout completed"))
        await draw(program, golden, "events")
        await program.press("enter")
        await draw(program, golden, "event")
        await program.press("escape", "i")
        inbox = program.front(InboxScreen)
        for name, key in (("btn_click_1", "H"), ("btn_click_2", "V")):
            assert inbox.rows.select(next(case.id for case in inbox._cases if case.name == name))
            await program.press(key)
        inbox.rows.select(next(case.id for case in inbox._cases if case.name == "checkout_completed"))
        await program.settle()
        await draw(program, golden, "inbox")

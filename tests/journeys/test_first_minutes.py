"""The tour in the demo, and what a stranger tries in the first ten minutes, with obvious keys."""

import re
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace
from tests.doubles.slices import one_in
from tests.doubles.whole_program import Program, Setting, running
from tests.journeys.steps import click, stand_on_experiment

from flagtui.app.lists.tour import STEPS, Tour
from flagtui.config.preferences import Preferences


def tour(program: Program) -> Tour:
    widget = program.app.screen_stack[1].query_one(Tour)
    widget.look()
    return widget


def words_of(program: Program) -> str:
    """What the tour says of this step, whole at the smallest size."""
    text = str(tour(program).render()).rstrip()
    assert text.endswith("F3 ends it")
    return text


async def test_each_tour_step_is_shown_whole_and_done_once(setting: Setting) -> None:
    find, switch, prove, undo = (step.line for step in STEPS)
    async with running(replace(setting, size=(60, 15))) as program:
        await program.press("f3")
        assert "1/4 find press / and type nav" in " ".join(program.screen.split())
        for keys in (("space", "escape"), ("slash", *"nav")):
            assert find in words_of(program)
            await program.press(*keys)
            assert tour(program).step == "find"
        await program.press("enter")
        for keys in (("space", "escape"), ("space", "y")):
            assert tour(program).step == "switch"
            assert switch in words_of(program)
            await program.press(*keys)
        assert tour(program).step == "prove"
        assert prove in words_of(program)
        await program.press("J")
        assert tour(program).step == "undo"
        assert undo in words_of(program)
        await program.press("escape", "u", "y")
        assert tour(program).step == ""
        assert "every command" in words_of(program)
        program.see("that was all")
        assert program.row("new-nav").active
        await program.press("f3", "f3", "slash", "enter")
        assert tour(program).step == "switch"
        await program.press("space", "y")
        assert tour(program).step == "prove"
        await program.press("u", "y")
        tour(program)
        assert tour(program).step == "", "what is taken back at once is proof, too"


async def test_tour_ends_at_any_time_and_is_not_offered_again(setting: Setting) -> None:
    memory = Path(setting.folder) / "memory"
    async with running(replace(setting, preferences=Preferences(memory=memory))) as program:
        await program.press("2", "f3")
        assert not program.app.screen.query(Tour)
        program.see(toast="1 goes there, then F3 begins it")
        await program.press("1", "f3", shows="F3 ends it")
        before = program.screen.splitlines()
        await program.press("f3")
        assert not program.app.screen.query(Tour)
        program.see(lacks="F3 skips")
        assert len(program.screen.splitlines()) == len(before)
    assert Preferences(memory=memory).remembered.toured


TASKS: Final = Path(__file__).parents[2] / "docs" / "getting-started.md"
COUNT: Final = "the number asked for"
SWITCHED: Final = ("pagedown", "pagedown", "X", "space", COUNT, "enter", "u", COUNT, "enter")
IN_THE_FORM: Final = (
    *(*"20", "enter", "j", "enter", "enter", "p", "tab", "enter", "enter", "down", "enter"),
    *("j", "j", "enter", *"5", "enter", "G", "k", "k", "enter", *"third", "enter", "equals_sign"),
)
SHORTEST: Final = {
    "find a flag by part of its name": (("slash", *"nav", "enter"), "1 of 248"),
    "see who gets it": (("w", *"u-1", "enter"), "decided by"),
    "turn it off, then undo": (("space", "y", "u", "y"), "undone: "),
    "roll it out to 37 %": (("percent_sign", *"37", "enter", "y"), "37 % boolean"),
    "turn off twenty flags, then undo": (("x", *SWITCHED), "13 undone"),
    "find the change of twenty minutes ago and undo it": (
        ("4", "at", *"20m", "enter", "z", "y"),
        "has its previous values back",
    ),
    "create a flag with two conditions and three variants": (
        ("n", *"vari", "enter", *"tea-break", "enter", *IN_THE_FORM, "ctrl+s", "y"),
        "tea-break is created",
    ),
    "raise the rollout of another flag tomorrow": (
        ("slash", *"nav", "enter", "at", *"ra", "enter", *"50", "enter", *"+1d", "enter", "y"),
        "has a scheduled change",
    ),
    "copy it to another project": (("D", *"mob", "enter", "y"), "is in Mobile now, off"),
    "compare two users": (("w", *"u-1", "enter", "tab", *"u-2", "enter"), "WHO u-1 u-2"),
    "run an experiment from draft to end": (
        ("2", "n", *"tea", *["enter"] * 3, "ctrl+s", "y", "L", "y", "F", "enter", "y"),
        "tea has ended",
    ),
    "verify thirty events": (("x", *["pagedown"] * 3, "X", "V", COUNT, "enter"), "27 verified"),
    "switch the theme": (("f2", *"light", "enter"), "KEY ROLLOUT"),
}
"""The shortest way of each task in keys, and what is on screen at its end."""


@pytest.mark.parametrize("task", one_in(3, SHORTEST))
async def test_task_takes_its_documented_keys_at_the_smallest_size(setting: Setting, task: str) -> None:
    keys, proof = SHORTEST[task]
    async with running(replace(setting, size=(60, 15))) as program:
        if task == "verify thirty events":
            await program.press("3")
        pressed = 0
        for key in keys:
            typed = [key]
            if key == COUNT and (match := re.search(r"to confirm, type (\d+)", program.screen)):
                typed = [*match[1]]
            pressed += len(typed)
            await program.press(*typed)
        program.see(proof)
        row = next(line for line in TASKS.read_text("utf-8").splitlines() if line.startswith(f"| {task} |"))
        assert row.split(" | ")[1] == str(pressed)


async def test_unknown_names_launches_and_changes_of_many_get_a_reply(program: Program) -> None:
    await program.press("n", *"tea-break", shows="no match for tea-break")
    await program.press("escape")
    await stand_on_experiment(program, "docs first", shows="⏎ open  L launch")
    await program.press("L", "y", shows="⏎ open  space pause  F end")

    await program.press("3", "x", "j", "x")
    await program.go_to("checkout completed", "x", "escape", "V", "y", shows="2 verified, 1 unchanged")
    await program.press("u", shows="redo with U")
    await program.press("y", "escape", "escape", "escape", "g", shows="○  $ai_feedback")


async def test_the_mouse_alone_sets_a_rollout_and_takes_it_back(program: Program) -> None:
    await click(program, "new-nav")
    await click(program, "% rollout")
    await click(program, "75  100")
    await click(program, "⏎ accept")
    await click(program, "  y ", line=5)
    assert (await program.stored("new-nav")).targeting.rollout == 75
    await click(program, "u undo")
    await click(program, "  y ", line=5)
    assert (await program.stored("new-nav")).targeting.rollout == 25

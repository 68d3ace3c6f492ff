"""What 60 columns and 15 lines still tell whole: toasts, hints, titles, tabs."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len
from tests.doubles.slices import at_most
from tests.doubles.whole_program import Program, Setting, running, words

from flagtui.app.shell.toasts import show_toast
from flagtui.changes.guard import GuardRules, Level
from flagtui.text.styled import Notice

SMALL = (60, 15)


@pytest.fixture
def small(setting: Setting) -> Setting:
    return replace(setting, size=SMALL)


def line(program: Program, place: int) -> str:
    return program.screen.splitlines()[place].rstrip()


async def test_last_word_of_a_toast_is_visible_beside_a_form(small: Setting) -> None:
    async with running(small) as program:
        for columns in (60, 72):
            await program.pilot.resize_terminal(columns, 15)
            for length in range(columns * 9 // 10 - 8, columns * 9 // 10)[:: at_most(3, 1)]:
                program.app.clear_notifications()
                show_toast(program.app, Notice("a" * (length - 4) + " end"))
                await program.settle()
                assert program.screen.count(" end") == 1
        await program.go_to("billing-usage-alerts")
        await program.press("e", "down", "down", "down", "enter")
        for size in ((60, 15), (132, 40)):
            await program.pilot.resize_terminal(*size)
            show_toast(program.app, Notice("first line\n" + "second " * 20))
            await program.settle()
            assert "not saved yet; ctrl+s shows what would change" in line(program, -2)


async def test_tabs_hints_and_values_are_whole_at_small_sizes(small: Setting, everybody: Path) -> None:
    async with running(replace(small, template=everybody)) as program:
        await program.press("2")
        assert "⏎ open  space pause" in line(program, -1)
        assert line(program, 1) == " 1 Flags 248    2 Experiments 31    3 Events    4 Activity"
        await program.press("3")
        assert line(program, 1) == " 1 Flags    2 Experiments    3 Events 1,904    4 Activity"
        program.timing.now += 1
        await program.pilot.click(offset=(line(program, 1).index("Activity"), 1))
        await program.settle()
        assert "FLAG" in line(program, 3)
        assert "/ search  by:sam  flag:new    " in line(program, 2)
        await program.press("at", *"20m", "enter")
        assert re.search(r"@ \d\d:\d\d UTC  \d+ changes? *$", line(program, 2))
        await program.press("z")
        told = [each.strip(" │▁▂▃▄▅▆▇") for each in program.screen.splitlines()]
        place = told.index("filters.payloads.test")
        assert told[place + 1].startswith("- ")
        assert told[place + 2].startswith("+ ")
        await program.press("escape", "escape", "at", "a")
        assert "@ needs a time…  100 of " in line(program, 2)
        await program.press("escape", "2", "slash", *"checkout r", "enter", "enter", "end")
        told = program.screen.splitlines()
        place = next(place for place, each in enumerate(told) if "SAMPLE" in each)
        assert told[place + 1].index("planned") == told[place].index("2,6")


async def test_small_question_keeps_its_place_and_form_its_conditions(small: Setting) -> None:
    rules = GuardRules(Level.GUARDED, place="PRODUCTION")
    async with running(replace(small, rules=rules)) as program:
        await program.go_to("billing-usage-alerts")
        await program.press("percent_sign", *"37", "enter", "y", "u")
        title = next(told for told in program.screen.splitlines() if "╭─" in told)
        assert "Undo: set the old rollout of bi" in title
        assert "… in PRODUCTION " in title
        assert cell_len(title.rstrip()) < SMALL[0]
        assert "tab next" not in words(program.screen)
        await program.press("escape", "n", *"vari", "enter", *"tea-break", "enter")
        assert "0 % of everyone" in program.screen
        await program.press("percent_sign", *"20", "enter")
        assert "20 % of everyone" in program.screen


async def test_rebound_key_keeps_its_position_and_effects_are_named_once(setting: Setting) -> None:
    async with running(setting) as program:
        program.app.set_keymap({"flags.toggle": "ctrl+t"})
        await program.settle()
        assert line(program, -1).startswith(" ^t off  ⏎ open  % rollout")
        await program.press("x", *["down"] * 8, "X", "d")
        told = words(program.screen)
        assert told.count("not counted in a question about several flags") == 1
        assert told.count("can destroy the deleted one for good") == 1

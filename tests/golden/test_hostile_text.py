"""A project whose every text tries to harm the terminal, in every widget."""

import unicodedata
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.doubles.slices import FULL, one_in
from tests.doubles.whole_program import WIDE, Program, Setting, running
from tests.golden.conftest import SIZES

from flagtui.app.widgets.row_list import RowList

STEP = 12 if FULL else 36
"""Of the flags, one in so many is opened."""


@pytest.fixture
def nasty(nasty_template: Path, tmp_path: Path) -> Setting:
    return Setting(nasty_template, tmp_path, size=WIDE)


def assert_harmless(program: Program) -> None:
    drawn = program.screen.replace("\n", "")
    bad = {
        f"U+{ord(each):04X}" for each in drawn if unicodedata.category(each) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    }
    # A zero-width joiner inside an emoji is what makes it one.
    assert bad - {"U+200D"} == set()
    assert program.app.fence.removed == 0, "text reached the screen without being made safe"


async def open_nasty(program: Program) -> None:
    projects = await program.colleague().projects.list()
    program.app.show_project(max(project.id for project in projects))
    await program.settle()


@pytest.mark.parametrize("size", one_in(2, SIZES), ids=str)
async def test_no_text_of_the_list_or_preview_is_obeyed(nasty: Setting, size: tuple[int, int]) -> None:
    async with running(replace(nasty, size=size)) as program:
        await open_nasty(program)
        rows = program.app.screen.query_one(RowList)
        assert rows.shown > 10
        for _ in range(0, rows.shown, rows.size.height - 1):
            assert_harmless(program)
            await program.pilot.press("pagedown")
        await program.settle()
        assert_harmless(program)


async def test_flag_screens_forms_and_questions_render_hostile_text_harmlessly(nasty: Setting) -> None:
    async with running(nasty) as program:
        await open_nasty(program)
        rows = program.app.screen.query_one(RowList)
        for place in range(0, rows.shown, STEP):
            await program.press("enter")
            assert_harmless(program)
            for key in ("space", "percent_sign", "e"):
                await program.press("escape", key)
                assert_harmless(program)
            await program.press("ctrl+s", "escape", toast="Nothing is changed.")
            rows.select(rows._rows[rows._order[min(place + STEP, rows.shown - 1)]].id)


async def test_toasts_palette_and_projects_render_hostile_text_harmlessly(nasty: Setting) -> None:
    async with running(nasty) as program:
        await open_nasty(program)
        await program.press("y")
        assert_harmless(program)
        await program.press("p")
        assert_harmless(program)
        await program.press("escape", "ctrl+p", *"e")
        assert_harmless(program)
        await program.press("escape", "4")
        assert_harmless(program)

"""A page comes back as it was left, and the way back from a link leads to it; the same for all kinds."""

import httpx
import pytest
from tests.doubles.whole_program import Program, words

from flagtui.app.experiments.experiment_screen import ExperimentScreen
from flagtui.app.flags.flag_screen import FlagScreen
from flagtui.app.forms.draft_form import LinesForm
from flagtui.app.lists.list_screen import ListScreen
from flagtui.app.records.json_pane import JsonPane
from flagtui.app.records.record_screen import RecordScreen
from flagtui.models.rows import FlagRow

pytestmark = pytest.mark.asyncio(loop_scope="module")


PAGES = {"1": "pricing-page-test", "2": "Pricing page test"}
"""By the key of a list: a record of it."""


async def open_page(program: Program, key: str) -> RecordScreen[FlagRow]:
    await program.press(key)
    listed = program.front(ListScreen)
    listed.search.set_line(PAGES[key])
    await program.press("enter")
    return program.front(RecordScreen)


async def test_page_returns_from_screens_above_it_and_its_link(program: Program) -> None:
    screen = await open_page(program, "2")
    await program.press("end")
    before = program.screen
    await program.press("J", "escape")
    assert program.app.screen is screen
    assert program.screen == before
    await program.press("question_mark", "escape", "colon", "escape")
    assert program.app.screen is screen
    await program.press("l")
    flag = program.front(FlagScreen)
    await program.press("l")
    program.front(ExperimentScreen)
    await program.press("escape")
    assert program.app.screen is flag
    await program.press("escape")
    assert program.app.screen is screen
    await program.press("Y", *"id", "enter")
    assert str(screen.chosen()[0].id) in program.notices[-1]
    await program.press("escape")
    assert isinstance(program.app.screen, ListScreen)
    assert PAGES["2"] in program.screen


async def test_page_is_copied_and_its_json_folds_and_searches(program: Program) -> None:
    screen = await open_page(program, "1")
    id = screen.chosen()[0].id
    line = next(at for at, text in enumerate(program.screen.splitlines()) if " Overview " in text)
    await click(program, "JSON", line)
    assert isinstance(screen.pane, JsonPane)
    await click(program, "Overview", line)
    assert not isinstance(screen.pane, JsonPane)
    await program.press("shift+tab")
    assert isinstance(screen.pane, JsonPane)
    assert f'"id": {id}' in words(program.screen)
    await program.press("enter")
    assert " 1 line " in words(program.screen)
    await program.press("enter", "slash", *"created_at", "enter")
    assert "1 line has it" in words(program.screen)
    await program.press("escape")
    assert program.app.screen is screen
    await program.press("escape")
    assert isinstance(program.app.screen, ListScreen)


async def test_refresh_reads_local_evaluation_data_again(program: Program) -> None:
    failed = httpx.ConnectError("down")
    program.wire.before = lambda request: failed if "/local_evaluation" in request.url.path else None
    await program.press("ctrl+g")
    assert "DATA not read" in words(program.screen)
    program.wire.heal()
    await program.press("f5")
    assert " flags · " in words(program.screen)
    assert "synced" in program.header


async def test_what_was_removed_in_a_form_comes_back_with_undo(program: Program) -> None:
    await program.go_to("checkout-redesign", "e")
    form = program.front(LinesForm)
    before = words(program.screen)
    place = next(at for at, line in enumerate(form._lines) if line.part == "condition")
    form.query_one("OptionList").highlighted = place  # type: ignore[attr-defined]  # found by name
    await program.press("d")
    assert "not saved yet" in words(program.screen)
    await program.press("u")
    assert "no changes" in words(program.screen)
    assert words(program.screen).split("no changes")[0][:400] == before[:400]
    await program.press("u")
    assert "nothing was changed in this form" in program.notices[-1]
    assert program.wire.writes() == []


async def test_tabs_keys_and_filters_are_clicked(program: Program) -> None:
    await click(program, "3 Events", 1)
    assert isinstance(program.app.screen, ListScreen)
    assert program.app.screen.description.name == "events"
    await click(program, "1 Flags", 1)
    assert program.app.screen.description.name == "flags"
    await click(program, "? help", -1)
    assert "Turn the flag on or off" in program.screen
    await program.press("escape")
    await click(program, "⏎ open", -1)
    assert isinstance(program.app.screen, FlagScreen)
    await click(program, "esc back", -1)
    for key, chip, line in (("1", "type", "type:"), ("3", "state", "is:")):
        await program.press(key)
        await click(program, f"{chip} any", 3)
        assert isinstance(program.app.screen, ListScreen)
        assert program.app.screen.search.value.startswith(line), key


async def click(program: Program, words: str, line: int) -> None:
    """Click in the middle of words on a line of the screen."""
    lines = program.screen.splitlines()
    y = line % len(lines)
    await program.pilot.click(offset=(lines[y].index(words) + len(words) // 2, y))
    await program.settle()

"""New flags, copies here and elsewhere, and deleted ones brought back."""

from dataclasses import replace
from typing import Any

import pytest
from tests.doubles.whole_program import Program, Setting, running, words
from textual.widgets import OptionList

from flagtui.app.screens.edit.form import FormScreen
from flagtui.changes.guard import Level, Rules
from flagtui.models.flag import Flag

MODES: dict[str, tuple[tuple[str, Any], ...]] = {
    "default": (),
    "strict": (("strict", True),),
    "legacy": (("legacy", True),),
}


@pytest.fixture(params=MODES)
def any_mode(setting: Setting, request: pytest.FixtureRequest) -> Setting:
    return replace(setting, options=MODES[request.param])


def creations(program: Program) -> list[str]:
    return [line for line in program.wire.passed if line == "POST /api/projects/1/feature_flags/"]


async def made(program: Program, *kind: str, key: str) -> Flag:
    """A flag made by walking through picker, key, form and question."""
    await program.press("n", *kind, "enter", "end", "ctrl+u", *key, "enter")
    assert isinstance(program.app.screen, FormScreen)
    await program.press("ctrl+s")
    assert "Create in TEST" in words(program.screen)
    await program.press("y")
    assert f"{key} is created" in program.notices[-1]
    assert not isinstance(program.app.screen, FormScreen)
    return await program.stored(key)


async def test_a_boolean_flag_is_made_off_and_for_nobody_and_undone(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        flag = await made(program, key="brand-new")
        assert not flag.active
        assert [condition.rollout for condition in flag.targeting.conditions] == [0]
        assert program.row("brand-new").id == flag.id
        assert len(creations(program)) == 1
        assert [(entry.verb, entry.record) for entry in program.journal.entries()] == [("create", flag.id)]
        await program.press("u", "y")
        assert (await program.colleague().flags.get(flag.id)).deleted


async def test_flags_with_variants_remote_configuration_and_copies_are_made(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        flag = await made(program, *"several", key="with-variants")
        assert [(one.key, one.rollout) for one in flag.targeting.variants] == [("control", 50), ("test", 50)]
        flag = await made(program, *"remote", key="a-value")
        assert flag.is_remote_configuration
        assert flag.targeting.payloads == {"true": "{}"}
        await program.go_to("new-nav")
        model = await program.stored("new-nav")
        flag = await made(program, *"like", key="new-nav-two")
        assert not flag.active
        assert [one.rollout for one in flag.targeting.conditions] == [
            one.rollout for one in model.targeting.conditions
        ]


async def test_a_key_that_is_taken_or_odd_is_not_taken(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("n", "enter", *"new-nav", "enter")
        assert "there is already a flag new-nav" in program.screen
        await program.press(*"!", "enter")
        assert "letters, digits" in program.screen
        await program.press("escape")
        assert creations(program) == []


async def test_leaving_the_form_makes_nothing(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("n", "enter", *"never-made", "enter", "ctrl+s", "escape", "escape")
        assert not isinstance(program.app.screen, FormScreen)
        assert creations(program) == []


async def test_the_key_of_a_deleted_flag_is_warned_about(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("export-parquet")
        await program.press("d", "y", "escape", "n", "enter", *"export-parquet", "enter", "ctrl+s")
        assert "is destroyed for good" in words(program.screen)
        assert "restore the deleted flag" in words(program.screen)


async def test_a_flag_is_copied_here_and_to_another_project(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        await program.press("D", "enter", "enter", "ctrl+s", "y")
        assert (await program.stored("new-nav-copy")).key == "new-nav-copy"
        await program.go_to("replay-canvas")
        await program.press("D")
        options = program.app.screen.query_one(OptionList)
        assert options.option_count > 1
        await program.press("down", "enter")
        projects = await program.colleague().projects.list()
        other = next(project for project in projects if project.id != 1)
        assert f"Create in TEST › {other.label}" in words(program.screen)
        await program.press("y")
        assert f"replay-canvas is in {other.label} now, off" in program.notices[-1]
        page = await program.colleague().for_project(other.id).flags.page({"search": "replay-canvas"})
        assert [(row.key, row.active) for row in page.rows] == [("replay-canvas", False)]
        await program.press("D", "down", "enter")
        assert "there is already a flag replay-canvas" in program.notices[-1]


async def test_a_flag_about_cohorts_is_not_copied_where_they_have_other_numbers(setting: Setting) -> None:
    item = {"key": "id", "type": "cohort", "value": 1, "operator": "in"}
    filters = {"groups": [{"properties": [item], "rollout_percentage": 10}]}
    async with running(setting) as program:
        await program.colleague().flags.create({"key": "for-a-cohort", "filters": filters})
        await program.press("f5")
        await program.go_to("for-a-cohort")
        await program.press("D", "down", "enter")
        assert "cohorts, which have other numbers there" in program.notices[-1]


async def test_deleted_flags_are_listed_and_brought_back(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        for key in ("export-parquet", "new-nav"):
            await program.go_to(key)
            await program.press("d", "y")
        await program.press("escape", "ctrl+r")
        shown = words(program.screen)
        assert "Recently deleted" in shown
        assert "export-parquet" in shown
        assert "by Alice" in shown
        await program.press("space", "down", "space", "enter")
        assert "Restore 2 flags in TEST" in words(program.screen)
        await program.press("y")
        for key in ("export-parquet", "new-nav"):
            assert not (await program.stored(key)).deleted
            assert program.row(key).active
        await program.press("ctrl+r", "escape")
        assert len(program.wire.writes()) == 4


async def test_a_read_only_profile_makes_nothing(setting: Setting) -> None:
    async with running(replace(setting, rules=Rules(Level.READ_ONLY, place="PROD"))) as program:
        await program.press("n", "D")
        assert not program.app.screen.is_modal
        assert creations(program) == []

"""New flags, copies here and elsewhere, deleted ones brought back; what was made is under the cursor."""

from typing import Any

import pytest
from msgspec.structs import replace
from tests.doubles.slices import long
from tests.doubles.targeting import asks_cohort, group
from tests.doubles.whole_program import Program, Setting, running
from tests.journeys.flag_form import fill
from tests.journeys.modes import MODES
from tests.journeys.steps import make_flag, stand_on_event
from textual.widgets import OptionList

from flagtui.app.flags.form.flag_form import FormScreen
from flagtui.app.lists.list_screen import ListScreen
from flagtui.models.account import Project
from flagtui.models.flag import Flag


def creations(program: Program) -> list[str]:
    return [line for line in program.wire.passed if line == "POST /api/projects/1/feature_flags/"]


async def create_flag(program: Program, kind: str = "", *, key: str) -> Flag:
    """A flag made by walking through picker, key, form and question."""
    await program.press("n")
    await fill(program, kind, key, front=FormScreen)
    await program.press("ctrl+s", shows="Create in TEST")
    await program.press("y", toast=f"{key} is created")
    assert not isinstance(program.app.screen, FormScreen)
    return await program.stored(key)


async def test_palette_of_a_form_leads_to_no_record(program: Program) -> None:
    await program.press("n", "enter", *"brand-new", "enter", "colon", *"new-nav")
    program.see("no match for new-nav")
    await program.press("enter", "escape", front=FormScreen)
    await program.press("colon", *"save", "enter", shows="Create in TEST")


@long
async def test_flags_of_every_kind_are_made_off_and_undone(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        flag = await create_flag(program, key="brand-new")
        assert not flag.active
        assert [condition.rollout for condition in flag.targeting.conditions] == [0]
        assert program.row("brand-new").id == flag.id
        assert len(creations(program)) == 1
        assert [(entry.verb, entry.record) for entry in program.journal.entries()] == [("create", flag.id)]
        await program.press("u", "y")
        assert (await program.colleague().flags.get(flag.id)).deleted
        flag = await create_flag(program, "several", key="with-variants")
        assert [(variant.key, variant.rollout) for variant in flag.targeting.variants] == [
            ("control", 50),
            ("test", 50),
        ]
        flag = await create_flag(program, "remote", key="a-value")
        assert flag.is_remote_configuration
        assert flag.targeting.payloads == {"true": "{}"}
        await program.go_to("new-nav")
        model = await program.stored("new-nav")
        flag = await create_flag(program, "like", key="new-nav-two")
        assert not flag.active
        shares = [condition.rollout for condition in model.targeting.conditions]
        assert [condition.rollout for condition in flag.targeting.conditions] == shares


async def test_invalid_key_is_refused_and_leaving_creates_nothing(shared: Program) -> None:
    await shared.press("n", "enter")
    await fill(shared, "new-nav", shows="there is already a flag new-nav")
    await fill(shared, "new-nav!", shows="letters, digits")
    await fill(shared, "never-made")
    for _ in range(2):
        await shared.press("ctrl+s", "escape", "escape", shows="esc again discards what you entered")
    await shared.press("down", "escape", shows="esc again discards what you entered")
    await shared.press("escape")
    assert not isinstance(shared.app.screen, FormScreen)
    assert creations(shared) == []


async def test_a_flag_is_copied_to_another_project(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        await program.go_to("replay-canvas", "D")
        assert program.app.screen.query_one(OptionList).option_count > 1
        await program.press("down", "enter")
        other = await other_project(program)
        program.see(f"Create in TEST › {other.label}", "Stays behind its history")
        await program.press("y", toast=f"replay-canvas is in {other.label} now, off")
        page = await program.colleague().for_project(other.id).flags.page({"search": "replay-canvas"})
        assert [(row.key, row.active) for row in page.rows] == [("replay-canvas", False)]
        await program.press("D", "down", "enter", toast="there is already a flag replay-canvas")
        await program.press("u", shows=f"Undo: delete replay-canvas in TEST › project #{other.id}")
        program.see("redo with U")
        await program.press("y")
        client = program.colleague().for_project(other.id)
        assert (await client.flags.get(page.rows[0].id)).deleted
        assert (await program.stored("replay-canvas")).key == "replay-canvas"
        await program.press("U", "y")
        assert not (await client.flags.get(page.rows[0].id)).deleted


async def other_project(program: Program) -> Project:
    projects = await program.colleague().projects.list()
    return next(project for project in projects if project.id != 1)


async def for_a_cohort(program: Program, **filters: Any) -> None:
    """A colleague's flag that asks for a cohort, under the cursor."""
    await make_flag(program, "for-a-cohort", {"groups": [group(10, asks_cohort(3))], **filters})
    await program.press("D", "down", "enter")


async def test_flag_with_a_cohort_is_copied_by_the_server(program: Program) -> None:
    await for_a_cohort(program)
    program.see("Copy in TEST › ", "Paying customers: found there by name, or made there", "is overwritten")
    assert program.wire.count("/copy_flags/") == 0
    await program.press("y")
    other = await other_project(program)
    program.see(toast=(f"for-a-cohort is in {other.label} now, off: #", "u to undo"))
    client = program.colleague().for_project(other.id)
    row = next(iter((await client.flags.page({"search": "for-a-cohort"})).rows))
    copy = await client.flags.get(row.id)
    assert not copy.active
    assert copy.targeting.conditions[0].properties[0].label == "Paying customers"
    entry = program.journal.entries()[0]
    expected = ("copy", "saved", (f"copy to {other.label} #{other.id}",))
    assert (entry.kind, entry.ending, entry.words) == expected
    await program.press("D", "down", "enter", toast="there is already a flag for-a-cohort")
    assert program.wire.count("/copy_flags/") == 1
    await client.flags.update(copy.id, {"active": True})
    await program.press("u", shows=f"Undo: delete the copy of for-a-cohort in TEST › {other.label}")
    program.see("Overwrite mine")
    await program.press("y")
    assert not (await client.flags.get(copy.id)).deleted
    await program.press("o")
    assert (await client.flags.get(copy.id)).deleted
    assert (await program.stored("for-a-cohort")).key == "for-a-cohort"
    assert "u to undo" not in program.notices[-1], "u takes back what was done here"
    await program.press("J", "down", "z", toast="already undone")


@pytest.mark.parametrize(
    ("mode", "reason"),
    [("strict", "lacks the scope feature_flag:write"), ("legacy", "does not offer this")],
)
async def test_server_that_does_not_copy_for_keys_is_reported(
    setting: Setting, mode: str, reason: str
) -> None:
    async with running(replace(setting, options=MODES[mode])) as program:
        await for_a_cohort(program)
        await program.press("y", toast=("not saved", reason))
        other = await other_project(program)
        page = await program.colleague().for_project(other.id).flags.page({"search": "for-a-cohort"})
        assert page.rows == ()


async def test_what_means_something_else_there_is_not_copied(shared: Program) -> None:
    await for_a_cohort(shared, holdout={"id": 4, "exclusion_percentage": 5})
    shared.see(toast="it would take holdout #4 along")
    assert shared.wire.count("/copy_flags/") == 0


async def test_deleted_flags_warn_about_their_keys_and_are_restored(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        for key in ("export-parquet", "new-nav"):
            await program.go_to(key, "d", "y")
        await program.press("n", "enter")
        await fill(program, "export-parquet")
        await program.press("ctrl+s", shows=("is destroyed permanently", "restore the deleted flag"))
        await program.press("escape", "escape", "escape", "ctrl+r", shows="^r Deleted flags")
        program.see(" in recent activity", "export-parquet", "Alice")
        await program.press("x", "x", "z", shows="Restore 2 flags in TEST")
        await program.press("y")
        for key in ("export-parquet", "new-nav"):
            assert not (await program.stored(key)).deleted
            assert program.row(key).active
        program.see(lacks="export-parquet")
        await program.press("escape", "ctrl+r", "escape", sent=4)


def stands_on(program: Program) -> str:
    """The name under the cursor of the list that is open."""
    screen = program.front(ListScreen)
    return "" if screen.record is None else str(screen.description.key(screen.record))


async def test_new_copied_and_restored_flags_are_under_the_cursor(program: Program) -> None:
    await program.search("is:stale", "down", "down", "n", "enter")
    await fill(program, "brand-new")
    await program.press("ctrl+s", "y")
    assert (stands_on(program), program.front(ListScreen).search.value) == ("brand-new", "")
    program.see(toasts="the search is:stale was cleared: it hid brand-new")
    program.app.clear_notifications()
    await program.search("new-nav", "D", "enter", "enter", "ctrl+s", shows="Stays behind")
    await program.press("y")
    assert (stands_on(program), program.front(ListScreen).search.value) == ("new-nav-copy", "new-nav")
    assert not any("the search" in notice for notice in program.notices)
    await program.search("")
    await program.go_to("export-parquet", "d", "y")
    await program.search("is:off", "ctrl+r", "z", "y", "escape")
    assert stands_on(program) == "export-parquet"
    program.see(toasts="the search is:off was cleared: it hid export-parquet")
    await program.go_to("team-invites-v3", "a", "y")
    await program.search("is:archived team-invites-v3", "d", "y")
    await program.search("", "ctrl+r", "z", "y", "escape")
    assert stands_on(program) == "team-invites-v3"
    assert program.front(ListScreen).search.value == "is:archived"
    program.see(toasts="the search is is:archived now, to show team-invites-v3")


async def test_copied_and_restored_experiments_and_events_are_under_the_cursor(program: Program) -> None:
    await program.press("2")
    await program.search("is:stopped Logos", "enter", "D", "enter")
    await fill(program, "logos-three")
    await fill(program, "Third")
    await program.press("y", "escape")
    assert stands_on(program) == "Third"
    program.see(toasts="the search is:stopped Logos was cleared: it hid Third")
    await program.press("d", "y")
    await program.search("is:running", "u", "y")
    assert stands_on(program) == "Third"
    await stand_on_event(program, "checkout completed", "d")
    await fill(program, "checkout completed")
    await program.search("is:hidden", "u", "y")
    assert stands_on(program) == "checkout completed"
    program.see(toasts="the search is:hidden was cleared: it hid checkout completed")

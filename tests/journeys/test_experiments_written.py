"""Making, editing and copying experiments on the whole program."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.doubles.whole_program import Program, Setting, running, words
from tests.journeys.test_experiments_changed import SERVERS, SIZE, say_yes, sent, stand_on, stored

from flagtui.app.screens.edit.prompt import PromptScreen


def editor(folder: Path, monkeypatch: pytest.MonkeyPatch, *replacements: tuple[str, str]) -> None:
    """An editor that replaces texts in the file."""
    script = folder / "editor.py"
    lines = "".join(f"text = text.replace({old!r}, {new!r})\n" for old, new in replacements)
    body = "import pathlib, sys\npath = pathlib.Path(sys.argv[1])\ntext = path.read_text()\n"
    script.write_text(f"{body}{lines}path.write_text(text)\n", encoding="utf-8")
    monkeypatch.setenv("VISUAL", f"{sys.executable} {script}")


async def type_over(program: Program, text: str) -> None:
    """Replace what a prompt suggests."""
    assert isinstance(program.app.screen, PromptScreen)
    program.app.screen.query_one("Input").value = text  # type: ignore[attr-defined]  # found by name
    await program.press("enter")


@pytest.mark.parametrize("server", SERVERS)
async def test_a_draft_is_made_with_a_flag_of_its_own(setting: Setting, server: str) -> None:
    async with running(replace(setting, size=SIZE, options=SERVERS[server])) as program:
        await program.press("2", "n")
        await program.press(*"Big", "space", *"button", "enter")
        assert "a new flag: control 50 %, test 50 %, off until launch" in program.screen
        await program.press("enter")
        assert "big-button is made new" in words(program.screen)
        assert sent(program) == []
        await say_yes(program)
        made = await stored(program, "Big button")
        assert (made.state, made.feature_flag_key, len(made.variants)) == ("draft", "big-button", 2)
        assert any("is created as a draft" in notice for notice in program.notices)


async def test_a_flag_without_variants_is_not_taken(setting: Setting) -> None:
    async with running(replace(setting, size=SIZE)) as program:
        boolean = next(row.key for row in program.app.desk.workspace.flags.rows if row.type == "boolean")  # type: ignore[union-attr]
        await program.press("2", "n", "x", "enter")
        await type_over(program, boolean)
        assert "this flag has no variants" in program.screen
        await program.press("escape")
        assert sent(program) == []


@pytest.mark.parametrize("server", SERVERS)
async def test_an_experiment_is_edited_in_the_person_s_own_editor(
    setting: Setting, server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(tmp_path, monkeypatch, ("Do calmer colours", "Do louder colours"))
    async with running(replace(setting, size=SIZE, options=SERVERS[server])) as program:
        await stand_on(program, "Chart colours")
        await program.press("e")
        assert "Do louder colours" in program.screen
        await say_yes(program)
        changed = await stored(program, "Chart colours")
        assert changed.description == "Do louder colours keep people reading?"
        assert changed.state == "running"
        assert len(changed.metrics) == 1


async def test_a_text_that_is_no_edit_is_kept_and_nothing_is_sent(
    setting: Setting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(tmp_path, monkeypatch, ('"metrics": [', '"metrics": {'))
    async with running(replace(setting, size=SIZE)) as program:
        await stand_on(program, "Chart colours")
        await program.press("e")
        assert any("it is not JSON" in notice and "kept in" in notice for notice in program.notices)
        assert sent(program) == []
        kept = setting.folder / "state" / "drafts" / "experiment-20.json"
        assert '"metrics": {' in kept.read_text(encoding="utf-8")


async def test_an_edit_that_changes_nothing_sends_nothing(
    setting: Setting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(tmp_path, monkeypatch)
    async with running(replace(setting, size=SIZE)) as program:
        await stand_on(program, "Chart colours")
        await program.press("e")
        assert any("nothing was changed" in notice for notice in program.notices)
        assert sent(program) == []


async def test_a_copy_goes_to_another_project(setting: Setting) -> None:
    async with running(replace(setting, size=SIZE)) as program:
        await stand_on(program, "Chart colours")
        await program.press("ctrl+y")
        await program.press("enter")
        await type_over(program, "chart-colours-there")
        assert "shared metrics stay behind" in words(program.screen)
        await say_yes(program)
        assert any("has a copy there" in notice for notice in program.notices)
        assert (await stored(program, "Chart colours")).id == 20

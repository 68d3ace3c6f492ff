"""Editing experiments as text and copying them, on the whole program."""

import sys
from pathlib import Path

import pytest
from tests.doubles.whole_program import Setting, running, words
from tests.journeys.modes import is_legacy
from tests.journeys.standing import stand_on_experiment
from tests.journeys.test_experiments_changed import say_yes, sent, stored
from textual.widgets import Input


def editor(folder: Path, monkeypatch: pytest.MonkeyPatch, *replacements: tuple[str, str]) -> None:
    """An editor that replaces texts in the file."""
    script = folder / "editor.py"
    lines = "".join(f"text = text.replace({old!r}, {new!r})\n" for old, new in replacements)
    body = "import pathlib, sys\npath = pathlib.Path(sys.argv[1])\ntext = path.read_text()\n"
    script.write_text(f"{body}{lines}path.write_text(text)\n", encoding="utf-8")
    monkeypatch.setenv("VISUAL", f"{sys.executable} {script}")


async def test_experiment_is_edited_in_the_users_editor_and_copied(
    any_mode: Setting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(any_mode) as program:
        await stand_on_experiment(program, "Chart colours")
        editor(tmp_path, monkeypatch)
        await program.press("E")
        assert any("nothing was changed" in notice for notice in program.notices)

        editor(tmp_path, monkeypatch, ('"metrics": [', '"metrics": {'))
        await program.press("E")
        assert any("it is not JSON" in notice and "kept in" in notice for notice in program.notices)
        assert sent(program) == []
        kept = any_mode.folder / "state" / "drafts" / "experiment-20.json"
        assert '"metrics": {' in kept.read_text(encoding="utf-8")

        editor(tmp_path, monkeypatch, ("Do calmer colours", "Do louder colours"))
        await program.press("E")
        assert "Do louder colours" in program.screen
        await say_yes(program)
        changed = await stored(program, "Chart colours")
        assert changed.description == "Do louder colours keep people reading?"
        assert (changed.state, len(changed.metrics)) == ("running", 1)

        if is_legacy(any_mode):
            return
        await program.press("D", "down", "enter")
        program.app.screen.query_one(Input).value = "chart-colours-there"
        await program.press("enter")
        assert "shared metrics stay behind" in words(program.screen)
        await say_yes(program)
        assert any("has a copy there" in notice for notice in program.notices)
        assert (await stored(program, "Chart colours")).id == 20

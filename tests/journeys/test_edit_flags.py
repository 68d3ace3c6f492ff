"""Rollout, tags, archive and JSON in an editor change exactly the edited values."""

import copy
import stat
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.whole_program import Program, Setting, running, words
from tests.journeys.modes import MODES

from flagtui.changes.canonical_filters import clean_filters
from flagtui.changes.guard import GuardRules, Level

RICH: dict[str, Any] = {
    "groups": [
        {
            "properties": [
                {"key": "email", "type": "person", "value": "@acme.test", "operator": "icontains"}
            ],
            "rollout_percentage": 25,
            "variant": None,
            "sort_key": "a-1",
            "description": "colleagues",
        },
        {
            "properties": [{"key": "plan", "type": "person", "value": ["pro"], "operator": "exact"}],
            "rollout_percentage": 12.5,
            "variant": "test",
        },
        {"properties": [], "rollout_percentage": 5, "variant": None, "users_affected": 17},
    ],
    "multivariate": {
        "variants": [
            {"key": "control", "name": "as before", "rollout_percentage": 50},
            {"key": "test", "rollout_percentage": 50},
        ]
    },
    "payloads": {"test": '{"colour": "red"}', "control": "[1, 2.0]"},
    "aggregation_group_type_index": None,
    "holdout": {"id": 4, "exclusion_percentage": 5},
    "something_new": {"of": ["tomorrow", {"x": None}]},
}


async def make(program: Program, key: str, filters: Mapping[str, Any]) -> int:
    """A flag made by a colleague, known to the list."""
    body = {"key": key, "name": "Made for this", "filters": copy.deepcopy(dict(filters)), "tags": ["ops"]}
    flag = await program.colleague().flags.create(body)
    await program.press("f5")
    await program.go_to(key)
    return flag.id


def moved(before: Any, after: Any, at: str = "") -> dict[str, tuple[Any, Any]]:
    """Every path whose value differs, with both sides."""
    if isinstance(before, dict) and isinstance(after, dict):
        found: dict[str, tuple[Any, Any]] = {}
        for name in {*before, *after}:
            found |= moved(before.get(name), after.get(name), f"{at}.{name}")
        return found
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True))
        return {k: v for place, (a, b) in pairs for k, v in moved(a, b, f"{at}[{place}]").items()}
    return {} if before == after and type(before) is type(after) else {at: (before, after)}


async def test_a_rollout_changes_exactly_one_number_of_the_stored_flag(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        id = await make(program, "rich-flag", RICH)
        colleague = program.colleague()
        before = (await colleague.flags.get(id)).raw
        await program.press("percent_sign")
        asked = words(program.screen)
        assert "Rollout of rich-flag" in asked
        assert "1 25 % of users where email contains @acme.test" in asked
        await program.press("down", *"40", "enter")
        question = words(program.screen)
        assert "12.5 + 40" in question
        await program.press("y")
        assert "rich-flag has a new rollout" in program.notices[-1]
        after = (await colleague.flags.get(id)).raw
        found = moved(before, after)
        for name in (".version", ".updated_at", ".last_modified_by"):
            found.pop(name, None)
        assert found == {".filters.groups[1].rollout_percentage": (12.5, 40)}
        await program.press("u", "y")
        back = clean_filters((await colleague.flags.get(id)).filters)
        assert back == clean_filters(before["filters"])


async def test_the_ramp_is_walked_and_every_condition_set_at_once(setting: Setting) -> None:
    async with running(setting) as program:
        id = await make(program, "rich-flag", RICH)
        await program.press("percent_sign", "plus")
        assert "25 % → 50 %" in program.screen
        await program.press("minus", "minus")
        assert "25 % → 10 %" in program.screen
        await program.press("shift+tab")
        await program.press(*"101", "enter")
        assert program.wire.writes() == []
        assert "a number from 0 to 100" in program.screen
        await program.press("backspace", "enter", "y")
        flag = await program.colleague().flags.get(id)
        assert [condition.rollout for condition in flag.targeting.conditions] == [10, 10, 10]


async def test_rollout_is_cancelled_with_escape_and_needs_a_condition(
    setting: Setting,
) -> None:
    async with running(setting) as program:
        await make(program, "no-condition", {"groups": [{"properties": [], "rollout_percentage": 1}]})
        await program.press("percent_sign", "5", "escape")
        assert program.wire.writes() == []
        id = program.row("no-condition").id
        await program.colleague().flags.update(id, {"filters": {"groups": []}})
        await program.press("percent_sign")
        assert "no condition" in program.notices[-1]


async def test_marked_flags_get_one_rollout_together(setting: Setting) -> None:
    async with running(setting) as program:
        for key in ("new-nav", "replay-canvas"):
            await program.go_to(key)
            await program.press("x")
        await program.press("percent_sign", *"37", "enter")
        assert "2 flags in TEST" in words(program.screen)
        await program.press("y")
        for key in ("new-nav", "replay-canvas"):
            flag = await program.stored(key)
            assert {condition.rollout for condition in flag.targeting.conditions} == {37}


async def test_tags_are_added_removed_and_set_also_for_many(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        id = await make(program, "tagged-flag", RICH)
        await program.press("T", *"Web, -ops", "enter", "y")
        assert (await program.colleague().flags.get(id)).tags == ("web",)
        await program.press("x")
        await program.go_to("new-nav")
        await program.press("x", "T", *"= nav, top", "enter", "y")
        assert "2 changed" in program.notices[-1]
        assert sorted((await program.stored("new-nav")).tags) == ["nav", "top"]
        assert sorted((await program.stored("tagged-flag")).tags) == ["nav", "top"]


@pytest.mark.asyncio(loop_scope="module")
async def test_a_tag_that_says_two_things_is_not_taken(program: Program) -> None:
    await program.go_to("new-nav")
    await program.press("T", *"a, -a", "enter")
    assert "both added and removed" in program.screen
    await program.press("escape")
    assert program.wire.writes() == []


@pytest.mark.parametrize("mode", ["default", "strict"])
async def test_a_flag_is_archived_turned_off_and_brought_back(setting: Setting, mode: str) -> None:
    async with running(replace(setting, options=MODES[mode])) as program:
        await program.go_to("new-nav")
        await program.press("a")
        assert "Archive in TEST" in words(program.screen)
        await program.press("y")
        stored = await program.stored("new-nav", archived=True)
        assert stored.archived
        assert not stored.active
        await program.press("u", "y")
        stored = await program.stored("new-nav")
        assert not stored.archived
        assert stored.active


async def test_a_server_without_archives_is_not_asked_to_archive(setting: Setting) -> None:
    async with running(replace(setting, options=MODES["legacy"])) as program:
        await program.go_to("new-nav")
        await program.press("a")
        assert program.notices
        assert program.wire.writes() == []


async def test_a_read_only_profile_opens_no_form(setting: Setting) -> None:
    read_only = replace(setting, rules=GuardRules(Level.READ_ONLY, place="PROD"))
    async with running(read_only) as program:
        before = program.app.screen
        await program.press("percent_sign", "T", "E", "e", "a", "at")
        assert program.app.screen is before
        assert "rollout" not in program.screen.splitlines()[-1]
        assert program.wire.writes() == []


def editor(folder: Path, monkeypatch: pytest.MonkeyPatch, *steps: str) -> Path:
    """An editor that does these Python steps to `text`, one after the other, each time it is opened.

    Gives the folder in which it leaves what it was shown, and the modes of file and folder.
    """
    seen = folder / "seen"
    seen.mkdir()
    program = folder / "editor.py"
    program.write_text(
        "import os, sys, stat\n"
        f"seen = {str(seen)!r}\nsteps = {list(steps)!r}\n"
        "path = sys.argv[1]\nturn = len(os.listdir(seen))\ntext = open(path).read()\n"
        "modes = [stat.S_IMODE(os.stat(each).st_mode) for each in (path, os.path.dirname(path))]\n"
        "open(os.path.join(seen, f'{turn}.txt'), 'w').write(f'{modes} {path}\\n{text}')\n"
        "found = {'text': text}\nexec(steps[min(turn, len(steps) - 1)], found)\n"
        "open(path, 'w').write(found['text'])\n"
    )
    monkeypatch.setenv("VISUAL", f"{sys.executable} {program}")
    return seen


async def test_a_flag_is_edited_as_json_in_the_editor(
    any_mode: Setting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = editor(tmp_path, monkeypatch, "text = text.replace('Made for this', 'Made for that')")
    async with running(any_mode) as program:
        id = await make(program, "rich-flag", RICH)
        before = (await program.colleague().flags.get(id)).raw
        await program.press("E")
        assert "Made for that" in words(program.screen)
        await program.press("y")
        after = (await program.colleague().flags.get(id)).raw
        found = moved(before, after)
        for name in (".version", ".updated_at", ".last_modified_by"):
            found.pop(name, None)
        assert found == {".name": ("Made for this", "Made for that")}
    shown = (seen / "0.txt").read_text()
    assert shown.startswith(f"[{0o600}, {0o700}]")
    assert "# rich-flag: flag" in shown
    assert not Path(shown.splitlines()[0].split("] ")[1]).exists()  # noqa: ASYNC240  # nothing else runs here
    drafts = any_mode.folder / "state" / "drafts"
    assert not any(drafts.glob("*"))


async def test_invalid_text_returns_with_the_reason_and_all_edits(
    any_mode: Setting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil = "text = text.replace('\"rollout_percentage\": 25', '\"rollout_percentage\": 250')"
    mend = "text = text.replace('\"rollout_percentage\": 250', '\"rollout_percentage\": 26')"
    seen = editor(tmp_path, monkeypatch, spoil, mend)
    async with running(any_mode) as program:
        id = await make(program, "rich-flag", RICH)
        await program.press("E", "y")
        flag = await program.colleague().flags.get(id)
        assert flag.targeting.conditions[0].rollout == 26
    again = (seen / "1.txt").read_text()
    assert "# NOT SAVED:" in again
    assert "must be between 0 and 100, not 250" in again
    assert '"rollout_percentage": 250' in again


async def test_editor_without_changes_or_with_invalid_text_sends_nothing(
    setting: Setting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(tmp_path, monkeypatch, "pass", "text = text.replace('true', 'ture')", "pass")
    async with running(setting) as program:
        await program.go_to("new-nav")
        await program.press("E")
        assert "nothing was changed" in program.notices[-1]
        await program.press("E")
        assert "not JSON" in program.notices[-1]
        assert "Your text is kept in" in program.notices[-1]
        assert program.wire.writes() == []
    kept = list((setting.folder / "state" / "drafts").iterdir())
    assert [stat.S_IMODE(path.stat().st_mode) for path in kept] == [0o600]
    assert "ture" in kept[0].read_text()


async def test_what_was_typed_is_kept_when_the_question_is_declined(
    setting: Setting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(tmp_path, monkeypatch, 'text = text.replace(\'"name": "\', \'"name": "A long new text \')')
    async with running(setting) as program:
        await program.go_to("new-nav")
        await program.press("E", "escape")
        assert program.wire.writes() == []
    kept = list((setting.folder / "state" / "drafts").iterdir())
    assert "A long new text" in kept[0].read_text()


@pytest.mark.asyncio(loop_scope="module")
async def test_an_editor_that_is_not_there_is_named(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VISUAL", "no-such-editor --wait")
    await program.go_to("new-nav")
    await program.press("E")
    assert "VISUAL names an editor that is not there: no-such-editor --wait" in program.notices[-1]

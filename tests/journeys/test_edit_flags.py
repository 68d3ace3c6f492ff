"""Rollout, tags and JSON in an editor change exactly the edited values."""

import copy
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.targeting import asks, group
from tests.doubles.whole_program import Program, Setting, running, words
from tests.journeys.steps import make_flag

from flagtui.changes.canonical_filters import clean_filters

RICH: dict[str, Any] = {
    "groups": [
        group(25, asks("email", "icontains", "@acme.test"), sort_key="a-1", description="colleagues"),
        group(12.5, asks("plan", "exact", ["pro"]), variant="test"),
        group(5, variant=None, users_affected=17),
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
    return await make_flag(program, key, filters, name="Made for this", tags=["ops"])


async def test_accepted_share_is_never_rounded(program: Program) -> None:
    await make(program, "exact", {"groups": [group(12.3456789)]})
    await program.press("percent_sign", "enter")
    assert "nothing was sent" in words(program.notices[-1]), program.screen
    await make(program, "almost", {"groups": [group(99.9999999)]})
    await program.press("percent_sign", *"100", "enter", shows="99.9999999 % → 100 %")


async def test_rollout_and_tags_of_single_and_many_flags_change(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        id = await make(program, "rich-flag", RICH)
        colleague = program.colleague()
        before = (await colleague.flags.get(id)).raw
        await program.press("percent_sign", shows="Rollout of rich-flag")
        program.see("1 25 % of users where email contains @acme.test")
        await program.press("down", *"40", "escape", "percent_sign", "down", *"40", "enter")
        program.see("12.5 + 40", sent=0)
        await program.press("y", toast="rich-flag has a new rollout")
        after = (await colleague.flags.get(id)).raw
        expected = copy.deepcopy(before["filters"])
        expected["groups"][1]["rollout_percentage"] = 40
        assert {**after, "filters": clean_filters(after["filters"]), **moving(before)} == {
            **before,
            "filters": clean_filters(expected),
        }
        await program.press("u", "y")
        back = clean_filters((await colleague.flags.get(id)).filters)
        assert back == clean_filters(before["filters"])

        await program.press("percent_sign", "plus", shows="25 % → 50 %")
        await program.press("minus", "minus", shows="25 % → 10 %")
        await program.press("shift+tab")
        sent = len(program.wire.writes())
        await program.press(*"101", "enter")
        assert len(program.wire.writes()) == sent
        program.see("a number from 0 to 100")
        await program.press("backspace", "enter", "y")
        flag = await colleague.flags.get(id)
        assert [condition.rollout for condition in flag.targeting.conditions] == [10, 10, 10]

        for key in ("new-nav", "replay-canvas"):
            await program.go_to(key, "x")
        await program.press("percent_sign", *"37", "enter", shows="2 flags in TEST")
        await program.press("y")
        for key in ("new-nav", "replay-canvas"):
            flag = await program.stored(key)
            assert {condition.rollout for condition in flag.targeting.conditions} == {37}

        await program.press("escape", "escape", "escape")
        await program.go_to("rich-flag")
        await change_tags(program, id)


async def change_tags(program: Program, id: int) -> None:
    """Tags are added, removed and set, of this flag and then of two."""
    sent = len(program.wire.writes())
    await program.press("T", *"a, -a", "enter", shows="both added and removed")
    await program.press("escape")
    assert len(program.wire.writes()) == sent
    await program.press("T", *"Web, -ops", "enter", "y")
    assert (await program.colleague().flags.get(id)).tags == ("web",)
    await program.press("x")
    await program.go_to("new-nav", "x", "T", *"= nav, top", "enter", "y", toast="2 changed")
    assert sorted((await program.stored("new-nav")).tags) == ["nav", "top"]
    assert sorted((await program.stored("rich-flag")).tags) == ["nav", "top"]


def moving(raw: Mapping[str, Any]) -> dict[str, Any]:
    """What every save changes."""
    return {name: raw[name] for name in ("version", "updated_at", "last_modified_by") if name in raw}


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


async def test_last_line_names_scrolling_where_a_question_scrolls(program: Program) -> None:
    await program.go_to("new-nav", "a")
    scrolls = set[bool]()
    for height in range(12, 25):
        await program.pilot.resize_terminal(60, height)
        await program.settle()
        is_cut = program.app.screen.query_one("#consequences").max_scroll_y > 0
        assert ("↓ scroll" in program.last_line) is is_cut, height
        scrolls.add(is_cut)
    assert scrolls == {True, False}


async def test_flag_is_edited_as_json_in_the_users_editor(
    any_mode: Setting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, share = "Made for this", '"rollout_percentage": 25'
    seen = editor(
        tmp_path,
        monkeypatch,
        "pass",
        f"text = text.replace({name!r}, 'Made for that')",
        f"text = text.replace({share!r}, {share + '0'!r})",
        f"text = text.replace({share + '0'!r}, '\"rollout_percentage\": 26')",
        "text = text.replace('true', 'ture')",
        "pass",
        "text = text.replace('Made for that', 'A long new text')",
    )
    drafts = any_mode.folder / "state" / "drafts"
    async with running(any_mode) as program:
        id = await make(program, "rich-flag", RICH)
        before = (await program.colleague().flags.get(id)).raw
        await program.press("E", toast="nothing was changed")
        await program.press("E", shows="Made for that")
        await program.press("y")
        after = (await program.colleague().flags.get(id)).raw
        assert {**after, **moving(before)} == {**before, "name": "Made for that"}
        shown = (seen / "1.txt").read_text()
        assert shown.startswith(f"[{0o600}, {0o700}]")
        assert "# rich-flag: flag" in shown
        assert not Path(shown.splitlines()[0].split("] ")[1]).exists()  # noqa: ASYNC240  # nothing else runs here
        assert not any(drafts.glob("*"))

        await program.press("E", "y")
        assert (await program.colleague().flags.get(id)).targeting.conditions[0].rollout == 26
        again = (seen / "3.txt").read_text()
        assert "# NOT SAVED:" in again
        assert "must be between 0 and 100, not 250" in again
        assert '"rollout_percentage": 250' in again

        sent = len(program.wire.writes())
        await program.press("E", toast=("not JSON", "Your text is kept in"))
        [kept] = drafts.iterdir()
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        assert "ture" in kept.read_text()
        await program.press("E", "escape")
        (given_up,) = (path for path in drafts.iterdir() if "A long new text" in path.read_text())
        program.see(toast=f"Your text is kept in {given_up}")
        monkeypatch.setenv("VISUAL", "no-such-editor --wait")
        await program.press("E", toast="VISUAL names an editor that is not there: no-such-editor --wait")
        assert len(program.wire.writes()) == sent

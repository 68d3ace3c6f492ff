"""The help of a screen: its commands under headings, searched and run, its signs, the words of a search."""

import pytest
from msgspec.structs import replace
from tests.doubles.whole_program import Program, Setting, running, words

from flagtui.app.dialogs.help import HelpScreen
from flagtui.app.flags.flag_list import FlagsScreen
from flagtui.app.shell.toasts import show_toast
from flagtui.text.empty_states import nothing_words
from flagtui.text.styled import Notice

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_no_earlier_toast_covers_the_help(program: Program) -> None:
    show_toast(program.app, Notice("\n".join(["a line of a long notice"] * 20)))
    await program.settle()
    assert program.screen.count("a line of a long notice") == 20
    await program.press("question_mark")
    lines = program.screen.splitlines()
    top, bottom = (next(row for row, line in enumerate(lines) if corner in line) for corner in "╭╰")
    assert {line.count("│") for line in lines[top + 1 : bottom]} == {2}


UNDO = "u Undo your last change of any kind"


HEADINGS = {
    "1": ("FLAG", "EVENT"),
    "2": ("EXPERIMENT", "FLAG"),
    "3": ("EVENT", "FLAG"),
    "4": ("CHANGE", "FLAG"),
    "J": ("CHANGE", "FLAG"),
    "2 enter": ("EXPERIMENT", "FLAG"),
}
"""By keys to a screen: what the commands of its help are about, and what they are not."""


async def test_the_help_names_what_its_commands_are_about_here(program: Program) -> None:
    for keys, (heading, other) in HEADINGS.items():
        await program.press(*keys.split(), "question_mark")
        assert keys != "1" or "Turn the flag on or off" in program.screen
        lines = [line.split("│")[1].strip() for line in program.screen.splitlines() if line.count("│") > 1]
        assert [line for line in lines if line in (heading, other)] == [heading], keys
        assert lines.index(heading) < [*map(str.split, lines)].index(UNDO.split()), keys
        await program.press("escape", *["escape"] * (keys == "J"))


async def test_help_is_searched_runs_commands_and_explains_signs(setting: Setting) -> None:
    async with running(replace(setting, size=(80, 24))) as program:
        await program.press("question_mark", "end")
        await program.press(*["pagedown"] * 6)
        seen = ""
        for _ in range(10):
            seen += words(program.screen)
            await program.press(*["up"] * 6)
        assert "SEARCH LINE" in seen
        assert "tag: its tags" in seen
        assert "slow, incomplete or being retried" in seen
        assert "marked: commands apply to all marked rows" in seen
        await program.press("slash", *"reverse the", "enter")
        screen = program.front(FlagsScreen)
        assert screen._finder.ranking.sort.is_reversed


def title_line(program: Program) -> str:
    """The titles of the columns, with the arrow of the order."""
    return next(line for line in program.screen.splitlines() if "UPDATED" in line)


REMAPPED = {
    "app.flags": "alt+1",
    "app.undo": "ctrl+n",
    "app.redo": "ctrl+o",
    "app.stage": "ctrl+x",
    "app.staged": "f9",
    "app.help": "",
}


async def test_sentences_name_the_keys_of_the_user(setting: Setting) -> None:
    async with running(setting) as program:
        program.app.set_keymap(REMAPPED)
        program.app.app_state.notify_watchers()
        await program.press("space")
        assert "alt+1 Flags" in program.screen
        assert "undo with ctrl+n: turn it" in program.screen
        await program.press("y")
        assert "· ctrl+n to undo" in program.notices[-1]
        await program.press("ctrl+n")
        assert "redo with ctrl+o" in program.screen
        await program.press("escape", "ctrl+x")
        assert "F9 shows them and applies them, ctrl+x ends staging" in words(program.screen)
        assert ": help shows the keys" in nothing_words().lines[-1]
        program.app.set_keymap({"app.help": "f12", "activity.revert": "R", "history.compare": "C"})
        await program.press("escape", "escape", "4", "v")
        assert " R revert it" in program.screen
        await program.press("1", "h", "C", "down")
        assert "C removes the mark" in program.screen
        await program.press("escape", "f12")
        assert isinstance(program.app.screen, HelpScreen)
        await program.press("f12")
        assert isinstance(program.app.screen, FlagsScreen)
    async with running(setting) as program:
        assert "1 Flags" in program.screen
        await program.press("space")
        assert "undo with u: turn it" in program.screen


async def test_help_names_the_command_whose_key_the_user_took(setting: Setting) -> None:
    async with running(setting) as program:
        program.app.set_keymap({"flags.toggle": "s", "lists.sort": ""})
        await program.settle()
        titles = title_line(program)
        assert program.last_line.startswith("s off  ⏎ open  % rollout")
        await program.press("question_mark", "slash", *"sort by the next")
        assert "Sort by the next column your [keys] use its key" in words(program.screen)
        await program.press("enter")
        assert title_line(program) != titles


async def test_help_of_a_choice_names_what_enter_does(setting: Setting) -> None:
    async with running(setting) as program:
        program.app.app_state.session = replace(program.app.app_state.session, pick=lambda key: None)
        await program.press("question_mark", *"/choose")
        assert "⏎ Choose the flag under the cursor, and print its key" in words(program.screen)
        await program.press("escape", "escape", "2", "question_mark", *"/what is under")
        assert "⏎ Open what is under the cursor" in words(program.screen)

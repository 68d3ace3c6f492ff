"""What the help and the last line say of keys, and how keys without an effect explain themselves."""

import re
from operator import attrgetter

from msgspec.structs import replace
from tests.doubles.whole_program import Program, Setting, running, words

from flagtui.app.dialogs.help import HelpScreen
from flagtui.app.flags.flag_list import FlagsScreen
from flagtui.app.lists.list_screen import ListScreen
from flagtui.app.shell.toasts import show_toast
from flagtui.text.empty_states import nothing_words
from flagtui.text.styled import Notice


async def test_no_earlier_toast_covers_the_help(shared: Program) -> None:
    show_toast(shared.app, Notice("\n".join(["a line of a long notice"] * 20)))
    await shared.settle()
    assert shared.screen.count("a line of a long notice") == 20
    await shared.press("question_mark")
    lines = shared.screen.splitlines()
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


async def test_the_help_names_what_its_commands_are_about_here(shared: Program) -> None:
    for keys, (heading, other) in HEADINGS.items():
        await shared.press(*keys.split(), "question_mark")
        assert keys != "1" or "Turn the flag on or off" in shared.screen
        lines = [line.split("│")[1].strip() for line in shared.screen.splitlines() if line.count("│") > 1]
        assert [line for line in lines if line in (heading, other)] == [heading], keys
        assert lines.index(heading) < [*map(str.split, lines)].index(UNDO.split()), keys
        await shared.press("escape", *["escape"] * (keys == "J"))


async def test_help_is_searched_runs_commands_and_explains_signs(setting: Setting) -> None:
    async with running(replace(setting, size=(80, 24))) as program:
        await program.press("question_mark", "end", *["pagedown"] * 6)
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
        await program.press("space", shows=("alt+1 Flags", "undo with ctrl+n: turn it"))
        await program.press("y", toast="· ctrl+n to undo")
        await program.press("ctrl+n", shows="redo with ctrl+o")
        await program.press("escape", "ctrl+x", shows="F9 shows them and applies them, ctrl+x ends staging")
        assert ": help shows the keys" in nothing_words().lines[-1]
        program.app.set_keymap({"app.help": "f12", "activity.revert": "R", "history.compare": "C"})
        await program.press("escape", "escape", "4", "v", shows=" R revert it")
        await program.press("1", "h", "C", "down", shows="C removes the mark")
        await program.press("escape", "f12", front=HelpScreen)
        await program.press("f12", front=FlagsScreen)
    async with running(setting) as program:
        program.see("1 Flags")
        await program.press("space", shows="undo with u: turn it")


async def test_help_names_the_command_whose_key_the_user_took(program: Program) -> None:
    program.app.set_keymap({"flags.toggle": "s", "lists.sort": ""})
    await program.settle()
    titles = title_line(program)
    assert program.last_line.startswith("s off  ⏎ open  % rollout")
    await program.press("question_mark", "slash", *"sort by the next")
    program.see("Sort by the next column your [keys] use its key")
    await program.press("enter")
    assert title_line(program) != titles


async def test_help_of_a_choice_names_what_enter_does(program: Program) -> None:
    program.app.app_state.session = replace(program.app.app_state.session, pick=lambda key: None)
    await program.press("question_mark", *"/choose")
    program.see("⏎ Choose the flag under the cursor, and print its key")
    await program.press("escape", "escape", "2", "question_mark", *"/what is under")
    program.see("⏎ Open what is under the cursor")


DIALOGS = {
    "space": "y Turn OFF  esc cancel",
    "colon": "⏎ do it or go there  esc leave",
    "question_mark": "⏎ do it  / search  esc close",
    "c": "space check  < > move  ⏎ apply  esc leave",
}
"""By key that opens a dialog: its keys, on the last line."""


async def test_last_line_shows_the_keys_of_dialog_and_cursor(shared: Program) -> None:
    await shared.go_to("new-nav")
    before = shared.last_line
    for opening, keys in DIALOGS.items():
        await shared.press(opening)
        assert shared.last_line == keys
        await shared.press("ctrl+z", "ctrl+c")
        assert shared.last_line == before
        assert shared.notices == ["no shell could resume flagtui; it continues"]
    assert "⏎ open  " in before
    await shared.press("x")
    assert "⏎ open at cursor  " in shared.last_line
    await shared.press("escape", "escape", "ctrl+c")
    assert "⏎ open  " in shared.last_line
    assert shared.notices[1:] == ["ctrl+c does not quit; q does"]


async def test_last_line_offers_escape_only_with_an_effect(shared: Program) -> None:
    for tab, opening in (("1", "x"), ("4", "t"), ("1", "enter"), ("1", "J")):
        await shared.press(tab)
        assert "esc back" not in shared.last_line
        await shared.press(opening)
        assert "esc back" in shared.last_line
        await shared.press("escape")
        assert "esc back" not in shared.last_line


PURPOSES = (
    ("J", "f7", "F7 (scheduled) is for flags; 1 goes there"),
    ("2", "f7", "F7 (scheduled) is for flags; 1 goes there"),
    ("3", "a", "a (archive) is for flags and experiments; letters within a second of it are not commands"),
    ("3", "%", "% (rollout) is for flags; letters within a second of it are not commands"),
    ("1", "V", "V (verify) is for event definitions; letters within a second of it are not commands"),
    ("2", "h", "h (history) is for flags; letters within a second of it are not commands"),
    ("4", "space", "space (on/off) is for flags; letters within a second of it are not commands"),
    ("4", "d", "d (delete) is for records; letters within a second of it are not commands"),
)
"""A list, a key of another one, and what is said of it."""


async def test_key_of_another_list_names_it_once(shared: Program) -> None:
    for tab, key, purpose in PURPOSES:
        shared.app.clear_notifications()
        shared.timing.now += 2
        await shared.press(tab, key, key)
        assert shared.notices == [purpose]
        await shared.press(*["escape"] * (tab == "J"))
    await shared.press("1", "e", "f7", toast="F7 (scheduled) is for flags")
    assert "goes there" not in shared.notices[-1], "1 sets a share in a form"
    await shared.press("escape")


async def test_key_without_an_effect_explains_itself(shared: Program) -> None:
    await shared.press("7")
    assert shared.notices == ["7: no saved search; Q saves the present one"]
    await shared.go_to("zzzz")
    for key in ("space", "enter", "y", "x"):
        shared.app.clear_notifications()
        await shared.press(key, toast=": no flags are shown; esc clears the search")
    await shared.press("escape", "ctrl+r", "enter", shows=" DELETED ")
    await shared.press("space", toast="the flag has been deleted; restore it first")
    await shared.press("escape", "escape", "2")
    await shared.go_to("is:draft", "R", toast="no experiment in view is running or paused")


async def test_empty_search_keeps_the_keys_of_hidden_marks(shared: Program) -> None:
    await shared.press("x", "slash", *"zzzz", "enter", shows="1 marked")
    assert "space o" in shared.last_line
    for key in ("enter", "ctrl+a", "x"):
        await shared.press(key, toast=": no flags are shown; esc clears the search")
    shared.see("1 marked")
    await shared.press("space")
    assert shared.app.screen.is_modal
    await shared.press("escape", "escape", "escape")
    assert "space" in shared.last_line


async def test_titles_name_function_keys_and_the_position(shared: Program) -> None:
    await shared.press("f7", shows="F7 Scheduled changes")
    await shared.press("slash")
    assert shared.last_line.endswith("F1 help")
    await shared.press("escape", "escape", "f6", shows="F6 Keys without a record")
    await shared.press("escape", "4", "home")
    assert re.search(r" 1/\d+( of |$)", shared.screen.splitlines()[3])
    await shared.press("down", "down")
    assert re.search(r" 3/\d+( of |$)", shared.screen.splitlines()[3])


STATES = {
    "draft": (["L launch", "e edit"], ["pause", "resume", "end", "ship"]),
    "running": (["space pause", "F end", "W ship"], ["launch", "resume"]),
    "paused": (["space resume", "F end"], ["launch", "pause"]),
    "stopped": (["W ship", "a archive"], ["launch", "pause", "resume", "end"]),
}
"""By state of an experiment: what the last line offers, and what it leaves out."""


async def put_cursor_on(program: Program, **values: object) -> None:
    """Put the cursor on the first record of the list in front with these values."""
    front = program.front(ListScreen)
    is_meant = attrgetter(*values, "id")
    front.rows.select(next(row.id for row in front.rows._rows if is_meant(row)[:-1] == (*values.values(),)))
    await program.settle()


async def test_keys_follow_the_record_and_refusals_explain_why(shared: Program) -> None:
    for is_on in (True, False):
        await put_cursor_on(shared, active=is_on)
        assert f"space {'off' if is_on else 'on'} " in shared.last_line
    await shared.press("2")
    for status, (offered, left_out) in STATES.items():
        await put_cursor_on(shared, status=status, archived=False)
        line = shared.last_line
        assert [word for word in offered if word not in line] == []
        assert [word for word in left_out if word in line.split()] == []
    await shared.press("colon", *"finish", shows="it has already ended F")
    await shared.press("escape")
    await put_cursor_on(shared, status="running", archived=False)
    await shared.press("L", toast="launch: it has already been launched")
    await shared.press("space", "y")
    assert "space resume" in shared.last_line
    await shared.press("u", "y")
    assert "space pause" in shared.last_line

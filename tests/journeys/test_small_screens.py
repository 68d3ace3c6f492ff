"""What 60 columns and 15 lines still tell whole: toasts, hints and titles of questions."""

from dataclasses import replace

from rich.cells import cell_len
from tests.doubles.slices import at_most
from tests.doubles.whole_program import Setting, running, words

from flagtui.app.shell.toasts import show_toast
from flagtui.changes.guard import GuardRules, Level
from flagtui.text.styled import Notice

SIZE = (60, 15)


async def test_last_word_of_a_toast_is_visible_beside_a_form(setting: Setting) -> None:
    async with running(setting) as program:
        for columns in (60, 72):
            await program.pilot.resize_terminal(columns, 15)
            for length in range(columns * 9 // 10 - 8, columns * 9 // 10)[:: at_most(3, 1)]:
                program.app.clear_notifications()
                show_toast(program.app, Notice("a" * (length - 4) + " end"))
                await program.settle()
                assert program.screen.count(" end") == 1
        await program.go_to("billing-usage-alerts")
        await program.press("e", "down", "down", "down", "enter")
        for size in ((60, 15), (132, 40)):
            await program.pilot.resize_terminal(*size)
            show_toast(program.app, Notice("first line\n" + "second " * 20))
            await program.settle()
            assert "not saved yet; ctrl+s shows what would change" in program.screen.splitlines()[-2]


async def test_small_question_keeps_its_place_in_the_title(setting: Setting) -> None:
    rules = GuardRules(Level.GUARDED, place="PRODUCTION")
    async with running(replace(setting, rules=rules)) as program:
        await program.go_to("billing-usage-alerts")
        await program.press("percent_sign", *"37", "enter", "y", "u")
        title = next(line for line in program.screen.splitlines() if "╭─" in line)
        assert "Undo: set the old rollout of bi" in title
        assert "… in PRODUCTION " in title
        assert cell_len(title.rstrip()) < SIZE[0]
        assert "tab next" not in words(program.screen)

"""All pending changes of a project in one list: opened by a key, followed to the flag, dropped."""

from tests.doubles.whole_program import Setting, running, words

from flagtui.app.flags.due_screen import DueScreen
from flagtui.app.flags.flag_screen import FlagScreen


async def test_pending_changes_are_listed_opened_and_dropped(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("f7")
        front = program.app.screen
        assert isinstance(front, DueScreen)
        pending = list(front.rows.in_sight)
        assert [row.at for row in pending] == sorted(row.at or 0.0 for row in pending)
        first = pending[0]
        await program.press("enter")
        assert isinstance(program.app.screen, FlagScreen)
        assert first.key in program.screen
        await program.press("escape", "z")
        assert "Drop a scheduled change" in words(program.screen)
        await program.press("y")
        assert first.change.id not in {row.id for row in front.rows.in_sight}
        assert len(front.rows.in_sight) == len(pending) - 1

"""The list compared with an earlier one."""

from dataclasses import replace

from tests.doubles.whole_program import Program, Setting, running, words
from textual.widgets import Input

from flagtui.app.flags.flag_list import FlagsScreen


async def ask_since(program: Program, moment: str) -> None:
    program.app.screen.query_one(Input).value = moment
    await program.press("enter")


async def test_each_list_is_compared_with_its_copy_of_a_moment(setting: Setting) -> None:
    async with running(replace(setting, snapshots=True)) as program:
        colleague = program.colleague()
        await program.press("3", "2", "1")
        await colleague.flags.update(program.row("new-nav").id, {"active": False, "name": "\x1b[31mred"})
        everyone = {"groups": [{"properties": [], "rollout_percentage": 100}]}
        await colleague.flags.create({"key": "brand-new", "name": "", "filters": everyone})
        page = await colleague.experiments.page({"limit": 1, "status": "running"})
        await colleague.experiments.pause(page.rows[0].id)
        event = await colleague.event_definitions.by_name("checkout completed")
        await colleague.event_definitions.update(event.id, {"tags": ["till"], "verified": False})
        await colleague.event_definitions.create("brand new")
        program.timing.now += 7_200
        await program.press("f5", "equals_sign")
        assert "No copy of this list is that old" in words(program.screen)
        await ask_since(program, "90min")
        seen = words(program.screen)
        assert "+ brand-new is new" in seen
        assert "~ new-nav" in seen
        assert "on yes → no" in seen
        assert "\x1b" not in program.screen
        await ask_since(program, "soon")
        assert "is not a valid time" in words(program.screen)
        await ask_since(program, "1s")
        assert "No changes." in words(program.screen)
        await program.press("escape")
        assert isinstance(program.app.screen, FlagsScreen)
        await program.press("2", "f5", "equals_sign")
        await ask_since(program, "90min")
        seen = words(program.screen)
        assert "Changes in the experiments since" in seen
        assert f"~ {page.rows[0].name} flag active yes → no, status running → paused" in seen
        await program.press("escape", "3", "f5", "equals_sign")
        await ask_since(program, "90min")
        seen = words(program.screen)
        assert "+ brand new is new" in seen
        assert "~ checkout completed tags revenue checkout → till, verified yes → no" in seen

"""The next start begins where the last one ended: tab, search, cursor, order, preview."""

from dataclasses import replace
from pathlib import Path

from tests.doubles.whole_program import WIDE, Program, Setting, running

from flagtui.app.lists.list_frame import BrowseScreen
from flagtui.config.preferences import Preferences


def remembering(setting: Setting, *, resumes: bool = True) -> Setting:
    """As another start of the program would find it."""
    memory = Path(setting.folder) / "memory"
    return replace(setting, preferences=Preferences(memory=memory, resumes=resumes))


def front(program: Program) -> BrowseScreen:
    screen = program.app.screen
    assert isinstance(screen, BrowseScreen)
    return screen


async def test_a_list_comes_back_as_left_without_missing_records(setting: Setting) -> None:
    async with running(remembering(replace(setting, size=WIDE))) as program:
        await program.go_to("checkout")
        await program.press("s", "down", "down", "v")
        left = (front(program).search.value, front(program).rows.row_id, front(program).has_class("-preview"))
        assert front(program).rows.place > 0
        drawn = program.screen.splitlines()[2:20]
        await program.press("q")
    async with running(remembering(replace(setting, size=WIDE))) as program:
        now = front(program)
        assert (now.search.value, now.rows.row_id, now.has_class("-preview")) == left
        assert program.screen.splitlines()[2:20] == drawn
        await program.press("q")
    memory = Path(setting.folder) / "memory" / "remembered.json"
    memory.write_text(memory.read_text().replace('"record": ', '"record": 9999'))
    async with running(remembering(setting)) as program:
        assert (front(program).search.value, front(program).rows.place) == ("checkout", 0)


async def test_the_tab_comes_back_and_every_list_with_it(setting: Setting) -> None:
    left: dict[str, object] = {}
    for tab in ("2", "4", ""):
        async with running(remembering(setting)) as program:
            if left:
                assert program.app.tabs.current == max(left)
            for seen, record in left.items():
                await program.press(seen)
                assert front(program).rows.row_id == record
            if tab:
                await program.press(tab, "down", "down")
                left[tab] = front(program).rows.row_id
                assert front(program).rows.place > 0
            await program.press("q")
    async with running(remembering(setting, resumes=False)) as program:
        assert program.app.tabs.current == "1"
        assert (front(program).search.value, front(program).rows.place) == ("", 0)

"""Another user is faster: the conflict, the second question, and the server's state in the rows."""

from collections.abc import Mapping
from typing import Any

import httpx
from tests.doubles.whole_program import Program, Setting, running, words
from tests.doubles.wire import NARROW
from tests.journeys.test_edit_flags import RICH, make

from flagtui.app.lists.list_screen import ListScreen
from flagtui.app.records.record_screen import RecordScreen
from flagtui.store.kinds import Kind

KEY = "team-invites-v3"


def is_write(request: httpx.Request) -> bool:
    return request.method == "PATCH" or request.url.path.endswith(NARROW)


async def set_share_while(program: Program, id: int, theirs: Mapping[str, Any], share: str = "40") -> None:
    """This share for the second condition is agreed to and in flight when theirs arrives."""
    await program.press("percent_sign", "down", *share, "enter")
    program.wire.let_go.clear()
    program.wire.held = is_write
    program.timing.now += 1
    await program.press_without_waiting("y")
    await program.colleague().flags.update(id, theirs)
    await program.let_go()


def second_share(percent: float) -> dict[str, Any]:
    groups = [dict(group) for group in RICH["groups"]]
    groups[1]["rollout_percentage"] = percent
    return {"filters": {**RICH, "groups": groups}}


async def test_both_sides_are_shown_asked_about_and_read_into_rows(setting: Setting) -> None:
    async with running(setting) as program:
        id = await make(program, "rich-flag", RICH)
        await set_share_while(program, id, second_share(70))
        question = words(program.screen)
        assert " by Alice, just now" in question
        assert "rollout of condition 2 since was 12.5 % theirs 70 % yours 40 %" in question
        await program.press("escape")
        assert (await program.stored("rich-flag")).targeting.conditions[1].rollout == 70
        assert len(program.wire.writes()) == 1
        await set_share_while(program, id, second_share(60))
        await program.press("y")
        assert (await program.stored("rich-flag")).targeting.conditions[1].rollout == 60
        await program.press("o")
        assert (await program.stored("rich-flag")).targeting.conditions[1].rollout == 40
        assert not [line for line in program.wire.writes() if line.startswith("PATCH")]
        await set_share_while(program, id, {"name": "theirs"}, share="50")
        question = words(program.screen)
        assert " by Alice, just now" in question
        assert "40 + 50" in question
        await program.press("y")
        flag = await program.stored("rich-flag")
        assert (flag.name, flag.targeting.conditions[1].rollout) == ("theirs", 50)
        for key, is_lost in ((KEY, False), ("new-nav", True)):
            await program.go_to(key, "space")
            await program.colleague().flags.update(program.row(key).id, {"name": "renamed meanwhile"})
            if is_lost:
                program.wire.after = lambda request: (
                    httpx.ReadTimeout("lost") if request.method == "PATCH" else None
                )
            await program.press("y")
            stored = await program.stored(key)
            assert (program.row(key).active, program.row(key).name) == (stored.active, stored.name)


async def test_page_closes_when_its_record_is_deleted_elsewhere(setting: Setting) -> None:
    async with running(setting) as program:
        colleague, workspace = program.colleague(), program.workspace
        cases: list[tuple[Kind, str, str]] = [
            ("flags", "1", "replay-canvas"),
            ("experiments", "2", "Length of the tour"),
        ]
        for kind, tab, name in cases:
            await program.press(tab)
            await program.go_to(name, "enter", "question_mark")
            page = program.app.screen_stack[-2]
            assert isinstance(page, RecordScreen)
            await getattr(colleague, kind).update(page.chosen()[0].id, {"deleted": True})
            await workspace.refresh(kind)
            await program.settle()
            assert program.app.screen_stack[-2] is page
            await program.press("escape")
            assert isinstance(program.app.screen, ListScreen)
            assert program.notices[-1] == f"{name} was deleted or archived elsewhere; its page is closed"
        before = len(program.notices)
        await program.press("1")
        await program.go_to("dark-mode-default", "enter", "d", "y")
        assert isinstance(program.app.screen, ListScreen)
        assert "elsewhere" not in str(program.notices[before:])

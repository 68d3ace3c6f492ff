"""A colleague is faster: what the loser sees, and what is asked again."""

from collections.abc import Mapping
from typing import Any

import httpx
from tests.doubles.whole_program import Program, Setting, running, words
from tests.doubles.wire import NARROW
from tests.journeys.test_edit_flags import RICH, make


def is_write(request: httpx.Request) -> bool:
    return request.method == "PATCH" or request.url.path.endswith(NARROW)


async def set_share_while(program: Program, id: int, theirs: Mapping[str, Any]) -> None:
    """Forty percent for the second condition is agreed to and on its way when theirs arrives."""
    await program.press("percent_sign", "down", *"40", "enter")
    program.wire.let_go.clear()
    program.wire.held = is_write
    program.timing.now += 1
    await program.press_without_waiting("y")
    await program.colleague().flags.update(id, theirs)
    program.wire.let_go.set()
    await program.settle()


def second_share(percent: float) -> dict[str, Any]:
    groups = [dict(group) for group in RICH["groups"]]
    groups[1]["rollout_percentage"] = percent
    return {"filters": {**RICH, "groups": groups}}


async def test_who_was_second_sees_three_sides_and_is_asked_again(setting: Setting) -> None:
    async with running(setting) as program:
        id = await make(program, "rich-flag", RICH)
        await set_share_while(program, id, second_share(70))
        question = words(program.screen)
        assert "Alice changed the same thing first" in question
        assert "rollout_percentage was 12.5 theirs 70 yours 40" in question
        await program.press("escape")
        assert (await program.stored("rich-flag")).targeting.conditions[1].rollout == 70
        assert len(program.wire.writes()) == 1
        await set_share_while(program, id, second_share(60))
        await program.press("y")
        assert (await program.stored("rich-flag")).targeting.conditions[1].rollout == 60
        await program.press("o")
        assert (await program.stored("rich-flag")).targeting.conditions[1].rollout == 40
        assert not [line for line in program.wire.writes() if line.startswith("PATCH")]


async def test_a_change_of_something_else_meanwhile_is_said_and_kept(setting: Setting) -> None:
    async with running(setting) as program:
        id = await make(program, "rich-flag", RICH)
        await set_share_while(program, id, {"name": "theirs"})
        question = words(program.screen)
        assert "Alice changed it first" in question
        assert "12.5 + 40" in question
        await program.press("y")
        flag = await program.stored("rich-flag")
        assert (flag.name, flag.targeting.conditions[1].rollout) == ("theirs", 40)

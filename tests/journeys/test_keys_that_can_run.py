"""The last line, the palette and the keys offer only what the record under the cursor allows."""

import pytest
from tests.doubles.whole_program import Program, words

from flagtui.app.experiments.experiment_list import ExperimentsScreen
from flagtui.app.flags.flag_list import FlagsScreen

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def put_cursor_on(program: Program, status: str) -> ExperimentsScreen:
    await program.press("2")
    front = program.app.screen
    assert isinstance(front, ExperimentsScreen)
    row = next(row for row in front.rows._rows if row.status == status and not row.archived)
    front.rows.select(row.id)
    await program.settle()
    return front


def last_line(program: Program) -> str:
    return words(program.screen.splitlines()[-1])


STATES = {
    "draft": (["L launch", "e edit"], ["pause", "resume", "finish", "ship"]),
    "running": (["space pause", "F finish", "W ship"], ["launch", "resume"]),
    "paused": (["space resume", "F finish"], ["launch", "pause"]),
    "stopped": (["W ship", "a archive"], ["launch", "pause", "resume", "finish"]),
}
"""By state of an experiment: what the last line offers, and what it leaves out."""


async def test_keys_follow_the_record_and_refusals_explain_why(program: Program) -> None:
    for status, (offered, left_out) in STATES.items():
        await put_cursor_on(program, status)
        line = last_line(program)
        assert [word for word in offered if word not in line] == []
        assert [word for word in left_out if word in line.split()] == []
    await program.press("colon", *"finish")
    assert "it has already ended F" in words(program.screen)
    await program.press("escape")
    await put_cursor_on(program, "running")
    await program.press("L")
    assert program.notices[-1] == "launch: it has already been launched"
    await program.press("1")
    front = program.app.screen
    assert isinstance(front, FlagsScreen)
    for is_on in (True, False):
        row = next(row for row in front.rows._rows if row.active is is_on)
        front.rows.select(row.id)
        await program.settle()
        assert f"space {'off' if is_on else 'on'} " in last_line(program)
    await put_cursor_on(program, "running")
    await program.press("space", "y")
    assert "space resume" in last_line(program)
    await program.press("u", "y")
    assert "space pause" in last_line(program)

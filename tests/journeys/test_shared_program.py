"""What journeys of a file share is as it was when it had started, or is refused."""

from dataclasses import replace

import pytest
from tests.doubles.shared_program import SharedProgram
from tests.doubles.whole_program import WIDE, Setting, running


async def test_what_a_journey_opened_typed_and_marked_is_taken_back(setting: Setting) -> None:
    async with running(replace(setting, size=WIDE)) as program:
        first, shared = program.screen.splitlines()[2:], SharedProgram(program)
        await program.press("slash", *"nav", "enter", "x", "s", "2", "down", "enter", "J", "question_mark")
        program.wire.passed.append("GET /seen")
        await shared.start_over()
        assert program.screen.splitlines()[2:] == first
        assert program.wire.passed == []


@pytest.mark.parametrize("keys", [("v",), ("space", "y")], ids=["the pane is closed", "a flag is changed"])
async def test_what_cannot_be_taken_back_is_refused(setting: Setting, keys: tuple[str, ...]) -> None:
    async with running(replace(setting, size=WIDE)) as program:
        shared = SharedProgram(program)
        await program.press(*keys)
        with pytest.raises(AssertionError):
            await shared.start_over()

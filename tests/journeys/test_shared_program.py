"""What journeys of a file share is as it was when it had started, or is refused."""

from dataclasses import replace

import pytest
from tests.doubles.shared_program import SharedProgram
from tests.doubles.whole_program import WIDE, Setting, running


async def test_program_starts_over_unless_something_is_left(setting: Setting) -> None:
    async with running(replace(setting, size=WIDE)) as program:
        first, shared = program.screen.splitlines()[2:], SharedProgram(program)
        await program.press("slash", *"nav", "enter", "x", "s", "J", "question_mark")
        program.wire.passed.append("GET /seen")
        await shared.start_over()
        assert program.screen.splitlines()[2:] == first
        assert program.wire.passed == []
        for keys, back in ((("v",), ("v",)), (("space", "y"), ())):
            await program.press(*keys)
            with pytest.raises(AssertionError):
                await shared.start_over()
            await program.press(*back)

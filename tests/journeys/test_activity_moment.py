"""The activity around a moment: likely causes first, the cursor on the likeliest."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.doubles.whole_program import WIDE, Program, Setting, running
from tests.journeys.timeline import ask, listed, on_activity, rest, shown

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture(scope="module")
def shared_setting(shared_setting: Setting) -> Setting:
    return replace(shared_setting, size=WIDE)


@pytest.fixture
def setting(template: Path, tmp_path: Path) -> Setting:
    return Setting(template, tmp_path, size=WIDE)


async def test_a_moment_ranks_what_can_have_caused_it(program: Program) -> None:
    screen = await on_activity(program)
    await program.press("at")
    assert screen.search.value == "@ "
    assert screen.search.has_focus
    assert "@ needs a time such as 14:05" in program.screen
    await program.press(*"30m")
    await rest(program)
    assert "-60 … +15 min" in program.screen
    assert not screen.search.problems
    moment = program.timing.now - 30 * 60
    near = [row.at is not None and moment - 3_600 <= row.at <= moment + 900 for row in shown(screen)]
    assert near[0]
    assert near == sorted(near, reverse=True)
    assert "min before" in program.screen
    await program.press("escape", "escape")
    assert screen.search.value == ""
    assert [row.place for row in shown(screen)] == sorted((row.place for row in shown(screen)), reverse=True)


async def test_suspects_have_no_arrow_and_can_be_sorted(program: Program) -> None:
    screen = await on_activity(program)
    assert "UTC ↓" in program.screen
    await ask(program, "@ 04:30")
    suspects = shown(screen)
    assert "UTC ↓" not in program.screen
    await program.press("s")
    assert "UTC ↓" in program.screen
    assert "outside" not in program.screen
    assert [row.place for row in shown(screen)] == sorted((row.place for row in shown(screen)), reverse=True)
    await program.press("s", "s", "s", "s")
    assert shown(screen) == suspects


async def test_another_moment_jumps_to_its_best_candidate(program: Program, setting: Setting) -> None:
    screen = await on_activity(program)
    await program.press("down", "down", "down")
    kept = screen.record
    await ask(program, "@ 08:58")
    assert screen.record == shown(screen)[0]
    await program.press("down")
    assert screen.record == shown(screen)[1]
    await ask(program, "@ 04:30")
    first = screen.record
    assert first == shown(screen)[0]
    assert first is not None
    assert first.key == "pricing-page-test"
    # What narrows the same moment further leaves the reader where he is.
    await program.press("down")
    second = screen.record
    await ask(program, "@ 04:30 -by:wei")
    assert screen.record == second
    await ask(program, "")
    assert screen.record in (second, kept)


async def test_a_line_divides_the_candidates_from_the_rest(setting: Setting) -> None:
    async with running(replace(setting, size=(100, 24))) as program:
        screen = await on_activity(program, "@ 08:58")
        lines = listed(program)
        rule = next(place for place, line in enumerate(lines) if line.startswith("───"))
        assert "─ outside -60 … +15 min ─" in lines[rule]
        assert [line.split()[0] for line in lines[1:rule]] == ["08:57", "08:37", "07:59", "08:58"]
        await program.press(*["down"] * (rule - 1))
        assert screen.record == shown(screen)[rule - 1]
        await ask(program, "")
        assert not any(line.startswith("───") for line in listed(program))

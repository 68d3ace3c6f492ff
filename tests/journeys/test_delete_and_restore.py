"""Deleting softly, and bringing a flag back."""

import pytest
from tests.doubles.whole_program import Program, Setting, running, words

from flagtui.changes.guard import GuardRules, Level


async def test_a_flag_is_deleted_softly_and_restored_by_undo(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        await program.go_to("export-parquet")
        await program.press("d")
        question = words(program.screen)
        assert "Delete in TEST" in question
        assert "can destroy the deleted one for good" in question
        await program.press("y")
        assert "export-parquet is deleted" in program.notices[-1]
        assert "rows for  export-parquet" in program.screen
        kept = await program.colleague().flags.get(program.journal.entries()[0].record)
        assert kept.deleted
        await program.press("u")
        assert "Undo: restore" in words(program.screen)
        await program.press("y")
        assert not (await program.stored("export-parquet")).deleted
        assert program.row("export-parquet").active
        assert not [line for line in program.wire.passed if line.startswith("DELETE")]


@pytest.mark.asyncio(loop_scope="module")
async def test_declining_leaves_the_flag_alone(program: Program) -> None:
    await program.go_to("export-parquet")
    await program.press("d", "escape")
    assert program.wire.writes() == []
    assert program.row("export-parquet").key == "export-parquet"


@pytest.mark.asyncio(loop_scope="module")
async def test_a_flag_under_a_running_experiment_is_not_deleted(program: Program) -> None:
    await program.go_to("pricing-page-test")
    await program.press("d")
    assert "Pricing page test is running on it" in program.notices[-1]
    assert program.wire.writes() == []


async def test_strict_deletion_needs_the_key_typed(setting: Setting) -> None:
    strict = Setting(setting.template, setting.folder, rules=GuardRules(Level.STRICT, place="PROD"))
    async with running(strict) as program:
        await program.go_to("new-nav")
        await program.press("d", "y", "enter")
        assert program.wire.writes() == []
        assert "nothing was sent" in program.screen

"""Flags with odd and hostile content open in every dialog, and looking at them changes nothing."""

from dataclasses import replace
from pathlib import Path

from tests.doubles.slices import at_most
from tests.doubles.whole_program import Setting, running

from flagtui.app.flags.flag_list import FlagsScreen
from flagtui.app.flags.form.flag_form import FormScreen
from flagtui.app.widgets.row_list import RowList


async def test_hostile_flags_open_in_form_and_rollout(setting: Setting, nasty_template: Path) -> None:
    async with running(replace(setting, template=nasty_template, size=(80, 24))) as program:
        rows = program.app.screen.query_one(RowList)
        assert program.app.app_state.workspace is not None
        records = [row.id for row in program.app.app_state.workspace.flags.rows]
        for record in records[:: max(1, rows.shown // at_most(3, full=10))]:
            rows.select(record)
            row = rows.row
            assert row is not None
            await program.press("e")
            assert isinstance(program.app.screen, FormScreen), row.id
            assert all(character.isprintable() for character in program.screen.replace("\n", ""))
            await program.press("ctrl+s")
            assert "Nothing is changed." in program.notices[-1], (row.id, program.notices[-1])
            await program.press("escape", "percent_sign")
            assert all(character.isprintable() for character in program.screen.replace("\n", ""))
            if program.app.screen.is_modal:
                await program.press("escape")
            assert isinstance(program.app.screen, FlagsScreen)
        assert program.wire.writes() == []

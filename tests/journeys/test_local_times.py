"""Times of a user outside UTC: parsed and shown in their zone, in both for other readers."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.doubles.whole_program import Setting, running, words
from tests.journeys.timeline import on_activity
from textual.widgets import Input

pytestmark = pytest.mark.usefixtures("berlin")


def exported(folder: Path) -> str:
    return next(folder.glob("activity-1-*Z.md")).read_text()


async def test_bare_times_are_local_on_every_screen(
    setting: Setting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with running(replace(setting, snapshots=True, size=(132, 40))) as program:
        await program.go_to("new-nav")
        await program.press("space", "y", "J")
        assert "2026-03-02 10:00:" in program.screen
        assert "CET" in program.screen
        await program.press("y")
        assert " CET** (09:00:" in program.app.clipboard
        screen = await on_activity(program)
        await program.press("down", "y")
        assert " CET (08:58:" in program.app.clipboard
        await program.press("ctrl+s")
        text = exported(tmp_path)
        assert "\n## 2026-03-02 (Europe/Berlin)\n" in text
        assert " CET** (08:58:" in text
        await program.press("at", *"09:58", "enter")
        assert "@ 09:58 CET" in program.screen
        assert screen.record is not None
        assert screen.record.at is not None
        assert abs(screen.record.at - (program.timing.now // 60 * 60 - 3 * 60)) < 120
        assert " CET " in program.screen.split("\n")[5]
        await program.press("escape", "1")
        await program.press("at", "enter")
        assert "09:00 or +2h, in CET (Europe/Berlin)" in words(program.screen)
        await program.press(*"2026-04-05 09:00")
        assert "Sunday, 2026-04-05 09:00 CEST (07:00 UTC)" in words(program.screen)
        await program.press("enter")
        assert "turned on, 2026-04-05 09:00 CEST (07:00 UTC)" in words(program.screen)
        await program.press("y")
        found = await program.colleague().schedule.all({"record_id": program.row("new-nav").id})
        assert found[0].raw["scheduled_at"].startswith("2026-04-05T07:00")
        await program.press("at", *"drop")
        assert "2026-04-05 09:00 CEST" in words(program.screen)
        await program.press("escape")
        await program.colleague().flags.update(program.row("export-parquet").id, {"active": False})
        program.timing.now += 7_200
        await program.press("f5", "equals_sign")
        line = program.app.screen.query_one(Input)
        assert line.placeholder.endswith("in CET")
        line.value = "11:30"
        await program.press("enter")
        assert "compared with the copy of 2026-03-02 10:0" in words(program.screen)
        assert " CET " in words(program.screen)
        assert "~ export-parquet" in program.screen

"""Keys in code without a record: the list, the editor at the first use, and another scan."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.doubles.code_source import FakeCode, make_scan
from tests.doubles.recording_editor import use_recording_editor
from tests.doubles.whole_program import NOW, Setting, running, words

from flagtui.models.code_uses import CodeUse, UseFinding

UNKNOWN = UseFinding("unknown-key", "There is no flag new-navv, and none was deleted.")
DELETED = UseFinding("deleted-key", "The flag old-prices was deleted; the call gets no value.")
PLACES = (
    CodeUse("src/nav.ts", 8, 5, "call", "new-nav"),
    CodeUse("src/nav.ts", 9, 5, "call", "new-navv", findings=(UNKNOWN,)),
    CodeUse("src/tree.ts", 19, 12, "call", "new-navv", findings=(UNKNOWN,)),
    CodeUse("api/prices.py", 77, 20, "call", "old-prices", findings=(DELETED,)),
)
TAKEN = NOW.timestamp() - 3_600


async def test_keys_without_a_record_are_listed(setting: Setting) -> None:
    async with running(replace(setting, code=FakeCode(make_scan(*PLACES, taken_at=TAKEN)))) as program:
        await program.press("f6")
        shown = words(program.screen)
        assert "Keys without a record 2 scanned 1 h ago" in shown
        assert "new-navv unknown-key flag 2 src/nav.ts:9:5" in shown
        assert "old-prices deleted-key flag 1 api/prices.py:77:20" in shown
        await program.press("slash", *"is:deleted", "enter")
        assert "new-navv" not in program.screen


async def test_palette_opens_keys_in_code(setting: Setting) -> None:
    async with running(replace(setting, code=FakeCode(make_scan(*PLACES, taken_at=TAKEN)))) as program:
        await program.press("colon", *"keys in code", "enter")
        assert "PROBLEM" in program.screen


async def test_enter_opens_the_first_use_of_a_key(
    setting: Setting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = use_recording_editor(tmp_path, monkeypatch)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "nav.ts").write_text("flags();")
    code = FakeCode(make_scan(*PLACES, root=str(tmp_path), taken_at=TAKEN))
    async with running(replace(setting, code=code)) as program:
        await program.press("f6", "enter")
        assert arguments.read_text() == f"+9 {tmp_path / 'src' / 'nav.ts'}"


async def test_keys_in_code_without_a_scan_explain_the_next_step(setting: Setting) -> None:
    code = FakeCode(next=make_scan(*PLACES, taken_at=NOW.timestamp()))
    async with running(replace(setting, code=code)) as program:
        await program.press("f6")
        assert "No scan of /home/me/shop yet." in words(program.screen)
        await program.press("R")
        assert "scanning 512 of 14,800 files" in words(program.screen)
        code.ends.set()
        await program.press("home")
        assert "new-navv" in program.screen


async def test_escape_cancels_the_scan_before_it_leaves(setting: Setting) -> None:
    code = FakeCode()
    async with running(replace(setting, code=code)) as program:
        await program.press("f6", "R", "escape")
        assert code.is_cancelled
        assert "Keys without a record" in program.screen
        await program.press("escape")
        assert "Keys without a record" not in program.screen

"""The tab Code of flags and events: places of the last scan, another scan, and the editor."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.doubles.code_source import FakeCode, make_scan
from tests.doubles.recording_editor import use_recording_editor
from tests.doubles.whole_program import NOW, Program, Setting, running, words

from flagtui.cli.launch.code_scanner import CodeScanner
from flagtui.models.code_uses import CodeUse, UseFinding
from flagtui.store.code_scans import CodeScans

ROLLED_OUT = UseFinding("rolled-out", "Everyone gets true of new-nav: keep what it turns on.")
PLACES = (
    CodeUse("src/nav.ts", 12, 5, "call", "new-nav", "flag", "ts", "keep what it turns on", (ROLLED_OUT,)),
    CodeUse("tests/nav.ts", 3, 1, "test", "new-nav", "flag", "ts"),
    CodeUse("src/nav.ts", 30, 9, "call", "other", "flag", "ts"),
    CodeUse("src/pay.py", 8, 2, "call", "order paid", "event", "python"),
)
HOUR_AGO = NOW.timestamp() - 3_600


async def open_code(program: Program, key: str = "new-nav") -> None:
    await program.go_to(key)
    await program.press("enter", "left", "left")


async def test_code_tab_lists_the_places_of_the_last_scan(setting: Setting) -> None:
    code = FakeCode(make_scan(*PLACES, taken_at=HOUR_AGO))
    async with running(replace(setting, code=code)) as program:
        await open_code(program)
        shown = words(program.screen)
        assert "1 use and 1 mention in /home/me/shop scanned 1 h ago" in shown
        assert "src/nav.ts:12:5 call ts rolled-out" in shown
        assert "without the flag: keep what it turns on" in shown
        assert ROLLED_OUT.message in shown
        assert "src/nav.ts:30:9" not in shown
        await program.press("down")
        assert "test: the code does not need the key here" in words(program.screen)


async def test_code_tab_of_an_event_lists_its_places(setting: Setting) -> None:
    places = (*PLACES, CodeUse("src/page.py", 9, 2, "call", "$pageview", "event", "python"))
    async with running(replace(setting, code=FakeCode(make_scan(*places, taken_at=HOUR_AGO)))) as program:
        await program.press("3", "slash", *"$pageview", "enter", "enter", "tab")
        assert "src/page.py:9:2 call python" in words(program.screen)


async def test_f8_opens_the_code_tab_from_lists_and_tabs(setting: Setting) -> None:
    places = (*PLACES, CodeUse("src/page.py", 9, 2, "call", "$pageview", "event", "python"))
    code = FakeCode(make_scan(*places, taken_at=HOUR_AGO))
    async with running(replace(setting, code=code)) as program:
        await program.go_to("new-nav")
        await program.press("f8")
        assert "src/nav.ts:12:5 call ts rolled-out" in words(program.screen)
        await program.press("right", "f8")
        assert "src/nav.ts:12:5" in program.screen
        await program.press("escape", "3", "slash", *"$pageview", "enter", "f8")
        assert "src/page.py:9:2 call python" in words(program.screen)


async def test_enter_opens_the_editor_at_the_line(
    setting: Setting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = use_recording_editor(tmp_path, monkeypatch)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "nav.ts").write_text("flags();")
    code = FakeCode(make_scan(*PLACES, root=str(tmp_path), taken_at=HOUR_AGO))
    async with running(replace(setting, code=code)) as program:
        await open_code(program)
        await program.press("enter")
        assert arguments.read_text() == f"+12 {tmp_path / 'src' / 'nav.ts'}"


async def test_place_in_a_deleted_file_is_not_opened(setting: Setting, tmp_path: Path) -> None:
    code = FakeCode(make_scan(*PLACES, root=str(tmp_path), taken_at=HOUR_AGO))
    async with running(replace(setting, code=code)) as program:
        await open_code(program)
        await program.press("enter")
        assert "src/nav.ts is gone since the scan; R scans again" in program.notices[-1]


async def test_code_tab_without_a_scan_explains_how_to_scan(setting: Setting) -> None:
    async with running(replace(setting, code=FakeCode())) as program:
        await open_code(program)
        shown = words(program.screen)
        assert "No scan of /home/me/shop yet." in shown
        assert "R scans it now" in shown
        assert "flagtui refs --in /home/me/shop" in shown


async def test_code_tab_names_what_a_scan_lacks(setting: Setting) -> None:
    code = FakeCode(missing="the parser is missing; install it: pip install 'flagtui[code]'")
    async with running(replace(setting, code=code)) as program:
        await open_code(program)
        assert "Not possible from here: the parser is missing" in words(program.screen)
        await program.press("R")
        assert "the parser is missing" in program.notices[-1]


async def test_scan_runs_in_the_background(setting: Setting) -> None:
    code = FakeCode(next=make_scan(*PLACES, taken_at=NOW.timestamp()))
    async with running(replace(setting, code=code)) as program:
        await open_code(program)
        await program.press("R")
        assert "scanning 512 of 14,800 files esc cancels" in words(program.screen)
        await program.press("left")
        code.ends.set()
        await program.press("right")
        assert "src/nav.ts:12:5" in program.screen


async def test_escape_cancels_a_scan_and_keeps_the_page(setting: Setting) -> None:
    code = FakeCode()
    async with running(replace(setting, code=code)) as program:
        await open_code(program)
        await program.press("R", "escape")
        assert code.is_cancelled
        assert "No scan of /home/me/shop yet." in words(program.screen)
        await program.press("escape")
        assert "KEY" in program.screen


async def test_failed_scan_keeps_the_last_one(setting: Setting) -> None:
    code = FakeCode(make_scan(*PLACES, taken_at=HOUR_AGO))
    code.ends.set()
    async with running(replace(setting, code=code)) as program:
        await open_code(program)
        await program.press("R")
        shown = words(program.screen)
        assert "not scanned: the scan ended without a result" in shown
        assert "src/nav.ts:12:5" in shown


async def test_scan_ends_with_its_profile(setting: Setting) -> None:
    code = FakeCode()
    async with running(replace(setting, code=code, neighbours=("other",))) as program:
        await open_code(program)
        await program.press("R", "P", "down", "enter")
        assert code.is_cancelled


async def scan_shop(program: Program) -> None:
    """Scan, and wait for the other process."""
    await program.press("R")
    for worker in [worker for worker in program.app.workers if worker.group == "code-scan"]:
        await worker.wait()
    await program.settle()


async def test_scan_in_another_process_is_stored(setting: Setting, tmp_path: Path) -> None:
    shop, cache = tmp_path / "shop", tmp_path / "cache"
    shop.mkdir()
    (shop / "nav.ts").write_text('if (posthog.isFeatureEnabled("new-nav")) show();\n')
    async with running(replace(setting, code=CodeScanner("test", shop, cache))) as program:
        await open_code(program)
        await scan_shop(program)
        assert "nav.ts:1:30 call ts" in words(program.screen)
    scan = CodeScans(cache, "test", "1").load(shop)
    assert scan is not None
    assert [place.place for place in scan.places] == ["nav.ts:1:30"]


async def test_scan_with_invalid_settings_names_the_mistake(setting: Setting, tmp_path: Path) -> None:
    (tmp_path / ".flagtui.toml").write_text("[code]\nwrapers = []\n")
    async with running(replace(setting, code=CodeScanner("test", tmp_path, None))) as program:
        await open_code(program)
        await scan_shop(program)
        assert "not scanned" in words(program.screen)
        assert "wrapers" in program.screen

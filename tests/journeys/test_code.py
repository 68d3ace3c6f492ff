"""Code in the app: the tab Code, keys without a record, words of the search line, questions, and scans."""

import sys
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.doubles.code_source import FakeCode, make_scan
from tests.doubles.whole_program import NOW, WIDE, Program, Setting, running, words

from flagtui.app.records.code_pane import first_steps
from flagtui.app.state.code_search import CodeSearch
from flagtui.cli.launch.code_scanner import CodeScanner
from flagtui.config.preferences import Preferences
from flagtui.models.code_uses import CodeUse, UseFinding
from flagtui.store.code_scans import CodeScans

ROLLED_OUT = UseFinding("rolled-out", "Everyone gets true of new-nav: keep what it turns on.")
UNKNOWN = UseFinding("unknown-key", "There is no flag new-navv, and none was deleted.")
DELETED = UseFinding("deleted-key", "The flag old-prices was deleted; the call gets no value.")
PLACES = (
    CodeUse("src/nav.ts", 9, 5, "call", "new-navv", findings=(UNKNOWN,)),
    CodeUse("src/nav.ts", 12, 5, "call", "new-nav", "flag", "ts", "keep what it turns on", (ROLLED_OUT,)),
    CodeUse("page.vue", 4, 9, "string", "ai-summaries", "flag", "vue"),
    CodeUse("src/nav.ts", 30, 9, "call", "checkout-redesign", "flag", "ts"),
    CodeUse("src/nav.ts", 31, 9, "call", "checkout-redesign", "flag", "ts"),
    CodeUse("src/page.py", 9, 2, "call", "$pageview", "event", "python"),
    CodeUse("src/tree.ts", 19, 12, "call", "new-navv", findings=(UNKNOWN,)),
    CodeUse("tests/nav.ts", 3, 1, "test", "new-nav", "flag", "ts"),
    CodeUse("api/prices.py", 77, 20, "call", "old-prices", findings=(DELETED,)),
)
MORE = [CodeUse("web/app.ts", line, 5, "call", "new-nav") for line in range(1, 5)]
HOUR_AGO = NOW.timestamp() - 3_600


async def search(program: Program, line: str) -> str:
    await program.go_to(line)
    return words(program.screen)


def use_recording_editor(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make it the user's editor; return the file that gets its arguments."""
    arguments, editor = folder / "arguments", folder / "editor.py"
    editor.write_text(f"import sys; open({str(arguments)!r}, 'w').write(' '.join(sys.argv[1:]))")
    monkeypatch.setenv("VISUAL", f"{sys.executable} {editor}")
    return arguments


async def test_code_tab_lists_places_and_keeps_them_after_failures(setting: Setting) -> None:
    code = FakeCode(make_scan(*PLACES, *MORE, taken_at=HOUR_AGO))
    async with running(replace(setting, code=code)) as program:
        await program.go_to("new-nav", "a")
        assert "5 uses: src/nav.ts:12:5, web/app.ts:1:5, web/app.ts:2:5 and 2 more" in words(program.screen)
        assert "searched 1 h ago" in words(program.screen)
        await program.press("escape", "f8")
        shown = words(program.screen)
        assert "5 uses and 1 mention in /home/me/shop scanned 1 h ago" in shown
        assert "src/nav.ts:12:5 call ts rolled-out" in shown
        assert "without the flag: keep what it turns on" in shown
        assert ROLLED_OUT.message in shown
        assert "src/nav.ts:30:9" not in shown
        await program.press("end")
        assert "test: the code does not need the key here" in words(program.screen)
        await program.press("right", "f8")
        assert "src/nav.ts:12:5" in program.screen
        code.ends.set()
        await program.press("R")
        shown = words(program.screen)
        assert "not scanned: the scan ended without a result" in shown
        assert "src/nav.ts:12:5" in shown
        await program.press("escape")
        await search(program, "ai-summaries")
        await program.press("f8")
        assert "No use and 1 mention" in words(program.screen)
        assert "not in a call that the scan recognises; it may be a use" in words(program.screen)
        await program.press("escape", "3")
        await search(program, "$pageview")
        await program.press("f8")
        assert "src/page.py:9:2 call python" in words(program.screen)


async def test_lists_narrow_by_code_and_places_open_in_the_editor(
    setting: Setting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = use_recording_editor(tmp_path, monkeypatch)
    path = tmp_path / "src" / "nav.ts"
    path.parent.mkdir()
    path.write_text("flags();")
    tastes = Preferences(columns={"flags": ("rollout", "refs")})
    code = FakeCode(make_scan(*PLACES, root=str(tmp_path), taken_at=HOUR_AGO))
    async with running(replace(setting, code=code, preferences=tastes)) as program:
        await program.press("s", "s", "s", "home")
        lines = [line for line in program.screen.splitlines() if "%" in line]
        assert "REFS ↓" in program.screen
        assert "checkout-redesign" in lines[0]
        assert lines[0].strip(" ┃").split()[-1] == "2"
        assert "1 of 248" in await search(program, "refs:>1")
        assert "new-nav" in await search(program, "code:rolled-out")
        assert "F6 lists keys in code that have no record" in await search(program, "code:deleted")
        await program.press("escape", "slash", *"code:unr", "tab")
        assert "code:unreferenced" in program.screen

        await program.press("escape", "escape", "f6")
        shown = words(program.screen)
        assert "Keys without a record 2 scanned 1 h ago" in shown
        assert "new-navv unknown-key flag 2 src/nav.ts:9:5" in shown
        assert "old-prices deleted-key flag 1 api/prices.py:77:20" in shown
        await program.press("enter")
        assert arguments.read_text() == f"+9 {path}"
        assert "new-navv" not in await search(program, "is:deleted")
        await program.press("escape", "escape")
        await program.go_to("new-nav", "f8", "enter")
        assert arguments.read_text() == f"+12 {path}"
        path.unlink()
        await program.press("enter")
        assert "src/nav.ts is gone since the scan; R scans again" in program.notices[-1]


async def test_scans_run_beside_everything_until_they_are_cancelled(setting: Setting) -> None:
    code = FakeCode(next=make_scan(*PLACES, taken_at=NOW.timestamp()))
    async with running(replace(setting, size=WIDE, code=code, neighbours=("other",))) as program:
        shown = await search(program, "refs:0")
        assert "refs: no scan yet; scan on a Code tab" in shown
        assert "248" in shown
        assert "safest first: value, last call" in await search(program, "is:stale")
        await program.press("S")
        assert "riskiest first" in words(program.screen)
        await program.press("s")
        assert "UPDATED ↓" in program.screen
        await program.press("escape", "f6")
        assert "No scan of /home/me/shop yet." in words(program.screen)
        await program.press("R", "escape")
        assert code.is_cancelled
        assert "Keys without a record" in program.screen
        await program.press("escape")
        assert "Keys without a record" not in program.screen
        await program.go_to("new-nav", "a")
        assert "searched" not in words(program.screen)
        await program.press("escape", "enter", "left", "left")
        shown = words(program.screen)
        assert "No scan of /home/me/shop yet." in shown
        assert "R scans it now" in shown
        assert "flagtui refs --in /home/me/shop --profile test --project 1" in shown
        code.is_cancelled = False
        await program.press("R")
        assert "scanning 512 of 14,800 files esc cancels" in words(program.screen)
        await program.press("escape")
        assert code.is_cancelled
        assert "No scan of /home/me/shop yet." in words(program.screen)
        await program.press("R", "left")
        code.ends.set()
        await program.press("right")
        assert "src/nav.ts:12:5" in program.screen
        await program.press("escape")
        assert "1 of 248" in await search(program, "refs:>1")
        code.ends.clear()
        code.is_cancelled = False
        await program.press("f6", "R", "P", "down", "enter")
        assert code.is_cancelled


async def test_code_tab_names_what_a_scan_lacks(setting: Setting) -> None:
    code = FakeCode(missing="the parser is missing; install it: pip install 'flagtui[code]'")
    async with running(replace(setting, code=code)) as program:
        await program.press("f8")
        assert "Not possible from here: the parser is missing" in words(program.screen)
        await program.press("R")
        assert "the parser is missing" in program.notices[-1]


async def test_scan_in_another_process_is_stored_or_names_mistakes(setting: Setting, tmp_path: Path) -> None:
    shop, cache = tmp_path / "shop", tmp_path / "cache"
    shop.mkdir()
    (shop / "nav.ts").write_text('if (posthog.isFeatureEnabled("new-nav")) show();\n')
    settings = shop / ".flagtui.toml"
    settings.write_text("[code]\nwrapers = []\n")

    async def scan(program: Program) -> str:
        await program.press("R")
        for worker in [worker for worker in program.app.workers if worker.group == "code-scan"]:
            await worker.wait()
        await program.settle()
        return words(program.screen)

    async with running(replace(setting, code=CodeScanner("test", shop, cache))) as program:
        await program.go_to("new-nav", "f8")
        shown = await scan(program)
        assert "not scanned" in shown
        assert "wrapers" in shown
        settings.unlink()
        assert "nav.ts:1:30 call ts" in await scan(program)
    stored = CodeScans(cache, "test", "1").load(shop)
    assert stored is not None
    assert [place.place for place in stored.places] == ["nav.ts:1:30"]


@pytest.mark.parametrize(
    ("folder", "word"),
    [(Path.home() / "my shop", "~/'my shop'"), (Path("/my shop"), "'/my shop'"), (Path.home(), "~")],
)
def test_command_for_a_scan_quotes_the_folder(folder: Path, word: str) -> None:
    code = FakeCode(None)
    code.folder = folder
    lines = first_steps(CodeSearch(code, "1", lambda: None), "flagtui", ("--project", "1"))
    commands = [text for line in lines for text, _style in line if text.startswith("flagtui")]
    assert commands == [f"flagtui refs --in {word} --project 1"]

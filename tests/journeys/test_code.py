"""Code in the app: the tab Code, keys without a record, words of the search line, questions, and scans."""

import sys
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.doubles.code_source import FakeCode, make_scan
from tests.doubles.expected import require
from tests.doubles.whole_program import NOW, WIDE, Program, Setting, running

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
        program.see("5 uses: src/nav.ts:12:5, web/app.ts:1:5, web/app.ts:2:5 and 2 more", "searched 1 h ago")
        await program.press("escape", "f8", shows="5 uses and 1 mention in /home/me/shop scanned 1 h ago")
        program.see("src/nav.ts:12:5 call ts rolled-out", "without the flag: keep what it turns on")
        program.see(ROLLED_OUT.message, lacks="src/nav.ts:30:9")
        await program.press("end", shows="test: the code does not need the key here")
        await program.press("right", "f8", shows="src/nav.ts:12:5")
        code.ends.set()
        await program.press("R", shows=("not scanned: the scan ended without a result", "src/nav.ts:12:5"))
        await program.press("escape")
        await program.go_to("ai-summaries", "f8", shows="No use and 1 mention")
        program.see("not in a call that the scan recognises; it may be a use")
        await program.press("escape", "3")
        await program.go_to("$pageview", "f8", shows="src/page.py:9:2 call python")


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
        await program.press("s", "s", "s", "home", shows="REFS ↓")
        first = next(line for line in program.screen.splitlines() if "%" in line)
        assert "checkout-redesign" in first
        assert first.strip(" ┃").split()[-1] == "2"
        await program.go_to("refs:>1", shows="1 of 248")
        await program.go_to("code:rolled-out", shows="new-nav")
        await program.go_to("code:deleted", shows="F6 lists keys in code that have no record")
        await program.press("escape", "slash", *"code:unr", "tab", shows="code:unreferenced")

        await program.press("escape", "escape", "f6", shows="Keys without a record 2 scanned 1 h ago")
        program.see("new-navv unknown-key flag 2 src/nav.ts:9:5")
        program.see("old-prices deleted-key flag 1 api/prices.py:77:20")
        await program.press("enter")
        assert arguments.read_text() == f"+9 {path}"
        await program.go_to("is:deleted", lacks="new-navv")
        await program.press("escape", "escape")
        await program.go_to("new-nav", "f8", "enter")
        assert arguments.read_text() == f"+12 {path}"
        path.unlink()
        await program.press("enter", toast="src/nav.ts is gone since the scan; R scans again")


async def test_scans_run_beside_everything_until_they_are_cancelled(setting: Setting) -> None:
    code = FakeCode(next=make_scan(*PLACES, taken_at=NOW.timestamp()))
    async with running(replace(setting, size=WIDE, code=code, neighbours=("other",))) as program:
        await program.go_to("refs:0", shows=("refs: no scan yet; scan on a Code tab", "248"))
        await program.go_to("is:stale", shows="safest first: dependents, value, last call")
        await program.press("S", shows="riskiest first")
        await program.press("s", shows="UPDATED ↓")
        await program.press("escape", "f6", shows="No scan of /home/me/shop yet.")
        await program.press("R", "escape")
        assert code.is_cancelled
        program.see("Keys without a record")
        await program.press("escape", lacks="Keys without a record")
        await program.go_to("new-nav", "a", lacks="searched")
        await program.press("escape", "enter", "left", "left", shows="No scan of /home/me/shop yet.")
        program.see("R scans it now", "flagtui refs --in /home/me/shop --profile test --project 1")
        code.is_cancelled = False
        await program.press("R", shows="scanning 512 of 14,800 files esc cancels")
        await program.press("escape")
        assert code.is_cancelled
        program.see("No scan of /home/me/shop yet.")
        await program.press("R", "left")
        code.ends.set()
        await program.press("right", shows="src/nav.ts:12:5")
        await program.press("escape")
        await program.go_to("refs:>1", shows="1 of 248")
        code.ends.clear()
        code.is_cancelled = False
        await program.press("f6", "R", "P", "down", "enter")
        assert code.is_cancelled


async def test_code_tab_names_what_a_scan_lacks(setting: Setting) -> None:
    code = FakeCode(missing="the parser is missing; install ast-grep-py beside flagtui")
    async with running(replace(setting, code=code)) as program:
        await program.press("f8", shows="Not possible from here: the parser is missing")
        await program.press("R", toast="the parser is missing")


async def test_scan_in_another_process_is_stored_or_names_mistakes(setting: Setting, tmp_path: Path) -> None:
    shop, cache = tmp_path / "shop", tmp_path / "cache"
    shop.mkdir()
    settings = shop / ".flagtui.toml"
    settings.write_text("[code]\nwrapers = []\n")

    async def scan(program: Program, *shows: str) -> None:
        await program.press("R")
        for worker in [worker for worker in program.app.workers if worker.group == "code-scan"]:
            await worker.wait()
        await program.settle(shows=shows)

    async with running(replace(setting, code=CodeScanner("test", shop, cache))) as program:
        await program.go_to("new-nav", "f8")
        await scan(program, "not scanned", "wrapers")
        settings.unlink()
        await scan(program, "not scanned", "has no source file")
        (shop / "nav.ts").write_text('if (posthog.isFeatureEnabled("new-nav")) show();\n')
        await scan(program, "nav.ts:1:30 call ts")
    stored = require(CodeScans(cache, "test", "1").load(shop))
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

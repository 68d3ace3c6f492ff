"""Flags by their uses in code: a column, an order, and words of the search line."""

from dataclasses import replace

from tests.doubles.code_source import FakeCode, make_scan
from tests.doubles.whole_program import NOW, WIDE, Program, Setting, running, words

from flagtui.config.preferences import Preferences
from flagtui.models.code_uses import CodeUse, UseFinding

ROLLED_OUT = UseFinding("rolled-out", "Everyone gets true.")
PLACES = (
    CodeUse("a.ts", 1, 1, "call", "checkout-redesign"),
    CodeUse("a.ts", 2, 1, "call", "checkout-redesign"),
    CodeUse("a.ts", 3, 1, "call", "new-nav", findings=(ROLLED_OUT,)),
    CodeUse("a.ts", 4, 1, "comment", "ai-summaries"),
    CodeUse("a.ts", 5, 1, "string", "dark-mode-default"),
)
CODE = make_scan(*PLACES, taken_at=NOW.timestamp() - 3_600)


async def search(program: Program, line: str) -> str:
    await program.press("slash", *line, "enter")
    return words(program.screen)


async def test_uses_in_code_narrow_the_list(setting: Setting) -> None:
    async with running(replace(setting, code=FakeCode(CODE))) as program:
        assert "2 of 248" in await search(program, "refs:>0")
        assert "checkout-redesign" in program.screen
        assert "1 of 248" in await search(program, "refs:>1")
        assert "246 of 248" in await search(program, "refs:0")


async def test_findings_in_code_narrow_the_list(setting: Setting) -> None:
    async with running(replace(setting, code=FakeCode(CODE))) as program:
        assert "new-nav" in await search(program, "code:rolled-out")
        assert "1 of 248" in words(program.screen)
        assert "ai-summaries" in await search(program, "code:comment-only")
        assert "dark-mode-default" not in await search(program, "code:unreferenced")


async def test_search_for_deleted_keys_leads_to_their_list(setting: Setting) -> None:
    async with running(replace(setting, code=FakeCode(CODE))) as program:
        assert "F6 lists keys in code that have no record" in await search(program, "code:deleted")


async def test_search_about_code_without_a_scan_names_the_lack(setting: Setting) -> None:
    async with running(replace(setting, code=FakeCode())) as program:
        shown = await search(program, "refs:0")
        assert "refs: no scan yet; R on a Code tab scans" in shown
        assert "248" in shown


async def test_search_line_completes_rules_of_code(setting: Setting) -> None:
    async with running(replace(setting, code=FakeCode(CODE))) as program:
        await program.press("slash", *"code:unr", "tab")
        assert "code:unreferenced" in program.screen


async def test_column_shows_uses_and_sorts_by_them(setting: Setting) -> None:
    tastes = Preferences(columns={"flags": ("rollout", "refs")})
    async with running(replace(setting, code=FakeCode(CODE), preferences=tastes)) as program:
        assert "REFS" in program.screen
        await program.press("s", "s", "s", "home")
        lines = [line for line in program.screen.splitlines() if "%" in line]
        assert "REFS ↓" in program.screen
        assert "checkout-redesign" in lines[0]
        assert lines[0].strip(" ┃").split()[-1] == "2"


async def test_scan_in_the_app_updates_the_list(setting: Setting) -> None:
    code = FakeCode(next=CODE)
    code.ends.set()
    async with running(replace(setting, code=code)) as program:
        await program.go_to("new-nav")
        await program.press("enter", "left", "left", "R", "escape")
        assert "1 of 248" in await search(program, "refs:>1")


def first_keys(program: Program) -> list[str]:
    return [line.split()[1] for line in program.screen.splitlines() if " %" in line][:3]


async def test_unused_flags_are_sorted_by_how_safely_they_go(setting: Setting) -> None:
    used = CodeUse("a.ts", 1, 1, "call", "billing-tax-ids")
    code = FakeCode(make_scan(used, taken_at=NOW.timestamp()))
    async with running(replace(setting, size=WIDE, code=code)) as program:
        before = first_keys(program)
        shown = await search(program, "is:stale")
        assert "safest first: code, value, last call 1/34 of 248" in shown
        await program.press("end")
        assert "billing-tax-ids" in program.screen
        await program.press("slash", "backspace", "enter", "home")
        assert first_keys(program) == before
        assert program.app.app_state.session.preferences.remembered.sorts == {}


async def test_clean_up_order_without_a_scan_names_the_lack(setting: Setting) -> None:
    async with running(replace(setting, size=WIDE)) as program:
        shown = await search(program, "is:stale")
        assert "safest first: value, last call 1/34 of 248" in shown
        await program.press("S")
        assert "riskiest first" in words(program.screen)


async def test_chosen_order_stays_after_a_clean_up(setting: Setting) -> None:
    async with running(setting) as program:
        await search(program, "is:stale")
        assert "safest first" in words(program.screen)
        await program.press("s")
        assert "UPDATED ↓" in program.screen

"""The question before archiving a flag names its uses in code, with the age of the scan."""

from dataclasses import replace

from tests.doubles.code_source import FakeCode, make_scan
from tests.doubles.whole_program import NOW, Setting, running, words

from flagtui.models.code_uses import CodeUse


async def test_question_before_archiving_names_the_uses_in_code(setting: Setting) -> None:
    uses = tuple(CodeUse("src/app.ts", line, 5, "call", "new-nav") for line in range(1, 6))
    code = FakeCode(make_scan(*uses, taken_at=NOW.timestamp() - 7_200))
    async with running(replace(setting, code=code)) as program:
        await program.go_to("new-nav")
        await program.press("a")
        assert "5 uses: src/app.ts:1:5, src/app.ts:2:5, src/app.ts:3:5 and 2 more" in words(program.screen)
        assert "searched 2 h ago" in words(program.screen)


async def test_question_without_a_scan_names_no_code(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        await program.press("a")
        assert "searched" not in words(program.screen)

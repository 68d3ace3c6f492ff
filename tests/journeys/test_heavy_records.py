"""A flag of 2,000 conditions and 2,000 variants is looked at without a pause that a person feels."""

from pathlib import Path

from tests.doubles import heavy_records as heavy
from tests.doubles.loop_blocks import LoopBlocks
from tests.doubles.whole_program import WIDE, Setting, running, words

from flagtui.app.flags.flag_screen import TITLES, FlagScreen

MOST_WORK = 0.5
"""Seconds of the processor between two looks at the keys: a tenth is meant, fourteen were needed before."""


async def test_heavy_flag_is_seen_on_every_tab(template: Path, tmp_path: Path) -> None:
    raw = heavy.with_conditions(2_000)
    raw["filters"] |= {
        name: heavy.with_variants(2_000)["filters"][name] for name in ("multivariate", "payloads")
    }
    setting = Setting(template, tmp_path, size=WIDE)
    async with running(setting, lambda wire: heavy.serve(wire, "feature_flags", [raw])) as program:
        async with LoopBlocks() as blocks:
            await program.press("home")
            assert "WHO SEES IT   2,000 conditions" in program.screen
            await program.press("enter")
            screen = program.app.screen
            assert isinstance(screen, FlagScreen)
            seen = {}
            for name in TITLES:
                screen.action_open_tab(name)
                await program.settle()
                await program.press("G")
                seen[name] = words(program.screen)
            await program.press("escape", "space")
        assert "… and 1,900 more conditions; the JSON tab has all" in seen["overview"]
        assert "… and 1,933 more conditions; the JSON tab has all" in seen["conditions"]
        assert "… and 1,933 more variants; the JSON tab has all" in seen["variants"]
        assert "2,000 conditions are too many to count" in seen["reach"]
        assert "lines so far" not in seen["json"]
        assert "Turn OFF" in program.screen
        assert blocks.most_work < MOST_WORK

"""What else the server can be asked about flags: ids, my flags, data for libraries, cohort, dashboard."""

import json
import stat
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.doubles.expected import require
from tests.doubles.whole_program import Setting, running
from tests.doubles.wire import Wire
from tests.journeys.modes import is_legacy
from textual.events import Paste

from flagtui.app.flags.flag_screen import FlagScreen


async def test_ids_my_flags_and_local_data_are_looked_up(
    any_mode: Setting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "started here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    async with running(any_mode) as program:
        colleague = program.colleague()
        other = (await colleague.flags.page({"archived": "true"})).rows[0]
        await program.press("number_sign")
        program.app.post_message(Paste(f"812, #{other.id}\n and 999999 (see log)"))
        await program.settle(shows="3 ids")
        await program.press("enter", shows=("#812 checkout-redesign", f"#{other.id} {other.key[:20]}"))
        program.see("#999999 not known here", "2 of 3 found")
        await program.press("enter", front=FlagScreen)
        await program.press("escape", "escape", shows="KEY")

        await program.press("ctrl+g", shows=("LOCAL EVALUATION DATA", "flags · ", "cohort"))
        program.see('"ai-chart-captions" … 1', '"flags": [')
        await program.press("ctrl+s")
        (path,) = folder.iterdir()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        document = require(await colleague.evaluation.local_evaluation())
        assert json.loads(path.read_text())["flags"] == document.raw["flags"]
        assert str(path.name) in program.notices[-1]

        if is_legacy(any_mode):
            return
        mine = await colleague.evaluation.my_flags()
        on = sum(evaluation.value not in (False, None) for evaluation in mine)
        await program.press("escape", "I")
        workspace = program.workspace
        archived = len(mine) - len(workspace.flags.rows)
        assert archived > 0
        program.see(f"{on} of {len(mine)} on, {archived} archived or new")
        await program.press("slash", *"checkout-v2", shows="checkout-v2-banner", lacks="new-nav")


@pytest.mark.parametrize("options", [(("legacy", True), ("strict", True))], ids=["legacy"])
async def test_data_closed_to_keys_is_explained_and_requested_once(
    setting: Setting, options: tuple[tuple[str, bool], ...]
) -> None:
    async with running(replace(setting, options=options)) as program:
        await program.press("I", shows="does not offer this to API keys")
        await program.press("escape")
        await program.go_to("checkout-redesign", "enter", "C", "y", toast="does not offer this to API keys")
        assert program.wire.count("create_static_cohort") == 1
        screen = program.app.screen
        assert screen.check_action("cohort", ()) is None
        await program.press("C")
        assert program.wire.count("create_static_cohort") == 1
        assert isinstance(screen, FlagScreen)
        program.app.clear_notifications()
        screen.action_open_tab("links")
        await program.settle()
        await program.press("end", shows="create a cohort: This server does not offer this to API keys.")


async def test_cohort_dashboard_and_copied_payload_are_made_once(setting: Setting) -> None:
    def lose(wire: Wire) -> None:
        wire.lose("/dashboard/$")

    async with running(setting, lose) as program:
        await program.go_to("checkout-redesign", "enter", "C", shows="Create a cohort in TEST")
        program.see("up to 86 users")
        await program.press("escape")
        assert program.wire.count("create_static_cohort") == 0
        await program.press("C", "y")
        assert program.wire.count("create_static_cohort") == 1
        program.see(toast="checkout-redesign has a cohort now: cohort #")
        entry = program.journal.entries()[0]
        assert (entry.kind, entry.ending, entry.key) == ("cohort", "saved", "checkout-redesign")

        await program.press("escape")
        await program.go_to("new-nav", "enter", "B", "y")
        assert program.wire.count("/dashboard/") == 1
        program.see(toast="new-nav has a dashboard now")
        assert program.journal.entries()[0].ending == "saved"
        assert (await program.stored("new-nav")).usage_dashboard is not None

        await program.press("escape")
        await program.go_to("rate-limit-tier", "enter", "y")
        flag = await program.stored("rate-limit-tier")
        assert program.app.clipboard == json.dumps(json.loads(flag.targeting.payloads["true"]))
        program.see(toast="clipboard")
        assert program.app.clipboard not in program.notices[-1]

"""Experiments changed by steps, as text and as copies, on servers of every kind."""

import re
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace
from tests.doubles.whole_program import Program, Setting, running, words
from tests.journeys.flag_form import fill
from tests.journeys.modes import is_legacy
from tests.journeys.steps import stand_on_experiment
from tests.journeys.test_edit_flags import editor

from flagtui.app.experiments.experiment_list import ExperimentsScreen
from flagtui.app.writing.question import ConfirmScreen
from flagtui.models.experiment import Experiment


async def read_stored(program: Program, name: str) -> Experiment:
    """An experiment as the service has it."""
    colleague = program.colleague()
    for archived in ("false", "true"):
        page = await colleague.experiments.page({"archived": archived, "limit": 100})
        for row in page.rows:
            if row.name == name:
                return await colleague.experiments.get(row.id)
    raise AssertionError(f"there is no {name}")


def sent_requests(program: Program) -> list[str]:
    """Requests that could have changed something."""
    harmless = ("GET", "POST .*(/query/|/user_blast_radius/)$")
    return [line for line in program.wire.passed if not any(re.match(each, line) for each in harmless)]


async def test_titles_of_choices_end_with_the_name(setting: Setting) -> None:
    async with running(replace(setting, size=(60, 15))) as program:
        await stand_on_experiment(program, "Badge for the yearly discount", "F")
        program.see("End with which conclusion: Badge", "no conclusion yet it can be set later")
        await program.press("escape", "W", shows="Ship which variant: Badge")
        await program.press(*"test", "enter", shows="Ship to whom: test")
        await program.press("enter", shows="won no results are loaded")


async def test_flag_shows_at_once_what_became_of_its_experiment(program: Program) -> None:
    await program.go_to("checkout-redesign", "h", "right", shows="#31 Checkout redesign running")
    await program.press("escape")
    await stand_on_experiment(program, "Checkout redesign", "F", "enter", "y")
    await program.press("1", "h", "right", shows="#31 Checkout redesign not running")
    await program.press("u", "y", shows="#31 Checkout redesign running")


async def test_page_shows_the_shares_that_its_flag_has_now(program: Program) -> None:
    await stand_on_experiment(program, "Badge for the yearly discount", "enter")
    await program.press("W")
    assert "│ ● test" not in program.screen, "no variant has won"
    await program.press(*"test", "enter", "enter", "enter", "y", shows="test 100 %")
    assert program.last_line.startswith("W ship  a archive"), "keys of an ended experiment"
    await program.press("u", "y", "escape")
    assert "test 50 %" in words(program.screen), "the first step of the undo changed the flag"


async def test_question_after_choices_is_about_the_current_experiment(program: Program) -> None:
    await stand_on_experiment(program, "Pricing page test", "W", *"test", "enter")
    experiments = program.colleague().experiments
    await experiments.pause(26)
    await program.press("enter", "enter", shows="experiment: paused → stopped")
    await experiments.resume(26)
    await program.press("y", shows="experiment: running → stopped")
    program.see("Not saved: it was changed meanwhile: it is running now. Read it and confirm again.")
    await program.press("y")
    assert (await read_stored(program, "Pricing page test")).state == "stopped"


async def test_pause_sees_a_dependent_that_was_just_turned_on(program: Program) -> None:
    await program.go_to("checkout-v2-banner", "space", "y")
    await program.colleague().flags.enable(program.row("checkout-v2-banner").id)
    await stand_on_experiment(program, "Checkout redesign", "space")
    assert "checkout-v2-banner depends on its flag" in " ".join(program.notices)


async def test_running_experiment_is_paused_by_flag_and_ended_by_shipping(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        await stand_on_experiment(program, "Checkout redesign", "F", shows="won no results are loaded")
        await program.press("enter", front=ConfirmScreen)
        await program.press("escape", "space", "L", "a", front=ExperimentsScreen)
        assert "checkout-v2-banner depends on its flag" in " ".join(program.notices)
        assert sent_requests(program) == []
        await program.press("W", *"test", "enter", "enter", *"won", "enter", *"sure", "enter")
        # The oldest servers do not tell how long it was meant to run.
        planned = () if is_legacy(any_mode) else ("day 12 of 20 that were planned",)
        program.see("variant test: 50 % → 100 %", "conclusion: none → won", *planned)
        await program.press("y")
        shipped = await read_stored(program, "Checkout redesign")
        assert (shipped.state, shipped.conclusion, shipped.conclusion_comment) == ("stopped", "won", "sure")
        assert {variant.key: variant.rollout for variant in shipped.variants} == {"control": 0, "test": 100}
        assert len((await program.stored("checkout-redesign")).targeting.conditions) == 2

        await stand_on_experiment(program, "Pricing page test")
        before = sent_requests(program)
        await program.press("space", shows="Pause: turn its flag OFF in TEST")
        program.see("pricing-page-test is turned off")
        assert sent_requests(program) == before
        await program.press("y")
        assert (await read_stored(program, "Pricing page test")).state == "paused"
        program.see("paused", toasts="is paused; its flag is off")
        assert not program.row("pricing-page-test").active
        await program.press("u", shows=("Undo: ", "flag pricing-page-test: off → on"))
        await program.press("y")
        assert (await read_stored(program, "Pricing page test")).state == "running"

        await program.press("W", *"test", "enter", "enter", "enter", "y")
        ended = await read_stored(program, "Pricing page test")
        assert (ended.state, ended.conclusion, ended.conclusion_comment) == ("stopped", None, None)
        await program.press("Z", shows="results start from zero")
        await program.press("y")
        assert (await read_stored(program, "Pricing page test")).state == "draft"
        assert not [line for line in sent_requests(program) if line.startswith("DELETE")]


async def test_cohort_is_made_once_and_failures_are_reported_exactly(
    setting: Setting, everybody: Path
) -> None:
    approval = {"status": "requires_approval", "code": "approval_required", "change_request_id": "c1"}
    async with running(replace(setting, template=everybody)) as program:
        await stand_on_experiment(program, "Chart colours", "C")
        await program.press("y")
        assert (await read_stored(program, "Chart colours")).exposure_cohort
        await program.press("C", toasts="already has an exposure cohort")

        program.wire.answer("/ship_variant/$", httpx.Response(409, json=approval))
        program.wire.lose("/pause/$")
        await stand_on_experiment(program, "Checkout redesign", "W", *"test", "enter", "enter", "enter")
        await program.press("y")
        assert (await read_stored(program, "Checkout redesign")).state == "running"
        program.see(toasts="needs approval")

        await stand_on_experiment(program, "Pricing page test", "space")
        await program.press("y")
        assert (
            program.wire.count("POST /api/projects/1/experiments/26/pause/")
            == program.wire.count("/pause/")
            == 1
        )
        program.see(toasts="is paused; its flag is off")


async def test_experiment_is_edited_in_the_users_editor_and_copied(
    any_mode: Setting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(
        tmp_path,
        monkeypatch,
        "pass",
        """text = text.replace('"metrics": [', '"metrics": {')""",
        *("text = text.replace('Do calmer colours', 'Do louder colours')",) * 2,
    )
    async with running(any_mode) as program:
        await stand_on_experiment(program, "Chart colours", "E", toasts="nothing was changed")

        await program.press("E")
        assert any("it is not JSON" in notice and "kept in" in notice for notice in program.notices)
        assert sent_requests(program) == []
        kept = any_mode.folder / "state" / "drafts" / "experiment-20.json"
        assert '"metrics": {' in kept.read_text(encoding="utf-8")

        await program.press("E", shows="Do louder colours")
        await program.press("escape", toast="Your text is kept in")
        await program.press("E", "y")
        changed = await read_stored(program, "Chart colours")
        assert changed.description == "Do louder colours keep people reading?"
        assert (changed.state, len(changed.metrics)) == ("running", 1)

        if is_legacy(any_mode):
            return
        await program.press("D", "down", "enter")
        await fill(program, "chart-colours-there", shows="shared metrics stay behind")
        await program.press("y", toasts="has a copy there")
        await program.press("u", "y", toast="Chart colours is deleted in project #2")
        assert (await read_stored(program, "Chart colours")).id == 20

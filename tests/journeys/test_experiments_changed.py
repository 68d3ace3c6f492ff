"""Experiments changed by steps, as text and as copies, on servers of every kind."""

from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace
from tests.doubles.whole_program import Program, Setting, running, words
from tests.journeys.modes import is_legacy
from tests.journeys.standing import stand_on_experiment
from tests.journeys.test_edit_flags import editor
from textual.widgets import Input

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
    return [
        line
        for line in program.wire.passed
        if line.startswith(("PATCH", "DELETE", "PUT"))
        or (line.startswith("POST") and not line.endswith(("/query/", "/user_blast_radius/")))
    ]


async def say_yes(program: Program) -> None:
    assert isinstance(program.app.screen, ConfirmScreen), program.screen
    await program.press("y")


async def test_titles_of_choices_end_with_the_name(setting: Setting) -> None:
    async with running(replace(setting, size=(60, 15))) as program:
        await stand_on_experiment(program, "Badge for the yearly discount", "F")
        assert "End with which conclusion: Badge" in words(program.screen)
        assert "no conclusion yet it can be set later" in words(program.screen)
        await program.press("escape", "W")
        assert "Ship which variant: Badge" in words(program.screen)
        await program.press(*"test", "enter")
        assert "Ship to whom: test" in words(program.screen)
        await program.press("enter")
        assert "won no results are loaded" in words(program.screen)


async def test_flag_shows_at_once_what_became_of_its_experiment(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("checkout-redesign", "h", "right")
        assert "#31 Checkout redesign running" in words(program.screen)
        await program.press("escape")
        await stand_on_experiment(program, "Checkout redesign", "F", "enter", "y")
        await program.press("1", "h", "right")
        assert "#31 Checkout redesign not running" in words(program.screen)
        await program.press("u", "y")
        assert "#31 Checkout redesign running" in words(program.screen)


async def test_page_shows_the_shares_that_its_flag_has_now(setting: Setting) -> None:
    async with running(setting) as program:
        await stand_on_experiment(program, "Badge for the yearly discount", "enter")
        await program.press("W")
        assert "│ ● test" not in program.screen, "no variant has won"
        await program.press(*"test", "enter", "enter", "enter", "y")
        assert "test 100 %" in words(program.screen)
        await program.press("u", "y", "escape")
        assert "test 50 %" in words(program.screen), "the first step of the undo changed the flag"


async def test_running_experiment_is_paused_by_flag_and_ended_by_shipping(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        await stand_on_experiment(program, "Checkout redesign", "F")
        assert "won no results are loaded" in words(program.screen)
        await program.press("enter")
        assert isinstance(program.app.screen, ConfirmScreen)
        await program.press("escape", "space", "L", "a")
        assert isinstance(program.app.screen, ExperimentsScreen)
        assert "checkout-v2-banner depends on its flag" in " ".join(program.notices)
        assert sent_requests(program) == []
        await program.press("W", *"test", "enter", "enter")
        await program.press(*"won", "enter", *"sure", "enter")
        seen = words(program.screen)
        assert "variant test: 50 % → 100 %" in seen
        assert "conclusion: none → won" in seen
        # The oldest servers do not tell how long it was meant to run.
        assert is_legacy(any_mode) or "day 12 of 20 that were planned" in seen
        await say_yes(program)
        shipped = await read_stored(program, "Checkout redesign")
        assert (shipped.state, shipped.conclusion, shipped.conclusion_comment) == ("stopped", "won", "sure")
        assert {variant.key: variant.rollout for variant in shipped.variants} == {"control": 0, "test": 100}
        assert len((await program.stored("checkout-redesign")).targeting.conditions) == 2

        await stand_on_experiment(program, "Pricing page test")
        before = sent_requests(program)
        await program.press("space")
        assert "Pause: turn its flag OFF in TEST" in program.screen
        assert "pricing-page-test is turned off" in words(program.screen)
        assert sent_requests(program) == before
        await say_yes(program)
        assert (await read_stored(program, "Pricing page test")).state == "paused"
        assert any("is paused; its flag is off" in notice for notice in program.notices)
        assert "paused" in program.screen
        assert not program.row("pricing-page-test").active
        await program.press("u")
        assert "Undo: " in program.screen
        assert "flag pricing-page-test: off → on" in words(program.screen)
        await say_yes(program)
        assert (await read_stored(program, "Pricing page test")).state == "running"

        await program.press("W", *"test", "enter", "enter", "enter")
        await say_yes(program)
        as_before = await read_stored(program, "Pricing page test")
        expected = ("stopped", None, None)
        assert (as_before.state, as_before.conclusion, as_before.conclusion_comment) == expected
        await program.press("Z")
        assert "results start from zero" in words(program.screen)
        await say_yes(program)
        assert (await read_stored(program, "Pricing page test")).state == "draft"
        assert not [line for line in sent_requests(program) if line.startswith("DELETE")]


async def test_cohort_is_made_once_and_failures_are_reported_exactly(
    setting: Setting, everybody: Path
) -> None:
    def approval(request: httpx.Request) -> httpx.Response | None:
        if not request.url.path.endswith("/ship_variant/"):
            return None
        body = {"status": "requires_approval", "code": "approval_required", "change_request_id": "c1"}
        return httpx.Response(409, json=body)

    def lose(request: httpx.Request) -> Exception | None:
        return httpx.ReadTimeout("slow") if request.url.path.endswith("/pause/") else None

    async with running(replace(setting, template=everybody)) as program:
        await stand_on_experiment(program, "Chart colours", "C")
        await say_yes(program)
        assert (await read_stored(program, "Chart colours")).exposure_cohort
        await program.press("C")
        assert any("already has an exposure cohort" in notice for notice in program.notices)

        program.wire.before, program.wire.after = approval, lose
        await stand_on_experiment(program, "Checkout redesign", "W", *"test", "enter", "enter", "enter")
        await say_yes(program)
        assert (await read_stored(program, "Checkout redesign")).state == "running"
        assert any(notice.startswith("needs approval") for notice in program.notices)

        await stand_on_experiment(program, "Pricing page test", "space")
        await say_yes(program)
        assert [line for line in sent_requests(program) if line.endswith("/pause/")] == [
            "POST /api/projects/1/experiments/26/pause/"
        ]
        assert any("is paused; its flag is off" in notice for notice in program.notices)


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
        await stand_on_experiment(program, "Chart colours", "E")
        assert any("nothing was changed" in notice for notice in program.notices)

        await program.press("E")
        assert any("it is not JSON" in notice and "kept in" in notice for notice in program.notices)
        assert sent_requests(program) == []
        kept = any_mode.folder / "state" / "drafts" / "experiment-20.json"
        assert '"metrics": {' in kept.read_text(encoding="utf-8")

        await program.press("E")
        assert "Do louder colours" in program.screen
        await program.press("escape")
        assert "Your text is kept in" in program.notices[-1]
        await program.press("E")
        await say_yes(program)
        changed = await read_stored(program, "Chart colours")
        assert changed.description == "Do louder colours keep people reading?"
        assert (changed.state, len(changed.metrics)) == ("running", 1)

        if is_legacy(any_mode):
            return
        await program.press("D", "down", "enter")
        program.app.screen.query_one(Input).value = "chart-colours-there"
        await program.press("enter")
        assert "shared metrics stay behind" in words(program.screen)
        await say_yes(program)
        assert any("has a copy there" in notice for notice in program.notices)
        await program.press("u")
        await say_yes(program)
        assert "Chart colours is deleted in project #2" in program.notices[-1]
        assert (await read_stored(program, "Chart colours")).id == 20

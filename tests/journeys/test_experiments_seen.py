"""Looking at experiments: the list, one of them, its days, and what old or unwilling servers leave of it."""

from dataclasses import replace

import httpx
from tests.doubles.whole_program import Program, Setting, running, words

from flagtui.app.screens.experiment import ExperimentScreen
from flagtui.app.screens.experiment_parts.series import SeriesScreen
from flagtui.app.screens.experiments import ExperimentsScreen
from flagtui.app.screens.flags import FlagsScreen
from flagtui.app.widgets.row_list import RowList
from flagtui.models.rows import ExperimentRow


def row(program: Program) -> ExperimentRow:
    found: ExperimentRow | None = program.app.screen.query_one(RowList).row
    assert found is not None
    return found


async def stand_on(program: Program, name: str) -> None:
    """Open the experiments and stand on the one with this name."""
    await program.press("2")
    await program.press("slash")
    program.app.screen.query_one("SearchLine").set_line(name)  # type: ignore[attr-defined]  # found by name
    await program.press("enter")
    await program.pilot.pause(0.2)
    await program.settle()


async def test_the_list_counts_filters_and_orders(setting: Setting) -> None:
    async with running(setting) as program:
        assert "2 Experiments\n" not in program.screen
        await program.press("2")
        assert isinstance(program.app.screen, ExperimentsScreen)
        assert "2 Experiments 31" in program.screen
        await program.press("slash", *"is:paused", "enter")
        assert "2 of 31" in program.screen
        assert {program.app.screen.query_one(RowList).shown} == {2}
        await program.press("escape", "i", "i")
        assert "is:running" in program.screen
        await program.press("escape", "slash", *"flag:checkout", "enter")
        assert row(program).name == "Checkout redesign"
        await program.press("escape", "s", "s")
        assert row(program).key == "checkout-redesign"


async def test_archived_experiments_are_fetched_when_asked_for(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("2", "z")
        assert "is:archived" in program.screen
        assert program.app.screen.query_one(RowList).shown == 4
        assert "Annual plan first" in program.screen
        await program.press("z")
        assert program.app.screen.query_one(RowList).shown == 31


async def test_results_appear_beside_the_row_and_stay_at_a_glance(setting: Setting) -> None:
    async with running(setting) as program:
        await stand_on(program, "Checkout redesign")
        seen = program.screen
        assert "day 12 of ~20" in seen
        assert "split as it was meant" in seen
        assert "test +14.3 % · 97.6 %" in seen


async def test_a_split_that_is_not_what_was_meant_is_called_out_with_its_p_value(setting: Setting) -> None:
    async with running(setting) as program:
        await stand_on(program, "Onboarding questions")
        await program.press("enter")
        assert "uneven: not the split that was meant (χ² test, p = " in words(program.screen)
        assert "do not trust the results" in words(program.screen)


async def test_one_experiment_shows_all_there_is_and_leads_to_its_flag(setting: Setting) -> None:
    async with running(replace(setting, size=(132, 60))) as program:
        await stand_on(program, "Checkout redesign")
        await program.press("enter")
        assert isinstance(program.app.screen, ExperimentScreen)
        seen = words(program.screen)
        assert "Paid conversion (funnel) 26 % 29.72 % +14.3 %" in seen
        assert "lower wins" in seen
        assert "2,600 of 4,333 people to see 14 %, planned" in seen
        assert "about 8 days left at 217 a day" in seen
        assert "bayesian, 95 % intervals" in seen
        assert "% over the baseline by day" in seen
        await program.press("f")
        await program.pilot.pause(0.2)
        assert isinstance(program.app.screen, FlagsScreen)
        assert program.app.screen.query_one(RowList).row.key == "checkout-redesign"


async def test_the_days_of_a_metric_are_a_plot_a_table_and_can_be_computed_anew(setting: Setting) -> None:
    async with running(setting) as program:
        await stand_on(program, "Checkout redesign")
        await program.press("enter", "enter")
        assert isinstance(program.app.screen, SeriesScreen)
        assert "12 of 13 days" in program.screen
        assert "all days so far taken together" in program.screen
        assert "not computed" in program.screen
        await program.press("t")
        assert "2026-02-20" in program.screen
        assert "not computed yet" in program.screen
        await program.press("c")
        assert any("asked the server to calculate the days anew" in notice for notice in program.notices)
        await program.press("escape", "escape")
        assert isinstance(program.app.screen, ExperimentsScreen)


async def test_days_that_are_not_there_yet_are_said_to_be_being_calculated(setting: Setting) -> None:
    def pending(request: httpx.Request) -> httpx.Response | None:
        if not request.url.path.endswith("timeseries_results/"):
            return None
        days = {"2026-02-18": None, "2026-02-19": None}
        found = {
            "experiment_id": 31,
            "metric_uuid": "x",
            "status": "pending",
            "timeseries": days,
            "errors": None,
        }
        return httpx.Response(200, json=found)

    async with running(setting) as program:
        program.wire.before = pending
        await stand_on(program, "Checkout redesign")
        await program.press("enter", "enter")
        assert "being calculated: the server has no day yet" in program.screen


async def test_a_key_that_may_not_ask_questions_gets_the_last_stored_day(setting: Setting) -> None:
    def closed(request: httpx.Request) -> httpx.Response | None:
        if not request.url.path.endswith("/query/"):
            return None
        detail = "API key missing required scope 'query:read'"
        body = {"type": "authentication_error", "code": "permission_denied", "detail": detail, "attr": None}
        return httpx.Response(403, json=body)

    async with running(replace(setting, size=(190, 40))) as program:
        program.wire.before = closed
        await stand_on(program, "Checkout redesign")
        await program.press("enter")
        assert "+" in program.screen
        assert "as of 2026-03-01" in program.screen
        assert "as stored by the server until 2026-03-01" in program.screen


async def test_an_older_server_shows_the_same_list_and_states(setting: Setting) -> None:
    async with running(replace(setting, options=(("legacy", True),))) as program:
        await program.press("2")
        assert "2 Experiments 31" in program.screen
        assert program.screen.count("paused") >= 2
        await stand_on(program, "Checkout redesign")
        await program.press("enter")
        assert "Paid conversion" in program.screen


async def test_an_experiment_that_cannot_be_read_says_why(setting: Setting) -> None:
    def broken(request: httpx.Request) -> httpx.Response | None:
        return (
            httpx.Response(404, json={"type": "invalid_request", "code": "not_found", "detail": "Not found."})
            if (request.url.path.endswith("/experiments/31/"))
            else None
        )

    async with running(setting) as program:
        program.wire.before = broken
        await stand_on(program, "Checkout redesign")
        await program.press("enter")
        assert isinstance(program.app.screen, ExperimentScreen)
        assert "not found" in words(program.screen).lower() or "not there" in words(program.screen).lower()

"""Experiments: the list, pages, days, and the limits of old servers and of scopes."""

import httpx
import pytest
from msgspec.structs import replace
from tests.doubles.whole_program import Program, Setting, running, words
from tests.journeys.standing import stand_on_experiment

from flagtui.app.experiments.detail.series import SeriesScreen
from flagtui.app.experiments.experiment_screen import ExperimentScreen
from flagtui.app.flags.flag_screen import FlagScreen
from flagtui.models.rows import ExperimentRow


def row(program: Program) -> ExperimentRow:
    experiment: ExperimentRow | None = program.rows.row
    assert experiment is not None
    return experiment


async def test_list_counts_filters_sorts_and_glances_at_results(setting: Setting) -> None:
    async with running(replace(setting, size=(104, 40))) as program:
        assert "2 Experiments\n" not in program.screen
        await program.press("2")
        assert "2 Experiments 31" in program.screen
        await program.go_to("is:running")
        assert "12 of 31" in program.screen
        assert program.wire.count("/query/") == 0
        await program.press("R")
        assert "+14.3 % · win 97.6 %" in program.screen
        assert "test-b +43.8 % · win 95.8 %" in program.screen
        assert program.wire.count("/query/") == 12
        await program.go_to("is:paused")
        assert "2 of 31" in program.screen
        await program.press("escape", "f", "f")
        assert "is:running" in program.screen
        await program.go_to("flag:checkout")
        assert row(program).name == "Checkout redesign"
        await program.press("escape", "s", "s")
        assert row(program).key == "checkout-redesign"
        await program.press(*"fffff")
        assert "is:archived" in program.screen
        assert program.rows.shown == 4
        assert "Annual plan first" in program.screen
        await program.press("f")
        assert program.rows.shown == 31


async def test_experiment_page_shows_everything_and_links_to_its_flag(setting: Setting) -> None:
    async with running(replace(setting, size=(132, 60))) as program:
        await stand_on_experiment(program, "Checkout redesign")
        beside = program.screen
        assert "day 12 of ~20" in beside
        assert "traffic split ok" in beside
        assert "+14.3 % · win 97.6 %" in beside
        await program.press("enter")
        assert isinstance(program.app.screen, ExperimentScreen)
        seen = words(program.screen)
        assert "Paid conversion (funnel) 26.00 % 29.72 % +14.3 %" in seen
        assert "lower wins" in seen
        assert "2,600 of 4,333 users to see 14 %, planned" in seen
        assert "about 8 days left at 217 a day" in seen
        assert "bayesian, 95 % intervals" in seen
        assert "% over the baseline by day" in seen
        await program.press("enter")
        assert isinstance(program.app.screen, SeriesScreen)
        assert "12 of 13 days" in program.screen
        assert "% over the baseline, all days so far" in program.screen
        assert "no value" in program.screen
        await program.press("v")
        assert "20 Feb" in program.screen
        assert "not computed yet" in program.screen
        await program.press("R")
        assert any("requested a recalculation of all days" in notice for notice in program.notices)
        await program.press("escape")
        assert isinstance(program.app.screen, ExperimentScreen)
        await program.press("l")
        assert isinstance(program.app.screen, FlagScreen)
        assert "checkout-redesign" in program.screen
        assert "1 Flags 248    2 Experiments 31 " in program.screen
        await program.press("escape")
        assert isinstance(program.app.screen, ExperimentScreen)
        before = program.wire.count("/query/")
        await program.press("R")
        assert "results calculated" in program.screen
        assert "29.72 %" in program.screen
        assert program.wire.count("POST /api/projects/1/experiments/31/metrics_recalculation/") == 1
        assert program.wire.count("/query/") == before + 1, "exposures are asked for, and no metric"
        # Ages move once a minute.
        program.timing.now += 1260
        await program.press("escape", "down", "up", "enter")
        assert "results calculated 20 min ago" in program.screen


async def test_what_an_unwilling_server_leaves_out_is_told(setting: Setting) -> None:
    def refuse_queries(request: httpx.Request) -> httpx.Response | None:
        if not request.url.path.endswith("/query/"):
            return None
        detail = "API key missing required scope 'query:read'"
        body = {"type": "authentication_error", "code": "permission_denied", "detail": detail, "attr": None}
        return httpx.Response(403, json=body)

    def pending(request: httpx.Request) -> httpx.Response | None:
        if not request.url.path.endswith("timeseries_results/"):
            return refuse_queries(request)
        days = {"2026-02-18": None, "2026-02-19": None}
        document = {"experiment_id": 31, "metric_uuid": "x", "status": "pending", "timeseries": days}
        return httpx.Response(200, json=document)

    def no_code(request: httpx.Request) -> httpx.Response | None:
        path = request.url.path
        if path.endswith("/experiments/31/"):
            missing = {"type": "invalid_request", "code": "not_found", "detail": "Not found."}
            return httpx.Response(404, json=missing)
        return httpx.Response(200, json={"result": True}) if "requires_flag" in path else None

    async with running(replace(setting, size=(190, 30))) as program:
        program.wire.before = refuse_queries
        await stand_on_experiment(program, "Checkout redesign", "enter")
        assert "as of 2026-03-01" not in program.screen
        assert "as stored by the server until 2026-03-01" in program.screen
        program.wire.before = pending
        await program.press("enter")
        assert "being calculated: the server has no day yet" in program.screen
        await program.press("escape", "escape")
        program.wire.before = no_code
        await stand_on_experiment(program, "Length of the tour", "enter")
        assert "! no code yet: none of its events carried a flag in the last 7 days" in program.screen
        assert "make it ask for length-of-the-tour before you launch" in program.screen
        await program.press("escape")
        program.timing.now += 3600
        await stand_on_experiment(program, "Checkout redesign", "enter")
        assert "not there" in words(program.screen).lower()


@pytest.mark.parametrize("server", ["legacy"])
async def test_an_older_server_shows_the_same_list_states_and_results(setting: Setting, server: str) -> None:
    async with running(replace(setting, size=(132, 30), options=((server, True),))) as program:
        await program.press("2")
        assert "2 Experiments 31" in program.screen
        assert program.screen.count("paused") >= 2
        await stand_on_experiment(program, "Checkout redesign", "enter")
        assert "Paid conversion" in program.screen
        before = program.wire.count("/query/")
        await program.press("R")
        assert program.wire.count("/query/") > before + 3
        assert "results from this minute" in program.screen

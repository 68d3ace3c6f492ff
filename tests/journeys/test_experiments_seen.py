"""Experiments: the list, pages, days, and the limits of old servers and of scopes."""

import httpx
import pytest
from msgspec.structs import replace
from tests.doubles.whole_program import Program, Setting, running, words
from tests.journeys.steps import stand_on_experiment
from tests.journeys.test_every_width import resize

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
        program.see(lacks="2 Experiments\n")
        await program.press("2", shows="2 Experiments 31")
        await program.go_to("is:running", shows="12 of 31")
        assert program.wire.count("/query/") == 0
        await program.press("R", shows=("+14.3 % · win 97.6 %", "test-b +43.8 % · win 95.8 %"))
        assert program.wire.count("/query/") == 12
        await program.go_to("is:paused", shows="2 of 31")
        await program.press("escape", "f", "f", shows="is:running")
        await program.go_to("flag:checkout")
        assert row(program).name == "Checkout redesign"
        await program.press("F", shows="won too few so far: 2,600 of 4,333 users")
        await program.press("escape", "escape", "s", "s")
        assert row(program).key == "checkout-redesign"
        await program.press(*"fffff", shows=("is:archived", "Annual plan first"), rows=4)
        await program.press("f", rows=31)


async def test_experiment_page_shows_everything_and_links_to_its_flag(setting: Setting) -> None:
    async with running(replace(setting, size=(132, 60))) as program:
        await stand_on_experiment(program, "Checkout redesign", shows=("day 12 of ~20", "traffic split ok"))
        program.see("+14.3 % · win 97.6 %")
        await program.press("enter", front=ExperimentScreen)
        program.see("Paid conversion (funnel) 26.00 % 29.72 % +14.3 %", "lower wins")
        program.see("2,600 of 4,333 users to see 14 %, planned", "about 8 days left at 217 a day")
        program.see("bayesian, 95 % intervals", "% over the baseline by day")
        await program.press("enter", shows="12 of 13 days", front=SeriesScreen)
        program.see("% over the baseline, all days so far", "no value")
        await program.press("v", shows=("20 Feb", "not computed yet"))
        await resize(program, (100, 60))
        assert any("INTERVAL" in line and "CHANCE" in line for line in program.screen.splitlines())
        await resize(program, (132, 60))
        await program.press("R", toasts="requested a recalculation of all days")
        await program.press("escape", front=ExperimentScreen)
        await program.press("l", shows="checkout-redesign", front=FlagScreen)
        program.see("1 Flags 248    2 Experiments 31 ")
        await program.press("escape", front=ExperimentScreen)
        before = program.wire.count("/query/")
        await program.press("R", shows=("results calculated", "29.72 %"))
        assert program.wire.count("POST /api/projects/1/experiments/31/metrics_recalculation/") == 1
        assert program.wire.count("/query/") == before + 1, "exposures are asked for, and no metric"
        # Ages move once a minute.
        program.timing.now += 1260
        await program.press("escape", "down", "up", "enter", shows="results calculated 20 min ago")


async def test_what_an_unwilling_server_leaves_out_is_told(setting: Setting) -> None:
    detail = "API key missing required scope 'query:read'"
    body = {"type": "authentication_error", "code": "permission_denied", "detail": detail, "attr": None}
    no_queries = {"/query/$": httpx.Response(403, json=body)}
    days = {"2026-02-18": None, "2026-02-19": None}
    pending = {"experiment_id": 31, "metric_uuid": "x", "status": "pending", "timeseries": days}
    missing = {"type": "invalid_request", "code": "not_found", "detail": "Not found."}
    async with running(replace(setting, size=(190, 30))) as program:
        program.wire.answer_each(no_queries)
        await stand_on_experiment(program, "Checkout redesign", "enter")
        until = "as stored by the server until 2026-03-01  R refreshes; no newer results: "
        program.see(f"{until}The key lacks the scope query:read.", lacks="as of 2026-03-01")
        program.wire.answer_each(no_queries | {"timeseries_results/$": httpx.Response(200, json=pending)})
        await program.press("enter", shows="no day calculated yet")
        await program.press("escape", "escape")
        no_code = httpx.Response(200, json={"result": True})
        not_found = httpx.Response(404, json=missing)
        program.wire.answer_each({"/experiments/31/$": not_found, "requires_flag": no_code})
        await stand_on_experiment(program, "Length of the tour", "enter")
        program.see("! no code yet: none of its events carried a flag in the last 7 days")
        program.see("make it ask for length-of-the-tour before you launch")
        await program.press("escape")
        program.timing.now += 3600
        await stand_on_experiment(program, "Checkout redesign", "enter")
        assert "not there" in words(program.screen).lower()


@pytest.mark.parametrize("server", ["legacy"])
async def test_an_older_server_shows_the_same_list_states_and_results(setting: Setting, server: str) -> None:
    async with running(replace(setting, size=(132, 30), options=((server, True),))) as program:
        await program.press("2", shows="2 Experiments 31")
        assert program.screen.count("paused") >= 2
        await stand_on_experiment(program, "Checkout redesign", "enter", shows="Paid conversion")
        before = program.wire.count("/query/")
        await program.press("R")
        assert program.wire.count("/query/") > before + 3
        program.see("results from this minute")

"""What cannot be changed with the others: named before and after, still marked, one key away."""

import re
from dataclasses import replace

from tests.doubles.whole_program import WIDE, Program, Setting, running, words
from tests.journeys.standing import stand_on_event, stand_on_experiment
from textual.widgets import OptionList

from flagtui.app.events.event_screen import EventScreen
from flagtui.app.experiments.experiment_screen import ExperimentScreen
from flagtui.app.flags.flag_screen import FlagScreen
from flagtui.app.widgets.row_list import RowList
from flagtui.app.writing.question import ConfirmScreen
from flagtui.app.writing.results_screen import ResultsScreen
from flagtui.changes.guard import GuardRules, Level

ASKED_FOR = "depends on this flag and is on; change or turn off that flag first"
ASKED_FOR_BY_TWO = "depend on this flag and are on; change or turn off those flags first"
HELD = {
    "pricing-page-test": "#26 Pricing page test is running on it; end the experiment first",
    "checkout-redesign": "#31 Checkout redesign is running on it; end the experiment first",
    "hogql-joins": f"insights-lifecycle-view {ASKED_FOR}",
    "mobile-deep-links": f"notifications-digest-mails-v2 {ASKED_FOR}",
    "geo-pricing": f"auth-magic-links, insights-compare-periods-v2 {ASKED_FOR_BY_TWO}",
    "webhook-retries": f"ingest-backpressure-v2, search-query-rewrite-next {ASKED_FOR_BY_TWO}",
}
"""Those of the first twenty flags of the sample that cannot be deleted as they are."""
UNDER_EXPERIMENTS = ("pricing-page-test", "checkout-redesign")


def lines(program: Program) -> list[str]:
    """The records that a question or its results list, each as one line of words."""
    options = program.app.screen.query_one(OptionList).options
    return [words(str(option.prompt)) for option in options]


def marked(program: Program) -> set[str]:
    rows = next(found for screen in program.app.screen_stack for found in screen.query(RowList))
    return {str(getattr(row, "key", "") or getattr(row, "name", "")) for row in rows.marked_rows()}


async def mark(program: Program, *keys: str) -> None:
    """Mark flags of the list, and leave the cursor on the last of them."""
    await program.search("")
    rows = program.rows
    rows.action_clear_marks()
    for key in keys:
        assert rows.select(program.row(key).id)
        rows.action_mark()
    rows.select(program.row(keys[-1]).id)
    await program.settle()


async def test_each_skipped_flag_is_named_before_and_after(setting: Setting) -> None:
    async with running(replace(setting, size=WIDE)) as program:
        free = {"new-nav", "export-parquet", "dashboards-public-links-next"}
        await mark(program, *HELD, *free)
        await program.press("d")
        assert "Delete 3 of 9 flags in TEST" in words(program.screen)
        assert "6 skipped, unchanged" in program.screen
        assert sorted(lines(program)) == sorted(f"{key} {reason}" for key, reason in HELD.items())
        await program.press("y")
        assert len(program.wire.writes()) == 3
        assert isinstance(program.app.screen, ResultsScreen)
        assert "3 deleted, 6 skipped" in program.screen
        told = lines(program)
        assert sorted(told[:6]) == sorted(f"– {key} skipped {reason}" for key, reason in HELD.items())
        assert sorted(told[6:]) == sorted(f"✓ {key} saved" for key in free)
        assert marked(program) == set(HELD)
        opened = next(key for key in HELD if key in told[1])
        await program.press("down", "enter")
        assert isinstance(program.app.screen, FlagScreen)
        assert f" {opened} " in program.screen
        await program.press("escape")
        assert marked(program) == set(HELD)


async def test_skipped_flags_open_from_a_question_that_no_letter_confirms(setting: Setting) -> None:
    async with running(replace(setting, rules=GuardRules(Level.STRICT, place="TEST"))) as program:
        await mark(program, "new-nav", "export-parquet", "pricing-page-test")
        await program.press("d")
        question = program.app.screen
        await program.press("shift+tab", *"ynoq")
        assert program.app.screen is question
        await program.press("enter")
        assert isinstance(program.app.screen, FlagScreen)
        assert " pricing-page-test " in program.screen
        await program.press("escape")
        assert marked(program) == {"new-nav", "export-parquet", "pricing-page-test"}
        await mark(program, *UNDER_EXPERIMENTS)
        await program.press("d")
        assert isinstance(program.app.screen, ResultsScreen)
        assert sorted(lines(program)) == sorted(f"– {key} skipped {HELD[key]}" for key in UNDER_EXPERIMENTS)
        await program.press("escape")
        assert marked(program) == set(UNDER_EXPERIMENTS)
        assert program.wire.writes() == []


async def test_events_and_experiments_that_cannot_change_are_skipped(setting: Setting) -> None:
    async with running(setting) as program:
        for name in ("checkout completed", "comment failed", "btn_click_2"):
            await stand_on_event(program, name)
            await program.press("x")
        await program.press("V")
        assert "Unverify 2 of 3 event definitions in TEST" in program.screen
        assert lines(program) == ["btn_click_2 it has these values already"]
        await program.press("y")
        assert re.search(r"─  2 [a-z]+, 1 skipped  ─", program.screen)
        assert marked(program) == {"btn_click_2"}
        await program.press("enter")
        assert isinstance(program.app.screen, EventScreen)
        assert "btn_click_2" in program.screen
        await program.press("escape")
        for name in ("Length of the tour", "Onboarding questions", "Checkout redesign"):
            await stand_on_experiment(program, name)
            await program.press("x")
        await program.press("space")
        assert isinstance(program.app.screen, ConfirmScreen), program.screen
        assert "Pause 1 of 3 experiments in TEST" in program.screen
        tour, redesign = lines(program)
        assert tour == "Length of the tour it has not been launched yet; launch it first"
        assert redesign.startswith("Checkout redesign checkout-v2-banner depends on its flag")
        await program.press("y")
        assert isinstance(program.app.screen, ResultsScreen)
        assert re.search(r"─  1 [a-z]+, 2 skipped  ─", program.screen)
        assert marked(program) == {"length-of-the-tour", "checkout-redesign"}
        await program.press("enter")
        assert isinstance(program.app.screen, ExperimentScreen)
        assert "Length of the tour" in program.screen

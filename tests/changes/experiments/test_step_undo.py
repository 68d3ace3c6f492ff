"""Undo of a step, planned on the experiment as it is today."""

from dataclasses import replace
from typing import Any

import pytest
from tests.changes.experiments.conftest import NOW, make_experiment
from tests.changes.office import HERE
from tests.doubles.expected import expect, require

from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.step_plan import ExperimentPlan
from flagtui.changes.experiments.step_undo import StepEntries, plan_step_back, step_back
from flagtui.changes.experiments.steps import STEPS
from flagtui.changes.guard import Confirmation, GuardRules, NotYet, Question, guard
from flagtui.changes.journal_entries import Entry
from flagtui.changes.planner import Planned
from flagtui.changes.skipped import Blocked
from flagtui.models.experiment import Experiment


def entry(step: str, before: dict[str, Any] | None = None, after: dict[str, Any] | None = None) -> Entry:
    """What the journal keeps of a step."""
    verb = f"{step} experiment"
    return Entry(
        "e", NOW, 12, "Blue button", verb, HERE, "experiment", before=before or {}, after=after or {}
    )


def edit_entry(**moves: tuple[Any, Any]) -> Entry:
    """Each field as before and after."""
    before, after = ({name: pair[side] for name, pair in moves.items()} for side in (0, 1))
    return entry("edit", before, after)


def planned_undo(entry: Entry, fresh: Experiment) -> ExperimentPlan | Blocked | None:
    return plan_step_back(entry, require(step_back(entry)), fresh, StepContext(now=NOW))


def test_undo_shows_later_edits_and_launches() -> None:
    change = edit_entry(name=("Old", "Mine"), description=("was", "is"))
    plan = expect(planned_undo(change, make_experiment(name="Theirs", description="is")), ExperimentPlan)
    assert [(c.where, c.seen, c.mine, c.theirs) for c in plan.conflicts] == [
        ("name", "Mine", "Old", "Theirs")
    ]
    question = expect(guard(Planned(None, [plan]), GuardRules()), Question)
    assert isinstance(question.settle(Confirmation(yes=True)), NotYet)
    anew = expect(
        planned_undo(RESET, make_experiment("running", start_date="2026-03-01T09:00:00Z")), ExperimentPlan
    )
    assert [conflict.where for conflict in anew.conflicts] == ["start_date"]


def test_undo_sends_only_what_differs_and_is_undone() -> None:
    change = edit_entry(name=("Old", "New"), description=("a", "b"))
    assert planned_undo(change, make_experiment(name="Old", description="a")) is None
    plan = expect(planned_undo(change, make_experiment(name="Old", description="b")), ExperimentPlan)
    assert dict(plan.choices.fields) == {"description": "a"}
    reopened = replace(entry("", {"end_date": "b"}, {"end_date": None}), verb=STEPS["reopen"].verb.name)
    intent = require(step_back(reopened))
    assert (intent.step.name, dict(intent.choices.fields)) == ("reopen", {"end_date": "b"})


def test_undo_is_refused_where_the_state_forbids_it() -> None:
    assert (
        expect(planned_undo(entry("pause"), make_experiment("running")), Blocked).reason == "it is not paused"
    )
    end = entry("end", {"conclusion": "lost"}, {"status": "stopped", "conclusion": "won"})
    assert (
        expect(planned_undo(end, make_experiment("draft")), Blocked).reason == "it was reset to a draft since"
    )
    plan = expect(
        planned_undo(end, make_experiment("stopped", conclusion="won", is_legacy=True)), ExperimentPlan
    )
    assert dict(plan.choices.fields) == {"end_date": None}


DATES = {"start_date": "2026-02-18T09:00:00Z", "end_date": None, "conclusion": "won", "archived": False}


RESET = entry("reset", DATES, {**dict.fromkeys(DATES), "archived": False, "status": "draft"})


@pytest.mark.parametrize(
    ("is_on", "words"),
    [
        (True, "blue stays on: users keep getting their variants"),
        (False, "blue is turned on with it: its variants are served at once"),
    ],
)
def test_undo_of_a_reset_restores_dates_and_names_flag_effects(is_on: bool, words: str) -> None:
    flag = make_experiment().raw["feature_flag"] | {"active": is_on}
    plan = expect(planned_undo(RESET, make_experiment("draft", feature_flag=flag)), ExperimentPlan)
    assert plan.conflicts == ()
    expected = ["start date: none → 2026-02-18 09:00", "conclusion: none → won"]
    assert [line.words for line in plan.lines] == expected
    assert plan.consequences[0].text == words


@pytest.mark.parametrize(
    ("verb", "before", "after", "kinds"),
    [
        ("launch", {"feature_flag.active": False}, {"feature_flag.active": True}, ["flag", "experiment"]),
        ("launch", {}, {}, ["experiment"]),
        ("archive", {"feature_flag.active": True}, {"feature_flag.active": False}, ["experiment", "flag"]),
        ("ship", {"filters": {"a": 1}}, {"filters": {"a": 2}}, ["flag"]),
        ("ship", {"filters": {"a": 1}}, {"filters": {"a": 2}, "status": "stopped"}, ["flag", "experiment"]),
    ],
)
def test_undo_of_a_step_reverts_its_flag_change(
    verb: str, before: dict[str, Any], after: dict[str, Any], kinds: list[str]
) -> None:
    flag = {"feature_flag.id": 31, "feature_flag.key": "blue"}
    parts = StepEntries().parts(entry(verb, {**flag, **before}, after))
    assert [part.kind for part in parts] == kinds
    assert all((part.record, part.key) == (31, "blue") for part in parts if part.kind == "flag")

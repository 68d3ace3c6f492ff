"""The way back from a step, held against the experiment as it is today."""

from typing import Any

import pytest
from tests.changes.experiments.conftest import NOW, made

from flagtui.changes.blocking import Blocked
from flagtui.changes.entries import Entry
from flagtui.changes.experiments.following import Around
from flagtui.changes.experiments.plan import ExperimentPlan
from flagtui.changes.experiments.undo import plan_step_back, step_back
from flagtui.changes.guard import Answer, NotYet, Question, Rules, guard
from flagtui.models.experiment import Experiment


def edited(**moves: tuple[Any, Any]) -> Entry:
    """The journal's word of an edit, each field as before and after."""
    before, after = ({name: pair[side] for name, pair in moves.items()} for side in (0, 1))
    return Entry(
        "e", NOW, 12, "Blue button", "edit experiment", kind="experiment", before=before, after=after
    )


def way_back(entry: Entry, fresh: Experiment) -> ExperimentPlan | Blocked | None:
    intent = step_back(entry)
    assert intent is not None
    return plan_step_back(entry, intent, fresh, Around(now=NOW))


def test_an_edit_is_taken_back_by_putting_the_old_values_there() -> None:
    plan = way_back(edited(name=("Old", "New"), description=("", "why")), made(name="New", description="why"))
    assert isinstance(plan, ExperimentPlan)
    assert dict(plan.choices.fields) == {"name": "Old", "description": ""}
    assert plan.clashes == ()


def test_what_somebody_edited_since_is_shown_with_three_sides_and_needs_a_yes_to_that() -> None:
    entry = edited(name=("Old", "Mine"), description=("was", "is"))
    plan = way_back(entry, made(name="Theirs", description="is"))
    assert isinstance(plan, ExperimentPlan)
    assert [(c.where, c.seen, c.mine, c.theirs) for c in plan.clashes] == [("name", "Mine", "Old", "Theirs")]
    question = guard([plan], Rules())
    assert isinstance(question, Question)
    assert isinstance(question.settle(Answer(yes=True)), NotYet)


def test_what_is_as_it_was_is_left_alone() -> None:
    entry = edited(name=("Old", "New"), description=("a", "b"))
    assert way_back(entry, made(name="Old", description="a")) is None
    plan = way_back(entry, made(name="Old", description="b"))
    assert isinstance(plan, ExperimentPlan)
    assert dict(plan.choices.fields) == {"description": "a"}


@pytest.mark.parametrize(
    ("verb", "back"),
    [("create", "delete"), ("delete", "restore"), ("pause", "resume"), ("archive", "unarchive")],
)
def test_a_step_is_taken_back_by_its_opposite(verb: str, back: str) -> None:
    intent = step_back(Entry("e", NOW, 12, "Blue button", f"{verb} experiment", kind="experiment"))
    assert intent is not None
    assert (intent.id, intent.step.name) == (12, back)


def test_a_way_back_that_today_s_state_forbids_says_so() -> None:
    entry = Entry("e", NOW, 12, "Blue button", "pause experiment", kind="experiment")
    found = way_back(entry, made("running"))
    assert isinstance(found, Blocked)
    assert found.reason == "it is not paused"

"""Every step in every state: either it can be planned, or the reason is known before anything is sent."""

from typing import Final

import pytest
from tests.changes.experiments.conftest import NOW, made
from tests.doubles.expected import expect

from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.step_plan import ExperimentPlan, plan_step
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent, StepName
from flagtui.changes.flags.flag_refusals import Blocked

DRAFT, RUNNING, PAUSED, STOPPED = "draft", "running", "paused", "stopped"
CHOICES: Final = {"ship": Choices(variant="test"), "duplicate": Choices(flag_key="blue-copy")}
ALLOWED: Final[dict[StepName, frozenset[str]]] = {
    "launch": frozenset({DRAFT}),
    "pause": frozenset({RUNNING}),
    "resume": frozenset({PAUSED}),
    "end": frozenset({RUNNING, PAUSED}),
    "ship": frozenset({RUNNING, PAUSED, STOPPED}),
    "archive": frozenset({STOPPED}),
    "unarchive": frozenset(),
    "reset": frozenset({RUNNING, PAUSED, STOPPED}),
    "duplicate": frozenset({DRAFT, RUNNING, PAUSED, STOPPED}),
    "copy": frozenset({DRAFT, RUNNING, PAUSED, STOPPED}),
    "cohort": frozenset({RUNNING, PAUSED, STOPPED}),
    "delete": frozenset({DRAFT, RUNNING, PAUSED, STOPPED}),
}
"""By step: the states it can be taken from, while nothing is archived."""
REASONS: Final[dict[tuple[StepName, str], str]] = {
    ("launch", RUNNING): "already been launched",
    ("launch", PAUSED): "already been launched",
    ("launch", STOPPED): "already been launched",
    ("pause", DRAFT): "not been launched yet",
    ("pause", PAUSED): "already paused",
    ("pause", STOPPED): "already ended",
    ("resume", DRAFT): "not been launched yet",
    ("resume", RUNNING): "is not paused",
    ("resume", STOPPED): "already ended",
    ("end", DRAFT): "not been launched yet",
    ("end", STOPPED): "already ended",
    ("ship", DRAFT): "not been launched yet",
    ("archive", DRAFT): "must be launched and ended before",
    ("archive", RUNNING): "must be ended before",
    ("archive", PAUSED): "must be ended before",
    ("unarchive", DRAFT): "is not archived",
    ("unarchive", RUNNING): "is not archived",
    ("unarchive", PAUSED): "is not archived",
    ("unarchive", STOPPED): "is not archived",
    ("reset", DRAFT): "already a draft",
    ("cohort", DRAFT): "not been launched yet",
}
STATES: Final = (DRAFT, RUNNING, PAUSED, STOPPED)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", ALLOWED)
def test_a_step_is_planned_or_refused_with_its_reason(name: StepName, state: str) -> None:
    intent = ExperimentIntent(12, STEPS[name], CHOICES.get(name, Choices()))
    found = plan_step(intent, made(state), StepContext(NOW))
    if state in ALLOWED[name]:
        assert isinstance(found, ExperimentPlan)
    else:
        assert isinstance(found, Blocked)
        assert REASONS[name, state] in found.reason


def test_what_is_archived_comes_back_and_is_not_archived_twice() -> None:
    archived = made(STOPPED, archived=True)
    again = expect(plan_step(ExperimentIntent(12, STEPS["archive"]), archived, StepContext(NOW)), Blocked)
    assert "already archived" in again.reason
    assert isinstance(
        plan_step(ExperimentIntent(12, STEPS["unarchive"]), archived, StepContext(NOW)), ExperimentPlan
    )


@pytest.mark.parametrize("name", ["launch", "pause", "end", "ship", "archive", "reset", "cohort", "resume"])
def test_a_state_of_a_newer_server_is_named_and_left_alone(name: StepName) -> None:
    intent = ExperimentIntent(12, STEPS[name], CHOICES.get(name, Choices()))
    assert expect(plan_step(intent, made(status="under_review"), StepContext(NOW)), Blocked).reason


@pytest.mark.parametrize(
    ("name", "more", "reason"),
    [
        ("launch", {"feature_flag": None}, "has no flag"),
        ("launch", {"feature_flag": {"id": 31, "key": "blue", "deleted": True}}, "has been deleted"),
        ("launch", {"feature_flag": {"id": 31, "key": "blue", "filters": {}}}, "fewer than two variants"),
        ("ship", {"feature_flag": {"id": 31, "key": "blue", "active": True}}, "has no variant test"),
        ("cohort", {"exposure_cohort": 5}, "already has an exposure cohort, #5"),
        ("end", {"user_access_level": "viewer"}, "not change it"),
        ("ship", {"is_legacy": True}, "old engine"),
    ],
)
def test_a_flag_a_cohort_or_access_that_is_not_right_is_told(
    name: StepName, more: dict[str, object], reason: str
) -> None:
    state = DRAFT if name == "launch" else RUNNING
    intent = ExperimentIntent(12, STEPS[name], CHOICES.get(name, Choices()))
    assert reason in expect(plan_step(intent, made(state, **more), StepContext(NOW)), Blocked).reason

"""What a row shows is enough to refuse a command, for the same reason as the plan of the change."""

import pytest
from tests.changes.experiments.conftest import make_experiment, try_step
from tests.changes.experiments.test_transitions import REASONS, STATES

from flagtui.changes.experiments.step_refusals import refuse_row as refuse_experiment
from flagtui.changes.experiments.steps import STEPS, StepName
from flagtui.changes.flags.row_refusals import refuse_row as refuse_flag
from flagtui.changes.skipped import Blocked
from flagtui.models.rows import FlagRow


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", REASONS)
def test_a_row_and_a_plan_refuse_a_step_alike(name: StepName, state: str) -> None:
    fresh = make_experiment(state)
    plan = try_step(name, fresh, variant="test", flag_key="blue-2")
    expected = "; ".join(filter(None, (plan.reason, plan.next))) if isinstance(plan, Blocked) else ""
    assert refuse_experiment(fresh.row(), STEPS[name]) == expected


def test_a_row_without_access_refuses_every_step_but_copies() -> None:
    row = make_experiment("running", user_access_level="viewer").row()
    refused = {name for name, step in STEPS.items() if refuse_experiment(row, step)}
    assert refused == STEPS.keys() - {"duplicate", "copy"}


@pytest.mark.parametrize(("row", "verb", "reason"), [
    (FlagRow(1, "a", active=True), "disable", ""),
    (FlagRow(1, "a", can_edit=False), "disable", "you may view this flag but not change it"),
    (FlagRow(1, "a", can_edit=False), "copy", ""),
    (FlagRow(1, "a", type="rules"), "rollout", "only state, name and tags"),
    (FlagRow(1, "a", type="rules"), "disable", ""),
    (FlagRow(1, "a", type="rules"), "edit", ""),
    (FlagRow(1, "a", archived=True), "enable", "bring it back from the archive first"),
    (FlagRow(1, "a", archived=True), "unarchive", ""),
    (FlagRow(1, "a", active=True, deleted=True), "disable", "restore it first"),
])  # fmt: skip
def test_the_row_of_a_flag_refuses_what_servers_refuse(row: FlagRow, verb: str, reason: str) -> None:
    why = refuse_flag(row, verb)
    assert bool(why) == bool(reason)
    assert reason in why

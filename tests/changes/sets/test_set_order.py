"""The order in which the changes of a set are sent."""

import pytest
from tests.changes.experiments.conftest import made, planned
from tests.doubles.expected import expect
from tests.doubles.flag_server import raw_flag

from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import switch
from flagtui.changes.flags.flag_plan import Plan, plan_flag
from flagtui.changes.proposal import Proposal
from flagtui.changes.sets.set_order import sort_plans
from flagtui.models.flag import Flag


@pytest.mark.parametrize("is_flag_first", [True, False])
def test_flag_and_experiment_of_equal_number_both_stay(is_flag_first: bool) -> None:
    experiment = planned("archive", made("stopped"))
    fresh = Flag.of(raw_flag(id=experiment.id))
    flag = expect(plan_flag(switch("turn off", fresh.id), fresh, Context(dependents=())), Plan)
    plans: list[Proposal] = [flag, experiment] if is_flag_first else [experiment, flag]
    assert sort_plans(plans) == plans

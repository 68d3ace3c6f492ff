"""The values that users are served after a set, foretold by its plan and evaluated once it is applied.

FLAGTUI_ROUNDS=500 pytest tests/changes/sets/test_values_after_sets.py runs it at length.
"""

import copy
import os
from pathlib import Path
from typing import Final

from tests.changes.sets.conftest import empty_set
from tests.changes.sets.set_desk import LIMIT, ServedProject, SetDesk
from tests.doubles.slices import at_most

from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import Plan, plan_flag
from flagtui.changes.flags.new_flags import Taken, boolean_flag, plan_create
from flagtui.changes.proposal import Proposal
from flagtui.changes.sets.after_set import AfterSet, flags_after
from flagtui.changes.sets.change_set import ChangeSet
from flagtui.changes.sets.plan_changes import changes_of
from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.flags import evaluate_all
from flagtui.evaluate.run import Person
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON

ROUNDS: Final = int(os.environ.get("FLAGTUI_ROUNDS", at_most(8, full=60)))
PEOPLE: Final = [
    Person(f"user_{number}", {"plan": ("free", "pro", "team")[number % 3]}, is_complete=True)
    for number in range(100)
]


def targeting(desk: SetDesk, others: list[str]) -> dict[str, JSON]:
    """Random conditions: a share, a property, a variant, a dependency on another flag."""
    chance = desk.chance
    properties: list[JSON] = []
    if chance.random() < 0.5:
        value = chance.choice(("free", "pro"))
        properties.append({"key": "plan", "type": "person", "operator": "exact", "value": [value]})
    if others and chance.random() < 0.5:
        depends = {"type": "flag", "key": chance.choice(others), "operator": "flag_evaluates_to"}
        properties.append({**depends, "value": True})
    share = chance.choice((0, 20, 60, 100))
    variants = [{"key": key, "name": "", "rollout_percentage": 50} for key in ("a", "b")]
    return {
        "groups": [{"properties": properties, "rollout_percentage": share, "variant": None}],
        "payloads": {},
        "multivariate": {"variants": variants} if chance.random() < 0.3 else None,
    }


def five_changes(desk: SetDesk) -> ChangeSet:
    """Five changes: flags switched or targeted, one of them perhaps at a new flag of the set."""
    plans: list[Proposal] = []
    new = plan_create({**boolean_flag("brand-new"), "active": True}, Taken(()), Context())
    assert isinstance(new, Plan)
    plans.append(new)
    for id in desk.chance.sample(range(1, desk.flags + 1), 4):
        fresh = Flag.of(copy.deepcopy(desk.server.stored[id]))
        lower = [str(other) for other in range(1, id) if desk.server.stored[other]["active"]]
        intent = Intent(id, {"filters": targeting(desk, ["new:brand-new", *lower])}, "change targeting")
        if desk.chance.random() < 0.3:
            intent = Intent(id, {"active": not fresh.active}, "edit")
        plan = plan_flag(intent, fresh, Context(now=desk.clock.time(), dependents=()))
        if isinstance(plan, Plan):
            plans.append(plan)
    return empty_set().with_changes(changes_of(plans), LIMIT)


def served_values(raws: list[dict[str, JSON]]) -> list[dict[str, JSON]]:
    """The values of all flags for each user."""
    definitions = Definitions.of(copy.deepcopy(raws))
    values = (evaluate_all(person, definitions) for person in PEOPLE)
    return [{key: result.value for key, result in each.items()} for each in values]


async def test_predicted_values_of_a_set_are_served_once_applied(tmp_path: Path) -> None:
    applied, moved = 0, 0
    for seed in range(ROUNDS):
        desk = SetDesk(tmp_path / str(seed), seed, flags=6)
        change_set, before = five_changes(desk), [*map(copy.deepcopy, desk.server.stored.values())]
        expected = served_values(flags_after(before, change_set.changes))
        _plan, outcomes = await desk.apply(change_set)
        if len(outcomes) < len(change_set.changes) or not all(outcome.is_saved for outcome in outcomes):
            # A random set can turn off a flag that another one needs.
            continue
        applied += 1
        assert served_values([*desk.server.stored.values()]) == expected
        moved += expected != served_values(before)
    assert applied > ROUNDS / 2
    assert moved == applied


async def test_record_takes_no_name_of_another_kind(tmp_path: Path) -> None:
    desk = SetDesk(tmp_path, seed=0)
    change = five_changes(desk).changes[0]
    after = AfterSet(ServedProject(None, desk.clock, desk.server), [change])
    assert after.name("flags", change.record) == change.key
    assert after.name("experiments", change.record) == f"experiment {change.record}"

"""Steps in flight, their undo, and what the log lets a revert restore."""

import copy
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace
from tests.changes.experiments.conftest import NOW, make_experiment, make_plan
from tests.changes.office import HERE
from tests.changes.writing import Writing, approve
from tests.doubles.expected import expect, require
from tests.doubles.log_entries import log_entry as logged_entry
from tests.doubles.steady_clock import SteadyClock

from flagtui.api.experiments import Experiments
from flagtui.changes.experiments.logged_steps import logged_step
from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.step_plan import ExperimentPlan
from flagtui.changes.experiments.step_save import StepAdapter
from flagtui.changes.experiments.step_undo import StepEntries, plan_step_back, step_back
from flagtui.changes.experiments.steps import STEPS
from flagtui.changes.guard import Confirmation, GuardRules, NotYet, Question, guard
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Entry
from flagtui.changes.planner import Planned
from flagtui.changes.skipped import Blocked
from flagtui.models.activity import Activity
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON, as_dict


@dataclass
class Server:
    """Takes every step."""

    stored: Experiment
    acts: bool = True
    taken: list[str] = field(default_factory=list)

    async def get(self, id: int) -> Experiment:
        return self.stored

    def __getattr__(self, name: str) -> Any:
        async def step(id: int, *words: object, **more: object) -> Experiment:
            self.taken.append(name)
            if self.acts:
                description = {"description": "Short"} if name == "update" else {}
                state = {"pause": "paused", "end": "stopped", "update": "running"}[name]
                self.stored = make_experiment(state, **description)
            return self.stored

        return step


def writing_to(server: Server, folder: Path) -> Writing:
    clock = SteadyClock(NOW)
    return Writing(StepAdapter(cast(Experiments, server)), Journal(folder, clock=clock.time), HERE, clock)


async def test_ends_are_undone_whole_and_ignored_steps_refused(tmp_path: Path) -> None:
    ended = await writing_to(Server(make_experiment(), acts=False), tmp_path).save(
        approve(make_plan("pause", make_experiment()))
    )
    assert ended.ending == "refused"
    assert "it is running" in ended.reason
    fresh = make_experiment(conclusion="won", conclusion_comment="so far")
    writing = writing_to(Server(fresh), tmp_path)
    await writing.save(approve(make_plan("end", fresh)))
    back = require(step_back(writing.journal.entries()[0]))
    assert back.choices.fields == {"end_date": None, "conclusion": "won", "conclusion_comment": "so far"}


async def test_variant_is_not_shipped_when_targeting_changed(tmp_path: Path) -> None:
    fresh = make_experiment()
    flag = copy.deepcopy(as_dict(fresh.raw["feature_flag"]))
    flag["filters"]["multivariate"]["variants"][0]["rollout_percentage"] = 10
    server = Server(make_experiment(feature_flag=flag))
    ended = await writing_to(server, tmp_path).save(approve(make_plan("ship", fresh, variant="test")))
    assert ended.ending == "conflicted"
    assert ended.reason == "it was changed meanwhile: the targeting of its flag changed since"
    assert not server.taken


async def test_edit_with_a_value_of_the_server_is_saved(tmp_path: Path) -> None:
    fresh = make_experiment(description="")
    writing = writing_to(Server(fresh), tmp_path)
    ended = await writing.save(approve(make_plan("edit", fresh, fields={"description": "Short words"})))
    assert (ended.ending, ended.remarks) == ("saved", ("not changed as planned: description",))
    assert writing.journal.entries()[0].after == {"description": "Short"}


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


def test_metric_that_the_server_numbered_is_no_later_change() -> None:
    metric = {"kind": "ExperimentMetric", "metric_type": "mean", "source": {"event": "order"}}
    change = edit_entry(metrics=([], [metric]))
    for stored, conflicts in ({**metric, "uuid": "u"}, []), ({**metric, "goal": "decrease"}, ["metrics"]):
        plan = expect(planned_undo(change, make_experiment(metrics=[stored])), ExperimentPlan)
        assert [conflict.where for conflict in plan.conflicts] == conflicts


def test_undo_sends_only_what_differs_and_is_undone() -> None:
    change = edit_entry(name=("Old", "New"), description=("a", "b"))
    assert planned_undo(change, make_experiment(name="Old", description="a")) is None
    plan = expect(planned_undo(change, make_experiment(name="Old", description="b")), ExperimentPlan)
    assert dict(plan.choices.fields) == {"description": "a"}
    reopened = replace(entry("", {"end_date": "b"}, {"end_date": None}), verb=STEPS["reopen"].verb.name)
    intent = require(step_back(reopened))
    assert (intent.step.name, dict(intent.choices.fields)) == ("reopen", {"end_date": "b"})


def test_undo_is_refused_where_the_state_forbids_it() -> None:
    assert planned_undo(entry("pause"), make_experiment("running")) is None
    ended = expect(planned_undo(entry("pause"), make_experiment("stopped")), Blocked)
    assert ended.reason == "it has already ended"
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


@pytest.mark.parametrize(("is_on", "words"), [
    (True, "blue stays on: users keep getting their variants"),
    (False, "blue is turned on with it: its variants are served at once"),
])  # fmt: skip
def test_undo_of_a_reset_restores_dates_and_names_flag_effects(is_on: bool, words: str) -> None:
    flag = make_experiment().raw["feature_flag"] | {"active": is_on}
    plan = expect(planned_undo(RESET, make_experiment("draft", feature_flag=flag)), ExperimentPlan)
    assert plan.conflicts == ()
    expected = ["start date: none → 2026-02-18 09:00 UTC", "conclusion: none → won"]
    assert [line.words for line in plan.lines] == expected
    assert plan.consequences[0].text == words


@pytest.mark.parametrize(("verb", "before", "after", "kinds"), [
    ("launch", {"feature_flag.active": False}, {"feature_flag.active": True}, ["flag", "experiment"]),
    ("launch", {}, {}, ["experiment"]),
    ("archive", {"feature_flag.active": True}, {"feature_flag.active": False}, ["experiment", "flag"]),
    ("ship", {"filters": {"a": 1}}, {"filters": {"a": 2}}, ["flag"]),
    ("ship", {"filters": {"a": 1}}, {"filters": {"a": 2}, "status": "stopped"}, ["flag", "experiment"]),
])  # fmt: skip
def test_undo_of_a_step_reverts_its_flag_change(
    verb: str, before: dict[str, Any], after: dict[str, Any], kinds: list[str]
) -> None:
    flag = {"feature_flag.id": 31, "feature_flag.key": "blue"}
    parts = StepEntries().parts(entry(verb, {**flag, **before}, after))
    assert [part.kind for part in parts] == kinds
    assert all((part.record, part.key) == (31, "blue") for part in parts if part.kind == "flag")


logged = partial(logged_entry, about=("Experiment", 12, "Blue button"))
START, END = "2026-02-18T09:00:00Z", "2026-03-01T09:00:00Z"


def plan_revert(entry: Activity, fresh: Experiment) -> ExperimentPlan | Blocked | None:
    step = expect(logged_step(entry), Entry)
    return plan_step_back(step, require(step_back(step)), fresh, StepContext(now=NOW))


def test_revert_restores_only_the_logged_values() -> None:
    fresh = make_experiment(name="New", description="newer words")
    plan = expect(plan_revert(logged(name=("Old", "New")), fresh), ExperimentPlan)
    assert (plan.step.name, dict(plan.choices.fields), plan.conflicts) == ("edit", {"name": "Old"}, ())


def test_revert_of_an_added_metric_removes_it() -> None:
    counted: dict[str, JSON] = {"metric_type": "mean", "source": {"kind": "EventsNode", "event": "paid"}}
    first, second = ({"kind": "ExperimentMetric", "uuid": name, **counted} for name in "ab")
    fresh = make_experiment(
        metrics_secondary=[first, {**second, "fingerprint": "x"}], secondary_metrics_ordered_uuids=["b", "a"]
    )
    order = (["a"], ["b", "a"])
    entry = logged(metrics_secondary=([first], [first, second]), secondary_metrics_ordered_uuids=order)
    plan = expect(plan_revert(entry, fresh), ExperimentPlan)
    assert plan.conflicts == ()
    assert dict(plan.choices.fields) == {"metrics_secondary": [first]}


@pytest.mark.parametrize(("changed", "fresh", "step", "fields"), [
    ({"archived": (False, True)}, make_experiment("stopped", archived=True), "unarchive", {}),
    ({"archived": (True, False)}, make_experiment("stopped"), "archive", {}),
    ({"start_date": (None, START)}, make_experiment("running", start_date="2026-02-18T09:00:00+00:00"),
     "reset", {}),
    ({"end_date": (None, END), "conclusion": (None, "won")}, make_experiment("stopped", conclusion="won"),
     "reopen", {"end_date": None, "conclusion": None}),
    ({"start_date": (START, None), "conclusion": ("won", None)}, make_experiment("draft"), "reopen",
     {"start_date": START, "conclusion": "won"}),
    ({"description": (None, "why")}, make_experiment(description="why"), "edit", {"description": ""}),
])  # fmt: skip
def test_each_logged_step_has_its_reverse(
    changed: dict[str, Any], fresh: Experiment, step: str, fields: dict[str, Any]
) -> None:
    plan = expect(plan_revert(logged(**changed), fresh), ExperimentPlan)
    assert (plan.step.name, dict(plan.choices.fields), plan.conflicts) == (step, fields, ())


@pytest.mark.parametrize(
    "fresh", [make_experiment("stopped"), make_experiment("running", start_date="2026-02-20T09:00:00Z")]
)
def test_launch_is_not_reverted_after_later_dates(fresh: Experiment) -> None:
    plan = expect(plan_revert(logged(start_date=(None, START)), fresh), ExperimentPlan)
    assert plan.conflicts


def test_deleted_experiments_and_missing_values_have_their_revert() -> None:
    step = expect(logged_step(logged("deleted", deleted=(False, True))), Entry)
    assert require(step_back(step)).step.name == "restore"
    changes: JSON = [{"field": "description", "after": "new", "action": "changed"}]
    entry = Activity.of({**logged().raw, "detail": {"name": "Blue button", "changes": changes}})
    reason = expect(logged_step(entry), Blocked).reason
    assert reason == "the log does not contain the previous description"


@pytest.mark.parametrize(("entry", "words"), [
    (logged("created"), "later changes of it cannot be ruled out"),
    (logged("restored", deleted=(True, False)), "later changes of it cannot be ruled out"),
    (logged("last change"), "what it changed is not logged"),
    (logged(feature_flag_key=("a", "b")), "the old feature flag key cannot be set again"),
])  # fmt: skip
def test_revert_is_refused_where_the_log_rules_it_out(entry: Activity, words: str) -> None:
    assert words in expect(logged_step(entry), Blocked).reason

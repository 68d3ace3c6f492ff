"""Steps in flight, their undo, and what the log lets a revert restore."""

from functools import partial
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from msgspec.structs import replace
from tests.changes.bench import Bench, working
from tests.changes.experiments.conftest import NOW, make_experiment
from tests.changes.office import HERE
from tests.changes.writing import approve
from tests.doubles.expected import expect, require
from tests.doubles.log_entries import log_entry
from tests.doubles.targeting import group, variants

from flagtui.changes.experiments.logged_steps import logged_step
from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.step_plan import ExperimentPlan
from flagtui.changes.experiments.step_undo import StepEntries, plan_step_back, step_back
from flagtui.changes.experiments.steps import STEPS, StepName
from flagtui.changes.guard import Confirmation, GuardRules, NotYet, Question, guard
from flagtui.changes.journal_entries import Entry
from flagtui.changes.planner import Planned
from flagtui.changes.proposal import Outcome
from flagtui.changes.skipped import Blocked
from flagtui.models.activity import Activity
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON


async def save(bench: Bench, name: StepName, fresh: Experiment, **chosen: Any) -> Outcome:
    plan = bench.plan_step(name, fresh, **chosen)
    return await bench.writing(bench.adapter_of(plan)).save(approve(plan))


async def test_step_that_the_server_ignored_is_refused(tmp_path: Path) -> None:
    async with working(tmp_path) as bench:
        fresh = await bench.in_state("running")
        ignored = httpx.Response(200, json=fresh.raw)
        bench.wire.before = lambda request: None if request.method == "GET" else ignored
        ended = await save(bench, "pause", fresh)
        assert ended.ending == "refused"
        assert "it is running" in ended.reason


async def test_step_on_an_experiment_changed_since_conflicts(tmp_path: Path) -> None:
    async with working(tmp_path) as bench:
        fresh = await bench.in_state("running")
        changed: JSON = {"groups": [group(10)], "multivariate": variants(control=50, test=50)}
        await bench.client.flags.update(require(fresh.feature_flag).id, {"filters": changed})
        done = bench.service.done
        ended = await save(bench, "ship", fresh, variant="test")
        reason = "it was changed meanwhile: the targeting of its flag changed since"
        assert (ended.ending, ended.reason, bench.service.done) == ("conflicted", reason, done)
        await bench.client.experiments.pause(fresh.id)
        ended = await save(bench, "pause", fresh)
        reason = "it was changed meanwhile: it is paused now"
        assert (ended.ending, ended.reason, require(ended.record).state) == ("conflicted", reason, "paused")


ENDED: Final = {"end_date": "2026-11-01T00:00:00Z", "status": "stopped"}


@pytest.mark.parametrize(("step", "chosen", "stored", "dropped"), [
    ("edit", {"fields": {"description": "Short words"}}, {"description": "Short"}, "description"),
    ("end", {"conclusion": "won"}, {**ENDED, "conclusion": None}, "conclusion"),
])  # fmt: skip
async def test_step_with_a_value_of_the_server_is_saved(
    step: StepName, chosen: dict[str, Any], stored: dict[str, Any], dropped: str, tmp_path: Path
) -> None:
    async with working(tmp_path) as bench:
        fresh = await bench.in_state("running")
        answer = httpx.Response(200, json={**fresh.raw, **stored})
        bench.wire.after = lambda request: answer if request.method != "GET" else None
        ended = await save(bench, step, fresh, **chosen)
        assert (ended.ending, ended.remarks) == ("saved", (f"not changed as planned: {dropped}",))
        assert bench.journal.entries()[0].after[dropped] == stored[dropped]


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


def try_undo(entry: Entry, fresh: Experiment) -> ExperimentPlan | Blocked | None:
    return plan_step_back(entry, require(step_back(entry)), fresh, StepContext(now=NOW))


def plan_undo(entry: Entry, fresh: Experiment) -> ExperimentPlan:
    return expect(try_undo(entry, fresh), ExperimentPlan)


def test_undo_sets_a_conclusion_of_a_newer_server_again() -> None:
    plan = plan_undo(edit_entry(conclusion=("delightful", "won")), make_experiment(conclusion="won"))
    assert plan.choices.fields == {"conclusion": "delightful"}


DATES = {"start_date": "2026-02-18T09:00:00Z", "end_date": None, "conclusion": "won", "archived": False}
RESET = entry("reset", DATES, {**dict.fromkeys(DATES), "archived": False, "status": "draft"})
PAID = {"kind": "EventsNode", "event": "paid"}
COUNTED = {"kind": "ExperimentMetric", "metric_type": "mean", "source": PAID}
MEASURED = edit_entry(metrics=([], [COUNTED]))


@pytest.mark.parametrize(("change", "fresh", "conflicts"), [
    (edit_entry(name=("Old", "Mine"), description=("was", "is")),
     make_experiment(name="Theirs", description="is"), [("name", "Mine", "Old", "Theirs")]),
    (RESET, make_experiment("running", start_date="2026-03-01T09:00:00Z"),
     [("start_date", None, "2026-02-18T09:00:00Z", "2026-03-01T09:00:00Z")]),
    # A number that the server gave is no later change.
    (MEASURED, make_experiment(metrics=[{**COUNTED, "uuid": "u"}]), []),
    (MEASURED, make_experiment(metrics=[{**COUNTED, "goal": "decrease"}]),
     [("metrics", [COUNTED], [], [{**COUNTED, "goal": "decrease"}])]),
])  # fmt: skip
def test_undo_shows_later_edits_and_launches(change: Entry, fresh: Experiment, conflicts: list[Any]) -> None:
    plan = plan_undo(change, fresh)
    assert [(c.where, c.seen, c.mine, c.theirs) for c in plan.conflicts] == conflicts
    question = expect(guard(Planned(None, [plan]), GuardRules()), Question)
    assert isinstance(question.settle(Confirmation(yes=True)), NotYet) is bool(conflicts)


def test_undo_sends_only_what_differs_and_is_undone() -> None:
    change = edit_entry(name=("Old", "New"), description=("a", "b"))
    assert try_undo(change, make_experiment(name="Old", description="a")) is None
    plan = plan_undo(change, make_experiment(name="Old", description="b"))
    assert dict(plan.choices.fields) == {"description": "a"}
    reopened = replace(entry("", {"end_date": "b"}, {"end_date": None}), verb=STEPS["reopen"].verb.name)
    intent = require(step_back(reopened))
    assert (intent.step.name, dict(intent.choices.fields)) == ("reopen", {"end_date": "b"})


def test_undo_is_refused_where_the_state_forbids_it() -> None:
    assert try_undo(entry("pause"), make_experiment("running")) is None
    end = entry("end", {"conclusion": "lost"}, {"status": "stopped", "conclusion": "won"})
    for change, state, reason in (
        (entry("pause"), "stopped", "it has already ended"),
        (end, "draft", "it was reset to a draft since"),
    ):
        assert expect(try_undo(change, make_experiment(state)), Blocked).reason == reason
    plan = plan_undo(end, make_experiment("stopped", conclusion="won", is_legacy=True))
    assert dict(plan.choices.fields) == {"end_date": None}


def test_undo_of_restored_dates_is_named_by_its_effect() -> None:
    for before, words in (
        ({"start_date": None}, "make it a draft again"),
        ({"end_date": END}, "end it again"),
        ({"end_date": None, "conclusion": "won"}, "put back the old values"),
    ):
        assert StepEntries().undo_words(entry("reopen", before=before)) == words
    plan = plan_undo(
        entry("reopen", before={"start_date": None}, after={"start_date": START}), make_experiment()
    )
    assert plan.consequences[-1].text == "its start is erased; results start from zero"


@pytest.mark.parametrize(("is_on", "words"), [
    (True, "blue stays on: users keep getting their variants"),
    (False, "blue is turned on with it: its variants are served at once"),
])  # fmt: skip
def test_undo_of_a_reset_restores_dates_and_names_flag_effects(is_on: bool, words: str) -> None:
    flag = make_experiment().raw["feature_flag"] | {"active": is_on}
    plan = plan_undo(RESET, make_experiment("draft", feature_flag=flag))
    assert plan.conflicts == ()
    expected = ["start date: none → 2026-02-18 09:00 UTC", "conclusion: none → won"]
    assert [line.words for line in plan.lines] == ["flag blue: off → on"] * (not is_on) + expected
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


logged = partial(log_entry, about=("Experiment", 12, "Blue button"))
START, END = "2026-02-18T09:00:00Z", "2026-03-01T09:00:00Z"
FIRST, SECOND = ({**COUNTED, "uuid": name} for name in "ab")


@pytest.mark.parametrize(("changed", "fresh", "step", "fields"), [
    ({"name": ("Old", "New")}, make_experiment(name="New", description="newer"), "edit", {"name": "Old"}),
    ({"description": (None, "why")}, make_experiment(description="why"), "edit", {"description": ""}),
    ({"archived": (False, True)}, make_experiment("stopped", archived=True), "unarchive", {}),
    ({"archived": (True, False)}, make_experiment("stopped"), "archive", {}),
    ({"start_date": (None, START)}, make_experiment(start_date="2026-02-18T09:00:00+00:00"), "reset", {}),
    ({"end_date": (None, END), "conclusion": (None, "won")}, make_experiment("stopped", conclusion="won"),
     "reopen", {"end_date": None, "conclusion": None}),
    ({"start_date": (START, None), "conclusion": ("won", None)}, make_experiment("draft"),
     "reopen", {"start_date": START, "conclusion": "won"}),
    # An added metric is removed; its order needs nothing.
    ({"metrics_secondary": ([FIRST], [FIRST, SECOND]),
      "secondary_metrics_ordered_uuids": (["a"], ["b", "a"])},
     make_experiment(metrics_secondary=[FIRST, {**SECOND, "fingerprint": "x"}],
                     secondary_metrics_ordered_uuids=["b", "a"]),
     "edit", {"metrics_secondary": [FIRST]}),
])  # fmt: skip
def test_each_logged_step_has_its_reverse(
    changed: dict[str, Any], fresh: Experiment, step: str, fields: dict[str, Any]
) -> None:
    plan = plan_undo(expect(logged_step(logged(**changed)), Entry), fresh)
    assert (plan.step.name, dict(plan.choices.fields), plan.conflicts) == (step, fields, ())


@pytest.mark.parametrize(
    "fresh", [make_experiment("stopped"), make_experiment("running", start_date="2026-02-20T09:00:00Z")]
)
def test_launch_is_not_reverted_after_later_dates(fresh: Experiment) -> None:
    assert plan_undo(expect(logged_step(logged(start_date=(None, START))), Entry), fresh).conflicts


def test_revert_of_a_deletion_is_a_restore() -> None:
    step = expect(logged_step(logged("deleted", deleted=(False, True))), Entry)
    assert require(step_back(step)).step.name == "restore"


UNSAID: JSON = [{"field": "description", "after": "new", "action": "changed"}]


@pytest.mark.parametrize(("entry", "words"), [
    (logged("created"), "later changes of it cannot be ruled out"),
    (logged("restored", deleted=(True, False)), "later changes of it cannot be ruled out"),
    (logged("last change"), "what it changed is not logged"),
    (logged(feature_flag_key=("a", "b")), "the old feature flag key cannot be set again"),
    (Activity.of({**logged().raw, "detail": {"name": "Blue button", "changes": UNSAID}}),
     "the log does not contain the previous description"),
])  # fmt: skip
def test_revert_is_refused_where_the_log_rules_it_out(entry: Activity, words: str) -> None:
    assert words in expect(logged_step(entry), Blocked).reason

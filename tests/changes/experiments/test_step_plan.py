"""The plan of a step in every state: possible, or refused with a reason before anything is sent."""

from string import ascii_letters
from typing import Any, Final

import pytest
from msgspec.structs import replace
from tests.changes.experiments.conftest import CONTEXT, NOW, make_experiment, make_plan, try_step
from tests.doubles.expected import expect

from flagtui.changes.experiments.metrics import event_node, mean_of
from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.step_plan import ExperimentPlan, missing_fields
from flagtui.changes.experiments.step_refusals import refuse_row
from flagtui.changes.experiments.steps import STEPS, StepName
from flagtui.changes.skipped import Blocked
from flagtui.models.experiment import Experiment
from flagtui.models.flag import Flag


def words_of(plan: ExperimentPlan, label: str) -> list[str]:
    return [each.text for each in plan.consequences if each.label == label]


def on_flag(state: str = "running", **fields: Any) -> Experiment:
    """An experiment in this state, whose flag has these fields."""
    return make_experiment(state, feature_flag={"id": 31, "key": "blue", **fields})


def is_on(*groups: object) -> Experiment:
    """A draft on a flag that is on with these conditions."""
    flag = make_experiment().raw["feature_flag"]
    filters = {**flag["filters"], "groups": list(groups)}
    return make_experiment("draft", feature_flag={**flag, "active": True, "filters": filters})


@pytest.mark.parametrize(("name", "fresh", "words"), [
    ("pause", make_experiment(), "blue is turned off: no one gets a variant until it is resumed"),
    ("reset", make_experiment(), "blue stays on: users keep getting their variants"),
    ("reset", make_experiment("paused"), "blue stays off: no one gets a variant"),
    ("reset", make_experiment(feature_flag=None), "blue stays as it is; whether it is on is not known"),
    ("reset", on_flag(active=False, deleted=True), "blue is deleted: no one gets a variant"),
    ("reset", on_flag(active=True), "blue stays on; who matches is not known here"),
    ("launch", is_on(), "blue is already on and matches no one: no one gets a variant"),
    ("launch", is_on({"properties": []}), "blue is already on: its variants are being served"),
    ("end", make_experiment(), "blue stays on: users keep getting their variants; ship one next"),
    ("end", make_experiment("paused"), "blue stays off: no one gets a variant"),
])  # fmt: skip
def test_step_names_what_its_flag_serves_then(name: StepName, fresh: Experiment, words: str) -> None:
    assert words_of(make_plan(name, fresh), "Flag") == [words]


def test_pausing_names_and_confirms_by_its_flag() -> None:
    plan = make_plan("pause", make_experiment())
    assert plan.title == "Pause: turn its flag OFF"
    assert "flag blue: on → off" in [line.words for line in plan.lines]
    assert make_plan("pause", make_experiment(name="Ночь")).type_to_confirm == "blue"
    assert make_plan("pause", make_experiment(feature_flag_key="bluе")).type_to_confirm == "12"


def depending(*names: str) -> StepContext:
    """A context in which these flags depend on that of the experiment."""
    return replace(CONTEXT, dependents=names)


ARCHIVED = replace(CONTEXT, flag=Flag.of({"id": 3, "key": "blue", "archived": True}))


@pytest.mark.parametrize(("name", "fresh", "context", "reason", "next"), [
    ("restore", make_experiment(deleted=True, feature_flag={"id": 31, "key": "blue", "deleted": True}),
     CONTEXT, "its flag has been deleted", "restore the flag first"),
    ("resume", make_experiment("paused"), ARCHIVED,
     "its flag blue is archived, so that it cannot be turned on",
     "unarchive the flag first"),
    ("pause", make_experiment(), depending("a"),
     "a depends on its flag, so that cannot be turned off", "change or turn off that flag first"),
    ("pause", make_experiment(), depending("a", "b"),
     "a, b depend on its flag, so that cannot be turned off", "change or turn off those flags first"),
    ("pause", make_experiment(), depending(*"abcdefg"),
     "a, b, c, d, e and 2 more depend on its flag, so that cannot be turned off",
     "change or turn off those flags first"),
])  # fmt: skip
def test_flag_of_an_experiment_can_refuse_a_step(
    name: StepName, fresh: Experiment, context: StepContext, reason: str, next: str
) -> None:
    refusal = expect(try_step(name, fresh, context), Blocked)
    assert (refusal.reason, refusal.next) == (reason, next)


def test_deleted_flag_refuses_no_archiving() -> None:
    plan = make_plan("restore", make_experiment(deleted=True))
    assert [line.words for line in plan.lines] == ["deleted → not deleted"]
    assert isinstance(try_step("archive", on_flag("stopped", deleted=True)), ExperimentPlan)


def test_new_name_of_a_metric_recalculates_nothing() -> None:
    metric = {**mean_of(event_node("order")), "uuid": "m"}
    fresh = make_experiment(metrics=[metric, {**metric, "uuid": "n"}])
    for change, is_recalculated in (({"name": "Orders"}, False), ({"goal": "decrease"}, True)):
        plan = make_plan("edit", fresh, fields={"metrics": [{**metric, "uuid": "n"}, {**metric, **change}]})
        assert ("Results" in [each.label for each in plan.consequences]) is is_recalculated


def test_endings_and_reopenings_name_their_results() -> None:
    reopened = make_plan("reopen", make_experiment("stopped"), fields={"end_date": None})
    assert words_of(reopened, "Results") == ["continue until today, as if it had never ended"]
    fresh = make_experiment(conclusion="stopped_early", start_date="2026-01-01T09:00:00Z")
    assert "stopped early, is erased" in make_plan("end", fresh).cautions[0].text
    ended = make_plan("end", fresh, conclusion="lost")
    assert (ended.cautions, ended.lines[1].words) == ((), "conclusion: stopped early → lost")


def planned_for(days: int) -> Experiment:
    """An experiment on its day 12."""
    return make_experiment(running_time_calculation={"recommended_running_time": days})


@pytest.mark.parametrize(("state", "is_live"), [
    ("draft", False), ("running", True), ("paused", True), ("stopped", False),
])  # fmt: skip
def test_deleting_warns_while_the_experiment_is_live(state: str, is_live: bool) -> None:
    warnings = [caution.text for caution in make_plan("delete", make_experiment(state)).cautions]
    assert warnings == ([f"it is {state}: no list will show its results"] if is_live else [])


def test_ending_early_says_what_the_numbers_are_worth() -> None:
    (caution,) = make_plan("end", planned_for(20)).cautions
    peeking = "stopping as soon as the result looks good overstates confidence"
    assert caution.text == f"day 12 of 20 that were planned: {peeking}"
    assert make_plan("end", planned_for(10)).cautions == ()
    young = make_plan("ship", make_experiment(start_date="2026-02-23T18:00:00Z"), variant="test")
    assert young.cautions[0].text.startswith("day 6: not a whole week")


@pytest.mark.parametrize(
    ("step", "shows"), [("end", True), ("ship", True), ("reset", True), ("pause", False)]
)
def test_steps_that_end_the_numbers_show_who_leads(step: StepName, shows: bool) -> None:
    for leading in ("", "test leads by 14 %"):
        plan = make_plan(step, make_experiment(), replace(CONTEXT, leading=leading), variant="test")
        assert words_of(plan, "So far") == ([leading] if shows and leading else [])


def test_shipping_lists_new_shares_and_the_end() -> None:
    plan = make_plan("ship", make_experiment(), variant="test", everyone=True)
    assert [line.words for line in plan.lines] == [
        "variant control: 50 % → 0 %",
        "variant test: 50 % → 100 %",
        "experiment: running → stopped",
    ]
    text = " ".join(consequence.text for consequence in plan.consequences)
    assert "serves test to everyone" in text
    assert "an open condition of 100 % is put before all others" in text
    assert plan.verb.undo == "restore the old shares, and let it go on"


def test_launching_without_metrics_or_code_is_warned_about() -> None:
    plan = make_plan("launch", make_experiment("draft", metrics=[]), StepContext(NOW, needs_code=True))
    assert [caution.text for caution in plan.cautions] == [
        "it has no metric: nothing will be measured",
        "none of its events carried a flag in the last 7 days: the code is probably not deployed yet",
    ]


@pytest.mark.parametrize(
    ("stored", "is_kept"), [("2026-02-18T09:00:00.000000+00:00", True), ("2026-02-19T09:00:00Z", False)]
)
def test_moment_is_recognised_in_every_format_of_the_server(stored: str, is_kept: bool) -> None:
    plan = make_plan("reopen", make_experiment("draft"), fields={"start_date": "2026-02-18T09:00:00Z"})
    assert bool(missing_fields(plan, make_experiment(start_date=stored))) != is_kept


STATES: Final = ("draft", "running", "paused", "stopped")
ANY: Final = ("", "", "", "")
LAUNCHED, NOT_YET = "already been launched", "not been launched yet"
REASONS: Final[dict[StepName, tuple[str, str, str, str]]] = {
    "launch": ("", LAUNCHED, LAUNCHED, LAUNCHED),
    "pause": (NOT_YET, "", "already paused", "already ended"),
    "resume": (NOT_YET, "is not paused", "", "already ended"),
    "end": (NOT_YET, "", "", "already ended"),
    "ship": (NOT_YET, "", "", ""),
    "archive": ("must be launched and ended before", "must be ended before", "must be ended before", ""),
    "unarchive": ("is not archived",) * 4,
    "reset": ("already a draft", "", "", ""),
    "duplicate": ANY,
    "copy": ANY,
    "cohort": (NOT_YET, "", "", ""),
    "delete": ANY,
}
"""By step: why it cannot be taken in each of the states, while nothing is archived."""
CHOSEN: Final[dict[str, Any]] = {"variant": "test", "flag_key": "blue-2"}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", REASONS)
def test_a_step_is_planned_or_refused_with_its_reason(name: StepName, state: str) -> None:
    fresh, reason = make_experiment(state), REASONS[name][STATES.index(state)]
    result = try_step(name, fresh, **CHOSEN)
    if not reason:
        assert isinstance(result, ExperimentPlan)
        assert refuse_row(fresh.row(), STEPS[name]) == ""
        return
    blocked = expect(result, Blocked)
    assert reason in blocked.reason
    # What a row shows is enough to refuse a command, in the same words.
    assert refuse_row(fresh.row(), STEPS[name]) == "; ".join(filter(None, (blocked.reason, blocked.next)))
    # The command line says it too, and has no keys to press.
    assert not blocked.next or blocked.next.split()[0] not in (*ascii_letters, "space", "enter")
    assert reason != NOT_YET or blocked.next == "launch it first"


def test_a_row_without_access_refuses_every_step_but_copies() -> None:
    row = make_experiment("running", user_access_level="viewer").row()
    refused = {name for name, step in STEPS.items() if refuse_row(row, step)}
    assert refused == STEPS.keys() - {"duplicate", "copy"}


def test_what_is_archived_comes_back_and_is_not_archived_twice() -> None:
    archived = make_experiment("stopped", archived=True)
    assert "already archived" in expect(try_step("archive", archived), Blocked).reason
    assert isinstance(try_step("unarchive", archived), ExperimentPlan)


@pytest.mark.parametrize("name", ["launch", "pause", "end", "ship", "archive", "reset", "cohort", "resume"])
def test_unknown_state_of_a_newer_server_blocks_steps(name: StepName) -> None:
    refusal = expect(try_step(name, make_experiment(status="under_review"), **CHOSEN), Blocked)
    assert "state is under_review" in refusal.reason


@pytest.mark.parametrize(("name", "more", "reason"), [
    ("launch", {"feature_flag": None}, "has no flag"),
    ("launch", {"feature_flag": {"id": 31, "key": "blue", "deleted": True}}, "has been deleted"),
    ("launch", {"feature_flag": {"id": 31, "key": "blue", "filters": {}}}, "fewer than two variants"),
    ("ship", {"feature_flag": {"id": 31, "key": "blue", "active": True}}, "has no variant test"),
    ("cohort", {"exposure_cohort": 5}, "already has an exposure cohort, #5"),
    ("end", {"user_access_level": "viewer"}, "not change it"),
    ("ship", {"is_legacy": True}, "old engine"),
    ("reset", {"is_legacy": True}, "old engine"),
])  # fmt: skip
def test_invalid_flag_cohort_or_access_is_reported(
    name: StepName, more: dict[str, object], reason: str
) -> None:
    fresh = make_experiment("draft" if name == "launch" else "running", **more)
    assert reason in expect(try_step(name, fresh, **CHOSEN), Blocked).reason


def test_oldest_server_without_soft_delete_refuses_it() -> None:
    raw = {name: value for name, value in make_experiment().raw.items() if name != "deleted"}
    refusal = expect(try_step("delete", Experiment.of(raw)), Blocked)
    assert (refusal.reason, refusal.next) == (
        "this server has no `deleted` and would ignore it",
        "archive it instead",
    )


@pytest.mark.parametrize("key", ["", "blue", "with space", "ключ", "a" * 401])
def test_copy_needs_its_own_flag_and_a_plain_key(key: str) -> None:
    assert isinstance(try_step("duplicate", make_experiment(), flag_key=key), Blocked)

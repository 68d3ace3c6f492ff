"""The plan of a step, before anything is sent."""

import pytest
from msgspec.structs import replace
from tests.changes.experiments.conftest import CONTEXT, NOW, make_experiment, make_plan, try_step
from tests.doubles.expected import expect

from flagtui.changes.experiments.metrics import event_node, mean_of
from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.step_plan import missing_fields
from flagtui.changes.experiments.steps import StepName
from flagtui.changes.skipped import Blocked
from flagtui.models.flag import Flag


def test_pausing_names_and_confirms_by_its_flag() -> None:
    plan = make_plan("pause", make_experiment())
    assert plan.title == "Pause: turn its flag OFF"
    assert "flag blue: on → off" in [line.words for line in plan.lines]
    assert any("blue is turned off" in consequence.text for consequence in plan.consequences)
    assert make_plan("pause", make_experiment(name="Ночь")).type_to_confirm == "blue"
    assert make_plan("pause", make_experiment(feature_flag_key="bluе")).type_to_confirm == "12"


@pytest.mark.parametrize(
    ("state", "words"), [("running", "keep getting their variants"), ("paused", "stays off")]
)
def test_resetting_says_who_gets_a_variant_then(state: str, words: str) -> None:
    assert any(
        words in consequence.text
        for consequence in make_plan("reset", make_experiment(state)).consequences
        if consequence.label == "Flag"
    )


@pytest.mark.parametrize(("flag", "words"), [
    (None, "stays as it is; whether it is on is not known"),
    ({"id": 31, "key": "blue", "active": False, "deleted": True}, "is deleted: no one gets a variant"),
    ({"id": 31, "key": "blue", "active": True}, "stays on; who matches is not known here"),
])  # fmt: skip
def test_step_that_leaves_the_flag_names_its_state(flag: dict[str, object] | None, words: str) -> None:
    plan = make_plan("reset", make_experiment(feature_flag=flag))
    assert [each.text for each in plan.consequences if each.label == "Flag"] == [f"blue {words}"]


def test_deleted_and_archived_flags_refuse_steps() -> None:
    plan = make_plan("restore", make_experiment(deleted=True))
    assert [line.words for line in plan.lines] == ["deleted → not deleted"]
    deleted_flag = {"id": 31, "key": "blue", "deleted": True}
    refusal = expect(try_step("restore", make_experiment(deleted=True, feature_flag=deleted_flag)), Blocked)
    assert refusal.reason == "its flag has been deleted"
    assert try_step("archive", make_experiment("stopped", feature_flag=deleted_flag)) is not None
    flag = Flag.of({"id": 3, "key": "blue", "archived": True})
    refusal = expect(try_step("resume", make_experiment("paused"), StepContext(NOW, flag=flag)), Blocked)
    assert refusal.reason == "its flag blue is archived, so that it cannot be turned on"
    assert refusal.next == "bring the flag back from the archive first"


def test_new_name_of_a_metric_recalculates_nothing() -> None:
    metric = {**mean_of(event_node("order")), "uuid": "m"}
    fresh = make_experiment(metrics=[metric, {**metric, "uuid": "n"}])
    for change, is_recalculated in (({"name": "Orders"}, False), ({"goal": "decrease"}, True)):
        plan = make_plan("edit", fresh, fields={"metrics": [{**metric, "uuid": "n"}, {**metric, **change}]})
        assert ("Results" in [each.label for each in plan.consequences]) is is_recalculated


def test_endings_and_reopenings_name_their_results() -> None:
    reopened = make_plan("reopen", make_experiment("stopped"), fields={"end_date": None})
    assert [each.text for each in reopened.consequences if each.label == "Results"] == [
        "continue until today, as if it had never ended"
    ]
    fresh = make_experiment(conclusion="stopped_early", start_date="2026-01-01T09:00:00Z")
    assert "stopped early, is erased" in make_plan("end", fresh).cautions[0].text
    ended = make_plan("end", fresh, conclusion="lost")
    assert (ended.cautions, ended.lines[1].words) == ((), "conclusion: stopped early → lost")


def test_pause_counts_dependents_that_it_does_not_name() -> None:
    context = StepContext(NOW, dependents=tuple("abcdefg"))
    refusal = expect(try_step("pause", make_experiment(), context), Blocked)
    assert refusal.reason.startswith("a, b, c, d, e and 2 more depend on its flag")


def test_ending_early_says_what_the_numbers_are_worth() -> None:
    early = make_plan("end", make_experiment(running_time_calculation={"recommended_running_time": 20}))
    assert [caution.text for caution in early.cautions] == [
        "day 12 of 20 that were planned: stopping as soon as the result looks good overstates confidence"
    ]
    assert (
        make_plan("end", make_experiment(running_time_calculation={"recommended_running_time": 10})).cautions
        == ()
    )
    young = make_plan("ship", make_experiment(start_date="2026-02-23T18:00:00Z"), variant="test")
    assert young.cautions[0].text.startswith("day 6: not a whole week")


@pytest.mark.parametrize(
    ("step", "shows"), [("end", True), ("ship", True), ("reset", True), ("pause", False)]
)
def test_steps_that_end_the_numbers_show_who_leads(step: StepName, shows: bool) -> None:
    for leading in ("", "test leads by 14 %"):
        chosen = {"variant": "test"} if step == "ship" else {}
        plan = make_plan(step, make_experiment(), replace(CONTEXT, leading=leading), **chosen)
        expected = [leading] if shows and leading else []
        assert [each.text for each in plan.consequences if each.label == "So far"] == expected


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


@pytest.mark.parametrize(("dependents", "reason", "next"), [
    (("a",), "a depends on its flag", "change or turn off that flag first"),
    (("a", "b"), "a, b depend on its flag", "change or turn off those flags first"),
])  # fmt: skip
def test_pause_is_refused_while_flags_depend_on_its_flag(
    dependents: tuple[str, ...], reason: str, next: str
) -> None:
    refusal = expect(try_step("pause", make_experiment(), StepContext(NOW, dependents=dependents)), Blocked)
    assert (refusal.reason, refusal.next) == (f"{reason}, so that cannot be turned off", next)


def test_end_offers_to_ship_only_while_variants_are_served() -> None:
    ended = {
        state: next(
            each.text
            for each in make_plan("end", make_experiment(state)).consequences
            if each.label == "Flag"
        )
        for state in ("running", "paused")
    }
    assert {state: text.endswith("; ship one next") for state, text in ended.items()} == {
        "running": True,
        "paused": False,
    }


@pytest.mark.parametrize(("groups", "words"), [
    ([], "blue is already on and matches no one: no one gets a variant"),
    ([{"properties": []}], "blue is already on: its variants are being served"),
])  # fmt: skip
def test_launch_names_what_a_flag_serves_that_is_on(groups: list[object], words: str) -> None:
    flag = make_experiment().raw["feature_flag"]
    on = {**flag, "active": True, "filters": {**flag["filters"], "groups": groups}}
    plan = make_plan("launch", make_experiment("draft", feature_flag=on))
    assert [each.text for each in plan.consequences if each.label == "Flag"] == [words]


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

"""The sentences of a question, and the evaluator: every effect on users is named, none that is not there."""

from collections import Counter
from random import Random
from typing import Any, Final

import pytest
from msgspec.structs import replace
from tests.changes.conftest import CALM, NOW, edit, flag, make_plan
from tests.doubles.slices import at_most
from tests.doubles.tables import table
from tests.doubles.targeting import variants

from flagtui.changes.flags.flag_consequences import cautions, consequences, touch_sentence
from flagtui.changes.flags.flag_context import NO_USERS, Context, NotKnown, Reach
from flagtui.changes.flags.flag_intent import Intent, set_all_rollouts, set_field, set_rollout, switch
from flagtui.changes.proposal import Consequence, consequence_with_age
from flagtui.changes.skipped import Linked
from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.flags import evaluate
from flagtui.evaluate.run import Person
from flagtui.models.flag import Flag
from flagtui.models.flag_details import Names
from flagtui.models.json_value import JSON

OFF: Final = switch("turn off", 812)
WIDER: Final = set_rollout(flag(), 0, 60)
RETAG: Final = set_field(812, "tags", ["checkout"], ["checkout", "web"])
TOUCH: Final = touch_sentence("sam", NOW - 180, "rollout 25 % → 50 %")
SINCE: Final = {"last_touch": TOUCH, "touched_since": (TOUCH,)}
OPTED_IN: Final = Reach(20, 20, 50, is_bound=True, opted_in="those who opted in")


def seen_at(version: int) -> Intent:
    """Turn off what the user saw at this version."""
    return switch("turn off", 812, version)


def reach(before: int, after: int, lost: int, gained: int, **more: Any) -> dict[str, Reach]:
    """Of 1,000 users."""
    return {"reach": Reach(before, after, 1000, moved=(lost, gained), **more)}


def experiment(is_running: bool | None) -> dict[str, JSON]:
    """The fields of a flag with this experiment."""
    link = {"id": 31, "name": "Checkout redesign", "is_running": is_running}
    return {"experiment_set": [31], "experiment_set_metadata": [link]}


@pytest.mark.parametrize(("intent", "fields", "around", "words"), [
    (OFF, {}, {"reach": NotKnown("no answer in 3 s")}, "Reach: not known: no answer in 3 s"),
    (OFF, {}, {"reach": NO_USERS}, "Reach: no one (unchanged): no condition matches"),
    (OFF, {}, reach(500, 0, 500, 0, is_estimate=True), "Reach: about 500 of 1,000 users lose it"),
    (WIDER, {}, {"reach": OPTED_IN},
     "Reach: up to 20 of 50 users, as before; those who opted in are not counted"),
    (WIDER, {}, reach(100, 250, 0, 150, is_bound=True), "Reach: up to 150 of 1,000 users gain it: 100 → 250"),
    (WIDER, {}, reach(100, 100, 100, 100, is_bound=True),
     "Reach: up to 100 of 1,000 users lose it, up to 100 gain it: 100 → 100"),
    (WIDER, {}, reach(1000, 1000, 200, 0, is_bound=True), "Reach: up to 200 of 1,000 users lose it"),
    (seen_at(12), {}, {}, "Newer changes: none"),
    (seen_at(11), {"version": None}, {}, "Newer changes: not known: the server has no versions for it"),
    (seen_at(11), {}, SINCE, "Newer changes: v11 → v12 by sam, 3 min ago: rollout 25 % → 50 %"),
    (seen_at(2), {}, SINCE, "Newer changes: v2 → v12 by sam, 3 min ago: rollout 25 % → 50 %; and 9 more"),
    (seen_at(12), {}, SINCE, "Last change: sam, 3 min ago: rollout 25 % → 50 %"),
    # The newest change is named once.
    (seen_at(11), {}, SINCE, "Last change: "),
    (OFF, {}, {"last_touch": touch_sentence("sam", None)}, "Last change: sam"),
    (OFF, {}, {"last_touch": NotKnown("too slow")}, "Last change: not known: too slow"),
    (OFF, {}, {"dependents": NotKnown("too slow")}, "Dependents: not known: too slow"),
    (OFF, {}, {"dependents": (Linked(9, "child", False),)},
     "Dependents: child depends on this flag, which will be off for everyone (it is off)"),
    (RETAG, experiment(True), {}, "Experiment: #31 Checkout redesign is running on it"),
    (RETAG, {**experiment(True), "active": False}, {}, "Experiment: #31 Checkout redesign is paused on it"),
    (RETAG, experiment(None), {}, "Experiment: #31 Checkout redesign uses it"),
    (RETAG, experiment(False), {}, "Experiment: #31 Checkout redesign uses it and is not running"),
    # The caution names it.
    (OFF, experiment(True), {}, "Experiment: "),
    (set_field(812, "key", "checkout-v2", "other"), {}, {}, "Code: stops matching checkout-v2 at once"),
    (switch("delete", 812), {}, {}, "Key: a new flag with this key can destroy the deleted one permanently"),
])  # fmt: skip
def test_what_is_known_around_it_is_told(
    intent: Intent, fields: dict[str, JSON], around: dict[str, Any], words: str
) -> None:
    plan = make_plan(intent, flag(**fields), replace(CALM, **around))
    label, _, text = words.partition(": ")
    assert "; ".join(each.text for each in plan.consequences if each.label == label) == text


def test_only_a_running_experiment_is_coloured() -> None:
    plans = [make_plan(RETAG, flag(**experiment(is_running))) for is_running in (True, False)]
    tones = [each.tone for plan in plans for each in plan.consequences if each.label == "Experiment"]
    assert tones == ["experiment", "plain"]


def two_variants(**shares: float) -> dict[str, JSON]:
    return {"groups": [{}], "multivariate": variants(**shares)}


DELETED: Final = {"deleted": True, "key": "checkout-v2:deleted:812"}
BOTH: Final = {"filters": two_variants(a=50, b=50)}
HALF: Final = {"filters": {"groups": [{"properties": [], "rollout_percentage": 50}]}}
ODD: Final = {"groups": [{}], "multivariate": {"variants": [{"key": "a", "rollout_percentage": 90}]}}
REORDERED: Final = ["variants are in another order: users are re-bucketed, different users get each variant"]
COMPANIES: Final = {"names": Names(groups={0: "company"})}
TO_GROUPS: Final = {"properties": [], "rollout_percentage": 50, "aggregation_group_type_index": 0}


@table("intent, fields, around, words", {
    "a key that can deceive": (OFF, {"key": "prod\u202e-x"}, {},
     ["the key has characters that can look like others: U+202E"]),
    "the mark of a deleted flag on its key": (switch("restore", 812), DELETED, {}, []),
    "a similar key": (OFF, {}, {"similar": ("checkout-v1",)}, ["easily confused with checkout-v1"]),
    "use in the settings of recordings": (OFF, {"is_used_in_replay_settings": True}, {}, ["session replay"]),
    "an experiment that is running": (OFF, experiment(True), {}, ["experiment #31 Checkout"]),
    "an experiment of unknown state": (OFF, experiment(None), {},
     ["experiment #31 Checkout redesign uses this flag; the server does not report whether it is running"]),
    "tags under a running experiment": (RETAG, experiment(True), {}, []),
    "an old fault": (edit(**ODD, early_exit=True), {"filters": ODD}, {}, ["existed before this change: "]),
    "a condition that turns to groups": (edit(groups=[TO_GROUPS]), HALF, COMPANIES,
     ["condition 1 is re-bucketed by company groups: different ones match"]),
    "a wider condition": (edit(groups=[{"properties": [], "rollout_percentage": 60}]), HALF, {}, []),
    "variants that trade places": (edit(**two_variants(b=50, a=50)), BOTH, {}, REORDERED),
    "one more between others": (edit(**two_variants(b=40, new=10, a=50)), BOTH, {}, REORDERED),
    "other shares": (edit(**two_variants(a=60, b=40)), BOTH, {}, []),
    "a new one before the others": (edit(**two_variants(new=10, a=50, b=40)), BOTH, {}, []),
    "an order without a share": (edit(**two_variants(b=0, a=100)), BOTH, {}, []),
})  # fmt: skip
def test_cautions_name_what_can_surprise(
    intent: Intent, fields: dict[str, JSON], around: dict[str, Any], words: list[str]
) -> None:
    plan = make_plan(intent, flag(**fields), replace(CALM, **around))
    texts = [caution.text for caution in plan.cautions]
    assert [text[: len(start)] for text, start in zip(texts, words, strict=True)] == words


CROWD: Final = [Person(f"person-{place}", {}, is_complete=True) for place in range(40)]


def raw(id: int, key: str, *groups: Any, **more: Any) -> dict[str, Any]:
    return {"id": id, "key": key, "active": True, "filters": {"groups": list(groups)}, **more}


@pytest.mark.parametrize("value", [True, False, "test"])
@pytest.mark.parametrize("was_on", [True, False])
@pytest.mark.parametrize("verb", ["turn on", "turn off", "delete", "archive"])
def test_predicted_effects_on_dependent_flags_match_evaluation(verb: str, was_on: bool, value: Any) -> None:
    change, base = switch(verb, 1), raw(1, "base", {"properties": []}, active=was_on)
    question = {"key": "1", "type": "flag", "operator": "flag_evaluates_to", "value": value}
    context = Context(now=NOW, dependents=(Linked(2, "asking", True),))
    effects = consequences(change, Flag.of(base), change.changes, context)
    texts = [effect.text for effect in effects if effect.label == "Dependents"]
    left = [] if change.changes.get("deleted") else [{**base, **change.changes}]
    asking = raw(2, "asking", {"properties": [question]}, *([] if left else [{}]))
    definitions = Definitions.of([*left, asking])
    base_values = {evaluate("base", person, definitions).value for person in CROWD} if left else {False}
    matched = {evaluate("asking", person, definitions).value for person in CROWD}
    for text in texts:
        if "which will be missing: that flag will be off for everyone" in text:
            assert (left, matched) == ([], {False})
        elif "which will be off for everyone" in text:
            assert left
            assert base_values == {False}
        else:
            assert text == "asking depends on this flag"
            assert left
    assert texts or change.changes.get("active", was_on) is was_on


def test_consequences_name_every_known_effect_on_users() -> None:
    random, named = Random("consequences"), Counter[str]()
    for _ in range(at_most(150, 1_000)):
        shares = random.sample([0, 30, 60, 100], 2)
        groups = [{"properties": [], "rollout_percentage": share} for share in shares]
        fresh = Flag.of(raw(1, "base", *groups, active=random.random() < 0.6))
        intents = [switch(verb, 1) for verb in ("turn on", "turn off", "delete", "archive")]
        intents += [set_field(1, "key", "base", "other"), set_all_rollouts(fresh, 45)]
        change, context = random.choice(intents), Context(now=NOW, reach=NotKnown("too slow"), dependents=())
        effects = {effect.label for effect in consequences(change, fresh, change.changes, context)}
        warnings = cautions(fresh, change.changes, context)
        if any("re-bucketed" in caution.text for caution in warnings):
            effects.add("re-bucketed")
        if outcomes(dict(fresh.raw)) != outcomes({**fresh.raw, **change.changes}):
            assert effects & {"re-bucketed", "Reach"}
            named.update(effects)
    assert min(named["re-bucketed"], named["Reach"]) > 5


def outcomes(raw: dict[str, Any]) -> list[Any]:
    """What each of the people gets of a flag that is like that; one that is deleted is not there."""
    if raw.get("deleted"):
        return [False for _ in CROWD]
    return [evaluate(raw["key"], person, Definitions.of([raw])).value for person in CROWD]


def test_ages_of_a_consequence_move_and_others_stay() -> None:
    consequence = consequence_with_age(
        "Last change", ("sam, ", 60.0, ": on → off; ada, ", 0.0), 120.0, "warning"
    )
    shown = (consequence.label, consequence.text, consequence.tone)
    assert shown == ("Last change", "sam, 1 min ago: on → off; ada, 2 min ago", "warning")
    later = consequence.as_of(3 * 3_600.0)
    assert later.text == "sam, 2 h ago: on → off; ada, 3 h ago"
    assert later.as_of(120.0) == consequence
    assert consequence.as_of(36 * 3_600.0).text == "sam, 1 day ago: on → off; ada, 1 day ago"
    consequence = Consequence("Reach", "no one")
    assert consequence.as_of(1e9) is consequence

"""Changed fields of records in the activity, in a few words."""

import pytest
from tests.doubles.targeting import asks, group, variants

from flagtui.changes.flags.flag_words import GROUP_TYPE
from flagtui.models.activity import Activity, Change
from flagtui.models.json_value import JSON
from flagtui.text.activity_words import activity_words, experiment_change_words


def entry(*changes: JSON, activity: str = "updated") -> str:
    detail: JSON = {"changes": [*changes, {"field": "version", "before": 1, "after": 2}]}
    return activity_words(Activity.of({"activity": activity, "detail": detail}), 200)


def rollouts(*shares: int, **more: JSON) -> JSON:
    return {"groups": [{"rollout_percentage": share} for share in shares], **more}


def condition(*properties: JSON, **more: JSON) -> JSON:
    return {"groups": [group(1, *properties, **more)]}


A, B = asks("a", "exact", 1), asks("b", "exact", 2)
HALVES, TURNED = {"multivariate": variants(a=50, b=50)}, {"multivariate": variants(b=50, a=50)}
MOVED = {"multivariate": variants(b=40, a=60)}


@pytest.mark.parametrize(("field", "before", "after", "words"), [
    ("active", False, True, "turned on"),
    ("active", "false", "true", "turned on"),
    ("active", "True", "False", "turned off"),
    ("active", True, "maybe", "on or off → maybe"),
    ("deleted", "false", "true", "deleted"),
    ("filters", rollouts(25), rollouts(50), "rollout 25 % → 50 %"),
    ("filters", rollouts(1, 5), rollouts(1, 9), "condition 2: 5 % → 9 %"),
    ("filters", rollouts(1), rollouts(1, 9), "+ condition 2 at 9 %"),
    ("filters", rollouts(1), condition(**{GROUP_TYPE: 0}),
     "condition 1: is about groups of type 0 instead of users"),
    ("filters", rollouts(1), condition(exposure_frozen=True), "condition 1: exposure frozen"),
    ("filters", condition(A, B), condition(B, A), "condition 1 changed"),
    ("filters", rollouts(1), rollouts(2, **{GROUP_TYPE: 0}),
     "the flag is about groups of type 0 instead of users, rollout 1 % → 2 %"),
    ("filters", HALVES, {**TURNED, "early_exit": True}, "variants in another order, early exit → on"),
    ("filters", HALVES, MOVED,
     "variant a: 50 % → 60 %, variant b: 50 % → 40 %, variants in another order"),
    ("filters", rollouts(1),
     {**condition(variant=None, **{GROUP_TYPE: None}), GROUP_TYPE: None, "early_exit": False}, "updated"),
    ("tags", ["a", "b"], ["b", "nav"], "tags +nav -a"),
    ("name", "a", "b", "description"),
    ("evaluation_runtime", "all", "server", "runtime → server"),
    ("ensure_experience_continuity", False, True, "persist across sign-in → on"),
    ("bucketing_identifier", "device_id", None, "bucketing → none"),
    ("brand_new_field", 1, 2, "brand new field → 2"),
    (None, None, None, "something without a name"),
    (None, 1, 2, "something without a name → 2"),
])  # fmt: skip
def test_changed_field_of_a_flag_is_named(field: JSON, before: JSON, after: JSON, words: str) -> None:
    assert entry({"field": field, "before": before, "after": after}) == words


def test_deletions_and_writes_without_detail_are_named() -> None:
    assert entry() == "tags changed, or saved without a change"
    assert entry({"field": "deleted", "before": False, "after": True}, activity="deleted") == "deleted"


@pytest.mark.parametrize(("field", "before", "after", "words"), [
    ("metrics", [], [{"uuid": "a"}], "metric added"),
    ("metrics_secondary", [{"uuid": "a"}], [], "secondary metric removed"),
    ("metrics", [{"uuid": "a"}], [{"uuid": "b"}], "metric changed"),
    ("start_date", None, "2026-03-01T12:00:00Z", "launched"),
    ("start_date", "2026-03-01T12:00:00Z", None, "start removed"),
    ("end_date", None, "2026-03-01T12:00:00Z", "ended"),
    ("end_date", "2026-03-01T12:00:00Z", "2026-03-02T12:00:00Z", "end date changed"),
    ("name", "Old", "New \x1b[31m", "name → New ␛[31m"),
    ("conclusion", None, "stopped_early", "conclusion → stopped early"),
    ("conclusion", "won", None, "conclusion → none"),
    ("archived", False, True, "archived"),
    ("primary_metrics_ordered_uuids", ["a", "b"], ["b", "a"], "metrics reordered"),
    ("some_new_field", 1, 2, "some new field"),
])  # fmt: skip
def test_changed_field_of_an_experiment_is_named(field: str, before: JSON, after: JSON, words: str) -> None:
    change = Change.of({"field": field, "before": before, "after": after})
    assert experiment_change_words(change) == words
    order = {"field": "secondary_metrics_ordered_uuids"}
    both = Activity.of({"scope": "Experiment", "detail": {"changes": [order, change.raw]}})
    assert ("reordered, " in activity_words(both)) is ("metric" not in field or "order" in field)

"""Rules of flags that no scenario names: requirements of projects and of filters."""

from typing import Any

import pytest
from tests.doubles.service_world import Start, World, asks_whether, variants


async def test_a_project_may_want_every_flag_tagged(world: World) -> None:
    world.write("UPDATE projects SET settings = '{\"require_flag_tags\": true}'")
    refusal = await world.refused("POST", "", {"key": "a"})
    assert refusal.attr == "tags"
    assert refusal.detail == "Add at least one tag. This project requires new feature flags to be tagged."
    await world.flag("of-a-survey", creation_context="surveys")
    flag = await world.flag("a", tags=["x"])
    refusal = await world.refused("PATCH", f"{flag['id']}/", {"tags": []})
    assert refusal.detail == "Keep at least one tag. This project requires feature flags to stay tagged."
    await world.patch(f"{flag['id']}/", {"name": "n"})


CONTEXTS: list[tuple[Any, str]] = [
    (["x"] * 51, "evaluation_contexts must be a list of at most 50 items."),
    ("web", "evaluation_contexts must be a list of at most 50 items."),
    ([""], "Invalid evaluation context name."),
    ([7], "Invalid evaluation context name."),
    (["x" * 256], "Invalid evaluation context name."),
]


async def test_evaluation_contexts_are_short_names_or_required(world: World) -> None:
    for contexts, detail in CONTEXTS:
        refusal = await world.refused("POST", "", {"key": "a", "evaluation_contexts": contexts})
        assert (refusal.attr, refusal.detail) == (None, detail)
    world.write("UPDATE projects SET settings = '{\"require_evaluation_contexts\": true}'")
    refusal = await world.refused("POST", "", {"key": "a"})
    assert refusal.detail == "At least one evaluation context is required to create a new feature flag."
    flag = await world.flag("a", evaluation_contexts=["Web", "web"])
    assert flag["evaluation_contexts"] == ["web"]
    refusal = await world.refused("PATCH", f"{flag['id']}/", {"evaluation_contexts": []})
    assert refusal.detail is not None
    assert refusal.detail.startswith("Cannot remove all evaluation contexts.")


async def test_features_of_organizations_and_devices_are_refused_elsewhere(world: World) -> None:
    body = {"key": "a", "bucketing_identifier": "device_id", "ensure_experience_continuity": True}
    refusal = await world.refused("POST", "", body)
    assert refusal.attr is None
    assert refusal.detail is not None
    assert refusal.detail.startswith("Cannot enable 'persist across authentication steps'")
    filters = {"groups": [{}], "early_exit": True}
    refusal = await world.refused("POST", "", {"key": "a", "filters": filters})
    assert refusal.detail == "early_exit is not available for this organization."
    world.write("UPDATE projects SET settings = '{\"early_exit\": true}'")
    assert (await world.flag("a", filters=filters))["filters"]["early_exit"] is True


def cohort(world: World, name: str, **part: Any) -> int:
    filters = {"properties": {"type": "OR", "values": [{"type": "AND", "values": [part]}]}}
    return world.insert("cohorts", project_id=1, name=name, filters=filters, created_at=world.ago(days=1))


async def test_a_cohort_must_exist_and_ask_no_events(world: World) -> None:
    async def refusal_of(number: Any) -> tuple[str | None, str | None]:
        filters = asks_whether(key="id", type="cohort", value=number, operator="in")
        refusal = await world.refused("POST", "", {"key": "a", "filters": filters})
        return refusal.code, refusal.detail

    assert await refusal_of(99) == ("cohort_does_not_exist", "Cohort with id 99 does not exist")
    assert await refusal_of("x") == ("cohort_does_not_exist", "Cohort with id x does not exist")
    power = cohort(world, "Power users", type="behavioral", key="$pageview", value="performed_event")
    wider = cohort(world, "Wider", type="cohort", key="id", value=power)
    for number in (power, wider):
        code, detail = await refusal_of(number)
        assert code == "behavioral_cohort_found"
        assert detail is not None
        assert detail.endswith(
            "has an event-based condition on '$pageview' (performed_event) "
            "and cannot be used in feature flags."
        )
    round_again = cohort(world, "Round", type="cohort", key="id", value=power + 2)
    await world.flag("a", filters=asks_whether(key="id", type="cohort", value=round_again, operator="in"))


@pytest.mark.parametrize(
    ("legacy", "detail"),
    [
        (
            False,
            "Cannot use group aggregation in any condition set when the flag is linked to an "
            "Early Access Feature.",
        ),
        (True, "Cannot change this flag to a group-based when linked to an Early Access Feature."),
    ],
)
async def test_a_flag_with_an_early_access_feature_is_for_persons(
    start_world: Start, legacy: bool, detail: str
) -> None:
    world = await start_world(legacy=legacy)
    flag = await world.flag("a")
    world.add_early_access(flag["id"])
    groups = {"groups": [{"rollout_percentage": 5, "aggregation_group_type_index": 0}]}
    assert (await world.refused("PATCH", f"{flag['id']}/", {"filters": groups})).detail == detail


OLDER_AND_NEWER: list[tuple[Any, str | None, str | None]] = [
    ({**variants(a=100), "payloads": {"b": "1"}}, "payload_key_not_a_variant",
     "Payload keys must match a variant key for multivariate flags"),
    ({"groups": [{}], "payloads": {"false": "1"}}, "payload_key_not_true",
     "Payload keys must be 'true' for boolean flags"),
    ({"groups": [{"variant": "b"}], "multivariate": variants(a=100)["multivariate"]},
     "group_variant_not_a_variant", "Filters are not valid (variant override does not exist)"),
    (
        asks_whether(type="group", group_type_index=0),
        "person_aggregation_property_type",
        "Filters are not valid "
        "(person-aggregated conditions can only use person, cohort, and flag properties)",
    ),
    ({**asks_whether(), "aggregation_group_type_index": 0}, "group_aggregation_property_type",
     "Filters are not valid (group-aggregated conditions can only use group properties)"),
    ({**asks_whether(type="group", group_type_index=1), "aggregation_group_type_index": 0},
     "group_property_type_index_mismatch",
     "Filters are not valid (group properties must match the condition set's group type)"),
    (variants(**{"a": 50, "b": 50.5}), "variant_rollout_sum_not_100", None),
    (variants(a=33.34, b=33.33, c=33.33), None, None),
]  # fmt: skip


async def test_the_same_fault_has_an_older_and_a_newer_word(start_world: Start) -> None:
    old, new = await start_world(), await start_world(strict_filters=True)
    for filters, rule, older in OLDER_AND_NEWER:
        body = {"key": "a", "filters": filters}
        if rule is None:
            await old.flag(**body)
            await new.flag(**body)
            continue
        refusal = await old.refused("POST", "", body)
        assert refusal.attr == "filters"
        assert older is None or refusal.detail == older
        newest = await new.refused("POST", "", body)
        assert (newest.code, newest.attr) == (f"cross_field.{rule}", "filters")


OLDEST: list[tuple[Any, str]] = [
    (asks_whether(type="group", group_type_index=0),
     "Filters are not valid (can only use person, cohort, and flag properties)"),
    ({**asks_whether(), "aggregation_group_type_index": 0},
     "Filters are not valid (can only use group properties)"),
    ({**asks_whether(type="group", group_type_index=1), "aggregation_group_type_index": 0},
     "Filters are not valid (can only use group properties)"),
    ({"groups": [{}], "payloads": {"true": "{bad"}}, "Payload value is not valid JSON"),
]  # fmt: skip


async def test_older_servers_name_less_and_want_evaluation_tags_tagged(start_world: Start) -> None:
    older = await start_world(legacy=True)
    for filters, detail in OLDEST:
        refusal = await older.refused("POST", "", {"key": "a", "filters": filters})
        assert (refusal.attr, refusal.detail) == ("filters", detail)
    world = await start_world(legacy=True)
    body = {"key": "a", "tags": ["x"], "evaluation_tags": ["y"]}
    refusal = await world.refused("POST", "", body)
    assert refusal.detail == "Evaluation tags must be a subset of tags. Invalid evaluation tags: y"
    assert (await world.flag("a", tags=["x"], evaluation_tags=["x"]))["evaluation_tags"] == ["x"]


WRONG_SHAPES: list[tuple[Any, str]] = [
    ([], 'Expected a dictionary of items but got type "list".'),
    (None, "This field may not be null."),
    ({"groups": {}}, "groups must be a list, got dict"),
    ({"groups": None}, "groups must be a list, got null"),
    ({"groups": ["x"]}, "groups[0] must be a dictionary, got str"),
    ({"groups": [{"properties": {}}]}, "groups[0].properties must be a list, got dict"),
    ({"groups": [{"properties": ["x"]}]}, "groups[0].properties[0] must be a dictionary, got str"),
    ({"groups": [{"variant": 1}]}, "groups[0].variant must be a string or null, got int"),
    ({"groups": [{}], "aggregation_group_type_index": "a"},
     "aggregation_group_type_index must be an integer or null, got str"),
    ({"groups": [{}], "multivariate": []}, "multivariate must be a dictionary or null, got list"),
    ({"groups": [{}], "multivariate": {}}, "multivariate.variants must be a list"),
    ({"groups": [{}], "multivariate": {"variants": [{"key": 1}]}},
     "multivariate.variants[0].key must be a string"),
    ({"groups": [{}], "multivariate": {"variants": [{"key": "a", "rollout_percentage": None}]}},
     "multivariate.variants[0].rollout_percentage must be a number, got null"),
    ({"groups": [{}], "holdout": 4}, "holdout must be a dictionary or null, got int"),
    ({"groups": [{}], "holdout": {}}, "holdout.id must be an integer"),
    ({"groups": [{}], "holdout": {"id": 1}}, "holdout.exclusion_percentage must be a number"),
    ({"groups": [{}], "early_exit": "yes"}, "early_exit must be a boolean or null, got str"),
    ({"groups": [{}], "feature_enrollment": 1}, "feature_enrollment must be a boolean or null, got int"),
    ({"groups": [{}], "payloads": []}, "Payloads must be passed as a dictionary"),
]  # fmt: skip


async def test_filters_of_a_wrong_shape_are_named_by_their_place(world: World) -> None:
    for filters, detail in WRONG_SHAPES:
        refusal = await world.refused("POST", "", {"key": "a", "filters": filters})
        assert (refusal.status, refusal.attr, refusal.detail) == (400, "filters", detail)


async def test_filters_are_brought_into_one_form(world: World) -> None:
    items = [
        {"key": 7, "type": "person", "operator": "min", "value": "3", "cohort_name": "shown only"},
        {"key": "b", "type": "person", "operator": "max", "value": "9"},
    ]
    flag = await world.flag("a", filters={"groups": [{"properties": items, "rollout_percentage": 5}]})
    assert flag["filters"] == {
        "groups": [
            {
                "properties": [
                    {"key": "7", "type": "person", "operator": "gte", "value": "3"},
                    {"key": "b", "type": "person", "operator": "lte", "value": "9"},
                ],
                "rollout_percentage": 5,
                "aggregation_group_type_index": None,
            }
        ],
        "aggregation_group_type_index": None,
    }


async def test_old_early_access_is_dropped_by_the_next_filters_change(world: World) -> None:
    flag = await world.flag("a", filters={"groups": [{}]})
    world.write("UPDATE flags SET filters = json_set(filters, '$.super_groups', json('[{}]'))")
    assert "super_groups" in (await world.patch(f"{flag['id']}/", {"name": "n"}))["filters"]
    changed = await world.patch(f"{flag['id']}/", {"filters": {"payloads": {"true": "1"}}})
    assert "super_groups" not in changed["filters"]


async def test_dashboards_are_linked_and_never_unlinked(world: World) -> None:
    first, second = [
        world.write("INSERT INTO dashboards (project_id, name, created_at) VALUES (1, 'D', 'x')")
        for _ in range(2)
    ]
    flag = await world.flag("a", analytics_dashboards=[first])
    changed = await world.patch(f"{flag['id']}/", {"analytics_dashboards": [second]})
    assert changed["analytics_dashboards"] == [first, second]
    refusal = await world.refused("PATCH", f"{flag['id']}/", {"analytics_dashboards": [99]})
    assert (refusal.code, refusal.attr) == ("does_not_exist", "analytics_dashboards")
    assert refusal.detail == 'Invalid pk "99" - object does not exist.'


@pytest.mark.parametrize(("legacy", "status"), [(True, 400), (False, 201)])
async def test_older_servers_take_a_thousand_values_in_one_list(
    start_world: Start, legacy: bool, status: int
) -> None:
    world = await start_world(legacy=legacy)
    property_filter = {
        "key": "email",
        "type": "person",
        "operator": "exact",
        "value": [str(n) for n in range(1001)],
    }
    body = {"key": "many", "filters": {"groups": [{"properties": [property_filter]}]}}
    if status == 400:
        refusal = await world.refused("POST", "", body)
        detail = "Property group expressions of type email cannot contain more than 1000 values."
        assert (refusal.detail, refusal.attr) == (detail, "filters")
        property_filter["value"] = property_filter["value"][:1000]
    assert (await world.flag(**body))["key"] == "many"

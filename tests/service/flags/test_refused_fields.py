"""What no flag is made with: the field, the code and the words of each refusal, scenarios 10 to 20."""

from typing import Any

from tests.doubles.service_world import Start, World, asks_whether, released, variants

HALF = released(50)
NO_CHOICE = "invalid_choice"
SIMPLE, SHARE = "is_simple_flag", "rollout_percentage"
FIELDS: list[tuple[dict[str, Any], str | None, str, str]] = [
    ({"key": ""}, "key", "blank", "…"),
    ({"key": None}, "key", "null", "…"),
    ({"key": "a b"}, "key", "invalid_key", "…"),
    ({"key": "x" * 401}, "key", "max_length", "…"),
    ({"key": ["a"]}, "key", "invalid_input", "…"),
    ({"key": "a b", "active": "maybe"}, "key", "invalid_key", "…"),
    ({"active": "maybe", "tags": "x"}, "active", "invalid_input", "Must be a valid boolean."),
    ({"archived": True}, None, "invalid_input", "Cannot archive an enabled feature flag.…"),
    ({"evaluation_runtime": "both"}, "evaluation_runtime", NO_CHOICE, '"both" is not a valid choice.'),
    ({"tags": "ops"}, "tags", "not_a_list", 'Expected a list of items but got type "str".'),
    ({"bucketing_identifier": "device_id", "ensure_experience_continuity": True}, None, "invalid_input",
     "Cannot enable 'persist across authentication steps'…"),
    ({"filters": HALF, SHARE: 60}, SHARE, "invalid_input", "…"),
    ({"filters": HALF, SHARE: None}, SHARE, "invalid_input", "…"),
    ({"filters": HALF, SHARE: 101}, SHARE, "max_value", "…"),
    ({"filters": HALF, SHARE: "much"}, SHARE, "invalid_input", "…"),
    ({"filters": HALF, SIMPLE: False}, SIMPLE, "invalid_input", "…"),
    ({"filters": asks_whether(), SIMPLE: True}, SIMPLE, "invalid_input", "…"),
    ({SIMPLE: "perhaps"}, SIMPLE, "invalid_input", "…"),
    ({"evaluation_tags": ["a"], "evaluation_contexts": ["b"]}, "evaluation_contexts", "invalid_input", "…"),
    ({"creation_context": "elsewhere"}, "creation_context", NO_CHOICE, "…"),
    ({"performed_rollback": "perhaps"}, "performed_rollback", "invalid_input", "…"),
    ({"_create_in_folder": ["a"]}, "_create_in_folder", "invalid_input", "…"),
    ({"has_encrypted_payloads": True}, None, "invalid_input",
     "Encrypted payloads require the flag to be a remote configuration."),
    ({"is_remote_configuration": True, "has_encrypted_payloads": True}, None, "invalid_input",
     "An encrypted payload is required when has_encrypted_payloads is true."),
    *[({"evaluation_contexts": contexts}, None, "invalid_input",
       "evaluation_contexts must be a list of at most 50 items.") for contexts in (["x"] * 51, "web")],
    *[({"evaluation_contexts": contexts}, None, "invalid_input", "Invalid evaluation context name.")
      for contexts in ([""], [7], ["x" * 256])],
]  # fmt: skip
"""Fields, and the place, the code and the words of the first fault."""
VARIANT = "multivariate.variants[0]"
FILTERS: list[tuple[Any, str]] = [
    ([], 'Expected a dictionary of items but got type "list".'),
    (None, "This field may not be null."),
    ({"groups": []}, "Feature flags must have at least one condition set (group)."),
    ({"groups": {}}, "groups must be a list, got dict"),
    ({"groups": None}, "groups must be a list, got null"),
    ({"groups": ["x"]}, "groups[0] must be a dictionary, got str"),
    ({"groups": [{"properties": {}}]}, "groups[0].properties must be a list, got dict"),
    ({"groups": [{"properties": ["x"]}]}, "groups[0].properties[0] must be a dictionary, got str"),
    ({"groups": [{"variant": 1}]}, "groups[0].variant must be a string or null, got int"),
    (released(101), "groups[0].rollout_percentage must be between 0 and 100, got 101"),
    (released(-1), "groups[0].rollout_percentage must be between 0 and 100, got -1"),
    (released("50"), "groups[0].rollout_percentage must be a number or null, got str"),
    (released(True), "groups[0].rollout_percentage must be a number or null, got bool"),
    (released(aggregation_group_type_index="a"),
     "aggregation_group_type_index must be an integer or null, got str"),
    (released(multivariate=[]), "multivariate must be a dictionary or null, got list"),
    (released(multivariate={}), "multivariate.variants must be a list"),
    (released(multivariate={"variants": [{"key": 1}]}), f"{VARIANT}.key must be a string"),
    (released(multivariate={"variants": [{"key": "a", "rollout_percentage": None}]}),
     f"{VARIANT}.rollout_percentage must be a number, got null"),
    (variants(control=50, test=40),
     "Invalid variant definitions: Variant rollout percentages must sum to 100."),
    (released(holdout=4), "holdout must be a dictionary or null, got int"),
    (released(holdout={}), "holdout.id must be an integer"),
    (released(holdout={"id": 1}), "holdout.exclusion_percentage must be a number"),
    (released(early_exit="yes"), "early_exit must be a boolean or null, got str"),
    (released(early_exit=True), "early_exit is not available for this organization."),
    (released(feature_enrollment=1), "feature_enrollment must be a boolean or null, got int"),
    (released(payloads=[]), "Payloads must be passed as a dictionary"),
    (released(payloads={"true": "{bad"}), "Payload for key 'true' is not valid JSON."),
    (asks_whether(operator="contains"),
     "groups[0].properties[0].operator: unsupported operator for feature flags"),
    (asks_whether(operator="in", value=[1]),
     "The 'in' operator is only valid for cohort properties, not 'person' properties."),
    (asks_whether(operator="regex", value="["), "groups[0].properties[0].value: invalid regex pattern"),
    (asks_whether(operator="icontains", value=["@a"]), "Invalid value for operator icontains: ['@a']"),
    (asks_whether(operator="is_date_after", value="soon"), "Invalid date value: soon"),
    (asks_whether(operator="semver_gt", value="x"), "Invalid semver value for operator semver_gt: x"),
    (asks_whether(operator="icontains_multi"), "icontains_multi operator requires a list of values"),
    (asks_whether(type="event"), "groups[0].properties[0].type: invalid property type"),
    (asks_whether(key=""), "groups[0].properties[0].key: a property key is required"),
    *[(asks_whether(key="id", type="cohort", operator="in", value=cohort),
       f"Cohort with id {cohort} does not exist") for cohort in (99, "x")],
]  # fmt: skip


async def test_refused_fields_are_named_and_store_nothing(world: World) -> None:
    await world.refuses("POST", "", {}, status=400, attr="key", code="required")
    for fields, attr, code, detail in FIELDS:
        expected = {"status": 400, "attr": attr, "code": code, "detail": detail}
        await world.refuses("POST", "", {"key": "a", **fields}, **expected)
    for filters, detail in FILTERS:
        await world.refuses("POST", "", {"key": "a", "filters": filters}, attr="filters", detail=detail)
    assert await world.keys() == []
    world.write("UPDATE projects SET settings = '{\"early_exit\": true}'")
    assert (await world.flag("a", filters=released(early_exit=True)))["filters"]["early_exit"] is True


CAN_ONLY = "Filters are not valid (can only use"
OF_GROUP, OF_PERSON = asks_whether(type="group", group_type_index=0), asks_whether()
GENERATIONS: list[tuple[dict[str, Any], str | None, str, str]] = [
    ({**variants(a=100), "payloads": {"b": "1"}}, "payload_key_not_a_variant",
     "Payload keys must match a variant key for multivariate flags", "…"),
    (released(payloads={"false": "1"}), "payload_key_not_true",
     "Payload keys must be 'true' for boolean flags", "…"),
    ({**variants(a=100), "groups": [{"variant": "b"}]}, "group_variant_not_a_variant",
     "Filters are not valid (variant override does not exist)", "…"),
    (OF_GROUP, "person_aggregation_property_type",
     "Filters are not valid (person-aggregated conditions can only use person, cohort, and flag properties)",
     f"{CAN_ONLY} person, cohort, and flag properties)"),
    ({**OF_PERSON, "aggregation_group_type_index": 0}, "group_aggregation_property_type",
     "Filters are not valid (group-aggregated conditions can only use group properties)",
     f"{CAN_ONLY} group properties)"),
    ({**asks_whether(type="group", group_type_index=1), "aggregation_group_type_index": 0},
     "group_property_type_index_mismatch",
     "Filters are not valid (group properties must match the condition set's group type)",
     f"{CAN_ONLY} group properties)"),
    (variants(a=50, b=50.5), "variant_rollout_sum_not_100",
     "Invalid variant definitions: Variant rollout percentages must sum to 100.", "…"),
    (released(payloads={"true": "{bad"}), None,
     "Payload for key 'true' is not valid JSON.", "Payload value is not valid JSON"),
]  # fmt: skip
"""Filters, the newest servers' code, and the words of servers today and earlier."""


async def test_the_same_fault_has_words_by_generation(start_world: Start) -> None:
    worlds: list[World] = [await start_world(), await start_world(legacy=True)]
    newest: World = await start_world(strict_filters=True)
    for filters, rule, *details in GENERATIONS:
        body = {"key": "a", "filters": filters}
        for world, detail in zip(worlds, details, strict=True):
            await world.refuses("POST", "", body, attr="filters", detail=detail)
        if rule:
            await newest.refuses("POST", "", body, attr="filters", code=f"cross_field.{rule}")
    body = {"key": "a", "filters": variants(control=50, test=40)}
    detail = "multivariate.variants: Variant rollout percentages must sum to 100, got 90."
    await newest.refuses("POST", "", body, detail=detail)
    for world in (worlds[0], newest):
        await world.flag("thirds", filters=variants(a=33.34, b=33.33, c=33.33))


async def test_older_servers_want_tagged_contexts_and_shorter_lists(start_world: Start) -> None:
    older: World = await start_world(legacy=True)
    tags = {"key": "a", "tags": ["x"], "evaluation_tags": ["y"]}
    detail = "Evaluation tags must be a subset of tags. Invalid evaluation tags: y"
    await older.refuses("POST", "", tags, detail=detail)
    assert (await older.flag("a", tags=["x"], evaluation_tags=["x"]))["evaluation_tags"] == ["x"]
    values = [str(number) for number in range(1001)]
    body = {"key": "many", "filters": asks_whether(value=values)}
    detail = "Property group expressions of type email cannot contain more than 1000 values."
    await older.refuses("POST", "", body, attr="filters", detail=detail)
    await older.flag("many", filters=asks_whether(value=values[1:]))
    await (await start_world()).flag(**body)

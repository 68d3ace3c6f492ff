"""Making experiments: scenarios 1 to 8, 37 and 38."""

from typing import Any

import pytest
from tests.service.experiments.conftest import HALVES, MEAN, START, Service, Start, body_of, variants_of

AT_LEAST_TWO = "Feature flag must have at least 2 variants (control and at least one test variant)"


async def test_scenario_1_smallest_body_makes_a_draft_and_inactive_flag(service: Service) -> None:
    made = await service.create()
    assert (made["status"], made["name"], made["type"]) == ("draft", "Blue button", "product")
    flag = await service.get(f"feature_flags/{made['feature_flag']['id']}")
    expected = ("blue-button", False, "Feature Flag for Experiment Blue button")
    assert (flag["key"], flag["active"], flag["name"]) == expected
    variants = flag["filters"]["multivariate"]["variants"]
    shares = [("control", 50), ("test", 50)]
    assert [(variant["key"], variant["rollout_percentage"]) for variant in variants] == shares
    assert made["parameters"]["feature_flag_variants"][0]["split_percent"] == 50
    assert made["parameters"]["rollout_percentage"] == 100
    log = await service.get(f"experiments/{made['id']}/activity")
    assert [entry["activity"] for entry in log["results"]] == ["created"]


MISSING: list[tuple[list[str], str]] = [
    (["name"], "name"),
    (["feature_flag_key"], "feature_flag_key"),
    (["name", "feature_flag_key"], "name"),
]


async def test_scenario_2_name_and_flag_key_are_required(service: Service) -> None:
    for missing, attr in MISSING:
        body = {name: value for name, value in body_of().items() if name not in missing}
        assert await service.refused("POST", "experiments", body) == (400, "This field is required.", attr)


async def test_scenario_3_a_name_has_at_most_400_characters(service: Service) -> None:
    response = await service.send("POST", "experiments", body_of(name="n" * 401))
    assert response.json() == {
        "type": "validation_error",
        "code": "max_length",
        "detail": "Ensure this field has no more than 400 characters.",
        "attr": "name",
    }
    await service.post("experiments", body_of(name="n" * 400), 201)


async def test_scenario_4_variants_keep_order_and_wrong_sums_are_refused(service: Service) -> None:
    thirds = variants_of(("control", 34), ("a", 33), ("b", 33))
    made = await service.create("thirds", parameters=thirds)
    shares = made["feature_flag"]["filters"]["multivariate"]["variants"]
    expected = [("control", 34), ("a", 33), ("b", 33)]
    assert [(variant["key"], variant["rollout_percentage"]) for variant in shares] == expected
    wrong = body_of(feature_flag_key="wrong", parameters=variants_of(("control", 50), ("test", 40)))
    detail = "Invalid variant definitions: Variant rollout percentages must sum to 100."
    assert await service.refused("POST", "experiments", wrong) == (400, detail, "filters")
    assert (await service.get("feature_flags", search="wrong"))["count"] == 0


REFUSED_VARIANTS: list[tuple[tuple[tuple[str, int], ...], str]] = [
    ((("control", 5), *((f"v{number}", 5) for number in range(20))),
     "Feature flag variants must be less than 21"),
    ((("control", 100),), AT_LEAST_TWO),
    (
        (("a", 50), ("b", 50)),
        "Feature flag variants must contain a variant with key 'control' (lowercase, exactly). "
        "Got keys: ['a', 'b']. Rename the baseline variant's 'key' to 'control'.",
    ),
]  # fmt: skip


async def test_scenario_5_variants_that_are_refused(service: Service) -> None:
    for variants, detail in REFUSED_VARIANTS:
        assert await service.refused("POST", "experiments", body_of(parameters=variants_of(*variants))) == (
            400,
            detail,
            None,
        )


async def test_scenario_5_twenty_variants_and_a_capital_control_are_taken(service: Service) -> None:
    twenty = variants_of(("control", 5), *((f"v{number}", 5) for number in range(19)))
    made = await service.create("twenty", parameters=twenty)
    assert len(made["parameters"]["feature_flag_variants"]) == 20
    made = await service.create("capital", parameters=variants_of(("Control", 50), ("b", 50)))
    assert [variant["key"] for variant in made["parameters"]["feature_flag_variants"]] == ["control", "b"]


ODD_VARIANTS: list[tuple[list[Any], str]] = [
    (["x", "y"], "Feature flag variant at index 0 must be an object"),
    ([{"key": "control"}, {}], "Feature flag variant at index 1 must have a 'key' field"),
    ([{"key": "control"}, {"key": "test"}],
     "Each variant must include split_percent (recommended) or rollout_percentage (deprecated)."),
]  # fmt: skip


async def test_newest_servers_need_no_control(start: Start) -> None:
    newest: Service = await start(newest=True)
    halves = (("a", 50), ("b", 50))
    made = await newest.running("ab", parameters=variants_of(*halves), excluded_variants=None)
    assert [variant["key"] for variant in made["parameters"]["feature_flag_variants"]] == ["a", "b"]
    await newest.flag("uncontrolled", halves)
    await newest.running("uncontrolled")
    thirds = body_of(feature_flag_key="c", parameters=variants_of(("a", 34), ("b", 33), ("c", 33)))
    refusal = await newest.refused("POST", "experiments", {**thirds, "excluded_variants": ["a"]})
    assert refusal[:2] == (400, "baseline variant cannot be excluded ('a')")
    await newest.post("experiments", {**thirds, "excluded_variants": ["b"]}, 201)


async def test_variants_have_keys_and_shares_and_split_percent_wins(service: Service) -> None:
    for variants, detail in ODD_VARIANTS:
        body = body_of(parameters={"feature_flag_variants": variants})
        assert await service.refused("POST", "experiments", body) == (400, detail, None)
    variants = [
        {"key": "control", "split_percent": 70, "rollout_percentage": 50},
        {"key": "t", "split_percent": 30},
    ]
    made = await service.create(parameters={"feature_flag_variants": variants})
    shares = made["feature_flag"]["filters"]["multivariate"]["variants"]
    assert [variant["rollout_percentage"] for variant in shares] == [70, 30]
    assert "split_percent" not in shares[0]


async def test_scenario_6_an_existing_flag_is_linked_as_it_is(service: Service) -> None:
    flag = await service.flag("there", HALVES, active=False)
    made = await service.create("there")
    assert (made["feature_flag"]["id"], made["feature_flag"]["active"]) == (flag["id"], False)
    assert made["feature_flag"]["version"] == flag["version"]
    await service.flag("boolean")
    body = body_of(feature_flag_key="boolean")
    assert await service.refused("POST", "experiments", body) == (400, AT_LEAST_TWO, None)
    await service.flag("uncontrolled", (("a", 50), ("b", 50)))
    detail = "Feature flag must have a variant with key 'control'"
    expected = (400, detail, None)
    assert await service.refused("POST", "experiments", body_of(feature_flag_key="uncontrolled")) == expected


@pytest.mark.parametrize(
    "fields",
    [
        {"feature_flag": {"filters": {"multivariate": {"variants": []}}}},
        {"feature_flag": {"ensure_experience_continuity": True}},
        {"parameters": variants_of(("control", 90), ("test", 10))},
        {"parameters": {"rollout_percentage": 5}},
    ],
)
async def test_scenario_7_configuration_for_an_existing_flag_is_refused(
    service: Service, fields: dict[str, Any]
) -> None:
    await service.flag("k", HALVES)
    if fields.get("feature_flag", {}).get("filters"):
        halves = [{"key": key, "rollout_percentage": share} for key, share in HALVES]
        fields = {"feature_flag": {"filters": {"multivariate": {"variants": halves}}}}
    status, detail, attr = await service.refused("POST", "experiments", body_of(**fields))
    assert (status, attr) == (400, "feature_flag")
    assert detail.startswith("A feature flag with key 'k' already exists; the experiment links to it as-is")


async def test_scenario_7_repeating_what_the_flag_has_is_no_configuration(service: Service) -> None:
    await service.flag("k", HALVES)
    await service.post(
        "experiments", body_of(parameters=variants_of(*HALVES) | {"rollout_percentage": 100}), 201
    )


async def test_scenario_7_an_echo_of_what_was_read_is_ignored(service: Service) -> None:
    first = await service.create("k")
    body = body_of(feature_flag=first["feature_flag"], parameters=first["parameters"])
    assert (await service.post("experiments", body, 201))["feature_flag"]["id"] == first["feature_flag"]["id"]


UNKNOWN_KEYS: list[tuple[dict[str, Any], str]] = [
    ({"filters": {}, "colour": 1}, "feature_flag__colour"),
    ({"filters": {"super_groups": []}}, "feature_flag__filters__super_groups"),
    ({"filters": {"multivariate": {"x": 1}}}, "feature_flag__filters__multivariate__x"),
    ({"filters": {"groups": [{"variant": "test"}]}}, "feature_flag__filters__groups__0__variant"),
]


async def test_the_strict_flag_object_refuses_unknown_keys_by_their_path(service: Service) -> None:
    detail = "Unsupported key for the experiment feature_flag input."
    for fields, attr in UNKNOWN_KEYS:
        assert await service.refused("POST", "experiments", body_of(feature_flag=fields)) == (
            400,
            detail,
            attr,
        )


async def test_the_strict_flag_object_configures_a_new_flag(service: Service) -> None:
    variants = [{"key": "control", "rollout_percentage": 60}, {"key": "blue", "rollout_percentage": 40}]
    filters = {
        "multivariate": {"variants": variants},
        "groups": [{"properties": [], "rollout_percentage": 80}],
        "payloads": {"blue": '{"color":"blue"}'},
    }
    made = await service.create(feature_flag={"filters": filters, "ensure_experience_continuity": True})
    stored = made["feature_flag"]
    assert stored["filters"]["groups"][0]["rollout_percentage"] == 80
    assert stored["filters"]["payloads"] == {"blue": '{"color":"blue"}'}
    assert stored["ensure_experience_continuity"] is True
    assert made["parameters"]["rollout_percentage"] == 80
    missing = {"filters": {"multivariate": {"variants": [{"key": "control"}]}}}
    attr = "feature_flag__filters__multivariate__variants__0__rollout_percentage"
    body = body_of(feature_flag=missing)
    assert await service.refused("POST", "experiments", body) == (400, "This field is required.", attr)


async def test_scenario_8_a_start_date_launches_at_once(service: Service) -> None:
    made = await service.create(start_date="2026-03-09T12:00:00Z")
    assert (made["status"], made["feature_flag"]["active"]) == ("running", True)
    for end in ("2026-03-09T12:00:00Z", "2026-03-08T12:00:00"):
        body = body_of(start_date="2026-03-09T12:00:00Z", end_date=end)
        expected = (400, "End date must be after start date", None)
        assert await service.refused("POST", "experiments", body) == expected


async def test_scenario_8_inactive_linked_flag_makes_the_experiment_paused(service: Service) -> None:
    await service.flag("off", HALVES, active=False)
    assert (await service.create("off", start_date="2026-03-09T12:00:00Z"))["status"] == "paused"


async def test_scenario_38_defaults_are_filled_in(service: Service) -> None:
    made = await service.create()
    assert made["exposure_criteria"] == {"filterTestAccounts": True}
    assert made["stats_config"] == {"method": "bayesian"}
    made = await service.create(
        "other", exposure_criteria={"filterTestAccounts": False}, stats_config={"version": 2}
    )
    assert made["exposure_criteria"] == {"filterTestAccounts": False}
    assert made["stats_config"] == {"method": "bayesian", "version": 2}


async def test_scenario_37_saved_metrics_are_linked_replaced_and_removed(service: Service) -> None:
    service.define_event("bought")
    saved = await service.post("experiment_saved_metrics", {"name": "Bought", "query": MEAN}, 201)
    links = [{"id": saved["id"], "metadata": {"type": "secondary"}}]
    made = await service.create(saved_metrics_ids=links)
    link = made["saved_metrics"][0]
    expected = (saved["id"], {"type": "secondary"}, "Bought")
    assert (link["saved_metric"], link["metadata"], link["name"]) == expected
    assert len(link["query"]["fingerprint"]) == 64
    assert made["saved_metrics_ids"] == links
    path = f"experiments/{made['id']}"
    kept = await service.patch(
        path, {"saved_metrics_ids": [{"id": saved["id"], "metadata": {"type": "primary"}}]}
    )
    assert [(link["id"], link["metadata"]) for link in kept["saved_metrics"]] == [
        (link["id"], {"type": "primary"})
    ]
    assert (await service.patch(path, {"saved_metrics_ids": []}))["saved_metrics"] == []
    detail = "Saved metric does not exist or does not belong to this project"
    unknown = {"saved_metrics_ids": [{"id": 99, "metadata": {"type": "primary"}}]}
    assert await service.refused("PATCH", path, unknown) == (400, detail, "saved_metrics_ids")


async def test_dates_are_utc_and_holdouts_on_the_flag(service: Service) -> None:
    assert (await service.create(start_date="2021-12-01T10:23"))["start_date"] == "2021-12-01T10:23:00Z"
    assert START.year == 2026
    share = [{"properties": [], "rollout_percentage": 10}]
    holdout = await service.post("experiment_holdouts", {"name": "Held back", "filters": share}, 201)
    made = await service.create(holdout_id=holdout["id"])
    assert made["holdout"]["name"] == "Held back"
    expected = {"id": holdout["id"], "exclusion_percentage": 10}
    assert made["feature_flag"]["filters"]["holdout"] == expected

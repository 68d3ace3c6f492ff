"""Narrow writes: a condition's share, or everyone, each for the version that was read."""

import copy
import json
from typing import Any, Final

import pytest
from tests.doubles.service_world import Start, World

INTERNAL: Final = {"key": "email", "type": "person", "value": "@acme.test", "operator": "icontains"}
TARGETING: Final[dict[str, Any]] = {
    "groups": [
        {"properties": [INTERNAL], "rollout_percentage": 10, "description": "our own"},
        {"properties": [], "rollout_percentage": 5},
    ],
    "multivariate": {
        "variants": [
            {"key": "control", "rollout_percentage": 60, "name": "Control"},
            {"key": "test", "rollout_percentage": 40},
        ]
    },
    "payloads": {"control": '{"copy": "a"}'},
    "mystery": {"kept": 1},
}
PLAIN: Final[dict[str, Any]] = {"groups": [{"properties": [INTERNAL], "rollout_percentage": 10}]}
OPEN: Final = {"properties": [], "rollout_percentage": 100}
INDEX, SHARE = "condition_index", "rollout_percentage"
ACTIONS: Final = [
    ("set_release_condition_rollout", {"condition_index": 0, "rollout_percentage": 25}),
    ("roll_out_to_everyone", {"variant_key": "test"}),
]
both = pytest.mark.parametrize(("action", "body"), ACTIONS)


def stored_form(filters: dict[str, Any]) -> dict[str, Any]:
    """As every write of filters stores them: each condition says what it is about."""
    index = filters.get("aggregation_group_type_index")
    groups = [{"aggregation_group_type_index": index, **group} for group in filters["groups"]]
    return {**filters, "aggregation_group_type_index": index, "groups": groups}


async def act(world: World, flag: Any, action: str, **body: Any) -> Any:
    return await world.post(f"{flag['id']}/{action}/", {"version": flag["version"], **body})


async def refuse(world: World, flag: Any, action: str, **body: Any) -> tuple[int, str, str | None]:
    """Status, detail and attr of a refusal, after which the flag is as it was."""
    before = await world.get(f"{flag['id']}/")
    refusal = await world.refused("POST", f"{flag['id']}/{action}/", {"version": flag["version"], **body})
    assert await world.get(f"{flag['id']}/") == before
    return refusal.status, refusal.detail or "", refusal.attr


@pytest.mark.parametrize("place", [0, 1])
async def test_one_share_is_set_and_nothing_else_moves(world: World, place: int) -> None:
    flag = await world.flag("a", filters=TARGETING)
    body = {"condition_index": place, "rollout_percentage": 25, "filters": {"groups": []}}
    changed = await act(world, flag, "set_release_condition_rollout", **body)
    expected = copy.deepcopy(TARGETING)
    expected["groups"][place]["rollout_percentage"] = 25
    assert changed["filters"] == stored_form(expected)
    assert changed["version"] == flag["version"] + 1
    [line, version] = (await world.latest(flag["id"]))["detail"]["changes"]
    assert (line["field"], line["action"], version["field"]) == ("filters", "changed", "version")


async def test_a_fraction_of_a_percent_is_a_share_too(world: World) -> None:
    flag = await world.flag("a", filters=PLAIN)
    body = {"condition_index": 0, "rollout_percentage": 0.5}
    changed = await act(world, flag, "set_release_condition_rollout", **body)
    assert changed["filters"]["groups"][0]["rollout_percentage"] == 0.5


REFUSED_SHARES: list[tuple[dict[str, Any], str, str | None]] = [
    ({INDEX: 2, SHARE: 25}, "It has 2", None),
    ({INDEX: -1, SHARE: 25}, "greater than or equal to 0", INDEX),
    ({INDEX: 0, SHARE: 101}, "less than or equal to 100", SHARE),
    ({INDEX: 0, SHARE: -1}, "greater than or equal to 0", SHARE),
    ({INDEX: 0, SHARE: 10**400}, "less than or equal to 100", SHARE),
    ({INDEX: 0, SHARE: "x"}, "A valid number", SHARE),
    ({INDEX: 0, SHARE: None}, "may not be null", SHARE),
    ({INDEX: 0}, "This field is required.", SHARE),
    ({SHARE: 25}, "This field is required.", INDEX),
    ({INDEX: 0, SHARE: 25, "version": None}, "may not be null", "version"),
]


async def test_a_share_that_cannot_be_set_is_refused(world: World) -> None:
    flag = await world.flag("a", filters=TARGETING)
    for body, words, attr in REFUSED_SHARES:
        status, detail, where = await refuse(world, flag, "set_release_condition_rollout", **body)
        assert (status, where) == (400, attr)
        assert words in detail


@both
async def test_version_is_required(world: World, action: str, body: dict[str, Any]) -> None:
    flag = await world.flag("a", filters=TARGETING)
    refusal = await world.refused("POST", f"{flag['id']}/{action}/", body)
    assert (refusal.status, refusal.code, refusal.attr) == (400, "required", "version")


async def test_flag_without_conditions_is_refused(world: World) -> None:
    flag = await world.flag("a")
    world.write("UPDATE flags SET filters = '{\"groups\": []}' WHERE id = ?", flag["id"])
    body = {"condition_index": 0, "rollout_percentage": 25}
    _, detail, _ = await refuse(world, flag, "set_release_condition_rollout", **body)
    assert "no release conditions" in detail


async def test_everyone_comes_before_the_conditions_of_a_flag_without_variants(world: World) -> None:
    flag = await world.flag("a", filters=PLAIN)
    changed = await act(world, flag, "roll_out_to_everyone")
    assert changed["filters"] == stored_form({**PLAIN, "groups": [OPEN, *PLAIN["groups"]]})


async def test_the_named_variant_takes_the_whole_distribution(world: World) -> None:
    flag = await world.flag("a", filters=TARGETING)
    changed = await act(world, flag, "roll_out_to_everyone", variant_key="test")
    expected = copy.deepcopy(TARGETING)
    expected["groups"].insert(0, OPEN)
    for variant, share in zip(expected["multivariate"]["variants"], (0, 100), strict=True):
        variant["rollout_percentage"] = share
    assert changed["filters"] == stored_form(expected)


LEADING: list[tuple[dict[str, Any], int | None, int]] = [
    (OPEN, None, 1),
    (OPEN, 0, 1),
    ({**OPEN, "aggregation_group_type_index": 0}, 0, 1),
    ({**OPEN, "properties": [INTERNAL]}, None, 2),
    ({**OPEN, "rollout_percentage": 99}, None, 2),
    ({**OPEN, "variant": "test"}, None, 2),
    ({**OPEN, "aggregation_group_type_index": 1}, None, 2),
    ({**OPEN, "aggregation_group_type_index": None}, 0, 2),
]


async def test_leading_condition_for_everyone_is_not_added_twice(world: World) -> None:
    flag = await world.flag("a", filters=TARGETING)
    for first, index, count in LEADING:
        filters = {**TARGETING, "groups": [first], "aggregation_group_type_index": index}
        world.write("UPDATE flags SET filters = json(?) WHERE id = ?", json.dumps(filters), flag["id"])
        flag = await act(world, flag, "roll_out_to_everyone", variant_key="test")
        assert len(flag["filters"]["groups"]) == count


@pytest.mark.parametrize(
    ("filters", "body", "words"),
    [
        (TARGETING, {}, "control, test"),
        (TARGETING, {"variant_key": "green"}, "has no variant 'green'"),
        (PLAIN, {"variant_key": "test"}, "has no variants"),
        ({**PLAIN, "feature_enrollment": True}, {}, "early access"),
    ],
)
async def test_what_cannot_be_given_to_everyone_is_refused(
    world: World, filters: dict[str, Any], body: dict[str, Any], words: str
) -> None:
    flag = await world.flag("a", filters=filters)
    status, detail, _ = await refuse(world, flag, "roll_out_to_everyone", **body)
    assert status == 400
    assert words in detail


@both
async def test_changed_flag_is_a_conflict_until_it_is_read_again(
    world: World, action: str, body: dict[str, Any]
) -> None:
    flag = await world.flag("a", filters=TARGETING)
    renamed = await world.patch(f"{flag['id']}/", {"name": "renamed"})
    status, detail, _ = await refuse(world, flag, action, **body)
    assert status == 409
    assert f"changed since version {flag['version']}" in detail
    changed = await act(world, renamed, action, **body)
    assert changed["name"] == "renamed"
    assert changed["filters"] != renamed["filters"]


@both
async def test_the_same_again_writes_nothing(world: World, action: str, body: dict[str, Any]) -> None:
    flag = await world.flag("a", filters=TARGETING)
    first = await act(world, flag, action, **body)
    assert await act(world, first, action, **body) == first
    assert (await world.get(f"{flag['id']}/activity/"))["total_count"] == 2


@both
async def test_a_deleted_flag_is_refused_in_its_own_shape(
    world: World, action: str, body: dict[str, Any]
) -> None:
    flag = await world.flag("a", filters=TARGETING)
    gone = await world.patch(f"{flag['id']}/", {"deleted": True})
    answer = await world.post(f"{flag['id']}/{action}/", {"version": gone["version"], **body}, 400)
    assert answer["success"] is False
    assert answer["error"].startswith("This feature flag has been deleted.")


@both
async def test_approval_covers_the_result_and_never_a_stale_version(
    start_world: Start, action: str, body: dict[str, Any]
) -> None:
    world = await start_world()
    flag = await world.flag("a", filters=TARGETING)
    world.add_policy("update")
    path = f"{flag['id']}/{action}/"
    stale = await world.refused("POST", path, {**body, "version": flag["version"] + 1})
    assert (stale.status, stale.code) == (409, "conflict")
    assert world.rows("SELECT * FROM change_requests") == []
    response = await world.post(path, {**body, "version": flag["version"]}, 409)
    assert response["code"] == "approval_required"
    body = response["change_request"]["intent"]["full_request_data"]
    assert body["filters"]["groups"] != flag["filters"]["groups"]
    assert (await world.get(f"{flag['id']}/"))["filters"] == flag["filters"]


@both
async def test_older_servers_do_not_know_it(start_world: Start, action: str, body: dict[str, Any]) -> None:
    world = await start_world(legacy=True)
    flag = await world.flag("a", filters=TARGETING)
    status, detail, _ = await refuse(world, flag, action, **body)
    assert (status, detail) == (404, "Endpoint not found.")


async def test_sealed_payload_is_unchanged(world: World) -> None:
    secret = {"is_remote_configuration": True, "has_encrypted_payloads": True}
    flag = await world.flag("sealed", filters={**PLAIN, "payloads": {"true": '"s3cret"'}}, **secret)
    before = world.rows("SELECT filters ->> '$.payloads' AS payloads FROM flags")
    body = {"condition_index": 0, "rollout_percentage": 50}
    changed = await act(world, flag, "set_release_condition_rollout", **body)
    assert changed["filters"]["groups"][0]["rollout_percentage"] == 50
    assert world.rows("SELECT filters ->> '$.payloads' AS payloads FROM flags") == before

"""Narrow writes: a condition's share, or everyone, each for the version that was read."""

import copy
from typing import Any, Final

import pytest
from tests.doubles.service_world import World, asks_whether, variants

INTERNAL: Final = {"key": "email", "type": "person", "value": "@acme.test", "operator": "icontains"}
TARGETING: Final[dict[str, Any]] = {
    **variants(control=60, test=40),
    "groups": [
        {"properties": [INTERNAL], "rollout_percentage": 10, "description": "our own"},
        {"properties": [], "rollout_percentage": 5},
    ],
    "payloads": {"control": '{"copy": "a"}'},
    "mystery": {"kept": 1},
}
PLAIN: Final = asks_whether(operator="icontains", value="@acme.test")
OPEN: Final = {"properties": [], "rollout_percentage": 100}
INDEX, SHARE = "condition_index", "rollout_percentage"
SET_SHARE, TO_EVERYONE = "set_release_condition_rollout", "roll_out_to_everyone"
ACTIONS: Final = [(SET_SHARE, {INDEX: 0, SHARE: 25}), (TO_EVERYONE, {"variant_key": "test"})]
both = pytest.mark.parametrize(("action", "body"), ACTIONS)


def stored_form(filters: dict[str, Any]) -> dict[str, Any]:
    """As every write of filters stores them: each condition says what it is about."""
    index = filters.get("aggregation_group_type_index")
    groups = [{"aggregation_group_type_index": index, **group} for group in filters["groups"]]
    return {**filters, "aggregation_group_type_index": index, "groups": groups}


async def act(world: World, flag: Any, action: str, **body: Any) -> Any:
    return await world.act(flag, action, **{"version": flag["version"], **body})


async def refuse(world: World, flag: Any, action: str, body: Any, **expected: Any) -> None:
    """Assert that the action is refused, and that the flag stays as it was."""
    before = await world.read(flag)
    body = {"version": flag["version"], **body}
    await world.refuses("POST", f"{flag['id']}/{action}/", body, **expected)
    assert await world.read(flag) == before


@pytest.mark.parametrize("place", [0, 1])
async def test_one_share_is_set_and_nothing_else_moves(world: World, place: int) -> None:
    flag = await world.flag("a", filters=TARGETING)
    for share in (25, 0.5):
        changed = await act(world, flag, SET_SHARE, **{INDEX: place, SHARE: share, "filters": {"groups": []}})
        expected = copy.deepcopy(TARGETING)
        expected["groups"][place]["rollout_percentage"] = share
        assert changed["filters"] == stored_form(expected)
        assert changed["version"] == flag["version"] + 1
        [line, version] = (await world.latest(flag["id"]))["detail"]["changes"]
        assert (line["field"], line["action"], version["field"]) == ("filters", "changed", "version")
        flag = changed


REFUSED_SHARES: list[tuple[dict[str, Any], str, str, str | None]] = [
    ({INDEX: 2, SHARE: 25}, "invalid_input", "It has 2", None),
    ({INDEX: -1, SHARE: 25}, "min_value", "greater than or equal to 0", INDEX),
    ({INDEX: 0, SHARE: 101}, "max_value", "less than or equal to 100", SHARE),
    ({INDEX: 0, SHARE: -1}, "min_value", "greater than or equal to 0", SHARE),
    ({INDEX: 0, SHARE: 10**400}, "max_value", "less than or equal to 100", SHARE),
    ({INDEX: 0, SHARE: "x"}, "invalid_input", "A valid number", SHARE),
    ({INDEX: 0, SHARE: None}, "null", "may not be null", SHARE),
    ({INDEX: 0}, "required", "This field is required.", SHARE),
    ({SHARE: 25}, "required", "This field is required.", INDEX),
    ({INDEX: 0, SHARE: 25, "version": None}, "null", "may not be null", "version"),
]


async def test_a_share_that_cannot_be_set_is_refused(world: World) -> None:
    flag = await world.flag("a", filters=TARGETING)
    for body, code, words, attr in REFUSED_SHARES:
        expected = {"code": code, "attr": attr, "detail": f"…{words}…"}
        await refuse(world, flag, SET_SHARE, body, status=400, **expected)
    world.write("UPDATE flags SET filters = '{\"groups\": []}'")
    await refuse(world, flag, SET_SHARE, ACTIONS[0][1], detail="…no release conditions…")


@both
async def test_the_current_version_is_required(world: World, action: str, body: dict[str, Any]) -> None:
    flag = await world.flag("a", filters=TARGETING)
    await world.refuses("POST", f"{flag['id']}/{action}/", body, status=400, code="required", attr="version")
    renamed = await world.change(flag, name="renamed")
    words = f"…changed since version {flag['version']}…"
    await refuse(world, flag, action, body, status=409, detail=words)
    changed = await act(world, renamed, action, **body)
    assert changed["name"] == "renamed"
    assert changed["filters"] != renamed["filters"]
    assert await act(world, changed, action, **body) == changed
    assert (await world.get(f"{flag['id']}/activity/"))["total_count"] == 3


async def test_everyone_comes_before_the_conditions_and_a_variant_takes_all(world: World) -> None:
    plain = await act(world, await world.flag("a", filters=PLAIN), TO_EVERYONE)
    assert plain["filters"] == stored_form({"groups": [OPEN, *PLAIN["groups"]]})
    split = await act(world, await world.flag("b", filters=TARGETING), TO_EVERYONE, variant_key="test")
    groups = [OPEN, *TARGETING["groups"]]
    assert split["filters"] == stored_form({**TARGETING, **variants(control=0, test=100), "groups": groups})


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
    stored = {"project_id": 1, "version": 1, "created_at": world.ago(days=1)}
    for number, (first, index, count) in enumerate(LEADING):
        filters = {**TARGETING, "groups": [first], "aggregation_group_type_index": index}
        flag = {**stored, "id": world.insert("flags", key=f"a{number}", filters=filters, **stored)}
        flag = await act(world, flag, TO_EVERYONE, variant_key="test")
        assert len(flag["filters"]["groups"]) == count


async def test_what_cannot_be_given_to_everyone_is_refused(world: World) -> None:
    for key, filters, body, words in (
        ("unnamed", TARGETING, {}, "control, test"),
        ("unknown", TARGETING, {"variant_key": "green"}, "has no variant 'green'"),
        ("without", PLAIN, {"variant_key": "test"}, "has no variants"),
        ("early", {**PLAIN, "feature_enrollment": True}, {}, "early access"),
    ):
        flag = await world.flag(key, filters=filters)
        await refuse(world, flag, TO_EVERYONE, body, status=400, detail=f"…{words}…")


@both
async def test_a_deleted_flag_is_refused_in_its_own_shape(
    world: World, action: str, body: dict[str, Any]
) -> None:
    flag = await world.flag("a", filters=TARGETING)
    gone = await world.change(flag, deleted=True)
    answer = await world.post(f"{flag['id']}/{action}/", {"version": gone["version"], **body}, 400)
    assert answer["success"] is False
    assert answer["error"].startswith("This feature flag has been deleted.")


@both
async def test_approval_covers_the_result_and_never_a_stale_version(
    world: World, action: str, body: dict[str, Any]
) -> None:
    flag = await world.flag("a", filters=TARGETING)
    world.add_policy("update")
    await refuse(world, {**flag, "version": 2}, action, body, status=409, code="conflict")
    assert world.rows("SELECT * FROM change_requests") == []
    await refuse(world, flag, action, body, status=409, code="approval_required")
    (request,) = (await world.get("/api/projects/1/change_requests/"))["results"]
    assert request["intent"]["full_request_data"]["filters"]["groups"] != flag["filters"]["groups"]


async def test_sealed_payload_is_unchanged(world: World) -> None:
    secret = {"is_remote_configuration": True, "has_encrypted_payloads": True}
    flag = await world.flag("sealed", filters={**PLAIN, "payloads": {"true": '"s3cret"'}}, **secret)
    sql = "SELECT filters ->> '$.payloads' AS payloads FROM flags"
    before = world.rows(sql)
    changed = await act(world, flag, SET_SHARE, **{INDEX: 0, SHARE: 50})
    assert changed["filters"]["groups"][0]["rollout_percentage"] == 50
    assert world.rows(sql) == before

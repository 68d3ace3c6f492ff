"""Changes of event definitions, of one or of many: scenarios 12 to 21, 23 and 25."""

from typing import Any

import pytest
from tests.service.event_definitions.conftest import UNKNOWN, Service, Start

STAMPED = {"verified": 1, "verified_at": "2026-01-01T00:00:00.000000Z", "verified_by_id": 1}
CHANGES: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "hiding unverifies": (
        STAMPED,
        {"hidden": True},
        {"hidden": True, "verified": False, "verified_at": None, "verified_by": None},
    ),
    "verifying unhides": ({"hidden": 1}, {"verified": True}, {"hidden": False, "verified": True}),
    "a name cannot be changed": ({}, {"name": "new"}, {"name": "signup"}),
    "tags are trimmed, lowered and there once": ({"tags": ["x"]}, {"tags": ["B", "b "]}, {"tags": ["b"]}),
}
"""By rule: columns before, the change, and fields after."""


@pytest.mark.parametrize("rule", CHANGES)
async def test_scenarios_14_to_18_changes(service: Service, rule: str) -> None:
    columns, change, expected = CHANGES[rule]
    service.define("signup", **columns)
    after = await service.change("signup", **change)
    assert after.items() >= expected.items()


async def test_scenario_12_a_description_changes_alone(service: Service) -> None:
    before = await service.get(f"{service.define('signup', tags=['web'], verified=1)}/")
    after = await service.change("signup", description="x")
    differing = {name for name in after if after[name] != before[name]}
    assert differing == {"description", "updated_by", "updated_at", "last_updated_at"}
    assert (after["description"], after["updated_by"]["id"]) == ("x", 1)


async def test_scenario_14_verifying_is_stamped_once(service: Service) -> None:
    service.define("signup", hidden=1)
    first = await service.change("signup", verified=True)
    service.clock.now = service.clock.now.replace(hour=15)
    again = await service.change("signup", verified=True)
    assert again["verified_at"] == first["verified_at"] == "2026-03-10T12:00:01Z"
    assert (again["updated_at"], first["verified_by"]["id"]) == ("2026-03-10T15:00:02Z", 1)


async def test_scenario_16_owner_is_written_as_id_read_as_object(service: Service) -> None:
    ada = service.add_user("ada@acme.test")
    service.define("signup")
    assert (await service.change("signup", owner=ada))["owner"]["first_name"] == "ada"
    assert (await service.change("signup", owner=None))["owner"] is None


async def test_scenario_18_tags_are_kept_where_tagging_is_off(service: Service) -> None:
    service.define("signup", tags=["b"])
    service.write("""UPDATE projects SET settings = '{"tagging":false}'""")
    assert (await service.change("signup", tags=["c"]))["tags"] == []
    service.write("UPDATE projects SET settings = '{}'")
    assert (await service.get(f"{service.ids['signup']}/"))["tags"] == ["b"]


async def test_scenario_20_without_a_licence_definitions_are_read_only(start: Start) -> None:
    service = await start(unlicensed=True)
    path = f"{service.define('signup', tags=['web'])}/"
    assert (await service.refused("PATCH", path, {"description": "x"}))[:2] == (402, "payment_required")
    shown = await service.get(path)
    assert shown["tags"] == []
    assert not {"description", "owner", "verified", "hidden", "updated_by"} & set(shown)


async def test_scenario_21_deleting_forgets_and_the_name_returns_empty(service: Service) -> None:
    """Nothing sends events to this service, so the name is made again by hand."""
    first = service.define("signup", description="told", verified=1)
    assert await service.reply("DELETE", f"{first}/") == (204, None)
    for method in ("GET", "DELETE"):
        assert (await service.reply(method, f"{first}/"))[0] == 404
    status, again = await service.reply("POST", body={"name": "signup"})
    assert (status, again["description"], again["verified"]) == (201, "", False)
    assert again["id"] != first


async def test_scenario_23_a_definition_made_by_hand_was_never_seen(service: Service) -> None:
    status, made = await service.reply("POST", body={"name": "x", "tags": ["A"], "verified": True})
    assert (status, made["created_at"], made["last_seen_at"]) == (201, None, None)
    assert (made["tags"], made["verified_by"]["id"]) == (["a"], 1)
    detail = "Event definition with name 'x' already exists"
    assert await service.refused("POST", body={"name": "x"}) == (400, "invalid_input", detail, "name")
    missing = (400, "required", "This field is required.", "name")
    assert await service.refused("POST", body={}) == missing


async def test_log_has_every_write(service: Service) -> None:
    _, made = await service.reply("POST", body={"name": "x"})
    service.ids["x"] = made["id"]
    service.clock.pass_(hours=1)
    await service.change("x", description="told", tags=["b"])
    service.clock.pass_(hours=1)
    await service.reply("DELETE", f"{made['id']}/")
    created, changed, deleted = service.rows(
        "SELECT activity, detail ->> '$.changes' AS changes FROM activity WHERE scope = 'EventDefinition'"
        " ORDER BY created_at, id"
    )
    activities = [entry["activity"] for entry in (created, changed, deleted)]
    assert activities == ["created", "changed", "deleted"]
    assert '"field":"description","before":null,"after":"told"' in changed["changes"]
    assert '"field":"tags","before":["b"],"after":null' in deleted["changes"]


async def test_many_are_tagged_at_once(service: Service) -> None:
    definition = service.define("known", tags=["a"])
    body = {"ids": [definition, UNKNOWN], "action": "add", "tags": ["B"]}
    response = await service.post("bulk_update_tags/", body)
    assert response["updated"] == [{"id": definition, "tags": ["a", "b"]}]
    assert response["skipped"] == [{"id": UNKNOWN, "reason": "Not found"}]
    assert (await service.get(f"{definition}/"))["tags"] == ["a", "b"]


async def test_scenario_25_many_are_verified_at_once(service: Service) -> None:
    definition, done = service.define("known", hidden=1), service.define("done", verified=1)
    body = {"ids": [definition, UNKNOWN, done], "verified": True}
    response = await service.post("bulk_update_verified/", body)
    assert response["updated"] == [{"id": definition, "verified": True}]
    assert response["skipped"] == [{"id": UNKNOWN, "reason": "Not found"}]
    after = await service.get(f"{definition}/")
    assert (after["hidden"], after["verified_by"]["id"]) == (False, 1)


ODD_BULKS: list[tuple[Any, str, str]] = [
    ({}, "required", "ids"),
    ({"ids": []}, "empty", "ids"),
    ({"ids": "x"}, "not_a_list", "ids"),
    ({"ids": [UNKNOWN, 7]}, "invalid_input", "ids__1"),
    ({"ids": [UNKNOWN] * 501}, "max_length", "ids"),
]
ODD_UPDATES: list[tuple[Any, str, str | None]] = [
    ({"tags": "a"}, "not_a_list", "tags"),
    ({"tags": None}, "null", "tags"),
    ({"tags": [1, {}]}, "invalid_input", "tags__1"),
    ({"owner": {"id": 7}}, "incorrect_type", "owner"),
    ({"owner": 10**30}, "does_not_exist", "owner"),
    ({"owner": 999}, "does_not_exist", "owner"),
    ({"verified": "maybe"}, "invalid_input", "verified"),
    ({"verified": True, "hidden": True}, "invalid_input", None),
    ({"primary_property": ""}, "blank", "primary_property"),
    ({"enforcement_mode": "x"}, "invalid_choice", "enforcement_mode"),
    ({"enforcement_mode": "reject"}, "invalid_input", None),
    ({"description": ["x"]}, "invalid_input", "description"),
]


async def test_odd_bodies_are_refused_and_change_nothing(service: Service) -> None:
    path = f"{service.define('signup')}/"
    before = await service.get(path)
    for method, place, odd in (("POST", "bulk_update_tags/", ODD_BULKS), ("PATCH", path, ODD_UPDATES)):
        for body, code, attr in odd:
            status, refusal, _, field = await service.refused(method, place, body)
            assert (status, refusal, field) == (400, code, attr)
    assert await service.get(path) == before

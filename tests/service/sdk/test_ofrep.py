"""OFREP: one flag and all flags, in the forms that providers read."""

from typing import Any

import httpx
from tests.doubles.service_world import released
from tests.service.evaluation.conftest import KEY, Service
from tests.service.sdk.test_flag_responses import SPLIT

BULK = "/ofrep/v1/evaluate/flags"


async def evaluate(service: Service, path: str, context: Any, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await service.client.post(path, json={"context": context}, headers=named)


async def one(service: Service, key: str, status: int = 200, **attributes: Any) -> dict[str, Any]:
    response = await evaluate(service, f"{BULK}/{key}", {"targetingKey": "u-1", **attributes})
    assert response.status_code == status, response.text
    item: dict[str, Any] = response.json()
    return item


async def test_flags_have_values_or_leave_them_to_the_program(service: Service) -> None:
    await service.flag("plain")
    await service.flag("closed", share=0)
    await service.flag("split", filters=SPLIT)
    await service.flag("off", active=False)
    await service.flag("split-closed", filters={**SPLIT, **released(0)})
    for key, value, variant, reason in (
        ("plain", True, "on", "STATIC"),
        ("closed", False, "off", "STATIC"),
        ("split", "test", "test", "STATIC"),
        ("off", None, "off", "DISABLED"),
        ("split-closed", None, "off", "DISABLED"),
    ):
        item = await one(service, key)
        assert (item.get("value"), item["variant"], item["reason"]) == (value, variant, reason), key
        assert ("value" in item) is (value is not None)
    closed = (await one(service, "closed"))["metadata"]
    assert closed == {"reason": "out_of_rollout_bound", "description": "Out of rollout bound"}
    assert (await one(service, "split"))["metadata"]["payload"] == '{"copy": "hi"}'


async def test_remote_configuration_has_its_payload_or_no_value(service: Service) -> None:
    for key, payloads in (("config", {"true": '{"share": 1.0}'}), ("none", {}), ("null", {"true": "null"})):
        await service.flag(key, filters=released(payloads=payloads), is_remote_configuration=True)
    response = await evaluate(service, f"{BULK}/config", {"targetingKey": "u-1"})
    assert b'"value":{"share":1.0}' in response.content
    for key in ("none", "null"):
        item = await one(service, key)
        assert (item["reason"], item["variant"], "value" in item) == ("STATIC", "on", False)


async def test_attributes_are_properties_and_groups_have_their_own_member(service: Service) -> None:
    service.group("company", 0, "acme")
    await service.flag("for-pro", {"key": "plan", "type": "person", "operator": "exact", "value": "pro"})
    await service.flag("for-companies", filters=released(aggregation_group_type_index=0))
    assert (await one(service, "for-pro", plan="pro"))["value"] is True
    assert (await one(service, "for-pro", plan="free"))["value"] is False
    assert (await one(service, "for-companies", groups={"company": "acme"}))["value"] is True


ERRORS: list[tuple[str, Any, int, str]] = [
    ("missing", {"targetingKey": "u-1"}, 404, "FLAG_NOT_FOUND"),
    ("a/b c", {"targetingKey": "u-1"}, 404, "FLAG_NOT_FOUND"),
    ("plain", {}, 400, "TARGETING_KEY_MISSING"),
    ("plain", {"targetingKey": ""}, 400, "TARGETING_KEY_MISSING"),
    ("plain", [], 400, "INVALID_CONTEXT"),
]


async def test_errors_name_the_flag_and_malformed_bodies(service: Service) -> None:
    await service.flag("plain")
    for key, context, status, code in ERRORS:
        response = await evaluate(service, f"{BULK}/{key}", context)
        assert response.status_code == status
        assert (response.json()["key"], response.json()["errorCode"]) == (key, code)
        assert response.json()["errorDetails"]
    for path, expected in ((BULK, None), (f"{BULK}/plain", "plain")):
        response = await service.client.post(path, content=b"{", headers={"Content-Type": "application/json"})
        assert response.status_code == 400
        assert response.json().get("key") == expected
        assert response.json()["errorCode"] == "PARSE_ERROR"


async def test_bulk_is_sent_once_until_a_value_changes(service: Service) -> None:
    flag = await service.flag("plain")
    await service.flag("off", active=False)
    context = {"targetingKey": "u-1"}
    first = await evaluate(service, BULK, context)
    assert {item["key"] for item in first.json()["flags"]} == {"plain", "off"}
    assert first.json()["eventStreams"][0]["type"] == "sse"
    tag = first.headers["etag"]
    again = await evaluate(service, BULK, context, If_None_Match=tag)
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    await service.patch(f"{flag}/", {"active": False})
    assert (await evaluate(service, BULK, context, If_None_Match=tag)).status_code == 200


async def test_token_or_key_names_the_project(service: Service, token: str) -> None:
    await service.flag("plain")
    service.client.headers.pop("authorization")
    context = {"targetingKey": "u-1"}
    for headers, status in (
        ({"X_API_Key": token}, 200),
        ({"Authorization": f"Bearer {token}"}, 200),
        ({"Authorization": f"Bearer {KEY}"}, 200),
        ({"X_API_Key": "phc_unknown"}, 401),
        ({"X_API_Key": "phx_unknown"}, 401),
        ({}, 401),
    ):
        assert (await evaluate(service, BULK, context, **headers)).status_code == status

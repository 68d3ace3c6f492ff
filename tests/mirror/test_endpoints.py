"""What a mirror responds to programs, and to the commands that change its overrides."""

import json
from typing import Any

import pytest
from httpx import AsyncClient
from tests.mirror.conftest import SECRET, Mirrored, flag

from flagtui.mirror.mirrored_flags import MirroredFlags
from flagtui.models.override import read_override

CONTROL = {"Authorization": f"Bearer {SECRET}"}
SET = "/flagtui/mirror/set"


async def flags_of(client: AsyncClient, **body: Any) -> Any:
    sent = {"token": "any", "distinct_id": "ann", **body}
    return (await client.post("/flags/?v=4", json=sent)).raise_for_status().json()


async def ofrep_of(client: AsyncClient, key: str) -> Any:
    body = {"context": {"targetingKey": "ann"}}
    return (await client.post(f"/ofrep/v1/evaluate/flags/{key}", json=body)).json()


async def test_flags_need_no_token_and_malformed_ones_are_served(client: AsyncClient) -> None:
    response = await flags_of(client, person_properties={"email": "ann@acme.com"})
    expected = {"plain": True, "for-staff": True}
    assert {key: record["value"] for key, record in response["flags"].items()} == expected
    assert response["errorsWhileComputingFlags"] is False
    flags = MirroredFlags({"flags": [{}, {"key": None}, {"key": "a", "filters": []}, 7, None]})
    assert "a" in flags.flag_set().records


async def test_what_cannot_be_decided_fails_with_the_reason(client: AsyncClient, mirrored: Mirrored) -> None:
    cohort = {"key": "id", "type": "cohort", "value": 7}
    in_list = flag("in-list", {"groups": [{"properties": [cohort]}]})
    sticky = flag("sticky", ensure_experience_continuity=True)
    mirrored.mirror.flags.replace({"flags": [sticky, in_list, *mirrored.upstream.flags]})
    response = await flags_of(client)
    failed = {key: record for key, record in response["flags"].items() if record.get("failed")}
    reasons = {key: record["reason"]["description"] for key, record in failed.items()}
    assert reasons == {
        "sticky": "the flag keeps earlier values, which only the server knows",
        "in-list": "only the server knows who is in cohort 7",
        "for-staff": "email is not known",
    }
    assert response["errorsWhileComputingFlags"] is True
    item = await ofrep_of(client, "sticky")
    assert (item["errorCode"], item["errorDetails"]) == ("GENERAL", reasons["sticky"])


async def test_override_reaches_every_endpoint(client: AsyncClient, mirrored: Mirrored) -> None:
    mirrored.mirror.set(map(read_override, ("plain=off", "for-staff=beta@ann")))
    flags = (await flags_of(client))["flags"]
    assert flags["plain"]["value"] is False
    expected = {"code": "override", "condition_index": None, "description": "Override on this machine"}
    assert flags["for-staff"]["reason"] == expected
    item = await ofrep_of(client, "for-staff")
    assert (item["value"], item["reason"]) == ("beta", "STATIC")
    document = (await client.get("/flags/definitions")).json()
    states = [("plain", False), ("for-staff", True)]
    assert [(each["key"], each["active"]) for each in document["flags"]] == states


DEFINITIONS = [
    "/flags/definitions?token=x&send_cohorts",
    "/api/feature_flag/local_evaluation",
    "/api/projects/@current/feature_flags/local_evaluation/",
]


@pytest.mark.parametrize("path", DEFINITIONS)
async def test_definitions_have_a_tag_until_an_override_changes(
    client: AsyncClient, mirrored: Mirrored, path: str
) -> None:
    headers = {"If-None-Match": (await client.get(path)).headers["etag"]}
    assert (await client.get(path, headers=headers)).status_code == 304
    mirrored.mirror.set([read_override("plain=off")])
    assert (await client.get(path, headers=headers)).status_code == 200


async def test_remote_configuration_is_served_and_overridden(client: AsyncClient, mirrored: Mirrored) -> None:
    filters = {"groups": [{"properties": []}], "payloads": {"true": '{"retries": 3}'}}
    config = flag("config", filters, is_remote_configuration=True)
    mirrored.mirror.flags.replace({"flags": [config, flag("plain")]})
    path = "/api/projects/@current/feature_flags/{}/remote_config?token=x"
    assert json.loads((await client.get(path.format("config"))).json()) == {"retries": 3}
    mirrored.mirror.set([read_override('config={"retries": 5}')])
    assert json.loads((await client.get(path.format("config"))).json()) == {"retries": 5}
    for key in ("plain", "no-such-flag"):
        assert (await client.get(path.format(key))).status_code == 404


async def test_requests_are_counted_by_caller_without_events(client: AsyncClient, mirrored: Mirrored) -> None:
    client.headers["User-Agent"] = "posthog-python/7"
    of_browsers = flag("of-browsers", evaluation_runtime="client")
    mirrored.mirror.flags.replace({"flags": [flag("plain"), of_browsers]})
    for _ in range(2):
        await flags_of(client, flag_keys_to_evaluate=["plain", "of-browsers", "no-such-flag"])
    twice = {"caller": "posthog-python/7", "count": 2}
    assert [json.loads(line) for line in mirrored.mirror.flags.seen.lines()] == [
        {"key": "plain", "value": True, "reason": "condition_match", **twice},
        {"key": "no-such-flag", "value": None, "reason": "flag_not_found", **twice},
        {"key": "of-browsers", "value": None, "reason": "other_runtime_or_context", **twice},
    ]
    await client.post("/batch/", json={"batch": [{}, {}]})
    await client.post("/e/", content=b"unreadable")
    assert mirrored.mirror.describe()["events_dropped"] == 3


async def test_overrides_change_whole_with_the_secret_alone(client: AsyncClient, mirrored: Mirrored) -> None:
    body = {"overrides": ["plain=off"]}
    for headers, status in (
        ({}, 401),
        ({"Authorization": "Bearer x"}, 401),
        ({**CONTROL, "Origin": "http://localhost:3000"}, 403),
    ):
        assert (await client.post(SET, json=body, headers=headers)).status_code == status
    assert len(mirrored.mirror.flags.overrides) == 0
    client.headers.update(CONTROL)
    response = await client.post(SET, json=body)
    assert [each["text"] for each in response.json()["overrides"]] == ["plain=off"]
    assert (await client.post("/flagtui/mirror/unset", json={"key": "plain"})).json()["is_set"] is True
    cleared = (await client.post("/flagtui/mirror/clear", json={})).json()
    assert (cleared["removed"], cleared["overrides"]) == (0, [])
    malformed = await client.post(SET, json={"overrides": ["plain=off", "plain"]})
    assert (malformed.status_code, "has no value" in malformed.json()["detail"]) == (400, True)
    assert len(mirrored.mirror.flags.overrides) == 0


OTHER_REQUESTS = [
    ("GET", "/", 404),
    ("GET", "/api/projects/1/feature_flags", 404),
    ("GET", "/flags", 405),
    ("DELETE", SET, 405),
    ("POST", "/api/projects/1/feature_flags", 404),
    ("GET", "/a%0Ab", 404),
]


async def test_other_requests_are_refused(client: AsyncClient) -> None:
    for method, path, status in OTHER_REQUESTS:
        assert (await client.request(method, path)).status_code == status, path


async def test_hostile_keys_and_values_are_served_as_json(client: AsyncClient, mirrored: Mirrored) -> None:
    key, text = "</script>\u2028\x00\x1b[31m", "\ud7ff\x9b'\"\\"
    mirrored.mirror.flags.replace({"flags": [flag(key, name=text)]})
    response = await flags_of(client, person_properties={key: text}, groups={text: key})
    assert response["flags"][key]["metadata"]["description"] == text
    script = await client.get("/array/%3C/script%3E%E2%80%A8/config.js")
    assert script.status_code in (200, 404)
    assert "</script>" not in script.text

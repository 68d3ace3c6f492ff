"""The flags of a person in every version that libraries request, from bodies in every form that they send."""

import base64
import gzip
import json
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from tests.service.evaluation.conftest import Service
from tests.service.sdk.conftest import Ask

SPLIT = {
    "groups": [{"properties": [], "rollout_percentage": 100, "variant": "test"}],
    "multivariate": {
        "variants": [{"key": "control", "rollout_percentage": 50}, {"key": "test", "rollout_percentage": 50}]
    },
    "payloads": {"test": '{"copy": "hi"}'},
}


@pytest.fixture
async def flags(service: Service) -> None:
    await service.flag("plain")
    await service.flag("closed", share=0)
    await service.flag("off", active=False)
    await service.flag("split", filters=SPLIT)


async def test_version_2_has_a_record_for_each_active_flag(flags: None, ask: Ask) -> None:
    response = await ask()
    assert response["flags"].keys() == {"plain", "closed", "split"}
    assert response["errorsWhileComputingFlags"] is False
    split = response["flags"]["split"]
    assert (split["enabled"], split["variant"]) == (True, "test")
    assert split["metadata"]["payload"] == '{"copy": "hi"}'
    expected = {"code": "condition_match", "condition_index": 0, "description": "Matched condition set 1"}
    assert split["reason"] == expected
    closed = response["flags"]["closed"]
    switched = (False, None, "out_of_rollout_bound")
    assert (closed["enabled"], closed["variant"], closed["reason"]["code"]) == switched


async def test_versions_have_records_or_plain_values(flags: None, ask: Ask) -> None:
    response = await ask("/flags/")
    assert response["featureFlags"] == {"plain": True, "closed": False, "split": "test"}
    assert response["featureFlagPayloads"] == {"split": '{"copy": "hi"}'}
    assert (await ask("/decide?v=4"))["flags"]["split"]["variant"] == "test"
    assert (await ask("/flags/?v=4"))["flags"]["split"]["variant"] == "test"
    assert (await ask(flag_keys_to_evaluate=["split", "no-such-flag"]))["flags"].keys() == {"split"}


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        (1, ["plain", "split"]),
        (2, {"plain": True, "split": "test"}),
        (3, {"plain": True, "closed": False, "split": "test"}),
    ],
)
async def test_decide_has_values_of_its_version(flags: None, ask: Ask, version: int, expected: Any) -> None:
    response = await ask(f"/decide/?v={version}")
    assert response["featureFlags"] == expected
    assert response["sessionRecording"] is False


async def test_stored_properties_count_unless_the_program_sends_others(service: Service, ask: Ask) -> None:
    service.person("u-1", plan="pro")
    await service.flag("for-pro", {"key": "plan", "type": "person", "operator": "exact", "value": "pro"})
    assert (await ask())["flags"]["for-pro"]["enabled"] is True
    assert (await ask(person_properties={"plan": "free"}))["flags"]["for-pro"]["enabled"] is False


async def test_groups_are_read_with_their_properties(service: Service, ask: Ask) -> None:
    service.group("company", 0, "acme", plan="pro")
    filters = {
        "groups": [
            {
                "properties": [
                    {
                        "key": "plan",
                        "type": "group",
                        "group_type_index": 0,
                        "operator": "exact",
                        "value": "pro",
                    }
                ],
                "rollout_percentage": 100,
            }
        ],
        "aggregation_group_type_index": 0,
    }
    await service.flag("for-companies", filters=filters)
    assert (await ask(groups={"company": "acme"}))["flags"]["for-companies"]["enabled"] is True
    sent = {"company": {"plan": "free"}}
    free = await ask(groups={"company": "acme"}, group_properties=sent)
    assert free["flags"]["for-companies"]["enabled"] is False
    alone = (await ask())["flags"]["for-companies"]
    assert (alone["enabled"], alone["reason"]["code"]) == (False, "no_group_type")


async def test_rules_fail_where_they_are_not_served(service: Service, ask: Ask) -> None:
    await service.flag("limit")
    service.write("UPDATE flags SET filters = '{\"version\": 2, \"rules\": []}' WHERE key = 'limit'")
    response = await ask()
    assert response["errorsWhileComputingFlags"] is True
    assert response["flags"]["limit"]["failed"] is True
    assert "newer kind of configuration" in response["flags"]["limit"]["reason"]["description"]


@pytest.mark.parametrize("path", ["/flags/?v=2", "/decide/?v=3"])
async def test_request_without_token_or_a_person_is_refused(service: Service, token: str, path: str) -> None:
    for body, status in (
        ({"distinct_id": "u-1"}, 401),
        ({"token": "phc_unknown", "distinct_id": "u-1"}, 401),
        ({"token": token}, 400),
        ({"token": token, "distinct_id": ["u-1"]}, 400),
    ):
        assert (await service.client.post(path, json=body)).status_code == status


async def test_refused_key_of_a_body_names_no_header(service: Service) -> None:
    for key in ("phx_unknown", "phs_unknown", "phx unknown"):
        refused = await service.client.post("/flags/?v=2", json={"token": key, "distinct_id": "u-1"})
        detail = "Personal API key found in request is invalid."
        assert (refused.status_code, refused.json()["detail"]) == (401, detail)


RULE_ID = "11111111-1111-4111-8111-111111111111"


async def test_settings_are_served_as_json_and_script_with_a_token(service: Service, token: str) -> None:
    response = await service.client.get(f"/array/{token}/config.js")
    assert response.headers["content-type"] == "application/javascript; charset=utf-8"
    assert f'c["{token}"]=' in response.text
    assert '"hasFeatureFlags":false' in response.text
    before = (await service.client.get(f"/array/{token}/config")).json()
    await service.flag("plain")
    after = (await service.client.get(f"/array/{token}/config")).json()
    assert (before["hasFeatureFlags"], after["hasFeatureFlags"]) == (False, True)
    assert after["token"] == token
    assert (after["sessionRecording"], after["surveys"], after["heatmaps"]) == (False, False, False)
    for name in ("config", "config.js"):
        assert (await service.client.get(f"/array/phc_unknown/{name}")).status_code == 401


Send = Callable[..., Awaitable[httpx.Response]]


def body_of(token: str) -> bytes:
    return json.dumps({"token": token, "distinct_id": "u-1"}).encode()


@pytest.mark.parametrize("query", ["?v=2", "?v=2&compression=gzip-js"])
async def test_compressed_body_is_read(service: Service, send: Send, token: str, query: str) -> None:
    await service.flag("plain")
    response = await send(f"/flags/{query}", gzip.compress(body_of(token)), content_type="text/plain")
    assert response.json()["flags"].keys() == {"plain"}


async def test_forms_and_bodies_without_a_media_type_are_read(
    service: Service, send: Send, token: str
) -> None:
    await service.flag("plain")
    form = f"data={quote(base64.b64encode(body_of(token)))}".encode()
    response = await send(
        "/flags/?v=2&compression=base64", form, content_type="application/x-www-form-urlencoded"
    )
    assert response.json()["flags"].keys() == {"plain"}
    assert (await send("/flags/?v=2", body_of(token))).json()["flags"].keys() == {"plain"}


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"{", 400),
        (b"[]", 400),
        (b"\x1f\x8bdamaged", 400),
        (gzip.compress(b'{"a": 1}', mtime=0)[:-9], 400),
        (b"data=%%%", 400),
        (b"[" * 5_000, 400),
        (gzip.compress(b"[" + b" " * (21 * 2**20), mtime=0), 413),
    ],
    ids=("open", "list", "damaged", "cut", "form", "deep", "large"),
)
async def test_broken_body_is_refused(send: Send, content: bytes, status: int) -> None:
    assert (await send("/flags/?v=2", content)).status_code == status


async def test_events_are_accepted_in_every_form(send: Send) -> None:
    for path in ("/batch/", "/e/", "/i/v0/e/", "/i/v0/ai/batch/", "/s/", "/capture"):
        for content in (b'{"batch": [{}, {}]}', b"not JSON", gzip.compress(b"[{}]"), b""):
            response = await send(path, content)
            assert (response.status_code, response.json()) == (200, {"status": 1})

"""The flags of a person in every version that libraries request, from bodies in every form that they send."""

import base64
import gzip
import json
from collections.abc import Awaitable, Callable
from urllib.parse import quote

import httpx
import pytest
from tests.doubles.service_world import variants
from tests.doubles.targeting import asks_flag
from tests.service.evaluation.conftest import Service, Start
from tests.service.sdk.conftest import Ask

RULE_ID = "11111111-1111-4111-8111-111111111111"
SPLIT = {
    **variants(control=50, test=50),
    "groups": [{"properties": [], "rollout_percentage": 100, "variant": "test"}],
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
    split, closed = response["flags"]["split"], response["flags"]["closed"]
    assert (split["enabled"], split["variant"]) == (True, "test")
    assert split["metadata"]["payload"] == '{"copy": "hi"}'
    expected = {"code": "condition_match", "condition_index": 0, "description": "Matched condition set 1"}
    assert split["reason"] == expected
    switched = (False, None, "out_of_rollout_bound")
    assert (closed["enabled"], closed["variant"], closed["reason"]["code"]) == switched
    named = await ask(flag_keys_to_evaluate=["split", "no-such-flag"])
    assert named["flags"].keys() == {"split"}


VALUES = {"plain": True, "closed": False, "split": "test"}


async def test_versions_have_records_or_plain_values(flags: None, ask: Ask) -> None:
    for path in ("/decide?v=4", "/flags/?v=4"):
        assert (await ask(path))["flags"]["split"]["variant"] == "test"
    for path, values in (
        ("/flags/", VALUES),
        ("/decide/?v=1", ["plain", "split"]),
        ("/decide/?v=2", {"plain": True, "split": "test"}),
        ("/decide/?v=3", VALUES),
    ):
        response = await ask(path)
        assert response["featureFlags"] == values
        assert "decide" not in path or response["sessionRecording"] is False
    assert (await ask("/flags/"))["featureFlagPayloads"] == {"split": '{"copy": "hi"}'}


PYTHON = "posthog-python/7.91.1"
PROGRAMS: list[tuple[dict[str, str], dict[str, object], set[str]]] = [
    ({"user-agent": PYTHON}, {}, {"of-servers", "web", "web-and-docs"}),
    ({"user-agent": "curl/8.5"}, {}, {"of-servers", "web", "web-and-docs"}),
    ({"user-agent": "posthog-react-native/3"}, {}, {"of-browsers", "web", "web-and-docs"}),
    ({"user-agent": "Mozilla/5.0 (X11)"}, {}, {"of-browsers", "web", "web-and-docs"}),
    ({"user-agent": "node", "sec-fetch-mode": "cors"}, {}, {"of-browsers", "web", "web-and-docs"}),
    ({"user-agent": "node"}, {}, {"web", "web-and-docs"}),
    ({"user-agent": PYTHON}, {"evaluation_runtime": "Client"}, {"of-browsers", "web", "web-and-docs"}),
    ({}, {"evaluation_runtime": "edge"}, {"of-browsers", "of-servers", "web", "web-and-docs"}),
    ({"user-agent": PYTHON}, {"evaluation_contexts": ["web"]}, {"of-servers", "web"}),
    ({"user-agent": PYTHON}, {"evaluation_contexts": ["ios", 7]}, {"of-servers"}),
    ({}, {"evaluation_environments": ["docs", "web"]}, {"web", "web-and-docs"}),
    ({}, {"evaluation_contexts": ["docs"], "flag_keys": ["web", "of-servers"]}, set()),
]


async def test_programs_get_flags_of_their_runtime_and_contexts(service: Service, token: str) -> None:
    await service.flag("of-browsers", evaluation_runtime="client")
    base = await service.flag("of-servers", evaluation_runtime="server")
    await service.flag("web", evaluation_contexts=["web"])
    contexts = ["web", "docs"]
    await service.flag("web-and-docs", evaluation_contexts=contexts, evaluation_contexts_match_mode="all")
    body = {"token": token, "distinct_id": "u-1"}
    for headers, more, expected in PROGRAMS:
        response = await service.client.post("/flags/?v=2", json=body | more, headers=headers)
        assert response.json()["flags"].keys() == expected, (headers, more)
    await service.flag("dependent", asks_flag(base))
    for runtime, is_on in (("server", True), ("client", False)):
        response = await service.client.post("/flags/?v=2", json=body | {"evaluation_runtime": runtime})
        assert response.json()["flags"]["dependent"]["enabled"] is is_on


async def test_members_have_the_names_and_lengths_of_every_library(service: Service, ask: Ask) -> None:
    condition = {"key": "plan", "type": "person", "operator": "exact", "value": "pro"}
    await service.flag("for-pro", condition)
    await service.flag("half", share=50)
    sent = await ask(flag_keys=["for-pro"], **{"$properties": {"plan": "pro"}})
    assert {key: each["enabled"] for key, each in sent["flags"].items()} == {"for-pro": True}
    assert (await ask(distinct_id=""))["flags"]["half"]["enabled"] is True
    names = [f"{number:0200}" for number in range(8)]
    shares = [[(await ask(distinct_id=name + end))["flags"]["half"] for name in names] for end in ("", "x")]
    assert shares[0] == shares[1]


async def test_stored_properties_count_unless_the_program_sends_others(service: Service, ask: Ask) -> None:
    service.person("u-1", plan="pro")
    await service.flag("for-pro", {"key": "plan", "type": "person", "operator": "exact", "value": "pro"})
    assert (await ask())["flags"]["for-pro"]["enabled"] is True
    assert (await ask(person_properties={"plan": "free"}))["flags"]["for-pro"]["enabled"] is False


async def test_groups_are_read_with_their_properties(service: Service, ask: Ask) -> None:
    service.group("company", 0, "acme", plan="pro")
    condition = {"key": "plan", "type": "group", "group_type_index": 0, "operator": "exact", "value": "pro"}
    filters = {"groups": [{"properties": [condition]}], "aggregation_group_type_index": 0}
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


async def test_versions_have_typed_or_older_values_of_rules(start: Start) -> None:
    service: Service = await start(rules_v2=True)
    await service.flag("limit")
    rule = {"id": RULE_ID, "rule_type": "targeted_release", "targeting": {"properties": []}, "value": 0}
    filters = {"version": 2, "return_type": "number", "default_value": None, "rules": [rule]}
    service.write("UPDATE flags SET filters = ?", json.dumps(filters))
    body = {"token": service.rows("SELECT api_token FROM projects")[0]["api_token"], "distinct_id": "u-1"}
    typed, older = [
        (await service.post(f"/flags/?v={version}", body))["flags"]["limit"] for version in (4, 2)
    ]
    assert (typed["value"], "enabled" in typed) == (0, False)
    assert (typed["metadata"]["config_version"], typed["metadata"]["rule_id"]) == (2, RULE_ID)
    expected = {"code": "targeting_match", "condition_index": 0, "description": "Matched rule 1"}
    assert typed["reason"] == expected
    assert (older["enabled"], older["variant"], older["metadata"]["payload"]) == (True, None, "0")
    assert older["reason"]["code"] == "condition_match"


@pytest.mark.parametrize("path", ["/flags/?v=2", "/decide/?v=3"])
async def test_request_without_token_or_a_person_is_refused(service: Service, token: str, path: str) -> None:
    for body, status in (
        ({"distinct_id": "u-1"}, 401),
        ({"token": "phc_unknown", "distinct_id": "u-1"}, 401),
        ({"token": token}, 400),
        ({"token": token, "distinct_id": ["u-1"]}, 400),
    ):
        assert (await service.client.post(path, json=body)).status_code == status
    for key in ("phx_unknown", "phs_unknown", "phx unknown"):
        refused = await service.client.post("/flags/?v=2", json={"token": key, "distinct_id": "u-1"})
        detail = "Personal API key found in request is invalid."
        assert (refused.status_code, refused.json()["detail"]) == (401, detail)


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


async def test_bodies_of_every_form_are_read(service: Service, send: Send, token: str) -> None:
    await service.flag("plain")
    body = body_of(token)
    form = f"data={quote(base64.b64encode(body))}".encode()
    form_type = "application/x-www-form-urlencoded"
    for query, content, headers in (
        ("", gzip.compress(body), {"content_type": "text/plain"}),
        ("&compression=gzip-js", gzip.compress(body), {"content_type": "text/plain"}),
        ("&compression=base64", form, {"content_type": form_type}),
        ("", body, {}),
    ):
        response = await send(f"/flags/?v=2{query}", content, **headers)
        assert response.json()["flags"].keys() == {"plain"}


@pytest.mark.parametrize(("content", "status"), [
    pytest.param(b"{", 400, id="an open object"),
    pytest.param(b"[]", 400, id="a list"),
    pytest.param(b"\x1f\x8bdamaged", 400, id="damaged compression"),
    pytest.param(gzip.compress(b'{"a": 1}', mtime=0)[:-9], 400, id="half of a compressed body"),
    pytest.param(b"data=%%%", 400, id="a malformed form"),
    pytest.param(b"[" * 5_000, 400, id="5,000 levels"),
    pytest.param(gzip.compress(b"[" + b" " * (21 * 2**20), mtime=0), 413, id="21 MiB when expanded"),
])  # fmt: skip
async def test_broken_body_is_refused(send: Send, content: bytes, status: int) -> None:
    assert (await send("/flags/?v=2", content)).status_code == status


async def test_events_are_accepted_in_every_form(send: Send) -> None:
    for path in ("/batch/", "/e/", "/i/v0/e/", "/i/v0/ai/batch/", "/s/", "/capture"):
        for content in (b'{"batch": [{}, {}]}', b"not JSON", gzip.compress(b"[{}]"), b""):
            response = await send(path, content)
            assert (response.status_code, response.json()) == (200, {"status": 1})

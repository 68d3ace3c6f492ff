"""The document that SDKs evaluate with."""

from typing import Any

import httpx
import pytest
from tests.service.evaluation.conftest import Service, Start

from flagtui.service.access import hash_key

STAFF = {"key": "email", "type": "person", "operator": "ends_with", "value": "@acme.com"}


@pytest.fixture
async def token(service: Service) -> str:
    token_value: str = service.rows("SELECT api_token FROM projects")[0]["api_token"]
    return token_value


async def test_scenario_53_unchanged_document_is_304_until_a_flag_changes(service: Service) -> None:
    flag = await service.flag("base")
    first = await service.send("GET", "local_evaluation/")
    tag = first.headers["etag"]
    assert tag.startswith('W/"')
    assert first.headers["cache-control"] == "private, must-revalidate"
    again = await with_tag(service, tag)
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    await service.send("PATCH", f"{flag}/", {"name": "changed"})
    changed = await with_tag(service, tag)
    assert changed.status_code == 200
    assert changed.headers["etag"] != tag


async def with_tag(service: Service, tag: str) -> httpx.Response:
    url = "/api/projects/1/feature_flags/local_evaluation"
    return await service.client.get(url, headers={"If-None-Match": tag})


@pytest.mark.parametrize("form", ["{}", 'W/"other", {}', "*"])
async def test_a_tag_is_known_in_every_form_the_header_has(service: Service, form: str) -> None:
    tag = (await service.send("GET", "local_evaluation/")).headers["etag"]
    for header in (tag, tag.removeprefix("W/")):
        assert (await with_tag(service, form.format(header))).status_code == 304
    assert (await with_tag(service, 'W/"other"')).status_code == 200


async def test_scenario_53_dependencies_name_keys_and_carry_their_chain(service: Service) -> None:
    base = await service.flag("base")
    middle = await service.flag("middle", on(base))
    await service.flag("top", on(middle))
    document = await service.get("local_evaluation/")
    properties = {flag["key"]: flag["filters"]["groups"][0]["properties"] for flag in document["flags"]}
    assert properties["base"] == []
    expected = ("middle", ["base", "middle"])
    assert (properties["top"][0]["key"], properties["top"][0]["dependency_chain"]) == expected
    stored = await service.get(f"{middle}/")
    assert stored["filters"]["groups"][0]["properties"][0]["key"] == str(base)


def on(flag: int) -> dict[str, Any]:
    return {"key": str(flag), "type": "flag", "operator": "flag_evaluates_to", "value": True}


async def test_document_has_what_sdks_need_and_nothing_private(service: Service) -> None:
    service.group("company", 0, "acme")
    inner, outer, unused = service.cohort(STAFF), 0, service.cohort(STAFF)
    outer = service.cohort({"key": "id", "type": "cohort", "value": inner})
    listed = service.cohort()
    await service.flag("b", {"key": "id", "type": "cohort", "operator": "in", "value": outer})
    await service.flag("a", {"key": "id", "type": "cohort", "operator": "in", "value": listed}, active=False)
    gone = await service.flag("gone")
    await service.send("PATCH", f"{gone}/", {"deleted": True})
    await service.flag("secret")
    service.write("UPDATE flags SET has_encrypted_payloads = 1 WHERE key = 'secret'")
    document = await service.get("local_evaluation/", send_cohorts="")
    assert [(flag["key"], flag["active"]) for flag in document["flags"]] == [("a", False), ("b", True)]
    assert document["cohorts"].keys() == {str(inner), str(outer)}
    assert str(unused) not in document["cohorts"]
    assert document["group_type_mapping"] == {"0": "company"}
    assert document["property_matching_version"] == 1
    assert document["flags"][0]["has_experiment"] is False


async def test_unknown_members_of_filters_are_served_as_stored(service: Service) -> None:
    await service.flag("odd")
    stored = '{"groups": [], "foo": {"bar": [1, null]}}'
    service.write("UPDATE flags SET filters = ? WHERE key = 'odd'", stored)
    text = (await service.send("GET", "local_evaluation/")).text
    assert f'"filters":{stored},' in text


@pytest.mark.parametrize("path", ["/flags/definitions", "/api/feature_flag/local_evaluation"])
@pytest.mark.parametrize("slash", ["", "/"])
async def test_paths_of_sdks_give_same_document(service: Service, token: str, path: str, slash: str) -> None:
    await service.flag("base")
    expected = await service.get("local_evaluation/")
    response = await service.send("GET", f"{path}{slash}?token={token}&send_cohorts")
    assert (response.status_code, response.json()) == (200, expected)
    unchanged = await service.client.get(
        f"{path}{slash}?token={token}&send_cohorts", headers={"If-None-Match": response.headers["etag"]}
    )
    assert unchanged.status_code == 304


async def ask(service: Service, headers: dict[str, str], token: str) -> tuple[int, str]:
    url = f"/flags/definitions?token={token}&send_cohorts"
    response = await service.client.get(url, headers={"Authorization": "", **headers})
    return response.status_code, response.json().get("detail", "")


async def test_sdks_must_identify_themselves(service: Service, token: str) -> None:
    assert await ask(service, {}, token) == (401, "Authentication credentials were not provided.")
    assert (await ask(service, {"Authorization": "Bearer phx_wrong"}, token))[0] == 401
    assert (await ask(service, {"Authorization": "Bearer phs_wrong"}, token))[0] == 401
    reader, stranger = (
        service.with_key("feature_flag:read").headers,
        service.with_key("experiment:read").headers,
    )
    assert (await ask(service, reader, token))[0] == 200
    assert await ask(service, stranger, token) == (403, "API key missing required scope 'feature_flag:read'")
    assert await ask(service, reader, "phc_other") == (401, "Incorrect authentication credentials.")


async def test_the_secret_key_of_a_project_opens_that_project_only(service: Service, token: str) -> None:
    service.write("UPDATE projects SET secret_hash = ?", hash_key("phs_secret"))
    service.add_project(api_token="phc_other")
    secret = {"Authorization": "Bearer phs_secret"}
    assert (await ask(service, secret, token))[0] == 200
    assert (await ask(service, secret, ""))[0] == 200
    assert (await ask(service, secret, "phc_other"))[0] == 403
    for project, status in ((1, 200), (2, 403)):
        path = f"/api/projects/{project}/feature_flags/local_evaluation/"
        assert (await service.client.get(path, headers=secret)).status_code == status


async def test_a_token_names_the_project_whatever_the_current_one_is(service: Service, token: str) -> None:
    await service.flag("here")
    service.add_project(api_token="phc_other")
    here, other = [await service.get(f"/flags/definitions?token={name}") for name in (token, "phc_other")]
    assert [flag["key"] for flag in here["flags"]] == ["here"]
    assert other["flags"] == []


async def test_older_servers_inline_simple_cohorts_unless_requested(start: Start) -> None:
    service: Service = await start(legacy=True)
    simple = service.cohort(STAFF)
    await service.flag("a", {"key": "id", "type": "cohort", "operator": "in", "value": simple})
    plain = await service.get("local_evaluation/")
    assert plain["cohorts"] == {}
    assert plain["flags"][0]["filters"]["groups"][0]["properties"] == [STAFF]
    full = await service.get("local_evaluation/", send_cohorts="")
    assert full["cohorts"] == {str(simple): {"type": "AND", "values": [STAFF]}}
    assert full["flags"][0].keys() >= {"has_encrypted_payloads", "evaluation_tags"}
    assert "property_matching_version" not in full

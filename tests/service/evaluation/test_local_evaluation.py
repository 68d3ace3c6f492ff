"""The document that SDKs evaluate with."""

import httpx
import pytest
from tests.doubles.targeting import asks_cohort, asks_flag
from tests.service.evaluation.conftest import STAFF, Service, Start

from flagtui.service.access import hash_key

DOCUMENT = "local_evaluation/"
DEFINITIONS = "/flags/definitions"


async def with_tag(service: Service, tag: str) -> httpx.Response:
    return await service.ask("GET", DOCUMENT, headers={"If-None-Match": tag})


async def test_scenario_53_unchanged_document_is_304_until_a_flag_changes(service: Service) -> None:
    flag = await service.flag("base")
    first = await service.ask("GET", DOCUMENT)
    tag = first.headers["etag"]
    assert tag.startswith('W/"')
    assert first.headers["cache-control"] == "private, must-revalidate"
    for form in (tag, tag.removeprefix("W/"), f'W/"other", {tag}', "*"):
        again = await with_tag(service, form)
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert (await with_tag(service, 'W/"other"')).status_code == 200
    await service.patch(f"{flag}/", {"name": "changed"})
    changed = await with_tag(service, tag)
    assert (changed.status_code, changed.headers["etag"] == tag) == (200, False)


async def test_scenario_53_dependencies_name_keys_and_carry_their_chain(service: Service) -> None:
    base = await service.flag("base")
    middle = await service.flag("middle", asks_flag(str(base)))
    await service.flag("top", asks_flag(str(middle)))
    document = await service.get(DOCUMENT)
    properties = {flag["key"]: flag["filters"]["groups"][0]["properties"] for flag in document["flags"]}
    assert properties["base"] == []
    expected = ("middle", ["base", "middle"])
    assert (properties["top"][0]["key"], properties["top"][0]["dependency_chain"]) == expected
    stored = await service.get(f"{middle}/")
    assert stored["filters"]["groups"][0]["properties"][0]["key"] == str(base)


async def test_document_has_what_sdks_need_and_nothing_private(service: Service) -> None:
    service.group("company", 0, "acme")
    inner, _unused, listed = service.cohort(STAFF), service.cohort(STAFF), service.cohort()
    outer = service.cohort({"key": "id", "type": "cohort", "value": inner})
    await service.flag("b", asks_cohort(outer))
    await service.flag("a", asks_cohort(listed), active=False)
    await service.patch(f"{await service.flag('gone')}/", {"deleted": True})
    await service.flag("secret")
    service.write("UPDATE flags SET has_encrypted_payloads = 1 WHERE key = 'secret'")
    document = await service.get(DOCUMENT, send_cohorts="")
    assert [(flag["key"], flag["active"]) for flag in document["flags"]] == [("a", False), ("b", True)]
    assert document["cohorts"].keys() == {str(inner), str(outer)}
    assert document["group_type_mapping"] == {"0": "company"}
    assert document["property_matching_version"] == 1
    assert document["flags"][0]["has_experiment"] is False


async def test_unknown_members_of_filters_are_served_as_stored(service: Service) -> None:
    await service.flag("odd")
    stored = '{"groups": [], "foo": {"bar": [1, null]}}'
    service.write("UPDATE flags SET filters = ? WHERE key = 'odd'", stored)
    text = (await service.ask("GET", DOCUMENT)).text
    assert f'"filters":{stored},' in text


@pytest.mark.parametrize("path", [DEFINITIONS, "/api/feature_flag/local_evaluation"])
@pytest.mark.parametrize("slash", ["", "/"])
async def test_paths_of_sdks_give_same_document(service: Service, token: str, path: str, slash: str) -> None:
    await service.flag("base")
    url = f"{path}{slash}?token={token}&send_cohorts"
    response = await service.ask("GET", url)
    assert (response.status_code, response.json()) == (200, await service.get(DOCUMENT))
    tag = {"If-None-Match": response.headers["etag"]}
    assert (await service.ask("GET", url, headers=tag)).status_code == 304


async def ask(service: Service, key: str, token: str) -> tuple[int, str]:
    headers = {"Authorization": key and f"Bearer {key}"}
    response = await service.client.get(f"{DEFINITIONS}?token={token}&send_cohorts", headers=headers)
    return response.status_code, response.json().get("detail", "")


async def test_sdks_must_identify_themselves(service: Service, token: str) -> None:
    reader, stranger = [
        service.with_key(f"{kind}:read").headers["Authorization"].removeprefix("Bearer ")
        for kind in ("feature_flag", "experiment")
    ]
    for key, project, status, detail in (
        ("", token, 401, "Authentication credentials were not provided."),
        ("phx_wrong", token, 401, "Personal API key found in request Authorization header is invalid."),
        ("phs_wrong", token, 401, "Personal API key found in request Authorization header is invalid."),
        (reader, token, 200, ""),
        (stranger, token, 403, "API key missing required scope 'feature_flag:read'"),
        (reader, "phc_other", 401, "Incorrect authentication credentials."),
    ):
        assert await ask(service, key, project) == (status, detail)


async def test_token_names_the_project_and_a_secret_opens_it_alone(service: Service, token: str) -> None:
    await service.flag("here")
    service.write("UPDATE projects SET secret_hash = ?", hash_key("phs_secret"))
    service.add_project(api_token="phc_other")
    for name, keys in ((token, ["here"]), ("phc_other", [])):
        document = await service.get(f"{DEFINITIONS}?token={name}")
        assert [flag["key"] for flag in document["flags"]] == keys
    for project_token, status in ((token, 200), ("", 200), ("phc_other", 403)):
        assert (await ask(service, "phs_secret", project_token))[0] == status
    secret = {"Authorization": "Bearer phs_secret"}
    for project, status in ((1, 200), (2, 403)):
        path = f"/api/projects/{project}/feature_flags/local_evaluation/"
        assert (await service.client.get(path, headers=secret)).status_code == status


async def test_older_servers_inline_simple_cohorts_unless_requested(start: Start) -> None:
    service: Service = await start(legacy=True)
    simple = service.cohort(STAFF)
    await service.flag("a", asks_cohort(simple))
    plain = await service.get(DOCUMENT)
    assert plain["cohorts"] == {}
    assert plain["flags"][0]["filters"]["groups"][0]["properties"] == [STAFF]
    full = await service.get(DOCUMENT, send_cohorts="")
    assert full["cohorts"] == {str(simple): {"type": "AND", "values": [STAFF]}}
    assert full["flags"][0].keys() >= {"has_encrypted_payloads", "evaluation_tags"}
    assert "property_matching_version" not in full

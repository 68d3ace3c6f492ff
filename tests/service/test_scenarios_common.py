"""What every operation has in common: the scenarios of hosts, keys, projects, paging, errors and limits.

Scenarios on experiments and event definitions ask flags here where any resource would do. Scenario 24 wants
no Retry-After header on 429; a run of the product's framework sent one, so this service does. Scenario 25 is
about faults of a server a client must survive; its bodies are in test_errors.
"""

from typing import Any

import pytest
from tests.doubles.service_world import KEY, Start, World

PROJECTS = "/api/projects/"
CURRENT_KEY = "/api/personal_api_keys/@current/"
ME = "/api/users/@me/"


AUTHORIZATIONS: list[str] = ["Token x", "bearer phx_everything", "Bearer", "Bearer ", ""]


async def test_scenario_01_and_02_other_authorization_is_no_key(world: World) -> None:
    for authorization in AUTHORIZATIONS:
        response = await world.client.get(PROJECTS, headers={"Authorization": authorization})
        assert response.status_code == 401
        assert response.json() == {
            "type": "authentication_error",
            "code": "not_authenticated",
            "detail": "Authentication credentials were not provided.",
            "attr": None,
        }
        assert response.headers["WWW-Authenticate"] == "Bearer"


async def test_scenario_02_a_wrong_key_is_refused(world: World) -> None:
    response = await world.client.get(PROJECTS, headers={"Authorization": "Bearer nope"})
    assert response.json() == {
        "type": "authentication_error",
        "code": "authentication_failed",
        "detail": "Personal API key found in request Authorization header is invalid.",
        "attr": None,
    }


async def test_key_of_a_former_member_is_refused(world: World) -> None:
    world.write("UPDATE users SET is_active = 0")
    assert (await world.refused("GET", PROJECTS)).code == "authentication_failed"


async def test_scenario_03_spaces_around_a_key_do_no_harm(world: World) -> None:
    response = await world.client.get(PROJECTS, headers={"Authorization": f"Bearer   {KEY}  "})
    assert response.status_code == 200


async def test_scenario_04_a_reading_key_reads(world: World) -> None:
    reader = world.with_key("experiment:read")
    assert (await reader.get("/api/projects/1/experiments/"))["count"] == 0
    refusal = await reader.refused("POST", "/api/projects/1/experiments/", {"name": "x"})
    assert (refusal.status, refusal.detail) == (403, "API key missing required scope 'experiment:write'")


async def test_scenario_05_writing_implies_reading(world: World) -> None:
    assert (await world.with_key("experiment:write").get("/api/projects/1/experiments/"))["count"] == 0


async def test_scenario_07_a_key_without_scopes_opens_nothing(world: World) -> None:
    nobody = world.with_key()
    for path in (PROJECTS, ME, "/api/projects/1/", "/api/projects/1/feature_flags/"):
        assert (await nobody.refused("GET", path)).status == 403
    assert (await nobody.get(CURRENT_KEY))["scopes"] == []


async def test_scenario_08_a_confined_key_stays_in_its_projects(world: World) -> None:
    other = world.add_project()
    confined = world.with_key("*", teams=(1,))
    refusal = await confined.refused("GET", f"/api/projects/{other}/feature_flags/")
    assert refusal.status == 403
    assert refusal.detail == f"API key does not have access to the requested project: ID {other}."
    elsewhere = world.with_key("*", organizations=("018f0000-0000-7000-8000-000000000000",))
    organization = (await world.get("/api/organizations/@current/"))["id"]
    refusal = await elsewhere.refused("GET", "")
    assert refusal.detail == f"API key does not have access to the requested organization: ID {organization}."


async def test_scenario_09_a_confined_key_cannot_look_around(world: World) -> None:
    confined = world.with_key("project:read", teams=(1,))
    for path in (PROJECTS, "/api/organizations/"):
        refusal = await confined.refused("GET", path)
        assert refusal.status == 403
        assert refusal.detail == (
            "API keys with scoped projects are only supported on project-based endpoints."
        )
    assert (await confined.get("/api/projects/1/"))["id"] == 1


async def test_scenario_10_an_unknown_project_is_named_as_such(world: World) -> None:
    for name in ("999999", "abc", "-1", "9" * 30):
        refusal = await world.refused("GET", f"/api/projects/{name}/experiments/")
        assert (refusal.status, refusal.code, refusal.detail) == (404, "not_found", "Project not found.")


async def test_scenario_11_a_stranger_has_no_access(world: World) -> None:
    private = world.add_project(is_private=1)
    grace = world.add_user("grace@acme.test")
    asking = world.with_key("*", user=grace)
    refusal = await asking.refused("GET", f"/api/projects/{private}/feature_flags/")
    assert (refusal.status, refusal.detail) == (403, "You don't have access to the project.")
    world.write("INSERT INTO project_members VALUES (?, ?)", private, grace)
    assert (await asking.get(f"/api/projects/{private}/feature_flags/"))["count"] == 0
    world.write("DELETE FROM organization_members WHERE user_id = ?", grace)
    assert (await asking.refused("GET", "")).detail == "You don't have access to the project."


async def test_an_organization_may_keep_members_from_using_keys(world: World) -> None:
    world.write("UPDATE organizations SET members_can_use_keys = 0, name = 'Acme'")
    member = world.with_key("*", user=world.add_user("grace@acme.test"))
    for path in ("", "/api/organizations/@current/projects/"):
        assert (await member.refused("GET", path)).detail == (
            "Organization 'Acme' does not allow using personal API keys. "
            "Contact an admin to enable personal API keys for this organization."
        )
    admin = world.with_key("*", user=world.add_user("root@acme.test", level=8))
    assert await admin.keys() == []


async def test_scenario_12_the_current_project_is_the_owners(world: World) -> None:
    other = world.add_project()
    await world.flag("here")
    world.write("UPDATE users SET current_project_id = ?", other)
    assert (await world.get("/api/projects/@current/feature_flags/"))["count"] == 0
    assert (await world.get("/api/projects/@current/"))["id"] == other
    assert (await world.get("/api/environments/1/feature_flags/"))["count"] == 1


async def test_scenario_13_caller_gets_identity_and_project(world: World) -> None:
    me = await world.with_key("user:read").get(ME)
    assert me["email"] == "owner@localhost.test"
    assert me["team"]["id"] == 1
    assert me["organization"]["projects"][0]["name"] == "Default project"
    assert me["organizations"][0]["membership_level"] == 15
    refusal = await world.with_key("project:read").refused("GET", ME)
    assert refusal.detail == "API key missing required scope 'user:read'"
    assert (await world.with_key("user:read", teams=(1,)).get(ME))["id"] == me["id"]
    refusal = await world.refused("GET", "/api/users/018f0000-0000-7000-8000-000000000000/")
    assert refusal.detail == "As a non-staff user you're only allowed to access the `@me` user instance."


async def test_scenario_14_key_reads_its_scopes_and_changes_nothing(world: World) -> None:
    asking = world.with_key("feature_flag:read", teams=(1,))
    key = await asking.get(CURRENT_KEY)
    assert (key["scopes"], key["scoped_teams"], key["value"]) == (["feature_flag:read"], [1], None)
    assert (await asking.get(f"/api/personal_api_keys/{key['id']}/"))["id"] == key["id"]
    for method in ("PATCH", "DELETE"):
        refusal = await asking.refused(method, CURRENT_KEY)
        assert refusal.detail == "This action does not support personal API key access"
    assert (await asking.ask("GET", "/api/personal_api_keys/other/")).status_code == 404


async def test_scenario_15_projects_are_listed(world: World) -> None:
    world.add_project("Shöp")
    page = await world.get(PROJECTS)
    assert (page["count"], page["next"], page["previous"]) == (2, None, None)
    assert set(page["results"][0]) == {
        *("id", "uuid", "organization", "project_id", "api_token", "name", "completed_snippet_onboarding"),
        *("has_completed_onboarding_for", "ingested_event", "is_demo", "timezone", "access_control"),
    }
    assert [project["name"] for project in (await world.get(PROJECTS, search="SHÖ"))["results"]] == ["Shöp"]
    organization = page["results"][0]["organization"]
    assert (await world.get(f"/api/organizations/{organization}/projects/"))["count"] == 2
    assert (await world.get("/api/organizations/"))["results"][0]["id"] == organization
    strange = "/api/organizations/018f0000-0000-7000-8000-000000000000/"
    assert (await world.ask("GET", strange)).status_code == 404


async def test_scenario_16_and_17_pages_link_to_their_neighbours(world: World) -> None:
    world.add_flags(250)
    first = await world.get()
    assert first["next"] == "http://service.test/api/projects/1/feature_flags/?limit=100&offset=100"
    assert first["previous"] is None
    second = (await world.client.get(first["next"], headers=world.headers)).json()
    assert second["previous"] == "http://service.test/api/projects/1/feature_flags/?limit=100"
    third = (await world.client.get(second["next"], headers=world.headers)).json()
    assert (len(third["results"]), third["next"]) == (50, None)
    assert third["previous"].endswith("?limit=100&offset=100")
    ids = {flag["id"] for page in (first, second, third) for flag in page["results"]}
    assert len(ids) == 250
    assert len((await world.get("", limit=1000))["results"]) == 250
    past = await world.get("", offset=9999)
    assert (past["results"], past["count"], past["next"]) == ([], 250, None)
    assert past["previous"] is not None
    narrowed = await world.get("", limit=2, search="x1")
    assert "search=x1" in narrowed["next"]


LIMITS: list[str] = ["abc", "0", "-5", "", "1.5", "9" * 40]


async def test_scenario_18_a_senseless_limit_is_as_if_not_sent(world: World) -> None:
    world.add_flags(101)
    for limit in LIMITS:
        assert len((await world.get("", limit=limit, offset=limit))["results"]) == 100


async def test_scenario_19_both_slash_forms_answer_alike(world: World) -> None:
    flag = await world.flag("a")
    path = f"/api/projects/1/feature_flags/{flag['id']}"
    requests: list[tuple[str, str, Any]] = [
        ("GET", path, None),
        ("PATCH", path, {"nothing": 1}),
        ("DELETE", path, None),
        ("POST", f"{path}/enable", {}),
    ]
    for method, url, body in requests:
        response, other = [await world.ask(method, url + slash, body) for slash in ("", "/")]
        assert response.status_code == other.status_code
        assert response.status_code in (200, 405)
        assert not response.is_redirect


async def test_scenario_20_and_21_one_error_at_a_time(world: World) -> None:
    listed = await world.refused("POST", "", [])
    assert (listed.code, listed.attr) == ("invalid_input", None)
    two = await world.ask("POST", "", {"key": "a b", "active": "x"})
    assert set(two.json()) == {"type", "code", "detail", "attr"}


async def test_scenario_22_unknown_method_is_405(world: World) -> None:
    response = await world.ask("PUT", "", {})
    assert response.status_code == 405
    assert response.json() == {
        "type": "invalid_request",
        "code": "method_not_allowed",
        "detail": 'Method "PUT" not allowed.',
        "attr": None,
    }
    assert response.headers["Allow"] == "GET, POST, HEAD, OPTIONS"


@pytest.mark.parametrize("path", ["", "bulk_delete/"])
async def test_options_needs_the_scope_to_read(world: World, path: str) -> None:
    reader, stranger = world.with_key("feature_flag:read"), world.with_key("experiment:write")
    assert (await reader.ask("OPTIONS", path)).status_code == 200
    refusal = await stranger.refused("OPTIONS", path)
    assert (refusal.status, refusal.detail) == (403, "API key missing required scope 'feature_flag:read'")


async def test_scenario_23_only_json_is_read(world: World) -> None:
    for media in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        refusal = await world.refused("POST", "", content=b"key=a", headers={"Content-Type": media})
        assert refusal.status == 415
        assert refusal.detail == f'Unsupported media type "{media}" in request.'


async def test_scenario_24_rate_limit_counts_per_key_and_minute(start_world: Start) -> None:
    world = await start_world(rate_limit=5)
    other = world.with_key("*")
    for _ in range(5):
        await world.get()
    refusal = await world.refused("GET", "")
    assert (refusal.status, refusal.code) == (429, "throttled")
    await other.get()
    world.clock.pass_(seconds=60)
    await world.get()


async def test_scenario_26_unknown_fields_are_ignored(world: World) -> None:
    assert "surprise" not in await world.flag("a", surprise=1)


async def test_scenario_27_times_end_in_z(world: World) -> None:
    flag = await world.flag("a")
    assert flag["created_at"] == "2026-03-10T12:00:01.000000Z"
    naive = {
        "record_id": str(flag["id"]),
        "model_name": "FeatureFlag",
        "payload": {},
        "scheduled_at": "2026-04-01T10:00:00",
    }
    planned = await world.post("/api/projects/1/scheduled_changes/", naive, 201)
    assert planned["scheduled_at"] == "2026-04-01T10:00:00Z"


async def test_scenario_28_a_reading_key_is_refused_before_the_method(world: World) -> None:
    for path in ("/api/projects/1/experiments/1/", "/api/projects/1/feature_flags/1/"):
        scope = "experiment" if "experiments" in path else "feature_flag"
        assert (await world.with_key(f"{scope}:read").refused("DELETE", path)).status == 403


async def test_head_answers_as_get_does_without_a_body(world: World) -> None:
    got, head = await world.ask("GET", PROJECTS), await world.ask("HEAD", PROJECTS)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == got.headers["content-length"]

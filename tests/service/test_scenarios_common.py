"""What every operation has in common: the scenarios of hosts, keys, projects, paging, errors and limits.

Scenarios on experiments and event definitions ask flags here where any resource would do. Scenario 24 wants
no Retry-After header on 429; a run of the product's framework sent one, so this service does. Scenario 25 is
about faults of a server a client must survive; its bodies are in test_errors.
"""

import pytest
from tests.doubles.service_world import KEY, Refusal, Start, World

PROJECTS = "/api/projects/"
CURRENT_KEY = "/api/personal_api_keys/@current/"
ME = "/api/users/@me/"


NO_KEY = "Authentication credentials were not provided."
OTHER_HEADERS: list[dict[str, str]] = [
    *({"Authorization": value} for value in ("Token x", f"bearer {KEY}", "Bearer", "Bearer ", "")),
    *({"Authorization": value} for value in (KEY, f"Basic {KEY}")),
    *({name: KEY} for name in ("X-Api-Key", "Proxy-Authorization")),
    {"Cookie": f"sessionid={KEY}"},
    {},
]
"""Headers that have no key where one belongs."""


async def test_scenario_02_a_key_is_sent_as_a_bearer_token(world: World) -> None:
    for headers in OTHER_HEADERS:
        response = await world.client.get(PROJECTS, headers=headers)
        assert response.headers["WWW-Authenticate"] == "Bearer"
        assert Refusal.of(response) == Refusal(401, "not_authenticated", NO_KEY, None)
        assert response.json()["type"] == "authentication_error"
    wrong = await world.client.get(PROJECTS, headers={"Authorization": f"Bearer {KEY}x"})
    detail = "Personal API key found in request Authorization header is invalid."
    assert Refusal.of(wrong) == Refusal(401, "authentication_failed", detail, None)
    assert wrong.json()["type"] == "authentication_error"
    spaced = await world.client.get(PROJECTS, headers={"Authorization": f"Bearer   {KEY}  "})
    assert spaced.status_code == 200
    world.write("UPDATE users SET is_active = 0")
    await world.refuses("GET", PROJECTS, code="authentication_failed")


async def test_scenario_05_writing_implies_reading(world: World) -> None:
    path = "/api/projects/1/experiments/"
    for scope in ("experiment:read", "experiment:write"):
        assert (await world.with_key(scope).get(path))["count"] == 0
    detail = "API key missing required scope 'experiment:write'"
    reader = world.with_key("experiment:read")
    await reader.refuses("POST", path, {"name": "x"}, status=403, detail=detail)
    # The scope is checked before the method.
    await reader.refuses("DELETE", f"{path}1/", status=403)
    nobody = world.with_key()
    await nobody.refuses("GET", PROJECTS, status=403)
    assert (await nobody.get(CURRENT_KEY))["scopes"] == []


async def test_scenario_08_a_confined_key_stays_in_its_projects(world: World) -> None:
    path = f"/api/projects/{(other := world.add_project())}/feature_flags/"
    confined = world.with_key("*", teams=(1,))
    detail = f"API key does not have access to the requested project: ID {other}."
    await confined.refuses("GET", path, status=403, detail=detail)
    detail = "API keys with scoped projects are only supported on project-based endpoints."
    for place in (PROJECTS, "/api/organizations/"):
        await confined.refuses("GET", place, status=403, detail=detail)
    assert (await confined.get("/api/projects/1/"))["id"] == 1
    elsewhere = world.with_key("*", organizations=("018f0000-0000-7000-8000-000000000000",))
    organization = (await world.get("/api/organizations/@current/"))["id"]
    detail = f"API key does not have access to the requested organization: ID {organization}."
    await elsewhere.refuses("GET", "", detail=detail)


async def test_scenario_10_an_unknown_project_is_named_as_such(world: World) -> None:
    expected = Refusal(404, "not_found", "Project not found.", None)
    for name in ("999999", "abc", "-1", "9" * 30):
        assert await world.refused("GET", f"/api/projects/{name}/experiments/") == expected


async def test_scenario_11_a_stranger_has_no_access(world: World) -> None:
    private = world.add_project(is_private=1)
    grace = world.add_user("grace@acme.test")
    asking, path = world.with_key("*", user=grace), f"/api/projects/{private}/feature_flags/"
    refused = {"status": 403, "detail": "You don't have access to the project."}
    await asking.refuses("GET", path, **refused)
    world.write("INSERT INTO project_members VALUES (?, ?)", private, grace)
    assert (await asking.get(path))["count"] == 0
    world.write("DELETE FROM organization_members WHERE user_id = ?", grace)
    await asking.refuses("GET", "", **refused)


async def test_an_organization_may_keep_members_from_using_keys(world: World) -> None:
    world.write("UPDATE organizations SET members_can_use_keys = 0, name = 'Acme'")
    member = world.with_key("*", user=world.add_user("grace@acme.test"))
    detail = (
        "Organization 'Acme' does not allow using personal API keys. "
        "Contact an admin to enable personal API keys for this organization."
    )
    for path in ("", "/api/organizations/@current/projects/"):
        await member.refuses("GET", path, detail=detail)
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
    assert (await world.with_key("user:read", teams=(1,)).get(ME))["id"] == me["id"]
    detail = "As a non-staff user you're only allowed to access the `@me` user instance."
    await world.refuses("GET", "/api/users/018f0000-0000-7000-8000-000000000000/", detail=detail)


async def test_scenario_14_key_reads_its_scopes_and_changes_nothing(world: World) -> None:
    asking = world.with_key("feature_flag:read", teams=(1,))
    key = await asking.get(CURRENT_KEY)
    assert (key["scopes"], key["scoped_teams"], key["value"]) == (["feature_flag:read"], [1], None)
    assert (await asking.get(f"/api/personal_api_keys/{key['id']}/"))["id"] == key["id"]
    for method in ("PATCH", "DELETE"):
        detail = "This action does not support personal API key access"
        await asking.refuses(method, CURRENT_KEY, detail=detail)
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


async def test_scenarios_16_to_18_pages_link_to_their_neighbours(world: World) -> None:
    world.add_flags(250)
    path = "http://service.test/api/projects/1/feature_flags/"
    first = await world.get()
    assert (first["next"], first["previous"]) == (f"{path}?limit=100&offset=100", None)
    second = (await world.client.get(first["next"], headers=world.headers)).json()
    assert second["previous"] == f"{path}?limit=100"
    third = (await world.client.get(second["next"], headers=world.headers)).json()
    assert (len(third["results"]), third["next"]) == (50, None)
    assert third["previous"].endswith("?limit=100&offset=100")
    ids = {flag["id"] for page in (first, second, third) for flag in page["results"]}
    assert len(ids) == len((await world.get("", limit=1000))["results"]) == 250
    past = await world.get("", offset=9999)
    assert (past["results"], past["count"], past["next"]) == ([], 250, None)
    assert past["previous"] is not None
    assert "search=x1" in (await world.get("", limit=2, search="x1"))["next"]
    for senseless in ("abc", "0", "-5", "", "1.5", "9" * 40):
        assert len((await world.get("", limit=senseless, offset=senseless))["results"]) == 100


async def test_scenarios_20_to_22_one_error_at_a_time(world: World) -> None:
    await world.refuses("POST", "", [], code="invalid_input", attr=None)
    response = await world.ask("PUT", "", {})
    assert response.status_code == 405
    assert response.json() == {
        **{"type": "invalid_request", "code": "method_not_allowed", "attr": None},
        "detail": 'Method "PUT" not allowed.',
    }
    assert response.headers["Allow"] == "GET, POST, HEAD, OPTIONS"


@pytest.mark.parametrize("path", ["", "bulk_delete/"])
async def test_options_needs_the_scope_to_read(world: World, path: str) -> None:
    reader, stranger = world.with_key("feature_flag:read"), world.with_key("experiment:write")
    assert (await reader.ask("OPTIONS", path)).status_code == 200
    detail = "API key missing required scope 'feature_flag:read'"
    await stranger.refuses("OPTIONS", path, status=403, detail=detail)


async def test_scenario_23_only_json_is_read(world: World) -> None:
    for media in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        refusal = await world.refused("POST", "", content=b"key=a", headers={"Content-Type": media})
        assert refusal.status == 415
        assert refusal.detail == f'Unsupported media type "{media}" in request.'


async def test_scenario_24_rate_limit_counts_per_key_and_minute(start_world: Start) -> None:
    world = await start_world(rate_limit=5)
    other = world.with_key("*")
    # A request with a body counts once, too.
    for number in range(4):
        await world.flag(f"a{number}")
    await world.get()
    await world.refuses("GET", "", status=429, code="throttled")
    await other.get()
    world.clock.pass_(seconds=60)
    await world.get()


async def test_scenario_26_unknown_fields_are_ignored_and_times_in_utc(world: World) -> None:
    flag = await world.flag("a", surprise=1)
    assert "surprise" not in flag
    assert flag["created_at"] == "2026-03-10T12:00:01.000000Z"
    planned = await world.plan(flag, {}, scheduled_at="2026-04-01T10:00:00")
    assert planned["scheduled_at"] == "2026-04-01T10:00:00Z"


async def test_head_answers_as_get_does_without_a_body(world: World) -> None:
    got, head = await world.ask("GET", PROJECTS), await world.ask("HEAD", PROJECTS)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == got.headers["content-length"]

"""Who may do what with flags, and how a list is cut: scenarios 1 to 8."""

from tests.doubles.service_world import Start, World


async def test_scenario_01_requests_without_a_key_are_refused(world: World) -> None:
    response = await world.client.get("/api/projects/1/feature_flags/")
    assert response.status_code == 401
    assert response.json() == {
        "type": "authentication_error",
        "code": "not_authenticated",
        "detail": "Authentication credentials were not provided.",
        "attr": None,
    }
    assert response.headers["WWW-Authenticate"] == "Bearer"


async def test_scenario_02_unknown_key_is_refused_naming_its_header(world: World) -> None:
    refusal = await world.refused("GET", "", headers={"Authorization": "Bearer phx_bad"})
    assert (refusal.status, refusal.code) == (401, "authentication_failed")
    assert refusal.detail is not None
    assert refusal.detail.endswith("Authorization header is invalid.")


async def test_scenario_03_a_reading_key_cannot_create(world: World) -> None:
    refusal = await world.with_key("feature_flag:read").refused("POST", "", {"key": "a"})
    assert (refusal.status, refusal.code) == (403, "permission_denied")
    assert refusal.detail == "API key missing required scope 'feature_flag:write'"


async def test_scenario_04_activity_needs_its_own_scope(world: World) -> None:
    refusal = await world.with_key("feature_flag:read").refused("GET", "activity/")
    assert refusal.status == 403
    assert refusal.detail == "API key missing required scope 'activity_log:read'"


async def test_scenario_05_writing_implies_reading(world: World) -> None:
    assert await world.with_key("feature_flag:write").keys() == []


async def test_scenario_06_project_is_addressed_by_number_or_current(world: World) -> None:
    for name in ("999999", "abc", "-1", "9" * 30):
        refusal = await world.refused("GET", f"/api/projects/{name}/feature_flags/")
        assert (refusal.status, refusal.detail) == (404, "Project not found.")
    assert (await world.get("/api/projects/@current/feature_flags/"))["count"] == 0


async def test_scenario_07_a_list_is_cut_into_pages(world: World) -> None:
    for number in range(250):
        world.write(
            "INSERT INTO flags (project_id, key, created_at) VALUES (1, ?, ?)",
            *(f"f{number}", f"2026-01-01T00:00:00.{number:06}Z"),
        )
    page = await world.get()
    assert (len(page["results"]), page["count"], page["previous"]) == (100, 250, None)
    assert "limit=100&offset=100" in page["next"]
    assert len((await world.get("", limit=0))["results"]) == 100
    assert len((await world.get("", limit=1000))["results"]) == 250
    past = await world.get("", offset=9999)
    assert (past["results"], past["count"], past["next"]) == ([], 250, None)
    assert past["previous"] is not None


async def test_scenario_08_the_last_slash_may_be_missing(world: World) -> None:
    response = await world.ask("GET", "/api/projects/1/feature_flags")
    assert response.status_code == 200
    assert response.json() == await world.get()


async def test_scenario_61_an_older_server_does_not_know_enable(start_world: Start) -> None:
    world = await start_world(legacy=True)
    flag = await world.flag("a")
    refusal = await world.refused("POST", f"{flag['id']}/enable/")
    assert (refusal.status, refusal.detail) == (404, "Endpoint not found.")
    for action in ("bulk_delete", "bulk_update_tags"):
        refusal = await world.refused("POST", f"{action}/", {"ids": [flag["id"]]})
        expected = (403, "This action does not support personal API key access")
        assert (refusal.status, refusal.detail) == expected
    assert (await world.refused("POST", f"{flag['id']}/")).status == 405


async def test_scenario_59_third_request_of_two_a_minute_is_throttled(start_world: Start) -> None:
    world = await start_world(rate_limit=2)
    await world.get()
    await world.get()
    response = await world.ask("GET", "")
    assert response.status_code == 429
    assert response.json()["code"] == "throttled"
    seconds = int(response.headers["Retry-After"])
    assert response.json()["detail"] == f"Request was throttled. Expected available in {seconds} seconds."
    world.clock.pass_(seconds=seconds)
    await world.get()


async def test_scenario_60_a_body_must_be_a_json_object(world: World) -> None:
    broken = await world.refused("POST", "", content=b'{"key":', headers={"Content-Type": "application/json"})
    assert (broken.status, broken.code) == (400, "parse_error")
    assert broken.detail is not None
    assert broken.detail.startswith("JSON parse error - Expecting value: line 1")
    listed = await world.refused("POST", "", [1])
    assert (listed.status, listed.code) == (400, "invalid_input")
    assert listed.detail == "Invalid data. Expected a dictionary, but got list."
    xml = await world.refused("POST", "", content=b"<a/>", headers={"Content-Type": "text/xml"})
    assert (xml.status, xml.code) == (415, "unsupported_media_type")

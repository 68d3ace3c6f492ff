"""The scenarios of the event definitions contract, by their numbers."""

import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
from tests.service.event_definitions.conftest import Service, Start

INVALID = "validation_error"


def fault(answer: tuple[int, Any]) -> tuple[int, str, str, str | None]:
    status, body = answer
    return status, body["code"], body["detail"], body["attr"]


async def test_scenario_01_list_is_newest_day_first_then_by_name(service: Service) -> None:
    service.define("b today", 0.1)
    service.define("a today", 0.3)
    service.define("yesterday", 1)
    service.define("never", None)
    for number in range(100):
        service.define(f"old {number:03d}", 5)
    service.limit_key("event_definition:read")
    page = await service.get()
    assert [row["name"] for row in page["results"]][:4] == ["a today", "b today", "yesterday", "old 000"]
    assert (page["count"], len(page["results"]), page["count_is_capped"]) == (104, 100, False)
    assert "limit=100&offset=100" in page["next"]
    assert (await service.names(offset=100))[-1] == "never"


async def test_scenario_02_search_needs_every_word_and_prefers_short_names(service: Service) -> None:
    for name, seen in (
        ("checkout completed twice", 0),
        ("Checkout Completed", 5),
        ("completed", 0),
        ("checkout", 0),
    ):
        service.define(name, seen)
    assert await service.names(search="check comp") == ["Checkout Completed", "checkout completed twice"]


async def test_scenario_03_event_types_separate_custom_and_product_events(service: Service) -> None:
    service.define("$pageview")
    service.define("signup")
    assert await service.names(event_type="event_custom") == ["signup"]
    assert await service.names(event_type="event_posthog") == ["$pageview"]
    assert await service.names(event_type="event") == ["$pageview", "signup"]
    detail = "Not a valid event type. Use one of: event, event_custom, event_posthog."
    expected = (400, "invalid_input", detail, "event_type")
    assert fault(await service.reply("GET", event_type="bogus")) == expected


async def test_scenario_04_ordering_by_known_keys_and_default_for_others(service: Service) -> None:
    for name, seen in (("a", 9), ("b", 1), ("c", 5)):
        service.define(name, seen)
    assert await service.names(ordering="-name") == ["c", "b", "a"]
    assert await service.names(ordering="last_seen_at") == ["a", "c", "b"]
    assert await service.names(ordering="event") == ["b", "c", "a"]


async def test_scenario_05_senseless_windows_are_refused(service: Service) -> None:
    least = "Ensure this value is greater than or equal to {}."
    assert fault(await service.reply("GET", limit=0)) == (400, "min_value", least.format(1), "limit")
    assert fault(await service.reply("GET", offset=-1)) == (400, "min_value", least.format(0), "offset")
    expected = ("invalid_input", "A valid integer is required.", "limit")
    assert fault(await service.reply("GET", limit="x"))[1:] == expected


async def test_scenario_06_tags_filter_unless_they_are_no_list(service: Service) -> None:
    service.define("tagged", tags=["revenue", "web"])
    service.define("plain")
    assert await service.names(tags='["revenue", "other"]') == ["tagged"]
    assert await service.names(tags="oops") == ["plain", "tagged"]
    assert await service.names(tags='["revenue", 1]') == ["tagged"]
    assert await service.names(tags="[1, null]") == []


async def test_scenario_07_hidden_events_are_skipped_and_undecided_ones_kept(service: Service) -> None:
    for name, hidden in (("hidden", 1), ("shown", 0), ("undecided", None)):
        service.define(name, hidden=hidden)
    assert await service.names(exclude_hidden="true") == ["shown", "undecided"]


async def test_scenario_08_stale_events_are_skipped_and_unseen_ones_kept(service: Service) -> None:
    for name, seen in (("fresh", 29), ("stale", 31), ("unseen", None)):
        service.define(name, seen)
    assert await service.names(exclude_stale="true") == ["fresh", "unseen"]


async def test_scenario_09_verified_means_verified_or_the_products_own(service: Service) -> None:
    service.define("verified", verified=1)
    service.define("not")
    service.define("$pageview")
    assert await service.names(verified="true") == ["$pageview", "verified"]
    assert await service.names(verified="false") == ["not"]


async def test_scenario_10_names_come_joined_and_repeated(service: Service) -> None:
    for name in "abcd":
        service.define(name)
    assert await service.names(names=["a,b,zzz", "c"]) == ["a", "b", "c"]


async def test_scenario_11_one_definition_or_not_found(start: Start) -> None:
    service = await start()
    shown = await service.get(f"{service.define('signup', tags=['web'])}/")
    assert (shown["name"], shown["tags"], shown["owner"], shown["hidden"]) == ("signup", ["web"], None, None)
    assert len(shown) == 24
    unknown = "01900000-0000-7000-8000-00000000ffff/"
    assert fault(await service.reply("GET", "not-a-uuid/")) == (404, "not_found", "Not found.", None)
    assert fault(await service.reply("GET", unknown)) == (404, "not_found", "Not found.", None)
    assert (await (await start(unknown_definition_fails=True)).reply("GET", unknown))[0] == 500


async def test_scenario_12_a_description_changes_alone(service: Service) -> None:
    service.define("signup", tags=["web"], verified=1)
    before = await service.get(f"{service.ids['signup']}/")
    after = await service.change("signup", description="x")
    differing = {name for name in after if after[name] != before[name]}
    assert differing == {"description", "updated_by", "updated_at", "last_updated_at"}
    assert (after["description"], after["updated_by"]["id"]) == ("x", 1)


async def test_scenario_13_hidden_and_verified_is_refused_and_changes_nothing(service: Service) -> None:
    path = f"{service.define('signup')}/"
    before = await service.get(path)
    answer = await service.reply("PATCH", path, {"verified": True, "hidden": True})
    assert fault(answer) == (400, "invalid_input", "An event cannot be both hidden and verified", None)
    assert await service.get(path) == before


async def test_scenario_14_verifying_unhides_and_is_stamped_once(service: Service) -> None:
    service.define("signup", hidden=1)
    first = await service.change("signup", verified=True)
    assert (first["hidden"], first["verified"], first["verified_by"]["id"]) == (False, True, 1)
    service.clock.now = service.clock.now.replace(hour=15)
    again = await service.change("signup", verified=True)
    assert again["verified_at"] == first["verified_at"] == "2026-03-10T12:00:01Z"
    assert again["updated_at"] == "2026-03-10T15:00:02Z"


async def test_scenario_15_hiding_unverifies(service: Service) -> None:
    service.define("signup", verified=1, verified_at="2026-01-01T00:00:00.000000Z", verified_by_id=1)
    after = await service.change("signup", hidden=True)
    facts = (after["hidden"], after["verified"], after["verified_at"], after["verified_by"])
    assert facts == (True, False, None, None)


async def test_scenario_16_owner_is_written_as_id_read_as_object(service: Service) -> None:
    service.add_user(7, "Ada")
    path = f"{service.define('signup')}/"
    assert (await service.change("signup", owner=7))["owner"]["first_name"] == "Ada"
    detail = 'Invalid pk "999" - object does not exist.'
    expected = (400, "does_not_exist", detail, "owner")
    assert fault(await service.reply("PATCH", path, {"owner": 999})) == expected
    assert (await service.get(path))["owner"]["id"] == 7
    assert (await service.change("signup", owner=None))["owner"] is None


async def test_scenario_17_a_name_cannot_be_changed(service: Service) -> None:
    service.define("signup")
    assert (await service.change("signup", name="new"))["name"] == "signup"


async def test_scenario_18_tags_are_trimmed_lowered_and_each_there_once(service: Service) -> None:
    service.define("signup", tags=["old"])
    assert (await service.change("signup", tags=["B", "b "]))["tags"] == ["b"]
    service.write("""UPDATE projects SET settings = '{"tagging":false}'""")
    assert (await service.change("signup", tags=["c"]))["tags"] == []
    service.write("UPDATE projects SET settings = '{}'")
    assert (await service.get(f"{service.ids['signup']}/"))["tags"] == ["b"]


async def test_scenario_19_a_reading_key_cannot_write(service: Service) -> None:
    path = f"{service.define('signup')}/"
    service.limit_key("event_definition:read")
    detail = "API key missing required scope 'event_definition:write'"
    expected = (403, "permission_denied", detail, None)
    assert fault(await service.reply("PATCH", path, {"description": "x"})) == expected


async def test_scenario_20_without_a_licence_definitions_are_read_only(start: Start) -> None:
    service = await start(unlicensed=True)
    path = f"{service.define('signup', tags=['web'])}/"
    status, code, _, _ = fault(await service.reply("PATCH", path, {"description": "x"}))
    assert (status, code) == (402, "payment_required")
    shown = await service.get(path)
    assert shown["tags"] == []
    assert not {"description", "owner", "verified", "hidden", "updated_by"} & set(shown)


async def test_scenario_21_deleting_forgets_and_the_name_returns_empty(service: Service) -> None:
    """Nothing sends events to this service, so the name is made again by hand."""
    first = service.define("signup", description="told", verified=1)
    assert await service.reply("DELETE", f"{first}/") == (204, None)
    assert (await service.reply("GET", f"{first}/"))[0] == 404
    assert (await service.reply("DELETE", f"{first}/"))[0] == 404
    status, again = await service.reply("POST", body={"name": "signup"})
    assert (status, again["description"], again["verified"]) == (201, "", False)
    assert again["id"] != first


async def test_scenario_22_metrics_refuse_keys_where_the_product_does(start: Start) -> None:
    closed = await start(strict=True)
    detail = "This action does not support personal API key access"
    answer = await closed.reply("GET", f"{closed.define('signup')}/metrics/")
    assert fault(answer) == (403, "permission_denied", detail, None)
    service = await start()
    service.define("signup", query_usage_30_day=12)
    assert await service.get(f"{service.ids['signup']}/metrics/") == {"query_usage_30_day": 12}


async def test_scenario_23_a_definition_made_by_hand_was_never_seen(service: Service) -> None:
    status, made = await service.reply("POST", body={"name": "x", "tags": ["A"], "verified": True})
    assert (status, made["created_at"], made["last_seen_at"]) == (201, None, None)
    assert (made["tags"], made["verified_by"]["id"]) == (["a"], 1)
    detail = "Event definition with name 'x' already exists"
    assert fault(await service.reply("POST", body={"name": "x"})) == (400, "invalid_input", detail, "name")
    assert fault(await service.reply("POST", body={}))[1:] == ("required", "This field is required.", "name")


async def test_scenario_24_lookup_by_name_is_exact(service: Service) -> None:
    service.define("$pageview")
    assert await service.reply("GET", "by_name/") == (400, {"detail": "Query parameter 'name' is required"})
    assert (await service.get("by_name/", name="$pageview"))["name"] == "$pageview"
    missing = {"detail": "Event definition with name 'zzz' not found"}
    assert await service.reply("GET", "by_name/", name="zzz") == (404, missing)
    assert (await service.reply("GET", "by_name/", name="$PAGEVIEW"))[0] == 404


async def test_scenario_25_many_are_verified_at_once(service: Service) -> None:
    definition = service.define("known", hidden=1)
    done = service.define("done", verified=1)
    unknown = "01900000-0000-7000-8000-00000000ffff"
    status, response = await service.reply(
        "POST", "bulk_update_verified/", {"ids": [definition, unknown, done], "verified": True}
    )
    assert status == 200
    assert response["updated"] == [{"id": definition, "verified": True}]
    assert response["skipped"] == [{"id": unknown, "reason": "Not found"}]
    after = await service.get(f"{definition}/")
    assert (after["hidden"], after["verified_by"]["id"]) == (False, 1)


@pytest.fixture
def crowd() -> Callable[[sqlite3.Connection], None]:
    def insert(db: sqlite3.Connection) -> None:
        db.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50001)"
            " INSERT INTO event_definitions (id, project_id, name, last_seen_at)"
            " SELECT printf('01900000-0000-7000-8000-%012d', i), 1, printf('event %06d', i),"
            " '2026-03-01T00:00:00.000000Z' FROM n"
        )

    return insert


async def test_scenario_27_the_count_of_a_large_project_gives_up(service: Service, crowd: Any) -> None:
    service.run(crowd)
    page = await service.get(limit=100, offset=20_000)
    assert (page["count"], page["count_is_capped"]) == (10_000, True)
    assert "offset=20100" in page["next"]
    last = await service.get(limit=100, offset=50_000)
    assert (len(last["results"]), last["next"]) == (1, None)
    narrowed = await service.get(search="event 00000")
    assert (narrowed["count"], narrowed["count_is_capped"]) == (9, False)

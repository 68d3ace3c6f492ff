"""Lists of event definitions and single ones: scenarios 1 to 11, 24 and 27."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.templates import sample_database
from tests.service.event_definitions.conftest import UNKNOWN, Service, Start

Query = tuple[str, str, str]
LISTS: dict[str, tuple[dict[str, dict[str, Any]], list[Query]]] = {
    "newest day first, then by name": (
        {"b today": {"seen": 0.1}, "a today": {"seen": 0.3}, "older": {"seen": 1}, "never": {"seen": None}},
        [("nonsense", "1", "a today, b today, older, never")]),
    "a search needs every word and prefers short names": (
        {"checkout completed twice": {}, "Checkout Completed": {"seen": 5}, "completed": {}, "checkout": {}},
        [("search", "check comp", "Checkout Completed, checkout completed twice")]),
    "a search reads signs as letters, and any length": (
        {"sign up": {}, "100%_done": {}, "100 done": {}, "Über uns": {}},
        [("search", "sign " * 3_000 + "u", "sign up"), ("search", "s" * 20_000, ""),
         ("search", "%_", "100%_done"), ("search", "UNS über", "Über uns")]),
    "types separate custom events and those of the product": (
        {"$pageview": {}, "signup": {}},
        [("event_type", "event_custom", "signup"), ("event_type", "event_posthog", "$pageview"),
         ("event_type", "event", "$pageview, signup")]),
    "ordering by known keys, and as usual for others": (
        {"a": {"seen": 9}, "b": {"seen": 1}, "c": {"seen": 5}, "never": {"seen": None}},
        [("ordering", "-name", "never, c, b, a"), ("ordering", "last_seen_at", "never, a, c, b"),
         ("ordering", "-last_seen_at", "b, c, a, never"), ("ordering", "event", "b, c, a, never"),
         ("ordering", "name," * 3_000, "a, b, c, never")]),
    "tags filter unless they are no list": (
        {"tagged": {"tags": ["revenue", "web"]}, "plain": {}},
        [("tags", '["revenue", "other"]', "tagged"), ("tags", '["revenue", 1]', "tagged"),
         ("tags", "[1, null]", ""), ("tags", "oops", "plain, tagged"),
         ("tags", "[" * 15_000, "plain, tagged")]),
    "excluded names are skipped unless they are no list": (
        {"a": {}, "b": {}},
        [("excluded_properties", '["a"]', "b"), ("excluded_properties", "[", "a, b"),
         ("excluded_properties", '["\\ud800"]', "a, b")]),
    "hidden events are skipped and undecided ones kept": (
        {"hidden": {"hidden": 1}, "shown": {"hidden": 0}, "undecided": {}},
        [("exclude_hidden", "true", "shown, undecided")]),
    "stale events are skipped and unseen ones kept": (
        {"fresh": {"seen": 29}, "stale": {"seen": 31}, "unseen": {"seen": None}},
        [("exclude_stale", "true", "fresh, unseen")]),
    "verified means verified, or the product's own": (
        {"verified": {"verified": 1}, "not": {}, "$pageview": {}},
        [("verified", "true", "$pageview, verified"), ("verified", "false", "not")]),
}  # fmt: skip
"""By rule: definitions with their columns, and which of them each parameter lists."""


@pytest.mark.parametrize("rule", LISTS)
async def test_scenarios_01_to_09_lists(service: Service, rule: str) -> None:
    defined, queries = LISTS[rule]
    for name, columns in defined.items():
        service.define(name, **columns)
    for parameter, value, names in queries:
        assert await service.names(**{parameter: value}) == (names.split(", ") if names else [])


async def test_scenario_10_names_come_joined_and_repeated(service: Service) -> None:
    for name in "abcd":
        service.define(name)
    assert await service.names(names=["a,b,zzz", "c"]) == ["a", "b", "c"]


LEAST = "Ensure this value is greater than or equal to {}."
TYPES = "Not a valid event type. Use one of: event, event_custom, event_posthog."
REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"limit": 0}, "min_value", LEAST.format(1)),
    ({"offset": -1}, "min_value", LEAST.format(0)),
    ({"limit": "x"}, "invalid_input", "A valid integer is required."),
    ({"event_type": "bogus"}, "invalid_input", TYPES),
]


async def test_scenarios_03_and_05_senseless_queries_are_refused(service: Service) -> None:
    for query, code, detail in REFUSED:
        assert await service.refused("GET", **query) == (400, code, detail, *query)


async def test_scenario_27_the_count_of_a_large_project_gives_up(service: Service) -> None:
    service.write(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50001)"
        " INSERT INTO event_definitions (id, project_id, name, last_seen_at)"
        " SELECT printf('01900000-0000-7000-8000-%012d', i), 1, printf('event %06d', i),"
        " '2026-03-01T00:00:00.000000Z' FROM n"
    )
    page = await service.get(offset=20_000)
    assert (page["count"], page["count_is_capped"], len(page["results"])) == (10_000, True, 100)
    assert "limit=100&offset=20100" in page["next"]
    last = await service.get(limit=100, offset=50_000)
    assert (len(last["results"]), last["next"]) == (1, None)
    narrowed = await service.get(search="event 00000")
    assert (narrowed["count"], narrowed["count_is_capped"]) == (9, False)


async def test_scenario_11_one_definition_of_the_project_or_not_found(start: Start) -> None:
    service = await start()
    path = f"{service.define('signup', tags=['web'], query_usage_30_day=12)}/"
    assert await service.get(f"{path}metrics/") == {"query_usage_30_day": 12}
    shown = await service.get(path)
    assert (shown["name"], shown["tags"], shown["owner"], shown["hidden"]) == ("signup", ["web"], None, None)
    for name in ("not-a-uuid", UNKNOWN):
        assert await service.refused("GET", f"{name}/") == (404, "not_found", "Not found.", None)
    assert (await (await start(unknown_definition_fails=True)).reply("GET", f"{UNKNOWN}/"))[0] == 500
    service.write("UPDATE event_definitions SET project_id = ?", service.add_project())
    assert await service.names() == []
    for method in ("GET", "PATCH"):
        assert (await service.reply(method, f"{service.ids['signup']}/", {}))[0] == 404


async def test_scenario_24_lookup_by_name_is_exact(service: Service) -> None:
    service.define("$pageview")
    assert await service.reply("GET", "by_name/") == (400, {"detail": "Query parameter 'name' is required"})
    assert (await service.get("by_name/", name="$pageview"))["name"] == "$pageview"
    for name in ("zzz", "$PAGEVIEW"):
        missing = {"detail": f"Event definition with name '{name}' not found"}
        assert await service.reply("GET", "by_name/", name=name) == (404, missing)


async def test_primary_properties_of_all_or_some(service: Service) -> None:
    primary = {"$pageview": "$pathname", "paid": "amount"}
    for name in (*primary, "plain"):
        service.define(name, primary_property=primary.get(name))
    assert await service.get("primary_properties/") == {"primary_properties": primary}
    some = await service.get("primary_properties/", names=["paid", "plain"])
    assert some == {"primary_properties": {"paid": "amount"}}


async def test_older_servers_know_less(start: Start) -> None:
    service = await start(legacy=True)
    path = f"{service.define('signup', verified=1)}/"
    service.define("other")
    page = await service.get(limit=0, verified="true", names="signup", ordering="created_at")
    assert (page["count"], "count_is_capped" in page) == (2, False)
    assert not {"enforcement_mode", "primary_property", "media_preview_urls"} & set(await service.get(path))
    assert (await service.reply("GET", event_type="bogus"))[0] == 500
    for language in ("typescript", "golang", "python"):
        assert (await service.reply("GET", f"{language}/"))[0] == 500
    assert (await service.reply("POST", body={"name": "x"}))[0] == 405


async def test_the_sample_lists_its_definitions(
    start: Start, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    shutil.copy(sample_database(tmp_path_factory, one_in=16), tmp_path / "1.db")
    service = await start()
    names = await service.names(event_type="event_custom", exclude_stale="true", search="checkout comp")
    assert names[:2] == ["checkout completed", "checkout_completed"]
    assert (await service.get(limit=1))["count"] == 1_904

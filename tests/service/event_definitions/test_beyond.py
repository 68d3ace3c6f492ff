"""Beyond the scenarios: bulk tags, odd bodies, the log, older servers, the sample."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.templates import sample_database
from tests.service.event_definitions.conftest import Service, Start

from flagtui.service.event_definitions import OPERATIONS, schemas

UNKNOWN = "01900000-0000-7000-8000-00000000ffff"


def log_of(service: Service) -> list[tuple[str, list[Any]]]:
    rows = service.rows(
        "SELECT activity, detail ->> '$.changes' AS changes FROM activity WHERE scope = 'EventDefinition'"
        " ORDER BY created_at, id"
    )
    return [(row["activity"], row["changes"]) for row in rows]


@pytest.mark.parametrize(
    ("action", "tags", "left"),
    [("add", ["B"], ["a", "b"]), ("remove", ["a"], []), ("set", ["c "], ["c"]), ("set", [], [])],
)
async def test_many_are_tagged_at_once(
    service: Service, action: str, tags: list[str], left: list[str]
) -> None:
    definition = service.define("known", tags=["a"])
    body = {"ids": [definition, UNKNOWN], "action": action, "tags": tags}
    status, response = await service.reply("POST", "bulk_update_tags/", body)
    assert (status, response["updated"]) == (200, [{"id": definition, "tags": left}])
    assert response["skipped"] == [{"id": UNKNOWN, "reason": "Not found"}]
    assert (await service.get(f"{definition}/"))["tags"] == left


ODD_BULKS: list[tuple[Any, str, str | None]] = [
    ({}, "required", "ids"),
    ({"ids": []}, "empty", "ids"),
    ({"ids": "x"}, "not_a_list", "ids"),
    ({"ids": [UNKNOWN, 7], "action": "add", "tags": ["a"]}, "invalid_input", "ids__1"),
    ({"ids": [UNKNOWN] * 501, "action": "add", "tags": ["a"]}, "max_length", "ids"),
    ({"ids": [UNKNOWN], "action": "drop", "tags": ["a"]}, "invalid_choice", "action"),
    ({"ids": [UNKNOWN], "action": "add", "tags": []}, "invalid_input", "tags"),
    ({"ids": [UNKNOWN], "action": "add", "tags": [["a"]]}, "invalid_input", "tags__0"),
]


ODD_UPDATES: list[tuple[Any, str, str | None]] = [
    ({"tags": "a"}, "not_a_list", "tags"),
    ({"tags": None}, "null", "tags"),
    ({"tags": [1, {}]}, "invalid_input", "tags__1"),
    ({"owner": {"id": 7}}, "incorrect_type", "owner"),
    ({"owner": 10**30}, "does_not_exist", "owner"),
    ({"verified": "maybe"}, "invalid_input", "verified"),
    ({"primary_property": ""}, "blank", "primary_property"),
    ({"enforcement_mode": "x"}, "invalid_choice", "enforcement_mode"),
    ({"enforcement_mode": "reject"}, "invalid_input", None),
    ({"description": ["x"]}, "invalid_input", "description"),
]


async def test_odd_bodies_are_refused_and_change_nothing(service: Service) -> None:
    for body, code, attr in ODD_BULKS:
        status, response = await service.reply("POST", "bulk_update_tags/", body)
        assert (status, response["code"], response["attr"]) == (400, code, attr)
    path = f"{service.define('signup')}/"
    for fields, code, attr in ODD_UPDATES:
        before = await service.get(path)
        status, response = await service.reply("PATCH", path, fields)
        assert (status, response["code"], response["attr"]) == (400, code, attr)
        assert await service.get(path) == before


async def test_log_has_every_write(service: Service) -> None:
    _, made = await service.reply("POST", body={"name": "x"})
    service.ids["x"] = made["id"]
    service.clock.now = service.clock.now.replace(hour=13)
    await service.change("x", description="told", tags=["b"])
    service.clock.now = service.clock.now.replace(hour=14)
    await service.reply("DELETE", f"{made['id']}/")
    entries = log_of(service)
    assert [activity for activity, _ in entries] == ["created", "changed", "deleted"]
    assert '"field":"description","before":null,"after":"told"' in entries[1][1]
    assert '"field":"tags","before":["b"],"after":null' in entries[2][1]


async def test_primary_properties_of_all_or_some(service: Service) -> None:
    service.define("$pageview", primary_property="$pathname")
    service.define("paid", primary_property="amount")
    service.define("plain")
    primary = {"$pageview": "$pathname", "paid": "amount"}
    assert await service.get("primary_properties/") == {"primary_properties": primary}
    assert await service.get("primary_properties/", names=["paid", "plain"]) == {
        "primary_properties": {"paid": "amount"}
    }


async def test_excluded_names_are_skipped_and_malformed_lists_ignored(service: Service) -> None:
    service.define("a")
    service.define("b")
    assert await service.names(excluded_properties='["a"]') == ["b"]
    assert await service.names(excluded_properties="[") == ["a", "b"]
    assert await service.names(excluded_properties='["\\ud800"]') == ["a", "b"]
    assert await service.names(tags="[" * 15_000) == ["a", "b"]


async def test_unseen_events_sort_first_upwards_and_last_downwards(service: Service) -> None:
    service.define("seen", 3)
    service.define("unseen", None)
    assert await service.names(ordering="last_seen_at") == ["unseen", "seen"]
    assert await service.names(ordering="-last_seen_at") == ["seen", "unseen"]


async def test_search_reads_signs_as_letters_and_any_length(service: Service) -> None:
    service.define("signup completed")
    assert await service.names(search="sign " * 3_000 + "comp") == ["signup completed"]
    assert await service.names(search="s" * 20_000) == []
    assert await service.names(ordering="name," * 3_000) == ["signup completed"]
    service.define("100%_done")
    service.define("100 done")
    assert await service.names(search="%_") == ["100%_done"]
    service.define("Über uns")
    assert await service.names(search="UNS über") == ["Über uns"]


async def test_definitions_of_other_projects_are_not_found(service: Service) -> None:
    service.define("signup")
    service.write("UPDATE event_definitions SET project_id = ?", service.add_project())
    assert await service.names() == []
    assert (await service.reply("GET", f"{service.ids['signup']}/"))[0] == 404
    assert (await service.reply("PATCH", f"{service.ids['signup']}/", {"description": "x"}))[0] == 404


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
    page = await service.get(event_type="event_custom", exclude_stale="true", search="checkout comp")
    assert [row["name"] for row in page["results"]][:2] == ["checkout completed", "checkout_completed"]
    assert (await service.get(limit=1))["count"] == 1_904


def names_of(schema: Any) -> set[str]:
    return set(schema["properties"])


async def test_responses_have_exactly_the_published_fields(service: Service) -> None:
    assert set(await service.get(f"{service.define('signup')}/")) == names_of(schemas.DEFINITION)
    assert set(await service.get()) == names_of(schemas.DEFINITION_PAGE)
    assert set(await service.get("primary_properties/")) == names_of(schemas.PRIMARY)
    described = [operation for operation in OPERATIONS if operation.method != "DELETE"]
    assert [each.summary for each in described if each.response is None] == []
    assert [each.summary for each in described if each.method != "GET" and each.body is None] == []

"""What a list of flags shows, and whether flags are in use: scenarios 40 to 45."""

from collections import Counter
from functools import partial
from typing import Any

import pytest
from tests.doubles.service_world import Start, World, released, variants


def add(world: World, key: str, **columns: Any) -> int:
    """A flag made long ago, straight into the database."""
    values = {"created_at": world.ago(days=40), "filters": released(), "version": 1, **columns}
    return world.insert("flags", project_id=1, key=key, **values)


async def test_scenario_40_stale_flags_are_on_old_and_for_everyone(world: World) -> None:
    add(world, "called-long-ago", last_called_at=world.ago(days=40), filters={"groups": [{}]})
    add(world, "never-called")
    add(world, "young", created_at=world.ago(days=20))
    add(world, "called-today", last_called_at=world.ago(hours=1))
    add(world, "off", active=0)
    add(world, "targeted", filters={"groups": [{"properties": [{"key": "a"}], "rollout_percentage": 100}]})
    add(world, "half", filters=released(50))
    add(world, "nobody", filters={"groups": []})
    add(world, "odd", filters={"groups": ["x", {"properties": "y", "rollout_percentage": "z"}]})
    assert sorted(await world.keys(active="STALE")) == ["called-long-ago", "never-called"]
    statuses = {flag["key"]: flag["status"] for flag in (await world.get())["results"]}
    expected = ["called-long-ago", "never-called", "nobody"]
    assert [key for key, word in sorted(statuses.items()) if word == "STALE"] == expected
    assert statuses["off"] == "ACTIVE"


@pytest.mark.parametrize(("groups", "shares", "expected"), [
    pytest.param([{}], {"a": 100, "b": 0}, "STALE", id="a variant with the whole share"),
    pytest.param([{"variant": "b"}], {"a": 50, "b": 50}, "STALE", id="a condition that names one"),
    pytest.param([{}], {"a": 50, "b": 50}, "ACTIVE", id="two variants"),
    pytest.param([], {"a": 100}, "ACTIVE", id="no condition"),
])  # fmt: skip
async def test_multivariate_flag_is_rolled_out_when_all_get_one_variant(
    world: World, groups: Any, shares: dict[str, float], expected: str
) -> None:
    flag = await world.flag("a", filters=variants(**shares))
    conditions = [{"rollout_percentage": 100, **group} for group in groups]
    await world.change(flag, filters={"groups": conditions})
    world.clock.pass_(days=31)
    assert (await world.read(flag))["status"] == expected


async def test_scenario_41_lists_are_filtered_by_state_type_and_runtime(world: World) -> None:
    off = add(world, "off", active=0, evaluation_runtime="server")
    add(world, "many", filters=variants(a=100))
    add(world, "config", is_remote_configuration=1, evaluation_runtime="client")
    add(world, "unsaid", evaluation_runtime=None)
    world.add_experiment(off, deleted=1)
    expected = {
        ("active", "true"): {"many", "config", "unsaid"},
        ("active", "True"): {"many", "config", "unsaid"},
        ("active", "false"): {"off"},
        ("active", "yes"): {"off"},
        ("type", "boolean"): {"off", "config", "unsaid"},
        ("type", "multivariant"): {"many"},
        ("type", "experiment"): {"off"},
        ("type", "remote_config"): {"config"},
        ("type", "multivariate"): {"off", "many", "config", "unsaid"},
        ("evaluation_runtime", "server"): {"off"},
        ("evaluation_runtime", "client"): {"config"},
        ("evaluation_runtime", "all"): {"many"},
        # Stored runtimes are never "both", but older documents name it as a filter: it means `all`.
        ("evaluation_runtime", "both"): {"many"},
        ("eligible_for_experiment", "true"): set(),
    }
    for (name, value), keys in expected.items():
        assert set(await world.keys(**{name: value})) == keys, (name, value)


async def test_scenario_42_a_space_matches_what_joins_words(world: World) -> None:
    for key in ("new-check", "new_check", "NewCheck", "other"):
        add(world, key)
    add(world, "described", name="The NEW  check, at last")
    add(world, "umlaut", name="ÜBERSICHT neu")
    world.add_experiment(add(world, "linked"), name="New check")
    for search, keys in (
        (" new check ", {"new-check", "new_check", "NewCheck", "described", "linked"}),
        ("newcheck", {"NewCheck"}),
        ("NEW-CH", {"new-check"}),
        ("_", {"new_check"}),
        ("%", set()),
        ("übersicht", {"umlaut"}),
    ):
        assert set(await world.keys(search=search)) == keys, search
    detail = "Search term cannot exceed 200 characters"
    await world.refuses("GET", "?search=" + "x" * 201, attr=None, detail=detail)


async def test_older_servers_search_for_the_text_as_it_is(start_world: Start) -> None:
    world = await start_world(legacy=True)
    await world.flag("new-check", name="The new check")
    await world.flag("about", name="über-uns")
    assert await world.keys(search=" new check") == ["new-check"]
    for search in (" new-check", "über uns", "x" * 201):
        assert await world.keys(search=search) == []


async def test_flags_of_surveys_are_not_listed(world: World) -> None:
    flag = add(world, "survey-targeting")
    survey = {"id": "s", "project_id": 1, "name": "S", "created_at": world.ago(days=1)}
    world.insert("surveys", internal_flag_id=flag, **survey)
    assert await world.keys() == []
    assert (await world.get(f"{flag}/"))["key"] == "survey-targeting"


async def test_scenario_43_lists_are_filtered_by_tags_keys_and_creators(world: World) -> None:
    grace = world.add_user("grace@acme.test")
    first = add(world, "a", tags='["ops"]', created_by_id=grace)
    add(world, "b", tags='["ops","db"]')
    add(world, "c", evaluation_contexts='["web"]')
    everything = {"a", "b", "c"}
    for query, keys in (
        ({"tags": '["ops"]'}, {"a", "b"}),
        ({"tags": '["OPS"]'}, set()),
        ({"tags": "ops"}, everything),
        ({"excluded_tags": '["db"]'}, {"a", "c"}),
        ({"excluded_properties": '["a"]'}, {"b", "c"}),
        ({"excluded_properties": "a"}, everything),
        ({"created_by_id": str(grace)}, {"a"}),
        ({"created_by_id": f"[{grace},99]"}, {"a"}),
        ({"created_by_id": "me"}, everything),
        ({"has_evaluation_contexts": "true"}, {"c"}),
        ({"has_evaluation_contexts": "false"}, {"a", "b"}),
        ({"key": "B"}, {"b"}),
        ({"tags": '["ops"]', "excluded_tags": '["db"]'}, {"a"}),
        ({"unheard_of": "1"}, everything),
    ):
        assert set(await world.keys(**query)) == keys, query
    matching = await world.get("matching_ids/", tags='["ops"]', excluded_tags='["db"]')
    assert matching == {"ids": [first], "total": 1}


async def test_lookup_of_one_key_reads_no_other_flags(world: World) -> None:
    world.add_flags(500)
    add(world, "X7")
    steps: Counter[str] = Counter()
    for name in ("key", "search"):
        with world.database.reading() as db:
            # Once for every ten instructions of SQLite.
            db.set_progress_handler(partial(steps.update, [name]), 10)
        assert set(await world.keys(**{name: "x7"})) >= {"x7", "X7"}
    assert 0 < steps["key"] < steps["search"] / 10


async def test_scenario_44_lists_are_ordered_by_a_column(world: World, start_world: Start) -> None:
    add(world, "b", created_at=world.ago(days=3), updated_at=world.ago(days=2))
    add(world, "a", created_at=world.ago(days=2), updated_at=world.ago(days=1))
    add(world, "c", created_at=world.ago(days=1))
    for query, keys in (
        ({}, "cab"),
        ({"order": "key"}, "abc"),
        ({"order": "-key"}, "cba"),
        ({"order": "-updated_at"}, "cab"),
        ({"order": "updated_at"}, "bac"),
        ({"order": "; DROP TABLE flags"}, "cab"),
    ):
        assert "".join(await world.keys(**query)) == keys, query
    # The product fails there.
    assert (await (await start_world(strict=True)).ask("GET", "?order=foo")).status_code == 500


async def test_scenario_45_status_comes_with_its_reason(world: World) -> None:
    flag = await world.flag("a", filters=released(100.0))
    path = f"{flag['id']}/status/"
    assert (await world.get(path))["reason"] == "Flag has no usage data yet"
    world.clock.pass_(days=31)
    rollout = {"effectively_full_rollout": True, "has_targeting_conditions": False}
    assert await world.get(path) == {
        "status": "stale",
        "reason": 'This boolean flag will always evaluate to "true"',
        "reason_states_rollout": True,
        "rollout": {**rollout, "max_rollout_percentage": 100, "is_multivariate": False},
    }
    for days, reason in (
        (0, "was called today"),
        (1, "was last called 1 day ago"),
        (3, "was last called 3 days ago"),
        (45, "has not been called in 45 days"),
    ):
        world.write("UPDATE flags SET last_called_at = ?", world.ago(days=days))
        assert (await world.get(path))["reason"] == f"Flag {reason}"
    assert (await world.change(flag, active=False))["status"] == "ACTIVE"
    assert (await world.get(path))["reason"] == "Flag is disabled (not evaluated for staleness)"
    await world.refuses("GET", "999/status/", detail="Not found.")
    split = await world.flag("split", filters=variants(control=0, test=100))
    world.clock.pass_(days=31)
    status = await world.get(f"{split['id']}/status/")
    assert status["reason"] == 'This flag will always use the variant "test"'
    assert status["rollout"]["is_multivariate"] is True


async def test_older_servers_have_other_fields_and_words(start_world: Start) -> None:
    world = await start_world(legacy=True)
    flag = await world.flag("a", filters=released(30))
    assert (flag["is_simple_flag"], flag["rollout_percentage"], flag["evaluation_tags"]) == (True, 30, [])
    assert isinstance(flag["usage_dashboard"], int)
    assert (await world.change(flag, rollout_percentage=5))["rollout_percentage"] == 30
    world.clock.pass_(days=31)
    assert (await world.get())["results"][0]["status"] == "INACTIVE"
    assert (await world.get(f"{flag['id']}/status/"))["status"] == "inactive"
    response = await world.ask("GET", "999/status/")
    expected = (404, {"status": "unknown", "reason": "Flag could not be found"})
    assert (response.status_code, response.json()) == expected
    assert await world.keys(active="True") == []
    assert (await world.ask("GET", "999/activity/")).content == b""


async def test_a_flag_without_access_is_hidden_and_refused(world: World) -> None:
    flag, other = await world.flag("a", is_remote_configuration=True), await world.flag("b")
    grace = world.add_user("grace@acme.test")
    asking = world.with_key("*", user=grace)
    level = "INSERT OR REPLACE INTO access_levels VALUES (1, ?, 'feature_flag', ?, ?)"
    world.write(level, grace, str(flag["id"]), "none")
    assert await asking.keys() == ["b"]
    refused = "You do not have {} access to this resource."
    for path in ("", "remote_config/"):
        await asking.refuses("GET", f"{flag['id']}/{path}", status=403, detail=refused.format("viewer"))
    world.write(level, grace, "", "viewer")
    shown = await asking.read(other)
    assert (shown["can_edit"], shown["user_access_level"]) == (False, "viewer")
    for method, path in (("PATCH", f"{other['id']}/"), ("POST", "")):
        await asking.refuses(method, path, {"key": "c"}, detail=refused.format("editor"))
    assert (await asking.get("matching_ids/")) == {"ids": [], "total": 0}


async def test_scenario_61_an_older_server_does_not_know_enable(start_world: Start) -> None:
    world = await start_world(legacy=True)
    path = f"{(await world.flag('a'))['id']}/"
    actions = ("enable", "set_release_condition_rollout", "roll_out_to_everyone", "test_evaluation")
    newer = [("POST", f"{path}{action}/") for action in actions]
    for method, newer_path in (*newer, ("GET", "/api/projects/1/approval_policies/")):
        await world.refuses(method, newer_path, status=404, detail="Endpoint not found.")
    for action in ("bulk_delete", "bulk_update_tags"):
        detail = "This action does not support personal API key access"
        await world.refuses("POST", f"{action}/", {"ids": [1]}, status=403, detail=detail)
    await world.refuses("POST", path, status=405)

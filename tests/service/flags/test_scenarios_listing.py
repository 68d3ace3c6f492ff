"""What a list of flags shows, and whether flags are in use: scenarios 40 to 45."""

from collections import Counter
from functools import partial
from typing import Any

import pytest
from tests.doubles.service_world import Start, World, variants

EVERYBODY = '{"groups":[{"properties":[],"rollout_percentage":100}]}'


def add(world: World, key: str, **columns: Any) -> int:
    """A flag made long ago, straight into the database."""
    values = {"created_at": world.ago(days=40), "filters": EVERYBODY, "version": 1, **columns}
    return world.insert("flags", project_id=1, key=key, **values)


async def test_scenario_40_stale_flags_are_on_old_and_for_everyone(world: World) -> None:
    add(world, "called-long-ago", last_called_at=world.ago(days=40), filters='{"groups":[{}]}')
    add(world, "never-called")
    add(world, "young", created_at=world.ago(days=20))
    add(world, "called-today", last_called_at=world.ago(hours=1))
    add(world, "off", active=0)
    add(world, "targeted", filters='{"groups":[{"properties":[{"key":"a"}],"rollout_percentage":100}]}')
    add(world, "half", filters='{"groups":[{"rollout_percentage":50}]}')
    add(world, "nobody", filters='{"groups":[]}')
    add(world, "odd", filters='{"groups":["x",{"properties":"y","rollout_percentage":"z"}]}')
    assert sorted(await world.keys(active="STALE")) == ["called-long-ago", "never-called"]
    statuses = {flag["key"]: flag["status"] for flag in (await world.get())["results"]}
    expected = ["called-long-ago", "never-called", "nobody"]
    assert [key for key, word in sorted(statuses.items()) if word == "STALE"] == expected
    assert statuses["off"] == "ACTIVE"


@pytest.mark.parametrize(
    ("groups", "shares", "expected"),
    [
        ([{"rollout_percentage": 100}], [("a", 100), ("b", 0)], "STALE"),
        ([{"rollout_percentage": 100, "variant": "b"}], [("a", 50), ("b", 50)], "STALE"),
        ([{"rollout_percentage": 100}], [("a", 50), ("b", 50)], "ACTIVE"),
        ([], [("a", 100)], "ACTIVE"),
    ],
)
async def test_multivariate_flag_is_rolled_out_when_all_get_one_variant(
    world: World, groups: Any, shares: Any, expected: str
) -> None:
    listed = [{"key": key, "rollout_percentage": share} for key, share in shares]
    flag = await world.flag("a", filters={"groups": [{}], "multivariate": {"variants": listed}})
    await world.patch(f"{flag['id']}/", {"filters": {"groups": groups}})
    world.clock.pass_(days=31)
    assert (await world.get(f"{flag['id']}/"))["status"] == expected


async def test_scenario_41_lists_are_filtered_by_state_type_and_runtime(world: World) -> None:
    off = add(world, "off", active=0, evaluation_runtime="server")
    add(world, "many", filters='{"multivariate":{"variants":[{"key":"a","rollout_percentage":100}]}}')
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
    experiment = add(world, "linked")
    world.add_experiment(experiment, name="New check")
    expected = {"new-check", "new_check", "NewCheck", "described", "linked"}
    assert set(await world.keys(search=" new check ")) == expected
    assert set(await world.keys(search="newcheck")) == {"NewCheck"}
    assert await world.keys(search="NEW-CH") == ["new-check"]
    assert await world.keys(search="_") == ["new_check"]
    assert await world.keys(search="%") == []
    refusal = await world.refused("GET", "?search=" + "x" * 201)
    assert (refusal.attr, refusal.detail) == (None, "Search term cannot exceed 200 characters")


async def test_older_servers_search_for_the_text_as_it_is(start_world: Start) -> None:
    world = await start_world(legacy=True)
    await world.flag("new-check", name="The new check")
    await world.flag("about", name="über-uns")
    assert await world.keys(search=" new check") == ["new-check"]
    assert await world.keys(search=" new-check") == []
    assert await world.keys(search="über uns") == []
    assert await world.keys(search="x" * 201) == []


async def test_search_knows_other_letters_and_surveys_hide_flags(world: World) -> None:
    add(world, "umlaut", name="ÜBERSICHT neu")
    assert await world.keys(search="übersicht") == ["umlaut"]
    flag = add(world, "survey-targeting")
    survey = {"id": "s", "project_id": 1, "name": "S", "created_at": world.ago(days=1)}
    world.insert("surveys", internal_flag_id=flag, **survey)
    assert await world.keys() == ["umlaut"]
    assert (await world.get(f"{flag}/"))["key"] == "survey-targeting"


async def test_scenario_43_lists_are_filtered_by_tags_keys_and_creators(world: World) -> None:
    grace = world.add_user("grace@acme.test")
    add(world, "a", tags='["ops"]', created_by_id=grace)
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


async def test_scenario_44_lists_are_ordered_by_a_column(world: World) -> None:
    add(world, "b", created_at=world.ago(days=3), updated_at=world.ago(days=2))
    add(world, "a", created_at=world.ago(days=2), updated_at=world.ago(days=1))
    add(world, "c", created_at=world.ago(days=1))
    assert await world.keys() == ["c", "a", "b"]
    assert await world.keys(order="key") == ["a", "b", "c"]
    assert await world.keys(order="-key") == ["c", "b", "a"]
    assert await world.keys(order="-updated_at") == ["c", "a", "b"]
    assert await world.keys(order="updated_at") == ["b", "a", "c"]
    assert await world.keys(order="; DROP TABLE flags") == ["c", "a", "b"]


async def test_unknown_order_is_500_where_the_product_fails(start_world: Start) -> None:
    world = await start_world(strict=True)
    assert (await world.ask("GET", "?order=foo")).status_code == 500


async def test_scenario_45_status_comes_with_its_reason(world: World) -> None:
    flag = await world.flag("a", filters={"groups": [{"properties": [], "rollout_percentage": 100.0}]})
    path = f"{flag['id']}/status/"
    assert (await world.get(path))["reason"] == "Flag has no usage data yet"
    world.clock.pass_(days=31)
    assert await world.get(path) == {
        "status": "stale",
        "reason": 'This boolean flag will always evaluate to "true"',
        "reason_states_rollout": True,
        "rollout": {
            "effectively_full_rollout": True,
            "has_targeting_conditions": False,
            "max_rollout_percentage": 100,
            "is_multivariate": False,
        },
    }
    for days, reason in (
        (0, "was called today"),
        (1, "was last called 1 day ago"),
        (3, "was last called 3 days ago"),
    ):
        world.write("UPDATE flags SET last_called_at = ?", world.ago(days=days))
        assert (await world.get(path))["reason"] == f"Flag {reason}"
    world.write("UPDATE flags SET last_called_at = ?", world.ago(days=45))
    assert (await world.get(path))["reason"] == "Flag has not been called in 45 days"
    assert (await world.patch(f"{flag['id']}/", {"active": False}))["status"] == "ACTIVE"
    assert (await world.get(path))["reason"] == "Flag is disabled (not evaluated for staleness)"
    assert (await world.refused("GET", "999/status/")).detail == "Not found."


async def test_a_stale_multivariate_flag_names_its_variant(world: World) -> None:
    flag = await world.flag("a", filters=variants(control=0, test=100))
    world.clock.pass_(days=31)
    status = await world.get(f"{flag['id']}/status/")
    assert status["reason"] == 'This flag will always use the variant "test"'
    assert status["rollout"]["is_multivariate"] is True


async def test_older_servers_have_other_fields_and_words(start_world: Start) -> None:
    world = await start_world(legacy=True)
    flag = await world.flag("a", filters={"groups": [{"properties": [], "rollout_percentage": 30}]})
    for name in ("archived", "evaluation_contexts", "bucketing_identifier", "experiment_set_metadata"):
        assert name not in flag
    assert (flag["is_simple_flag"], flag["rollout_percentage"], flag["evaluation_tags"]) == (True, 30, [])
    assert isinstance(flag["usage_dashboard"], int)
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
    for path in ("", "remote_config/"):
        refusal = await asking.refused("GET", f"{flag['id']}/{path}")
        assert (refusal.status, refusal.detail) == (403, "You do not have viewer access to this resource.")
    world.write(level, grace, "", "viewer")
    shown = await asking.get(f"{other['id']}/")
    assert (shown["can_edit"], shown["user_access_level"]) == (False, "viewer")
    for method, path in (("PATCH", f"{other['id']}/"), ("POST", "")):
        refusal = await asking.refused(method, path, {"key": "c"})
        assert refusal.detail == "You do not have editor access to this resource."
    assert (await asking.get("matching_ids/")) == {"ids": [], "total": 0}


async def test_scenario_04_activity_needs_its_own_scope(world: World) -> None:
    refusal = await world.with_key("feature_flag:read").refused("GET", "activity/")
    assert refusal.status == 403
    assert refusal.detail == "API key missing required scope 'activity_log:read'"


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

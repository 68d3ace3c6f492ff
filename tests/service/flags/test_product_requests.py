"""Requests the product's own tests send, and answers they expect, where FLAGTUI_FIXTURES has them."""

import pytest
from tests.doubles.fixtures import needs_fixtures, read_fixture
from tests.doubles.service_world import World

pytestmark = needs_fixtures


@pytest.mark.parametrize("name", [
    *("alpha", "cohort_in", "dependent_flag", "filters_plan_exact", "holdout_filters", "minimal"),
    *("not_regex_json_string", "remote_config_zero_becomes_100"),
])  # fmt: skip
async def test_a_flag_the_product_would_make_is_made(world: World, name: str) -> None:
    # The requests expect flag 1 and cohort 1.
    await world.flag("first")
    world.insert("cohorts", project_id=1, name="Cohort", created_at=world.ago(days=1))
    sent = read_fixture(f"flags/request_create_{name}")
    flag = await world.flag(**sent)
    assert (flag["key"], flag["name"]) == (sent["key"], sent.get("name", ""))
    if name == "remote_config_zero_becomes_100":
        assert flag["filters"]["groups"][0]["rollout_percentage"] == 100


async def test_change_is_logged_as_in_the_product(world: World) -> None:
    world.write("UPDATE users SET first_name = '', email = 'user1@posthog.com'")
    flag = await world.flag("a-feature-flag-that-is-updated", name="original name")
    expected = [read_fixture(f"activity/flag_{name}") for name in ("updated_three_changes", "created_2026")]
    await world.patch(f"{flag['id']}/", read_fixture("flags/request_update_icontains"))
    entries = (await world.get(f"{flag['id']}/activity/"))["results"]
    for entry, expected_entry in zip(entries, expected, strict=True):
        for name in ("user", "activity", "scope", "item_id", "detail"):
            assert entry[name] == expected_entry[name], name


async def test_a_flag_has_every_field_the_product_shows(world: World) -> None:
    shown = set(await world.flag("a"))
    documented = set(read_fixture("flags/docs_example_list")["results"][0])
    write_only = {"_create_in_folder", "_should_create_usage_dashboard", "creation_context"}
    assert documented - write_only - {"performed_rollback", "rollback_conditions"} <= shown

"""The form: every field, conditions, variants and payloads, with only valid input taken."""

from dataclasses import replace

import httpx
import pytest
from tests.doubles.whole_program import Setting, running, words
from tests.doubles.wire import Wire
from tests.journeys.flag_form import OTHER_MODES, fill, form, stand_on
from tests.journeys.modes import MODES
from textual.widgets import TextArea

from flagtui.app.flags.form.flag_form import FormScreen
from flagtui.app.widgets.field import is_stop


async def test_fields_are_edited_together_and_saved_as_one_change(setting: Setting) -> None:
    async with form(setting) as (program, id):
        stand_on(program, "description")
        await program.press("enter")
        await fill(program, "After")
        stand_on(program, "tags")
        await program.press("enter")
        await fill(program, "Web, ops")
        stand_on(program, "runs on")
        await program.press("enter", "down", "enter")
        stand_on(program, "sign-in")
        await program.press("enter")
        assert "not saved yet" in program.screen
        await program.press("ctrl+s", "y")
        flag = await program.colleague().flags.get(id)
        assert (flag.name, sorted(flag.tags), flag.evaluation_runtime) == ("After", ["ops", "web"], "client")
        assert flag.ensure_experience_continuity
        assert not isinstance(program.app.screen, FormScreen)
        assert len(program.wire.writes()) == 1


@pytest.mark.parametrize("mode", OTHER_MODES)
async def test_form_saves_every_part_on_stricter_and_older_servers(setting: Setting, mode: str) -> None:
    async with form(replace(setting, options=MODES[mode])) as (program, id):
        stand_on(program, "description")
        await program.press("enter")
        await fill(program, "After")
        stand_on(program, "email")
        await program.press("enter", "enter", "enter")
        await fill(program, "@other.test")
        stand_on(program, " 2 ")
        await program.press("less_than_sign")
        stand_on(program, "+ a variant")
        await program.press("enter")
        await fill(program, "third")
        await program.press("equals_sign")
        stand_on(program, '{"colour": "red"}')
        await program.press("d", "ctrl+s", "y")
        assert not isinstance(program.app.screen, FormScreen)
        flag = await program.colleague().flags.get(id)
        first, second = flag.targeting.conditions
        assert (flag.name, first.rollout, second.rollout) == ("After", 5, 25)
        assert second.properties[0].value == "@other.test"
        assert [one.rollout for one in flag.targeting.variants] == [34, 33, 33]
        assert flag.targeting.payloads == {}
        assert flag.filters["something_new"] == 1


@pytest.mark.parametrize("mode", MODES)
async def test_cohort_is_chosen_by_name_and_condition_turned_to_groups(setting: Setting, mode: str) -> None:
    async with form(replace(setting, options=MODES[mode])) as (program, id):
        stand_on(program, "+ a property")
        await program.press("enter")
        await fill(program, "a cohort", "not")
        assert "Paying customers #3" in words(program.screen)
        assert "Power users" not in program.screen
        await fill(program, "paying")
        assert "people not in Paying customers" in program.screen
        stand_on(program, " 2 ")
        await program.press("enter")
        await fill(program, "about", "company")
        assert "users and company groups, condition by condition" in program.screen
        stand_on(program, " 2 ")
        await program.press("enter")
        await fill(program, "add", "plan", "is, or", "pro")
        await program.press("ctrl+s")
        asked = words(program.screen)
        assert "condition 1: + people not in Paying customers" in asked
        assert "condition 2: is about company groups instead of users" in asked
        assert "re-bucketed by company groups" in asked
        await program.press("y")
        first, second = (await program.colleague().flags.get(id)).filters["groups"]
        cohort = first["properties"][1]
        assert (cohort["key"], cohort["type"], cohort["operator"], cohort["value"]) == (
            *("id", "cohort", "not_in"),
            3,
        )
        assert second["aggregation_group_type_index"] == 0
        item = second["properties"][0]
        assert (item["type"], item["group_type_index"], item["value"]) == ("group", 0, ["pro"])
        assert second["sort_key"] == "second"


async def test_cohort_number_is_typed_where_cohorts_are_not_listed(setting: Setting) -> None:
    def close(wire: Wire) -> None:
        detail = "API key missing required scope 'cohort:read'"
        refusal = {"type": "authentication_error", "code": "permission_denied", "detail": detail}
        wire.before = lambda request: (
            httpx.Response(403, json=refusal) if request.url.path.endswith("/cohorts/") else None
        )

    async with form(setting, close) as (program, id):
        stand_on(program, "+ a property")
        await program.press("enter")
        await fill(program, "a cohort", "is in")
        assert "cohort:read" in program.notices[-1]
        await fill(program, "x")
        assert "must be a cohort's id" in program.screen
        await fill(program, "3")
        assert "people in cohort 3" in program.screen
        await program.press("ctrl+s", "y")
        found = (await program.colleague().flags.get(id)).targeting.conditions[0].properties[1]
        assert (found.cohort_id, found.label) == (3, "Paying customers")


async def test_conditions_are_added_moved_removed_and_what_nobody_touched_stays(setting: Setting) -> None:
    async with form(setting) as (program, id):
        stand_on(program, "+ a condition")
        await program.press("enter")
        stand_on(program, " 3 ")
        await program.press("percent_sign")
        await fill(program, "7.5")
        await program.press("less_than_sign")
        stand_on(program, " 1 ")
        await program.press("d", "ctrl+s")
        await program.press("y")
        filters = (await program.colleague().flags.get(id)).filters
        kept = [(group["rollout_percentage"], group.get("sort_key")) for group in filters["groups"]]
        assert kept == [(7.5, None), (5, "second")]
        assert filters["something_new"] == 1
        assert filters["payloads"] == {"test": '{"colour": "red"}'}


async def test_a_property_takes_only_a_value_its_operator_can_have(setting: Setting) -> None:
    async with form(setting) as (program, id):
        stand_on(program, "email")
        await program.press("enter")
        await fill(program, "joined_at", "before", "yesterday")
        assert "must be a date such as 2026-03-01" in words(program.screen)
        await fill(program, "-7d")
        stand_on(program, "+ a property")
        await program.press("enter", "enter")
        await fill(program, "country", "is, or", "DE, FR")
        assert "country is any of DE, FR" in program.screen
        await program.press("ctrl+s", "y")
        properties = (await program.colleague().flags.get(id)).filters["groups"][0]["properties"]
        assert [(item["key"], item["operator"], item["value"]) for item in properties] == [
            ("joined_at", "is_date_before", "-7d"),
            ("country", "exact", ["DE", "FR"]),
        ]


async def test_variants_always_show_their_sum_and_are_distributed_evenly(setting: Setting) -> None:
    async with form(setting) as (program, id):
        stand_on(program, "+ a variant")
        await program.press("enter")
        await fill(program, "third")
        assert "100 %" in program.screen
        stand_on(program, " third")
        await program.press("percent_sign")
        await fill(program, "10")
        assert "must be 100 %" in program.screen
        await program.press("ctrl+s")
        assert "add up to 110 %" in program.notices[-1]
        assert program.wire.writes() == []
        await program.press("equals_sign", "ctrl+s", "y")
        flag = await program.colleague().flags.get(id)
        assert [(one.key, one.rollout) for one in flag.targeting.variants] == [
            ("control", 34),
            ("test", 33),
            ("third", 33),
        ]


async def test_a_payload_is_checked_while_it_is_typed(setting: Setting) -> None:
    async with form(setting) as (program, id):
        stand_on(program, '{"colour": "red"}')
        await program.press("enter")
        area = program.app.screen.query_one(TextArea)
        assert is_stop(area), "what is pressed there is text"
        await program.press("7")
        assert area.text == "7"
        area.text = '{"colour": "blue"'
        await program.settle()
        assert "not JSON, line 1" in program.screen
        await program.press("ctrl+s")
        assert not isinstance(program.app.screen, FormScreen)
        area.text = '{"colour": "blue"}'
        await program.settle()
        await program.press("ctrl+s", "ctrl+s", "y")
        assert (await program.colleague().flags.get(id)).filters["payloads"] == {"test": '{"colour": "blue"}'}


async def test_form_keeps_its_input_when_the_server_refuses(setting: Setting) -> None:
    refusal = {"type": "validation_error", "code": "invalid_input", "detail": "Not today.", "attr": None}

    def refuse(request: httpx.Request) -> httpx.Response | None:
        return httpx.Response(400, json=refusal) if request.method == "PATCH" else None

    async with form(setting) as (program, _id):
        program.wire.before = refuse
        stand_on(program, "description")
        await program.press("enter")
        await fill(program, "A long text")
        await program.press("ctrl+s", "y")
        assert "not saved" in program.notices[-1]
        assert "A long text" in program.screen
        await program.press("escape")
        assert "esc again discards" in program.screen
        await program.press("escape")
        assert not isinstance(program.app.screen, FormScreen)


async def test_a_change_of_somebody_else_in_another_field_is_kept(setting: Setting) -> None:
    async with form(setting) as (program, id):
        await program.colleague().flags.update(id, {"name": "Theirs"})
        stand_on(program, " 2 ")
        await program.press("percent_sign")
        await fill(program, "6")
        await program.press("ctrl+s", "y")
        flag = await program.colleague().flags.get(id)
        assert flag.name == "Theirs"
        assert flag.targeting.conditions[1].rollout == 6


async def test_opening_and_saving_without_a_change_sends_nothing(setting: Setting) -> None:
    async with form(setting) as (program, _id):
        await program.press("ctrl+s")
        assert "Nothing is changed." in program.notices[-1]
        await program.press("escape")
        assert not isinstance(program.app.screen, FormScreen)
        assert program.wire.writes() == []


async def test_newer_targeting_is_shown_read_only_with_the_reason(setting: Setting) -> None:
    def newer(wire: Wire) -> None:
        def after(request: httpx.Request) -> httpx.Response | None:
            return None

        wire.after = after

    async with running(setting, newer) as program:
        await program.go_to("new-nav")
        id = program.row("new-nav").id
        found = dict((await program.colleague().flags.get(id)).raw)
        found["filters"] = {"version": 2, "rules": [{"id": "r1"}]}
        program.wire.before = lambda request: (
            httpx.Response(200, json=found) if request.url.path.endswith(f"/{id}/") else None
        )
        await program.press("e")
        assert "it has rules (configuration version 2); only its state, name and tags" in program.screen
        assert "CONDITIONS" not in program.screen
        await program.press("escape", "percent_sign")
        assert "it has rules (configuration version 2)" in program.notices[-1]

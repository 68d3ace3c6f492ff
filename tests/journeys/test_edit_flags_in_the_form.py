"""The form: every field, conditions, variants and payloads, with only valid input, and its keys."""

import httpx
from msgspec.structs import replace
from tests.doubles import quiet
from tests.doubles.whole_program import Program, Setting
from tests.doubles.wire import Wire
from tests.journeys.flag_form import edit, fill, form, stand_on
from textual.widgets import Input, OptionList, TextArea

from flagtui.app.flags.form.flag_form import FormScreen
from flagtui.app.widgets.field import is_stop


async def test_every_part_is_edited_and_saved_as_one_change(any_mode: Setting) -> None:
    async with form(any_mode) as (program, id):
        await program.press("ctrl+s", toast="Nothing is changed.")
        await edit_fields(program)
        await edit_conditions(program)
        await edit_variants(program)
        await edit_payload(program)
        # What somebody else changes meanwhile in another field is kept.
        await program.colleague().flags.update(id, {"active": False})
        program.wire.answer("PATCH", httpx.Response(400, json={"detail": "Not today."}))
        await program.press("ctrl+s", "y", shows="After", toast="not saved")
        await program.press("escape", shows="esc again discards")
        program.wire.heal()
        await program.press("ctrl+s", "y")
        assert not isinstance(program.app.screen, FormScreen)
        program.see(sent=2)
        flag = await program.colleague().flags.get(id)
        assert (flag.name, sorted(flag.tags), flag.active) == ("After", ["ops", "web"], False)
        assert flag.ensure_experience_continuity
        if not any_mode.options:
            assert flag.evaluation_runtime == "client"
        groups = flag.filters["groups"]
        expected = [(25, "first"), (7.5, None)]
        assert [(group["rollout_percentage"], group.get("sort_key")) for group in groups] == expected
        assert [(item["key"], item["operator"], item["value"]) for item in groups[0]["properties"]] == [
            ("joined_at", "is_date_before", "-7d"),
            ("country", "exact", ["DE", "FR"]),
        ]
        shares = [(variant.key, variant.rollout) for variant in flag.targeting.variants]
        assert shares == [("control", 34), ("test", 33), ("third", 33)]
        assert flag.filters["payloads"] == {"test": '{"colour": "blue"}'}
        assert flag.filters["something_new"] == 1
        await program.press("e", "enter")
        await fill(program, "Given up")
        await program.press("escape", "escape")
        assert not isinstance(program.app.screen, FormScreen)
        program.see(sent=2)


async def edit_fields(program: Program) -> None:
    """The description, the tags, where it runs and sign-in; none of them has a share."""
    await program.press("G", "k", "g", "j", "enter")
    assert "Tags" in program.screen, "letters move as they do in lists"
    await fill(program, "Web, ops")
    await stand_on(program, "description", "percent_sign")
    program.see(toast="this line has no share; conditions and variants have one")
    await program.press("enter")
    await fill(program, "After")
    await stand_on(program, "runs on", "enter", "down", "enter")
    await stand_on(program, "sign-in", "enter", shows="not saved yet")


async def edit_conditions(program: Program) -> None:
    """A property takes only a value its operator can have; conditions are added, moved and removed."""
    await edit(program, "email", "joined_at", "before", "yesterday")
    program.see("must be a date such as 2026-03-01")
    await fill(program, "-7d")
    await stand_on(program, "+ a property", "enter", "enter")
    await fill(program, "country", "is, or", "DE, FR", shows="country is any of DE, FR")
    await stand_on(program, "+ a condition", "enter")
    await stand_on(program, " 3 ", "percent_sign")
    await fill(program, "7.5")
    await program.press("less_than_sign")
    await stand_on(program, " 3 ", "d")


async def edit_variants(program: Program) -> None:
    """Their sum is always shown, and must be 100 %."""
    await edit(program, "+ a variant", "third", shows="100 %")
    await stand_on(program, " third", "percent_sign")
    await fill(program, "10", shows="must be 100 %")
    await program.press("ctrl+s", toast="add up to 110 %", sent=0)
    await program.press("equals_sign")


async def edit_payload(program: Program) -> None:
    """It is checked while it is typed."""
    await stand_on(program, '{"colour": "red"}', "enter")
    area = program.app.screen.query_one(TextArea)
    assert is_stop(area), "what is pressed there is text"
    await program.press("7")
    assert area.text == "7"
    area.text = '{"colour": "blue"'
    await program.settle(shows="not JSON, line 1")
    area.text = "NaN"
    await program.settle(shows="NaN is not a JSON number")
    area.text = "7" * 5_000
    await program.settle(shows="a number is too long")
    area.text = '{"colour": "blue"'
    await program.settle()
    await program.press("ctrl+s")
    assert not isinstance(program.app.screen, FormScreen)
    await program.press("escape", shows="not accepted yet; esc again discards it")
    area.text = '{"colour": "blue"}'
    await program.settle()
    await program.press("ctrl+s")


async def test_cohort_is_chosen_by_name_and_condition_turned_to_groups(any_mode: Setting) -> None:
    async with form(any_mode) as (program, id):
        await edit(program, "+ a property", "a cohort", "not", shows="Paying customers #3")
        program.see(lacks="Power users")
        await fill(program, "paying", shows="users not in Paying customers")
        await edit(program, " 2 ", "about", "company")
        program.see("users and company groups, condition by condition")
        await edit(program, " 2 ", "add", "plan", "is, or", "pro")
        await program.press("ctrl+s", shows="condition 1: + users not in Paying customers")
        program.see("condition 2: is about company groups instead of users", "re-bucketed by company groups")
        await program.press("y")
        first, second = (await program.colleague().flags.get(id)).filters["groups"]
        cohort = first["properties"][1]
        expected = (*("id", "cohort", "not_in"), 3)
        assert (cohort["key"], cohort["type"], cohort["operator"], cohort["value"]) == expected
        assert second["aggregation_group_type_index"] == 0
        item = second["properties"][0]
        assert (item["type"], item["group_type_index"], item["value"]) == ("group", 0, ["pro"])
        assert second["sort_key"] == "second"


async def test_cohort_number_is_typed_where_cohorts_are_not_listed(setting: Setting) -> None:
    def close(wire: Wire) -> None:
        detail = "API key missing required scope 'cohort:read'"
        refusal = {"type": "authentication_error", "code": "permission_denied", "detail": detail}
        wire.answer("/cohorts/$", httpx.Response(403, json=refusal))

    async with form(setting, close) as (program, id):
        await edit(program, "+ a property", "a cohort", "is in", toast="cohort:read")
        await fill(program, "x", shows="must be a cohort's id")
        await fill(program, "3", shows="users in cohort 3")
        await program.press("ctrl+s", "y")
        cohort_property = (await program.colleague().flags.get(id)).targeting.conditions[0].properties[1]
        assert (cohort_property.cohort_id, cohort_property.label) == (3, "Paying customers")


async def test_newer_targeting_is_read_only_and_shares_need_a_condition(program: Program) -> None:
    await program.go_to("new-nav")
    id = program.row("new-nav").id
    record = dict((await program.colleague().flags.get(id)).raw)
    record["filters"] = {"version": 2, "rules": [{"id": "r1"}]}
    program.wire.answer(f"/{id}/$", httpx.Response(200, json=record))
    await program.press("e", shows="it has rules (configuration version 2); only its state, name and tags")
    program.see(lacks="CONDITIONS")
    await program.press("escape", "percent_sign", toast="it has rules (configuration version 2)")
    program.wire.answer(f"/{id}/$", httpx.Response(200, json={**record, "filters": {"groups": []}}))
    await program.press("percent_sign", toast="it has no condition, so no rollout; edit adds one")


async def test_keys_of_a_form_act_on_its_line(setting: Setting) -> None:
    async with form(setting) as (program, id):
        lines = program.app.screen.query_one("#form", OptionList)
        await program.press("g", "up", "k")
        assert lines.highlighted == 0
        await program.press("G", "down", "j")
        assert lines.highlighted == lines.option_count - 1
        for line, key in (("+ a condition", "⏎ add"), ("total", "⏎ even shares"), ("description", "⏎ edit")):
            await stand_on(program, line)
            await program.settle()
            assert key in program.last_line
        await program.press("5", toast="5: this line has no share; conditions and variants have one")
        await program.press("d", toast="this line stays; conditions, properties, variants and payloads")
        await program.press("u", toast="u: nothing was changed in this form")
        await program.press("less_than_sign", toast="<: this line cannot be moved; conditions can")
        await stand_on(program, "email")
        for key in ("4", "2", "5"):
            await quiet.press(program.app, key)
        await program.settle()
        assert program.app.screen.query_one(Input).value == "425"
        program.see("a number from 0 to 100")
        await program.press("backspace", "enter", shows="42 % of users where")
        await stand_on(program, " 2 ", "greater_than_sign", toast=">: this is the last condition")
        await program.press("3", "7", "enter", "ctrl+s", "y")
        flag = await program.colleague().flags.get(id)
        assert [condition.rollout for condition in flag.targeting.conditions] == [42, 37]


async def test_text_of_several_lines_stays_with_enter(setting: Setting) -> None:
    async with form(setting) as (program, id):
        await program.press("escape")
        await program.colleague().flags.update(id, {"name": "one\ntwo"})
        await program.press("f5", "e")
        await stand_on(program, "description", "enter", shows="which stay unless you type")
        await program.press("enter", shows="no changes")


async def test_invalid_values_are_named_before_they_are_discarded(setting: Setting) -> None:
    async with form(replace(setting, size=(60, 24))) as (program, _id):
        await stand_on(program, " 2 ", "d")
        await stand_on(program, " 1 ", "greater_than_sign", toast=">: this is the only condition")
        await edit(program, "description", "what this flag does " * 5)
        lines = [line.rstrip() for line in program.screen.splitlines()]
        place = next(at for at, line in enumerate(lines) if "description" in line)
        assert lines[place + 1].startswith("                what")
        await program.pilot.resize_terminal(120, 24)
        await program.settle(shows="what this flag does what this flag does what this flag does what")
        await edit(program, "+ a variant", "third")
        await stand_on(program, " third", "9", "enter", shows="add up to 109 %")
        await program.press("ctrl+q")
        program.see(toasts="What you entered is not saved; the same key again discards it and leaves.")
        await program.press("escape", shows="esc again discards your changes")
        await program.press("escape")
        assert not isinstance(program.app.screen, FormScreen)
        await program.press("percent_sign")
        options = program.app.screen.query_one(OptionList)
        await program.press("up")
        assert options.highlighted == 0
        await program.press("down", "down", "down", "down")
        assert options.highlighted == options.option_count - 1
        await program.press("tab")
        assert options.highlighted == 0

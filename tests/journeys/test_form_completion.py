"""Forms know the project: names, values, tags and events are completed, and conditions show their reach."""

from typing import Any

import httpx
from msgspec.structs import replace
from tests.doubles.targeting import asks, group
from tests.doubles.whole_program import Program, Setting, running
from tests.journeys.flag_form import edit, fill, form, stand_on
from tests.journeys.steps import make_flag, stand_on_event
from textual.widgets import Input

from flagtui.app.dialogs.completing_prompt import CompletingPrompt
from flagtui.app.flags.form.flag_form import FormScreen

UNANSWERED = "(property_definitions|persons/values|local_evaluation|user_blast_radius)/$"
"""What helps with a form."""


def line_of(program: Program) -> str:
    assert isinstance(program.app.screen, CompletingPrompt), program.screen
    return program.app.screen.query_one(Input).value


async def test_project_completes_names_values_and_tags_and_counts_reach(setting: Setting) -> None:
    async with form(setting) as (program, id):
        program.see("5 % of everyone about")
        await stand_on(program, "+ a property", "enter", "enter", *"s")
        before = program.app.screen.query_one("#prompt").region
        await program.press("down")
        first = line_of(program)
        await program.press("down")
        assert first != line_of(program)
        assert first.startswith("s")
        await program.press("up", "up", "up")
        assert line_of(program) == "s"
        assert program.app.screen.query_one("#prompt").region == before
        await program.press("escape", "escape", front=FormScreen)
        await program.press("enter", "enter", shows=("signed_up_at datetime", "plan text · in"))
        await program.press(*"pla", "tab")
        assert line_of(program) == "plan"
        assert program.wire.count("/property_definitions/") == 1
        await program.press("enter", "enter", shows=("enterprise", " users"))
        program.see("esc back")
        await program.press(*"ent", "escape", "escape")
        assert line_of(program) == "plan", "an earlier question is asked again with its answer"
        await program.press("enter", "down", "down", "enter", shows=("enterprise", " users"))
        assert line_of(program) == "ent", "a later one with what was typed"
        await program.press("escape", "up", "up", "enter", "tab", "comma", *"pr", "tab")
        assert line_of(program) == "enterprise, pro"
        program.see("the condition reaches")
        await program.press("enter")
        await stand_on(program, "tags", "enter", shows=" flags")
        await program.press("end", "comma", "space", *"bill", "tab")
        assert line_of(program) == "ops, billing"
        await program.press("enter", shows="#ops  #billing")
        await program.press("ctrl+s", "y")
        item = (await program.colleague().flags.get(id)).filters["groups"][0]["properties"][1]
        assert (item["key"], item["value"]) == ("plan", ["enterprise", "pro"])
        await program.press("T", *"-op", "tab")
        assert line_of(program) == "-ops"

        await program.press("escape", "e")
        await count_reach(program)


async def count_reach(program: Program) -> None:
    """Changed conditions are counted again, and at most one request for values is under way."""
    counted = program.wire.count("/user_blast_radius/")
    await stand_on(program, " 2 ", "0", "enter", shows="0 % of everyone 0 of ")
    assert program.wire.count("/user_blast_radius/") == counted, "a share is no other condition"
    await stand_on(program, "+ a property", "enter", "enter")
    await fill(program, "plan", "is, or", "no such plan", shows="25 % of users where 0 of ")
    await stand_on(program, "email", "enter", "enter", "enter")
    program.wire.hold("/persons/values/$")
    for letter in "user":
        await program.press_without_waiting(letter)
        await program.wire.is_holding.wait()
        assert len(program.wire.waiting) <= 1
    await program.let_go()
    assert line_of(program) == "user"
    program.see("users")


async def test_form_is_complete_without_a_response_for_suggestions(setting: Setting) -> None:
    async with form(setting, lambda wire: wire.cut(UNANSWERED)) as (program, id):
        program.see("reach not counted")
        await stand_on(program, "+ a property", "enter", "enter", shows="no suggestions from the server")
        await fill(program, "plan", "is, or", "pro")
        program.wire.heal()
        await program.press("ctrl+s", "y")
        assert len((await program.colleague().flags.get(id)).filters["groups"][0]["properties"]) == 2


async def test_server_that_cannot_count_and_names_much(setting: Setting) -> None:
    names = [{"name": f"property_{number:03}", "property_type": "String"} for number in range(120)]
    values: list[Any] = [{"name": "a\x1b]52;c;x\x07", "count": 3}, {"name": "plain", "count": 1}]
    answers = {
        "property_definitions/$": httpx.Response(200, json={"count": 120, "next": None, "results": names}),
        "persons/values/$": httpx.Response(200, json=values),
        "user_blast_radius/$": httpx.Response(400, json={"type": "validation_error", "detail": "No."}),
    }
    small = replace(setting, size=(60, 15))
    async with form(small, lambda wire: wire.answer_each(answers)) as (program, _id):
        program.see("5 % of users where not counted")
        await stand_on(program, "+ a property", "enter", "enter", shows="the first of many; type to narrow")
        await program.press(*"_119", shows="property_119", lacks="the first of many")
        assert program.wire.count("property_definitions/") == 1
        await program.press("escape", "escape")
        await stand_on(program, "email", "enter", "enter", "enter", shows="plain", lacks="52;c")
        program.see(lacks="the condition reaches")
        await program.press("escape")
        await fill(program, "is version")
        await program.press("x", shows="must be a version such as 1.2.3", lacks="counting")


async def test_counts_are_asked_for_where_the_cursor_is(setting: Setting) -> None:
    async with running(replace(setting, size=(132, 40))) as program:
        await program.go_to("checkout-redesign")
        counted = program.wire.count("/user_blast_radius/")
        assert counted > 0
        await program.press("e", shows="of everyone about")
        assert program.wire.count("/user_blast_radius/") == counted, "the preview counted them"
        await program.pilot.resize_terminal(80, 24)
        await program.press("escape")
        groups = [group(100, asks("seats", "gt", str(number))) for number in range(12)]
        await make_flag(program, "many-conditions", {"groups": groups})
        program.wire.passed.clear()
        await program.press("e")
        assert program.wire.count("/user_blast_radius/") == 6
        await program.press("G")
        await stand_on(program, " 12 ")
        await program.settle()
        assert program.wire.count("/user_blast_radius/") == 7
        program.see("not counted yet")


async def test_metrics_and_events_complete_their_properties(program: Program) -> None:
    await stand_on_event(program, "invoice paid", "K", shows="amount number")
    sent = [line for line in program.wire.passed if "property_definitions" in line]
    assert len(sent) == 1
    await program.press("escape", "2", "n")
    await fill(program, "Big button", "a new flag", "big-button")
    await edit(program, "+ a metric", "mean", "another name")
    await program.press(*"invoice", "tab")
    assert line_of(program) == "invoice paid"
    await fill(program, "invoice paid", "sum")
    await program.press(*"amo", "tab")
    assert line_of(program) == "amount"

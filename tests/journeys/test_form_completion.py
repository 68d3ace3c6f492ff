"""Forms know the project: names, values, tags and events are completed, and conditions show their reach."""

from typing import Any

import httpx
from msgspec.structs import replace
from tests.doubles.whole_program import Program, Setting, running, words
from tests.doubles.wire import Wire
from tests.journeys.flag_form import fill, form, stand_on
from tests.journeys.standing import stand_on_event
from tests.journeys.test_experiment_forms import answer, open_line
from textual.widgets import Input

from flagtui.app.dialogs.completing_prompt import CompletingPrompt
from flagtui.app.flags.form.flag_form import FormScreen

UNANSWERED = ("property_definitions/", "persons/values/", "local_evaluation/", "user_blast_radius/")


def cut_off(wire: Wire) -> None:
    """What helps with a form gets no response."""
    wire.before = lambda request: (
        httpx.ConnectError("no route") if request.url.path.endswith(UNANSWERED) else None
    )


def line_of(program: Program) -> str:
    assert isinstance(program.app.screen, CompletingPrompt), program.screen
    return program.app.screen.query_one(Input).value


async def test_project_completes_names_values_and_tags_and_counts_reach(setting: Setting) -> None:
    async with form(setting) as (program, id):
        shown = words(program.screen)
        assert "5 % of everyone about" in shown
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
        await program.press("escape")
        assert isinstance(program.app.screen, FormScreen)
        await program.press("enter", "enter")
        shown = words(program.screen)
        assert "signed_up_at datetime" in shown
        assert "plan text · in" in shown
        await program.press(*"pla", "tab")
        assert line_of(program) == "plan"
        assert program.wire.count("/property_definitions/") == 1
        await program.press("enter", "enter")
        assert "enterprise" in program.screen
        assert " users" in program.screen
        await program.press(*"ent", "tab", "comma", *"pr", "tab")
        assert line_of(program) == "enterprise, pro"
        assert "the condition reaches" in program.screen
        await program.press("enter")
        await stand_on(program, "tags", "enter")
        assert " flags" in program.screen
        await program.press("end", "comma", "space", *"bill", "tab")
        assert line_of(program) == "ops, billing"
        await program.press("enter")
        assert "#ops  #billing" in program.screen
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
    await stand_on(program, " 2 ", "0", "enter")
    assert "0 % of everyone 0 of " in words(program.screen)
    assert program.wire.count("/user_blast_radius/") == counted, "a share is no other condition"
    await stand_on(program, "+ a property", "enter", "enter")
    await fill(program, "plan", "is, or", "no such plan")
    assert "25 % of users where 0 of " in words(program.screen)
    await stand_on(program, "email", "enter", "enter", "enter")
    program.wire.held = lambda request: request.url.path.endswith("/persons/values/")
    for letter in "user":
        await program.press_without_waiting(letter)
        await program.wire.is_holding.wait()
        assert len(program.wire.waiting) <= 1
    await program.let_go()
    assert line_of(program) == "user"
    assert "users" in program.screen


async def test_form_is_complete_without_a_response_for_suggestions(setting: Setting) -> None:
    async with form(setting, cut_off) as (program, id):
        assert "reach not counted" in program.screen
        await stand_on(program, "+ a property", "enter", "enter")
        assert "no suggestions from the server" in program.screen
        await fill(program, "plan", "is, or", "pro")
        program.wire.heal()
        await program.press("ctrl+s", "y")
        assert len((await program.colleague().flags.get(id)).filters["groups"][0]["properties"]) == 2


async def test_server_that_cannot_count_and_names_much(setting: Setting) -> None:
    names = [{"name": f"property_{number:03}", "property_type": "String"} for number in range(120)]
    values: list[Any] = [{"name": "a\x1b]52;c;x\x07", "count": 3}, {"name": "plain", "count": 1}]
    answers = {
        "property_definitions/": httpx.Response(200, json={"count": 120, "next": None, "results": names}),
        "persons/values/": httpx.Response(200, json=values),
        "user_blast_radius/": httpx.Response(400, json={"type": "validation_error", "detail": "No."}),
    }

    def serve(wire: Wire) -> None:
        wire.before = lambda request: next(
            (answer for end, answer in answers.items() if request.url.path.endswith(end)), None
        )

    async with form(replace(setting, size=(60, 15)), serve) as (program, _id):
        assert "5 % of users where not counted" in words(program.screen)
        await stand_on(program, "+ a property", "enter", "enter")
        assert "the first of many; type to narrow" in program.screen
        await program.press(*"_119")
        assert "property_119" in program.screen
        assert "the first of many" not in program.screen
        assert program.wire.count("property_definitions/") == 1
        await program.press("escape")
        await stand_on(program, "email", "enter", "enter", "enter")
        assert "plain" in program.screen
        assert "52;c" not in program.screen
        assert "the condition reaches" not in program.screen
        await program.press("escape", "enter", "enter")
        await fill(program, "is version")
        await program.press("x")
        assert "must be a version such as 1.2.3" in program.screen
        assert "counting" not in program.screen


async def test_counts_are_asked_for_where_the_cursor_is(setting: Setting) -> None:
    async with running(replace(setting, size=(132, 40))) as program:
        await program.go_to("checkout-redesign")
        counted = program.wire.count("/user_blast_radius/")
        assert counted > 0
        await program.press("e")
        assert "of everyone about" in words(program.screen)
        assert program.wire.count("/user_blast_radius/") == counted, "the preview counted them"
        groups = [
            {"properties": [{"key": "seats", "type": "person", "operator": "gt", "value": str(number)}]}
            for number in range(12)
        ]
        await program.colleague().flags.create({"key": "many-conditions", "filters": {"groups": groups}})
        await program.pilot.resize_terminal(80, 24)
        await program.press("escape", "f5")
        await program.go_to("many-conditions")
        program.wire.passed.clear()
        await program.press("e")
        assert program.wire.count("/user_blast_radius/") == 6
        await program.press("G")
        await stand_on(program, " 12 ")
        await program.settle()
        assert program.wire.count("/user_blast_radius/") == 7
        assert "not counted yet" in program.screen


async def test_metrics_and_events_complete_their_properties(setting: Setting) -> None:
    async with running(setting) as program:
        await stand_on_event(program, "invoice paid", "K")
        assert "amount number" in words(program.screen)
        sent = [line for line in program.wire.passed if "property_definitions" in line]
        assert len(sent) == 1
        await program.press("escape", "2", "n")
        await answer(program, "Big button", "a new flag", "big-button")
        await open_line(program, "+ a metric", "mean", "another name")
        await program.press(*"invoice", "tab")
        assert line_of(program) == "invoice paid"
        await answer(program, "invoice paid", "sum")
        await program.press(*"amo", "tab")
        assert line_of(program) == "amount"

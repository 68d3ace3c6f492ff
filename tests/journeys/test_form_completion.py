"""Forms know the project: names, values, tags and events are completed, and conditions show their reach."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx
from tests.doubles.whole_program import Program, Setting, running, words
from tests.doubles.wire import Wire
from tests.journeys.flag_form import fill, form, stand_on
from tests.journeys.test_experiment_forms import answer, open_line
from textual.widgets import Input

from flagtui.app.dialogs.completing_prompt import CompletingPrompt
from flagtui.app.flags.form.flag_form import FormScreen


def refused(*ends: str) -> Callable[[Wire], None]:
    """The key lacks the scope of the operations whose paths end like this."""

    def close(wire: Wire) -> None:
        scope = {"property_definitions/": "property_definition:read", "persons/values/": "person:read"}

        def refuse(request: httpx.Request) -> httpx.Response | None:
            end = next((end for end in ends if request.url.path.endswith(end)), None)
            if end is None:
                return None
            detail = f"API key missing required scope '{scope[end]}'"
            body = {"type": "authentication_error", "code": "permission_denied", "detail": detail}
            return httpx.Response(403, json=body)

        wire.before = refuse

    return close


def cut_off(*ends: str) -> Callable[[Wire], None]:
    """These operations get no response."""

    def close(wire: Wire) -> None:
        wire.before = lambda request: (
            httpx.ConnectError("no route") if request.url.path.endswith(ends) else None
        )

    return close


def asked(program: Program, end: str) -> int:
    return sum(line.endswith(end) for line in program.wire.passed)


def line_of(program: Program) -> str:
    assert isinstance(program.app.screen, CompletingPrompt), program.screen
    return program.app.screen.query_one(Input).value


async def test_names_and_values_come_from_the_project(setting: Setting) -> None:
    async with form(setting) as (program, id):
        stand_on(program, "+ a property")
        await program.press("enter", "enter")
        shown = words(program.screen)
        assert "signed_up_at datetime" in shown
        assert "plan text · in" in shown
        await program.press(*"pla", "tab")
        assert line_of(program) == "plan"
        await program.press("enter", "enter")
        assert "enterprise" in program.screen
        assert " users" in program.screen
        await program.press(*"ent", "tab", "comma", *"pr", "tab")
        assert line_of(program) == "enterprise, pro"
        assert "the condition reaches" in program.screen
        await program.press("enter", "ctrl+s", "y")
        item = (await program.colleague().flags.get(id)).filters["groups"][0]["properties"][1]
        assert (item["key"], item["value"]) == ("plan", ["enterprise", "pro"])


async def test_arrows_choose_and_return_to_the_typed_text(setting: Setting) -> None:
    async with form(setting) as (program, _id):
        stand_on(program, "+ a property")
        await program.press("enter", "enter", *"s")
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


async def test_complete_names_are_asked_for_once(setting: Setting) -> None:
    async with form(setting) as (program, _id):
        stand_on(program, "+ a property")
        for _ in range(2):
            await program.press("enter", "enter", *"plan", "backspace", "escape")
        assert asked(program, "/property_definitions/") == 1


async def test_typing_cancels_a_search_for_values(setting: Setting) -> None:
    async with form(setting) as (program, _id):
        stand_on(program, "email")
        await program.press("enter", "enter", "enter")
        program.wire.held = lambda request: request.url.path.endswith("/persons/values/")
        for letter in "user":
            await program.press_without_waiting(letter)
            await program.wire.is_holding.wait()
            assert len(program.wire.waiting) <= 1
        program.wire.let_go.set()
        await program.settle()
        assert line_of(program) == "user"
        assert "users" in program.screen


async def test_values_with_control_characters_are_not_suggested(setting: Setting) -> None:
    def hostile(wire: Wire) -> None:
        values: list[Any] = [{"name": "a\x1b]52;c;x\x07", "count": 3}, {"name": "plain", "count": 1}]
        wire.before = lambda request: (
            httpx.Response(200, json=values) if request.url.path.endswith("/persons/values/") else None
        )

    async with form(setting, hostile) as (program, _id):
        stand_on(program, "email")
        await program.press("enter", "enter", "enter")
        assert "plain" in program.screen
        assert "52;c" not in program.screen


async def test_missing_scopes_leave_what_conditions_use(setting: Setting) -> None:
    async with form(setting, refused("property_definitions/", "persons/values/")) as (program, _id):
        stand_on(program, "+ a property")
        await program.press("enter", "enter")
        assert "only what conditions use: the key lacks property_definition:read" in program.screen
        assert "plan" in program.screen
        await fill(program, "plan", "is, or")
        assert "only what conditions use: the key lacks person:read" in program.screen
        await program.press("escape", "enter", "enter", "escape")
        assert asked(program, "/property_definitions/") == 1, "a refusal is remembered"


async def test_form_is_complete_without_a_response_for_suggestions(setting: Setting) -> None:
    ends = ("property_definitions/", "persons/values/", "local_evaluation/", "user_blast_radius/")
    async with form(setting, cut_off(*ends)) as (program, id):
        assert "reach not counted" in program.screen
        stand_on(program, "+ a property")
        await program.press("enter", "enter")
        assert "no suggestions from the server" in program.screen
        await fill(program, "plan", "is, or", "pro")
        program.wire.heal()
        await program.press("ctrl+s", "y")
        assert len((await program.colleague().flags.get(id)).filters["groups"][0]["properties"]) == 2


async def test_conditions_show_their_reach_and_count_changes(setting: Setting) -> None:
    async with form(setting) as (program, _id):
        shown = words(program.screen)
        assert "5 % of everyone about" in shown
        counted = asked(program, "/user_blast_radius/")
        stand_on(program, " 2 ")
        await program.press("0", "enter")
        assert "0 % of everyone 0 of " in words(program.screen)
        assert asked(program, "/user_blast_radius/") == counted, "a share is no other condition"
        stand_on(program, "+ a property")
        await program.press("enter", "enter")
        await fill(program, "plan", "is, or", "no such plan")
        assert "25 % of users where 0 of " in words(program.screen)


async def test_uncountable_condition_is_not_given_a_number(setting: Setting) -> None:
    body = {"type": "validation_error", "code": "invalid_input", "detail": "No.", "attr": None}

    def refuse(wire: Wire) -> None:
        wire.before = lambda request: (
            httpx.Response(400, json=body) if request.url.path.endswith("/user_blast_radius/") else None
        )

    async with form(setting, refuse) as (program, _id):
        assert "5 % of everyone not counted" in words(program.screen)


async def test_many_conditions_are_counted_where_the_cursor_is(setting: Setting) -> None:
    async with running(setting) as program:
        groups = [
            {"properties": [{"key": "seats", "type": "person", "operator": "gt", "value": str(number)}]}
            for number in range(12)
        ]
        await program.colleague().flags.create({"key": "many-conditions", "filters": {"groups": groups}})
        await program.press("f5")
        await program.go_to("many-conditions")
        program.wire.passed.clear()
        await program.press("e")
        assert asked(program, "/user_blast_radius/") == 6
        await program.press("G")
        stand_on(program, " 12 ")
        await program.settle()
        assert asked(program, "/user_blast_radius/") == 7
        assert "not counted yet" in program.screen


async def test_tags_are_completed_from_loaded_flags(setting: Setting) -> None:
    async with form(setting) as (program, _id):
        stand_on(program, "tags")
        await program.press("enter")
        assert " flags" in program.screen
        await program.press("end", "comma", "space", *"bill", "tab")
        assert line_of(program) == "ops, billing"
        await program.press("enter")
        assert "#ops  #billing" in program.screen
        await program.press("escape", "escape", "T", *"-op", "tab")
        assert line_of(program) == "-ops"


async def test_metrics_complete_properties_and_events(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("2", "n")
        await answer(program, "Big button", "a new flag", "big-button")
        await open_line(program, "+ a metric", "mean", "another name")
        await program.press(*"invoice", "tab")
        assert line_of(program) == "invoice paid"
        await answer(program, "invoice paid", "sum")
        await program.press(*"amo", "tab")
        assert line_of(program) == "amount"


async def test_primary_property_is_completed_from_the_event(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("3", "slash", *"invoice paid", "enter", "K")
        assert "amount number" in words(program.screen)
        sent = [line for line in program.wire.passed if "property_definitions" in line]
        assert len(sent) == 1


async def test_problem_of_the_line_is_visible_on_the_smallest_screen(setting: Setting) -> None:
    async with form(replace(setting, size=(60, 15))) as (program, _id):
        stand_on(program, "email")
        await program.press("enter", "enter")
        await fill(program, "is version")
        await program.press("x")
        assert "must be a version such as 1.2.3" in program.screen
        assert "counting" not in program.screen


async def test_many_suggestions_are_announced_as_the_first_of_them(setting: Setting) -> None:
    names = [{"name": f"property_{number:03}", "property_type": "String"} for number in range(120)]
    page = {"count": 120, "next": None, "results": names}

    def serve(wire: Wire) -> None:
        wire.before = lambda request: (
            httpx.Response(200, json=page) if request.url.path.endswith("property_definitions/") else None
        )

    async with form(setting, serve) as (program, _id):
        stand_on(program, "+ a property")
        await program.press("enter", "enter")
        assert "the first of many; type to narrow" in program.screen
        await program.press(*"_119")
        assert "property_119" in program.screen
        assert "the first of many" not in program.screen
        assert asked(program, "property_definitions/") == 1


async def test_counts_of_the_preview_are_not_asked_for_again(setting: Setting) -> None:
    async with running(replace(setting, size=(132, 40))) as program:
        await program.go_to("checkout-redesign")
        counted = asked(program, "/user_blast_radius/")
        assert counted > 0
        await program.press("e")
        assert "of everyone about" in words(program.screen)
        assert asked(program, "/user_blast_radius/") == counted

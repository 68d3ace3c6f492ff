"""The form of a flag that a colleague made."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from tests.doubles.whole_program import Program, Setting, running
from tests.doubles.wire import Wire
from textual.widgets import Input, OptionList

from flagtui.app.flags.form.flag_form import FormScreen

FILTERS: dict[str, Any] = {
    "groups": [
        {
            "properties": [
                {"key": "email", "type": "person", "value": "@acme.test", "operator": "icontains"}
            ],
            "rollout_percentage": 25,
            "variant": None,
            "sort_key": "first",
        },
        {"properties": [], "rollout_percentage": 5, "variant": None, "sort_key": "second"},
    ],
    "multivariate": {
        "variants": [
            {"key": "control", "name": "", "rollout_percentage": 50},
            {"key": "test", "name": "", "rollout_percentage": 50},
        ]
    },
    "payloads": {"test": '{"colour": "red"}'},
    "something_new": 1,
}


@asynccontextmanager
async def form(
    setting: Setting, wire: Callable[[Wire], None] = lambda wire: None
) -> AsyncIterator[tuple[Program, int]]:
    """The form of a flag that a colleague made, and the flag's number."""
    async with running(setting, wire) as program:
        body = {"key": "formed-flag", "name": "Before", "filters": FILTERS, "tags": ["ops"], "active": True}
        flag = await program.colleague().flags.create(body)
        await program.press("f5")
        await program.go_to("formed-flag", "e")
        assert isinstance(program.app.screen, FormScreen)
        yield program, flag.id


async def stand_on(program: Program, text: str, *keys: str) -> None:
    """Put the cursor on the line with these words, and press keys there."""
    options = program.app.screen.query_one("#form", OptionList)
    options.highlighted = next(
        place
        for place in range(options.option_count)
        if text in str(options.get_option_at_index(place).prompt)
    )
    if keys:
        await program.press(*keys)


async def fill(program: Program, *answers: str) -> None:
    """Answer one dialog after another: what the line says, or enough to find the choice."""
    for text in answers:
        program.app.screen.query_one(Input).value = text
        await program.press("enter")

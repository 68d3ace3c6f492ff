"""The form of a flag that a colleague made."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Unpack

from tests.doubles.sights import Sight
from tests.doubles.targeting import asks, group, variants
from tests.doubles.whole_program import Program, Setting, running
from tests.doubles.wire import Wire
from tests.journeys.steps import make_flag
from textual.widgets import Input, OptionList

from flagtui.app.flags.form.flag_form import FormScreen

FILTERS: dict[str, Any] = {
    "groups": [
        group(25, asks("email", "icontains", "@acme.test"), variant=None, sort_key="first"),
        group(5, variant=None, sort_key="second"),
    ],
    "multivariate": variants(control=50, test=50),
    "payloads": {"test": '{"colour": "red"}'},
    "something_new": 1,
}


@asynccontextmanager
async def form(
    setting: Setting, wire: Callable[[Wire], None] = lambda wire: None
) -> AsyncIterator[tuple[Program, int]]:
    """The form of a flag that a colleague made, and the flag's number."""
    async with running(setting, wire) as program:
        id = await make_flag(program, "formed-flag", FILTERS, name="Before", tags=["ops"], active=True)
        await program.press("e", front=FormScreen)
        yield program, id


async def stand_on(program: Program, line: str, *keys: str, **sight: Unpack[Sight]) -> None:
    """Put the cursor of the form in front on the first line with these words, and press keys there."""
    options = program.app.screen.query_one(OptionList)
    prompts = (str(option.prompt) for option in options.options)
    options.highlighted = next(place for place, prompt in enumerate(prompts) if line in prompt)
    if keys:
        await program.press(*keys)
    program.see(**sight)


async def fill(program: Program, *answers: str, **sight: Unpack[Sight]) -> None:
    """Answer one dialog after another: what the line says, or enough to find the choice."""
    for text in answers:
        program.app.screen.query_one(Input).value = text
        await program.press("enter")
    program.see(**sight)


async def edit(program: Program, line: str, *answers: str, **sight: Unpack[Sight]) -> None:
    """Open a line of the form, and give its dialogs these answers."""
    await stand_on(program, line, "enter")
    await fill(program, *answers, **sight)

"""Keys of a form: their effect on the line under the cursor, and the last line."""

from dataclasses import replace

from tests.doubles import quiet
from tests.doubles.whole_program import Setting
from tests.journeys.flag_form import fill, form, stand_on
from textual.widgets import Input, OptionList

from flagtui.app.flags.form.flag_form import FormScreen


async def test_keys_of_a_form_act_on_its_line(setting: Setting) -> None:
    async with form(setting) as (program, id):
        lines = program.app.screen.query_one("#form", OptionList)
        await program.press("g", "up", "k")
        assert lines.highlighted == 0
        await program.press("G", "down", "j")
        assert lines.highlighted == lines.option_count - 1
        for line, key in (("+ a condition", "⏎ add"), ("total", "⏎ even shares"), ("description", "⏎ edit")):
            stand_on(program, line)
            await program.settle()
            assert key in program.last_line
        await program.press("5")
        assert program.notices[-1] == "5: this line has no share; conditions and variants have one"
        await program.press("d")
        assert "this line stays; conditions, properties, variants and payloads" in program.notices[-1]
        await program.press("u")
        assert program.notices[-1] == "u: nothing was changed in this form"
        await program.press("less_than_sign")
        assert program.notices[-1] == "<: this line cannot be moved; conditions can"
        stand_on(program, "email")
        for key in ("4", "2", "5"):
            await quiet.press(program.app, key)
        await program.settle()
        assert program.app.screen.query_one(Input).value == "425"
        assert "a number from 0 to 100" in program.screen
        await program.press("backspace", "enter")
        assert "42 % of users where" in program.screen
        stand_on(program, " 2 ")
        await program.press("greater_than_sign")
        assert program.notices[-1] == ">: this is the last condition"
        await program.press("3")
        await program.press("7", "enter", "ctrl+s", "y")
        flag = await program.colleague().flags.get(id)
        assert [condition.rollout for condition in flag.targeting.conditions] == [42, 37]


async def test_invalid_values_are_named_before_they_are_discarded(setting: Setting) -> None:
    async with form(replace(setting, size=(60, 24))) as (program, _id):
        stand_on(program, " 2 ")
        await program.press("d")
        stand_on(program, " 1 ")
        await program.press("greater_than_sign")
        assert program.notices[-1] == ">: this is the only condition"
        stand_on(program, "description")
        await program.press("enter")
        await fill(program, "what this flag does " * 5)
        lines = [line.rstrip() for line in program.screen.splitlines()]
        place = next(at for at, line in enumerate(lines) if "description" in line)
        assert lines[place + 1].startswith("                what")
        await program.pilot.resize_terminal(120, 24)
        await program.settle()
        assert "what this flag does what this flag does what this flag does what" in program.screen
        stand_on(program, "+ a variant")
        await program.press("enter")
        await fill(program, "third")
        stand_on(program, " third")
        await program.press("9", "enter")
        assert "add up to 109 %" in program.screen
        await program.press("escape")
        assert "esc again discards your changes" in program.screen
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

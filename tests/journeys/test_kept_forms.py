"""Forms that are open when the program is ended: they are offered again, with what changed since."""

from tests.doubles.whole_program import Program, Setting
from tests.journeys.flag_form import FILTERS, edit, fill, form, stand_on
from tests.journeys.steps import make_flag, stand_on_experiment
from textual.widgets import TextArea

from flagtui.app.experiments.form.experiment_form import ExperimentForm
from flagtui.app.flags.flag_list import FlagsScreen
from flagtui.app.flags.form.flag_form import FormScreen
from flagtui.app.flags.form.payload import PayloadScreen


async def end_form(program: Program, *keys: str) -> None:
    """Store what a signal would, and close the form."""
    await program.settle()
    program.app.keep_edits()
    await program.press(*keys, "escape", "escape")
    assert not isinstance(program.app.screen, FormScreen | ExperimentForm)


async def test_edits_and_an_open_payload_are_restored_on_newer_version(any_mode: Setting) -> None:
    async with form(any_mode) as (program, id):
        await edit(program, "description", "Mine")
        await stand_on(program, "{", "enter")
        program.app.screen.query_one(TextArea).text = '{"colour": "bl'
        await end_form(program, "escape", "escape")
        assert program.app.last_words.endswith(
            "What you entered in formed-flag is kept; the form offers it again."
        )
        await program.colleague().flags.update(id, {"name": "Theirs", "tags": ["new"]})
        await program.press(
            "e", shows=("Not saved when flagtui ended", "restore", "changed since: description")
        )
        await program.press("escape", front=FlagsScreen)
        await program.press("e", "enter", front=PayloadScreen, shows='{"colour": "bl')
        program.app.screen.query_one(TextArea).text = '{"colour": "blue"}'
        await program.press("ctrl+s", shows=("Mine", "#new", '{"colour": "blue"}'))
        await program.press("ctrl+s", shows=("description since", "Theirs"))
        await program.press("o", sent=1)
        flag = await program.colleague().flags.get(id)
        assert (flag.name, flag.tags, flag.filters["payloads"]["test"]) == (
            "Mine",
            ("new",),
            '{"colour": "blue"}',
        )
        await program.press("e", front=FormScreen, lacks="Not saved")


async def test_new_records_are_restored_or_discarded(program: Program) -> None:
    await program.press("n", "enter")
    await fill(program, "lost-flag")
    await edit(program, "description", "A long text")
    await end_form(program)
    await program.press("n", "enter")
    await fill(program, "another", shows="restore lost-flag")
    await program.press("enter", front=FormScreen, shows=("lost-flag", "A long text"), lacks="another")
    await end_form(program)
    await program.press("n", "enter")
    await fill(program, "another")
    await program.press("down", "enter", front=FormScreen, shows="another", lacks="A long text")
    await end_form(program)
    await stand_on_experiment(program, "Chart colours", "e")
    await edit(program, "description", "A guess")
    await end_form(program)
    await program.press("e", "enter", front=ExperimentForm, shows="A guess")


async def test_flags_with_encrypted_payloads_are_not_stored(program: Program) -> None:
    await make_flag(program, "secret", FILTERS, has_encrypted_payloads=True, is_remote_configuration=True)
    await program.press("e")
    await edit(program, "description", "Mine")
    await end_form(program)
    await program.press("e", front=FormScreen, lacks="Mine")
    assert not program.app.last_words

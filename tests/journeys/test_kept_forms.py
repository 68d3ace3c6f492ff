"""What was entered and not saved: forms of an ended program, and texts of a question that was left."""

from msgspec.structs import replace
from tests.doubles import quiet
from tests.doubles.whole_program import Program, Setting, running
from tests.journeys.flag_form import FILTERS, edit, fill, form, stand_on
from tests.journeys.steps import make_flag, stand_on_experiment
from textual.widgets import TextArea

from flagtui.app.experiments.form.experiment_form import ExperimentForm
from flagtui.app.flags.flag_list import FlagsScreen
from flagtui.app.flags.form.flag_form import FormScreen
from flagtui.app.flags.form.payload import PayloadScreen
from flagtui.changes.guard import GuardRules, Level


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
            "What you entered in formed-flag is kept, and offered there again."
        )
        await program.colleague().flags.update(id, {"name": "Theirs", "tags": ["new"]})
        await program.press("e", shows=("Open when flagtui ended", "restore", "changed since: description"))
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
        await program.press("e", front=FormScreen, lacks="Open when")


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


async def test_text_of_a_cancelled_change_is_there_again(setting: Setting) -> None:
    careful = replace(setting, rules=GuardRules(Level.GUARDED, place="TEST", require_reason=True))
    async with running(careful) as program:
        await stand_on_experiment(program, "Checkout redesign", "F")
        await fill(program, "lost", shows="Why?")
        await fill(program, "A comment", shows="why, for the journal")
        await program.press(*"because", "escape", "F")
        await fill(program, "lost", shows="A comment")
        await program.press("enter", shows="because")
        # A key that comes at once confirms nothing that was typed before.
        await quiet.press(program.app, "enter")
        await program.settle(shows="nothing was sent", sent=0)
        await program.press("escape", "1")
        await program.go_to("new-nav", "space", lacks="because")
        await program.press("escape", "T")
        await fill(program, "zebra", shows="why, for the journal")
        await program.press("escape", "T", shows="zebra")
        await program.press("escape", "at", "enter")
        await fill(program, "+7h", shows="why, for the journal")
        await program.press("escape", "at", "enter", shows="+7h")
        await program.press(*"+3h", shows="+3h", lacks="+7h")
        await program.press("escape", "escape", "3", "e")
        await fill(program, "A long description")
        program.app.keep_edits()
        await program.press("escape", "e", shows="A long description")
        await program.press("enter", *"why", "enter", sent=1)
        await program.press("e", "escape", "T", lacks="A long description")
        await program.press("escape", "1", "e")
        await edit(program, "description", "Unsaved")
        program.app.keep_edits()
    async with running(careful) as program:
        program.see(toasts="Open when flagtui ended: new-nav. The same form offers what was entered.")

"""Event definitions: thousands of names, one of them opened, and changed through the pipeline."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.doubles.whole_program import WIDE, Program, Setting, running, words
from tests.journeys.flag_form import fill
from tests.journeys.modes import is_legacy
from tests.journeys.steps import stand_on_event, stored_event
from tests.journeys.test_edit_flags import editor

from flagtui.app.events.event_list import EventsScreen
from flagtui.app.events.event_screen import EventScreen
from flagtui.app.experiments.experiment_screen import ExperimentScreen
from flagtui.app.writing.question import ConfirmScreen
from flagtui.config.guard_rules import GuardRules, Level

NAME = "checkout completed"


async def test_events_are_browsed_narrowed_opened_and_linked(setting: Setting) -> None:
    source = {"kind": "EventsNode", "event": NAME, "math": "total"}
    metric = {"kind": "ExperimentMetric", "metric_type": "mean", "source": source}
    async with running(replace(setting, size=WIDE)) as program:
        experiment = (await program.colleague().experiments.page({"limit": 1})).rows[0]
        await program.colleague().experiments.update(experiment.id, {"metrics": [metric]})
        await program.press("3", front=EventsScreen)
        every = program.rows.shown
        program.see(f"3 Events {every:,}")
        await program.press("t")
        custom = program.rows.shown
        program.see("kind:custom")
        await program.press("t")
        assert 0 < program.rows.shown == every - custom
        await program.press("t", "f", shows="is:verified")
        await program.press("escape", "slash", *"check comp")
        assert 0 < program.rows.shown < custom
        await program.press("escape", "escape", "s", "S")
        await stand_on_event(program, NAME, shows=("Order paid", "VERIFIED"))
        await program.press("H", shows=f"Used by #{experiment.id} {experiment.name}")
        await program.press("escape", "enter", shows="OWNER alice@acme.com", front=EventScreen)
        program.see("queries in 30 days", f"USED BY #{experiment.id}")
        await program.press("l")
        assert program.front(ExperimentScreen).chosen()[0].id == experiment.id
        await program.press("escape", shows=f"USED BY #{experiment.id}")
        await program.press("t")
        assert "TYPESCRIPT OF ALL EVENTS" in words(str(program.app.screen.query_one("#about").render()))
        await program.press("escape", front=EventsScreen)
        for size in ((80, 24), (60, 15)):
            await program.pilot.resize_terminal(*size)
            await program.settle(shows=NAME)
        await program.press("1", shows="1 Flags 248")
        assert not isinstance(program.app.screen, EventsScreen)


async def state(program: Program) -> tuple[bool, bool]:
    """Return whether the event is hidden, and whether it is verified."""
    event = await stored_event(program, NAME)
    return event.hidden, event.verified


async def test_event_is_described_verified_and_hidden_in_forms(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        await stand_on_event(program, NAME, "e", "end", *" by card", "enter", front=ConfirmScreen)
        program.see("Order paid → Order paid by card")
        await program.press("y", toast="u to undo")
        assert (await stored_event(program, NAME)).description == "Order paid by card"
        await program.press("u", "y")
        assert (await stored_event(program, NAME)).description == "Order paid"
        await program.press("H", shows="hiding unverifies: it was verified by")
        await program.press("y")
        assert await state(program) == (True, False)
        await program.press("V", shows="verifying unhides")
        await program.press("y")
        assert await state(program) == (False, True)
        if is_legacy(any_mode):
            return
        await program.press("O", shows="no owner")
        await program.press(*"owner", "enter", "y")
        assert (await stored_event(program, NAME)).owner is None
        await program.press("K", *"plan", "enter", "y")
        assert (await stored_event(program, NAME)).primary_property == "plan"
        await program.press("T", *"billing, -revenue")
        assert "checkout billing revenue" in words(program.screen), "as the prompt about a flag"
        await program.press("enter", shows="tags: + billing, − revenue")
        await program.press("y")
        assert set((await stored_event(program, NAME)).tags) == {"billing", "checkout"}


async def test_event_is_edited_as_text_deleted_for_good_and_recreated(
    any_mode: Setting, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    editor(
        tmp_path,
        monkeypatch,
        "text = 'First line\\nsecond line\\n'",
        """import re; text = re.sub('"description": .*', '"description": "Paid",', text)""",
        "pass",
        """text = '{"verified": 3}'""",
    )
    async with running(any_mode) as program:
        await stand_on_event(program, NAME)
        before = await stored_event(program, NAME)
        await program.press("ctrl+e", "y")
        assert (await stored_event(program, NAME)).description == "First line\nsecond line"
        await program.press("E", "y")
        after = await stored_event(program, NAME)
        assert (after.description, after.tags, after.verified) == ("Paid", before.tags, before.verified)
        program.see(sent=2)
        await program.press("E", toast="nothing was changed")
        await program.press("E", toast="`description` is missing", sent=2)

        await program.press("d", shows="deleted at once on the server, which cannot restore it")
        program.see("with the next event, without its metadata")
        await program.press("y")
        assert (await stored_event(program, NAME)).id
        await fill(program, NAME)
        assert NAME not in {row.name for row in program.workspace.events.rows}
        await program.press("u", "y")
        if is_legacy(any_mode):
            program.see(toast="undo restores its metadata once the event is sent again")
            return
        again = await stored_event(program, NAME)
        assert (again.description, set(again.tags)) == ("Paid", {"revenue", "checkout"})


async def test_edited_text_that_was_not_saved_is_kept(
    setting: Setting, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    editor(
        tmp_path,
        monkeypatch,
        "import sys; open(sys.argv[1], 'w').write('Killed words'); raise SystemExit(1)",
        "text = 'Later words'",
    )
    async with running(setting) as program:
        await stand_on_event(program, NAME, "ctrl+e", toast="the editor ended with an error")
        [kept] = (setting.folder / "state" / "drafts").iterdir()
        program.see(toast=f"Your text is kept in {kept}")
        assert kept.read_text() == "Killed words"
        await program.press("ctrl+e", "escape")
        (given_up,) = {*kept.parent.iterdir()} - {kept}
        program.see(toast=f"Your text is kept in {given_up}")
        await program.press("ctrl+e", "y")
        assert [*kept.parent.iterdir()] == [kept]


async def test_strict_server_hides_usage_from_keys_with_a_reason(setting: Setting) -> None:
    rules = GuardRules(Level.STRICT, place="PROD")
    async with running(replace(setting, rules=rules, options=(("strict", True),))) as program:
        await stand_on_event(program, NAME, "enter", shows="not available to API keys")
        await program.press("V", "y", "enter", shows="nothing was sent")
        assert (await stored_event(program, NAME)).verified
        await fill(program, NAME)
        assert not (await stored_event(program, NAME)).verified


async def test_an_unlicensed_server_becomes_read_only_after_its_first_no(setting: Setting) -> None:
    async with running(replace(setting, size=WIDE, options=(("unlicensed", True),))) as program:
        await stand_on_event(program, NAME, "e", *"x", "enter", "y")
        assert any(NAME in notice and "Nothing was changed" in notice for notice in program.notices)
        assert "read-only here: this server asks for a licence" in words(
            str(program.app.screen.query_one("Pane").render())
        )
        sent = len(program.wire.writes())
        await program.press("V", "H", "e")
        assert len(program.wire.writes()) == sent == 1
        program.see(front=EventsScreen)

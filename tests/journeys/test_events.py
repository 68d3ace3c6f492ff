"""Event definitions: thousands of names, one of them opened, and changed through the pipeline."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.doubles.whole_program import WIDE, Program, Setting, running, words
from tests.journeys.flag_form import fill
from tests.journeys.modes import is_legacy
from tests.journeys.standing import stand_on_event, stored_event
from tests.journeys.test_edit_flags import editor

from flagtui.app.events.event_list import EventsScreen
from flagtui.app.events.event_screen import EventScreen
from flagtui.app.experiments.experiment_screen import ExperimentScreen
from flagtui.app.writing.question import ConfirmScreen
from flagtui.config.guard_rules import GuardRules, Level

NAME = "checkout completed"


async def answer(program: Program, *keys: str) -> None:
    """Type into a form and take it, which leads to the question about the change."""
    await program.press(*keys, "enter")
    assert isinstance(program.app.screen, ConfirmScreen), program.notices


async def test_events_are_browsed_narrowed_opened_and_linked(setting: Setting) -> None:
    source = {"kind": "EventsNode", "event": NAME, "math": "total"}
    metric = {"kind": "ExperimentMetric", "metric_type": "mean", "source": source}
    async with running(replace(setting, size=WIDE)) as program:
        experiment = (await program.colleague().experiments.page({"limit": 1})).rows[0]
        await program.colleague().experiments.update(experiment.id, {"metrics": [metric]})
        await program.press("3")
        assert isinstance(program.app.screen, EventsScreen)
        every = program.rows.shown
        assert f"3 Events {every:,}" in program.screen
        await program.press("t")
        custom = program.rows.shown
        assert "kind:custom" in program.screen
        await program.press("t")
        assert 0 < program.rows.shown == every - custom
        await program.press("t", "f")
        assert "is:verified" in program.screen
        await program.press("escape", "slash", *"check comp")
        assert 0 < program.rows.shown < custom
        await program.press("escape", "escape", "s", "S")
        await stand_on_event(program, NAME)
        assert "Order paid" in program.screen
        assert "VERIFIED" in program.screen
        await program.press("H")
        assert f"Used by #{experiment.id} {experiment.name}" in words(program.screen)
        await program.press("escape", "enter")
        assert isinstance(program.app.screen, EventScreen)
        seen = words(program.screen)
        assert "OWNER alice@acme.com" in seen
        assert "queries in 30 days" in seen
        assert f"USED BY #{experiment.id}" in seen
        await program.press("l")
        assert isinstance(program.app.screen, ExperimentScreen)
        assert program.app.screen.chosen()[0].id == experiment.id
        await program.press("escape")
        assert f"USED BY #{experiment.id}" in words(program.screen)
        await program.press("t")
        assert "TYPESCRIPT OF ALL EVENTS" in words("\n".join(text_of(program)))
        await program.press("escape")
        assert isinstance(program.app.screen, EventsScreen)
        for size in ((80, 24), (60, 15)):
            await program.pilot.resize_terminal(*size)
            await program.settle()
            assert NAME in program.screen
        await program.press("1")
        assert "1 Flags 248" in program.screen
        assert not isinstance(program.app.screen, EventsScreen)


def text_of(program: Program) -> list[str]:
    return str(program.app.screen.query_one("#about").render()).splitlines()


async def test_event_is_described_verified_and_hidden_in_forms(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        await stand_on_event(program, NAME, "e")
        await answer(program, "end", *" by card")
        assert "Order paid → Order paid by card" in words(program.screen)
        await program.press("y")
        assert (await stored_event(program, NAME)).description == "Order paid by card"
        assert "u to undo" in program.notices[-1]
        await program.press("u", "y")
        assert (await stored_event(program, NAME)).description == "Order paid"
        await program.press("H")
        assert "hiding unverifies: it was verified by" in words(program.screen)
        await program.press("y")
        hidden = await stored_event(program, NAME)
        assert (hidden.hidden, hidden.verified) == (True, False)
        await program.press("V")
        assert "verifying unhides" in words(program.screen)
        await program.press("y")
        shown_again = await stored_event(program, NAME)
        assert (shown_again.hidden, shown_again.verified) == (False, True)
        if is_legacy(any_mode):
            return
        await program.press("O")
        assert "no owner" in program.screen
        await answer(program, *"owner")
        await program.press("y")
        assert (await stored_event(program, NAME)).owner is None
        await answer(program, "K", *"plan")
        await program.press("y")
        assert (await stored_event(program, NAME)).primary_property == "plan"
        await program.press("T", *"billing, -revenue")
        assert "checkout billing revenue" in words(program.screen), "as the prompt about a flag"
        await program.press("enter")
        assert "tags: + billing, − revenue" in words(program.screen)
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
        assert len(program.wire.writes()) == 2
        await program.press("E")
        assert "nothing was changed" in program.notices[-1]
        await program.press("E")
        assert "`description` is missing" in program.notices[-1]
        assert len(program.wire.writes()) == 2

        await program.press("d")
        seen = words(program.screen)
        assert "deleted at once on the server, which cannot restore it" in seen
        assert "with the next event, without its metadata" in seen
        await program.press("y")
        assert (await stored_event(program, NAME)).id
        await fill(program, NAME)
        workspace = program.workspace
        assert NAME not in {row.name for row in workspace.events.rows}
        await program.press("u", "y")
        if is_legacy(any_mode):
            assert "undo restores its metadata once the event is sent again" in program.notices[-1]
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
        await stand_on_event(program, NAME, "ctrl+e")
        assert "the editor ended with an error" in program.notices[-1]
        [kept] = (setting.folder / "state" / "drafts").iterdir()
        assert f"Your text is kept in {kept}" in program.notices[-1]
        assert kept.read_text() == "Killed words"
        await program.press("ctrl+e", "escape")
        (given_up,) = {*kept.parent.iterdir()} - {kept}
        assert program.notices[-1].endswith(f"Your text is kept in {given_up}")
        await program.press("ctrl+e", "y")
        assert [*kept.parent.iterdir()] == [kept]


async def test_strict_server_hides_usage_from_keys_with_a_reason(setting: Setting) -> None:
    rules = GuardRules(Level.STRICT, place="PROD")
    async with running(replace(setting, rules=rules, options=(("strict", True),))) as program:
        await stand_on_event(program, NAME, "enter")
        assert "not available to API keys" in words(program.screen)
        await program.press("V", "y", "enter")
        assert "nothing was sent" in program.screen
        assert (await stored_event(program, NAME)).verified
        await fill(program, NAME)
        assert not (await stored_event(program, NAME)).verified


async def test_an_unlicensed_server_becomes_read_only_after_its_first_no(setting: Setting) -> None:
    async with running(replace(setting, size=WIDE, options=(("unlicensed", True),))) as program:
        await stand_on_event(program, NAME)
        await answer(program, "e", *"x")
        await program.press("y")
        assert any(NAME in notice and "Nothing was changed" in notice for notice in program.notices)
        assert "read-only here: this server asks for a licence" in words(
            str(program.app.screen.query_one("Pane").render())
        )
        sent = len(program.wire.writes())
        await program.press("V", "H", "e")
        assert len(program.wire.writes()) == sent == 1
        assert isinstance(program.app.screen, EventsScreen)

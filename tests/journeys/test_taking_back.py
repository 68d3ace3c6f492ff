"""Any change in the journal is taken back by the path of what it changed, with a look at today first."""

from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from tests.doubles.whole_program import KEY, WIDE, Program, Setting, running, words
from tests.doubles.wire import Wire
from tests.journeys.standing import stand_on_event
from textual.widgets import Input

from flagtui.app.shell.sign_in import SignInScreen
from flagtui.app.widgets.row_list import RowList
from flagtui.app.writing.question import ConfirmScreen
from flagtui.changes.event_definitions.definition_intent import KIND
from flagtui.changes.guard import GuardRules, Level
from flagtui.changes.journal_entries import Entry
from flagtui.models.event_definition import EventDefinition
from flagtui.models.rows import ExperimentRow
from flagtui.service.keys import NewKey, create_key

EVENT = "checkout completed"
REVOKED = {"type": "authentication_error", "code": "authentication_failed", "detail": "Invalid API key."}


@pytest.fixture
def setting(template: Path, tmp_path: Path) -> Setting:
    return Setting(template, tmp_path, size=WIDE)


async def stored(program: Program) -> EventDefinition:
    return await program.colleague().event_definitions.by_name(EVENT)


@pytest.mark.parametrize("server", ["default", "strict", "legacy"])
async def test_events_and_experiments_are_taken_back_from_the_journal(setting: Setting, server: str) -> None:
    options = () if server == "default" else ((server, True),)
    async with running(replace(setting, options=options)) as program:
        experiment = await changed_earlier(program)
        await program.press("J")
        rows = program.app.screen.query_one(RowList)
        assert rows.shown == 2
        assert "z takes it back" in words(program.screen)
        await program.press("z", "y")
        flag = (await program.colleague().experiments.get(experiment)).feature_flag
        assert flag is not None
        assert flag.active
        await program.press("end", "z")
        asked = words(program.screen)
        assert all(side in asked for side in ("Mine", "Theirs", "Order paid", "Overwrite theirs"))
        await program.press("y")
        assert (await stored(program)).description == "Theirs"
        await program.press("o")
        assert (await stored(program)).description == "Order paid"
        assert "taken back already" in words(program.screen)
        assert [entry.undoes != "" for entry in program.journal.entries()] == [True, True, False, False]


async def changed_earlier(program: Program) -> int:
    """An event described, and described otherwise by another person since, and an experiment paused."""
    colleague, app_state = program.colleague(), program.app.app_state
    assert app_state.workspace is not None
    signature = app_state.signature(app_state.workspace)
    event = (await stored(program)).id
    await colleague.event_definitions.update(event, {"description": "Theirs"})
    page = await colleague.experiments.page({"status": "running", "limit": 1})
    experiment = page.rows[0]
    await colleague.experiments.pause(experiment.id)
    before, after = {"description": "Order paid"}, {"description": "Mine"}
    began = program.timing.now
    entries = [
        Entry("d", began, 0, EVENT, "describe", signature, KIND, uuid=event, before=before, after=after),
        Entry("p", began + 1, experiment.id, "x", "pause experiment", signature, "experiment"),
    ]
    for entry in entries:
        program.journal.begin(entry)
        program.journal.finish(entry.id, "saved")
    return experiment.id


@pytest.mark.parametrize("server", ["default", "strict", "legacy"])
async def test_a_launch_is_taken_back_in_two_questions_the_flag_first(setting: Setting, server: str) -> None:
    options = () if server == "default" else ((server, True),)
    async with running(replace(setting, options=options)) as program:
        await program.press("2", "slash", *"length of the tour", "enter")
        await program.press("L", "y")
        assert await at_hand(program) == ("running", True)
        await program.press("u")
        assert "on → off" in words(program.screen)
        await program.press("y")
        assert "Undo 2 of 2: Reset to a draft" in words(program.screen)
        await program.press("escape")
        assert await at_hand(program) == ("paused", False)
        await program.press("u")
        assert "1 of 2" not in words(program.screen), "the flag is off already"
        assert "paused → draft" in words(program.screen)
        await program.press("y")
        assert await at_hand(program) == ("draft", False)
        launched = program.journal.entries()[-1]
        assert [entry.undoes == launched.id for entry in program.journal.entries()] == [True, False, False]


async def at_hand(program: Program) -> tuple[str, bool]:
    """The state of the experiment under the cursor, and whether its flag is on."""
    row: ExperimentRow | None = program.app.screen.query_one(RowList).row
    assert row is not None
    found = await program.colleague().experiments.get(row.id)
    return found.state, found.feature_flag is not None and found.feature_flag.active


def revoke_for_writes(wire: Wire) -> None:
    """From now on the server takes no change with this key."""

    def refuse(request: httpx.Request) -> httpx.Response | None:
        is_ours = request.headers["authorization"] == f"Bearer {KEY}"
        return httpx.Response(401, json=REVOKED) if is_ours and request.method == "PATCH" else None

    wire.before = refuse


@pytest.mark.parametrize("level", [Level.GUARDED, Level.STRICT])
async def test_a_key_that_stops_working_costs_no_change_of_an_event(setting: Setting, level: Level) -> None:
    async with running(replace(setting, rules=GuardRules(level, place="TEST"))) as program:
        await stand_on_event(program, EVENT)
        await program.press("e", "exclamation_mark", "enter")
        revoke_for_writes(program.wire)
        yes = [*EVENT, "enter"] if level is Level.STRICT else ["y"]
        await program.press(*yes)
        assert isinstance(program.app.screen, SignInScreen)
        assert len(program.wire.writes()) == 1
        key = create_key(program.database, NewKey("another", ("*",)))
        program.app.screen.query_one(Input).value = key
        await program.press("enter")
        assert isinstance(program.app.screen, ConfirmScreen)
        assert len(program.wire.writes()) == 1
        await program.press(*yes)
        assert (await stored(program)).description == "Order paid!"
        assert [entry.ending for entry in program.journal.entries()] == ["saved", "refused"]

"""One rule for marks: every command of every list, with 0, 1 and 3 marks, on a marked row and beside it."""

from collections.abc import Callable, Coroutine, Iterator, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace
from tests.doubles.slices import cross
from tests.doubles.whole_program import Program, Setting, running

from flagtui.app.activity.activity_screen import ActivityScreen
from flagtui.app.commands.command import binding_of
from flagtui.app.commands.command_table import COMMANDS, Command, commands_of
from flagtui.app.events.event_list import EventsScreen
from flagtui.app.experiments.experiment_list import ExperimentsScreen
from flagtui.app.flags.flag_list import FlagsScreen
from flagtui.app.journal.journal_screen import JournalScreen
from flagtui.app.lists.list_screen import ListScreen
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.changes.guard import GuardRules, Level
from flagtui.changes.journal_entries import Entry
from flagtui.changes.skipped import Skipped
from flagtui.models.activity_rows import ChangeRow

Screen = ListScreen[Any]
LISTS = {
    "flags": FlagsScreen,
    "experiments": ExperimentsScreen,
    "events": EventsScreen,
    "activity": ActivityScreen,
    "journal": JournalScreen,
}
NOT_RUN = frozenset({"activity.export", "events.edit_json", "events.describe_in_editor"})
"""They write a file or open an editor at once."""


class RecordingRunner(ChangeRunner):
    """Notes the ids of the records of the last change that was begun, and carries none out."""

    records: frozenset[Any] = frozenset()

    def run(self, change: Coroutine[Any, Any, Any]) -> None:
        """Note what a change was begun with, and drop it."""
        self.records = frozenset(_ids(list(change.cr_frame.f_locals.values())))  # type: ignore[attr-defined]  # of every coroutine
        change.close()

    def revert(self, rows: Sequence[ChangeRow], on_reverted: Callable[[Sequence[str]], None]) -> None:
        self.records = frozenset(row.id for row in rows)

    def undo_entries(self, entries: Sequence[Entry], skipped: Sequence[Skipped] = ()) -> None:
        self.records = frozenset(entry.id for entry in entries)


def _ids(values: Sequence[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list | tuple):
            yield from _ids(value)
        elif isinstance(value, partial):
            # The first question of a chain, with its record.
            yield from _ids(value.args)
        elif not callable(value) and getattr(value, "id", None) is not None:
            yield value.id


async def open_list(program: Program, name: str) -> tuple[Screen, RecordingRunner]:
    app_state = program.app.app_state
    runner = RecordingRunner(program.app, app_state)
    kind: Any = LISTS[name]
    screen = kind(app_state, runner, runner.undo_entries) if name == "journal" else kind(app_state, runner)
    program.app.push_screen(screen)
    await program.settle()
    return screen, runner


def put(screen: Screen, marked: Sequence[Any], cursor: Any) -> None:
    """Mark these records and no others, and put the cursor on one."""
    screen.rows.action_clear_marks()
    for record in marked:
        assert screen.rows.select(record)
        screen.rows.action_mark()
    assert screen.rows.select(cursor)


def positions(ids: Sequence[Any]) -> Iterator[tuple[Sequence[Any], Any]]:
    """Marked records, and the one under the cursor."""
    yield (), ids[0]
    yield from cross((ids[1:2], ids[1:4]), (ids[1], ids[0]))


def expected_records(command: Command, marked: Sequence[Any], cursor: Any) -> frozenset[Any]:
    """Return the records that the command is for; none where it is refused."""
    if command.applies_to == "cursor" or not marked:
        return frozenset([cursor])
    if command.applies_to == "one" and len(marked) > 1:
        return frozenset()
    return frozenset(marked)


def ids_meant(screen: Screen, records: frozenset[Any]) -> frozenset[Any]:
    """Return what a change of these rows is about: in the activity the entries."""
    rows = [row for row in screen.rows._rows if row.id in records]
    return frozenset(row.entry.id if isinstance(screen, ActivityScreen) else row.id for row in rows)


def undoable_entries(program: Program) -> None:
    """Write five saved changes into the journal."""
    here = program.signature
    for number in range(5):
        id = f"change-{number}"
        program.journal.begin(Entry(id, 9.0 - number, number + 1, f"flag-{number}", "turn off", here, "flag"))
        program.journal.finish(id, "saved")


async def test_keys_act_on_marked_records(program: Program) -> None:
    undoable_entries(program)
    for name in LISTS:
        await check_keys(program, name)


async def check_keys(program: Program, name: str) -> None:
    """Run every command of a list with no marks, one and three, on a marked row and beside it."""
    # A list is not opened above its like.
    await program.press("1" if name == "activity" else "4")
    screen, runner = await open_list(program, name)
    ids = [screen.rows._id_of(screen.rows._rows[place]) for place in screen.rows._order][:5]
    commands = [command for command in commands_of(name, "lists") if command.applies_to]
    was_run = set[str]()
    for marked, cursor in positions(ids):
        put(screen, marked, cursor)
        await program.settle()
        bindings = screen.active_bindings
        assert {key: binding_of(screen, key) for key in bindings} == bindings
        enabled = {each.binding.id: each.enabled for each in bindings.values()}
        for command in commands:
            records = expected_records(command, marked, cursor)
            if command.id not in enabled:
                continue
            if not records:
                assert not enabled[command.id], command.id
                assert f"3 are marked; {command.sign} is for one" in screen.why_not_now(command, command.sign)
            elif command.applies_to == "cursor":
                assert (target := screen.target()) is not None
                assert target == screen.link_to(screen.rows.row), command.id
                was_run.add(command.id)
            elif command.id not in NOT_RUN and enabled[command.id]:
                runner.records, program.app._clipboard = frozenset(), ""
                await program.app.run_action(command.action, screen)
                if command.id in ("lists.copy_key", "activity.copy", "journal.copy"):
                    assert len(program.app.clipboard.strip().splitlines()) >= len(records), command.id
                elif command.id == "lists.copy_menu":
                    assert runner.records, command.id
                else:
                    assert runner.records == ids_meant(screen, records), (command.id, marked, cursor)
                was_run.add(command.id)
    assert {command.id for command in commands} - was_run <= NOT_RUN | {"lists.copy_key"}
    program.app.uncover_list()
    await program.settle()


def test_each_change_of_a_list_declares_its_records() -> None:
    of_lists = [command for command in COMMANDS if {*LISTS, "deleted"} & {*command.places}]
    changes = [command for command in of_lists if command.writes and command.needs_record]
    assert changes
    assert [command.id for command in changes if command.applies_to not in ("many", "one")] == []


async def test_too_many_marks_are_refused_before_any_read(setting: Setting) -> None:
    small = replace(setting, rules=GuardRules(Level.GUARDED, place="TEST", bulk_limit=20))
    async with running(small) as program:
        await program.press("ctrl+a")
        marked = program.app.screen.rows.marks  # type: ignore[attr-defined]  # of every list
        program.see(toast=f"{len(marked)} are marked; one change has at most 20")
        before = len(program.wire.passed)
        await program.press("space", "d")
        assert program.wire.passed[before:] == []
        program.see(toast="ctrl+a keeps the first 20")
        await program.press("ctrl+a")
        assert len(program.app.screen.rows.marks) == 20  # type: ignore[attr-defined]
        assert not [notice for notice in program.notices if "at most 20" in notice]
        await program.press("space")
        assert program.app.screen.is_modal
        await program.press("escape", "ctrl+a")
        assert not program.app.screen.rows.marks  # type: ignore[attr-defined]

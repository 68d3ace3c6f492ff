"""A new start: rows of the last run until there is a connection, lists as left, open changes named."""

import asyncio
from pathlib import Path

from msgspec.structs import replace
from tests.doubles.turned_clock import pass_time, start_polling
from tests.doubles.whole_program import NOW, WIDE, Program, Setting, running
from tests.doubles.wire import Wire

from flagtui.app.lists.list_screen import ListScreen
from flagtui.app.lists.loaded_list import WorkspaceList
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Entry, Signature
from flagtui.config.preferences import Preferences
from flagtui.store.workspace import Workspace


def remembering(setting: Setting, *, resumes: bool = True) -> Setting:
    """As another start of the program would find it."""
    preferences = Preferences(memory=setting.folder / "memory", resumes=resumes)
    return replace(setting, snapshots=True, preferences=preferences, size=WIDE)


def drawn_rows(program: Program) -> list[str]:
    """The rows as they stand on the screen, and the line above them."""
    return [line[:70] for line in program.screen.splitlines()[3:30]]


async def until_rows(program: Program) -> None:
    while not isinstance(program.app.screen, WorkspaceList) or not program.rows.shown:
        await program.pilot.pause()


async def test_cached_rows_are_searchable_but_not_changed_without_a_connection(setting: Setting) -> None:
    async with running(remembering(setting)) as program:
        before = drawn_rows(program)
    key_event = asyncio.Event()
    async with running(replace(remembering(setting), key_found=key_event), wait=False) as program:
        await until_rows(program)
        assert program.app.app_state.workspace is None
        # No copy of schedules is stored, so their mark waits for the first reading.
        assert drawn_rows(program) == [line.replace("◷", " ") for line in before]
        program.see("as of <1 min ago, connecting")
        await program.press_without_waiting("slash", *"new-nav", "enter", rows=1)
        assert not program.wire.passed
        await program.press_without_waiting("escape", "home")
        key_event.set()
        await program.settle()
        assert drawn_rows(program) == before

    def cut(wire: Wire) -> None:
        wire.cut()

    async with running(remembering(setting), cut) as program:
        program.see(rows=248)
        assert "offline" in program.header
        await program.go_to("new-nav", "space")
        assert not program.app.screen.is_modal
        program.see(sent=0)
        assert program.journal.entries() == []
        program.see(toast="new-nav")


async def test_next_start_shows_what_changed_after_the_load(setting: Setting) -> None:
    async with running(remembering(setting)) as program:
        clock, session = await start_polling(program, 60), program.app.app_state.session
        polled = program.row("team-invites-v3")
        await program.colleague().flags.update(polled.id, {"active": False})
        await pass_time(program, clock, 60)
        next_start = Workspace(program.workspace.client, profile=session.profile, snapshots=session.snapshots)
        assert next_start.recall()
        assert next_start.flags.get(polled.id) == program.row(polled.key) != polled
        await program.go_to("new-nav", "space")
        clock.turn(1)
        await program.press("y", "q", sent=1)
    async with running(remembering(setting), Wire.cut) as program:
        assert (program.row("team-invites-v3").active, program.row("new-nav").active) == (False, False)


async def test_cached_rows_of_the_front_tab_disappear_without_a_key(setting: Setting) -> None:
    async with running(remembering(setting)) as program:
        await program.press("2", "q")
    key_event = asyncio.Event()
    without = replace(remembering(setting), key_found=key_event, has_key=False)
    async with running(without, wait=False) as program:
        await until_rows(program)
        assert program.app.tabs.current == "2"
        program.see("Chart colours")
        key_event.set()
        await program.settle(shows="paste a personal API key")
        await program.press("escape", shows=("There is no API key.", "ctrl+l signs in"), rows=0)
        program.see(lacks="Chart colours")


async def test_activity_is_not_cached_and_shows_that_it_loads(setting: Setting) -> None:
    async with running(remembering(setting)) as program:
        await program.press("4", "q")
    key_event = asyncio.Event()
    async with running(replace(remembering(setting), key_found=key_event), wait=False) as program:
        while "Loading the activity" not in program.screen:
            await program.pilot.pause()
        key_event.set()
        await program.settle(shows="rollout 50 % → 100 %")


def left_list(program: Program) -> tuple[str, object, bool, list[str]]:
    """The search, the record under the cursor, whether there is a preview, and what is drawn."""
    left = program.front(ListScreen)
    return left.search.value, left.rows.row_id, left.has_class("-preview"), program.screen.splitlines()[2:20]


async def test_a_list_comes_back_as_left_without_missing_records(setting: Setting) -> None:
    async with running(remembering(setting)) as program:
        await program.go_to("checkout", "s", "down", "down", "v")
        left = left_list(program)
        assert program.rows.place > 0
        await program.press("q")
    async with running(remembering(setting)) as program:
        assert left_list(program) == left
        await program.press("q")
    memory = Path(setting.folder) / "memory" / "remembered.json"
    memory.write_text(memory.read_text().replace('"record": ', '"record": 9999'))
    async with running(remembering(setting)) as program:
        assert (program.front(ListScreen).search.value, program.rows.place) == ("checkout", 0)


async def test_the_tab_comes_back_and_every_list_with_it(setting: Setting) -> None:
    left: dict[str, object] = {}
    async with running(remembering(setting)) as program:
        for tab in ("2", "4"):
            await program.press(tab, "down", "down")
            left[tab] = program.rows.row_id
            assert program.rows.place > 0
        await program.press("q")
    async with running(remembering(setting)) as program:
        assert program.app.tabs.current == "4"
        for tab, record in left.items():
            await program.press(tab)
            assert program.rows.row_id == record
        await program.press("q")
    async with running(remembering(setting, resumes=False)) as program:
        assert program.app.tabs.current == "1"
        assert (program.front(ListScreen).search.value, program.rows.place) == ("", 0)


SAID = {
    "new-nav": ("failed", "new-nav: “turn off” was not applied"),
    "export-parquet": ("saved", "export-parquet: “turn off” was done at version"),
    "checkout-redesign": ("failed", "checkout-redesign: “pause experiment” was not applied"),
    "checkout_completed": ("failed", "checkout_completed: “hide” was not applied"),
}
"""By record: how its change ended, and in which words that is said."""


async def test_the_start_says_what_became_of_changes_left_open(setting: Setting) -> None:
    async with running(setting) as program:
        flag, other = await program.stored("new-nav"), await program.stored("export-parquet")
        host = str(program.colleague().host)
        event = await program.colleague().event_definitions.by_name("checkout_completed")
    assert other.version is not None
    here, hour_ago = Signature("alice@acme.com", "test", host, "1"), NOW.timestamp() - 3600
    off, on = {"active": False}, {"active": True}
    journal = Journal(setting.folder / "journal")
    for entry in (
        Entry(record=flag.id, key=flag.key, verb="turn off",
              version=flag.version, before=on, after=off),
        Entry(record=other.id, key=other.key, verb="turn off",
              version=other.version - 1, before=off, after=on),
        Entry(record=31, key="checkout-redesign", verb="pause experiment", kind="experiment",
              before={"status": "running"}, after={"status": "paused"}),
        Entry(uuid=event.id, key=event.name, verb="hide", kind="event_definition",
              before={"hidden": False}, after={"hidden": True}),
    ):  # fmt: skip
        journal.begin(replace(entry, id=entry.key, at=hour_ago, signature=here))
    async with running(setting) as program:
        assert {entry.key: entry.ending for entry in program.journal.entries()} == {
            key: ending for key, (ending, _words) in SAID.items()
        }
        for _ending, message in SAID.values():
            program.see(toasts=f"Left open earlier: {message}")
        program.see(sent=0)


async def test_changes_left_open_are_looked_up_after_a_late_connection(setting: Setting) -> None:
    async with running(setting) as program:
        flag, host = await program.stored("new-nav"), str(program.colleague().host)
    here = Signature("alice@acme.com", "test", host, "1")
    off, on = {"active": False}, {"active": True}
    entry = Entry(id="left", at=NOW.timestamp() - 3600, record=flag.id, key=flag.key, verb="turn off",
                  version=flag.version, before=on, after=off, signature=here)  # fmt: skip
    Journal(setting.folder / "journal").begin(entry)

    def fail(wire: Wire) -> None:
        wire.cut()

    async with running(setting, fail) as program:
        program.see(toast="whether “turn off” was done is still not known.")
        program.wire.heal()
        await program.press("f5", toast="Left open earlier: new-nav: “turn off” was not applied")
        await program.go_to("new-nav", "f5", "space")
        program.wire.hold("PATCH")
        await program.press_without_waiting("y", "p", *"mobile", "enter", "p", *"web", "enter")
        await program.let_go(shows="Web app #1")
        assert not [notice for notice in program.notices if "Left open" in notice], "it was in flight"


async def test_uncacheable_list_is_marked_beside_its_age(setting: Setting) -> None:
    (setting.folder / "rows").write_text("a file in the place of the folder")
    async with running(replace(setting, snapshots=True)) as program:
        program.see("synced just now, not cached")

"""A new start: rows of the last run until there is a connection, lists as left, open changes named."""

import asyncio
from pathlib import Path

import httpx
from msgspec.structs import replace
from tests.doubles.whole_program import NOW, WIDE, Program, Setting, running
from tests.doubles.wire import Wire

from flagtui.app.lists.list_frame import BrowseScreen
from flagtui.app.lists.loaded_list import WorkspaceList
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Entry, Signature
from flagtui.config.preferences import Preferences


def remembering(setting: Setting, *, resumes: bool = True) -> Setting:
    """As another start of the program would find it."""
    preferences = Preferences(memory=setting.folder / "memory", resumes=resumes)
    return replace(setting, snapshots=True, preferences=preferences, size=WIDE)


def drawn_rows(program: Program) -> list[str]:
    """The rows as they stand on the screen, and the line above them."""
    return [line[:70] for line in program.screen.splitlines()[3:30]]


def rows(program: Program) -> int:
    return program.rows.shown


async def until_rows(program: Program) -> None:
    while not isinstance(program.app.screen, WorkspaceList) or not rows(program):
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
        assert "as of <1 min ago, connecting" in program.header
        for key in ("slash", *"new-nav", "enter"):
            await program.press_without_waiting(key)
        assert rows(program) == 1
        assert not program.wire.passed
        for key in ("escape", "home"):
            await program.press_without_waiting(key)
        key_event.set()
        await program.settle()
        assert program.app.app_state.workspace is not None
        assert drawn_rows(program) == before

    def cut(wire: Wire) -> None:
        wire.before = lambda request: httpx.ConnectError("down")

    async with running(remembering(setting), cut) as program:
        assert rows(program) == 248
        assert "offline" in program.header
        await program.go_to("new-nav", "space")
        assert not program.app.screen.is_modal
        assert program.wire.writes() == []
        assert program.journal.entries() == []
        assert "new-nav" in program.notices[-1]


async def test_cached_rows_of_the_front_tab_disappear_without_a_key(setting: Setting) -> None:
    async with running(remembering(setting)) as program:
        await program.press("2", "q")
    key_event = asyncio.Event()
    without = replace(remembering(setting), key_found=key_event, has_key=False)
    async with running(without, wait=False) as program:
        await until_rows(program)
        assert program.app.tabs.current == "2"
        assert "Chart colours" in program.screen
        key_event.set()
        await program.settle()
        assert "paste a personal API key" in program.screen
        await program.press("escape")
        assert rows(program) == 0
        assert "There is no API key." in program.screen
        assert "ctrl+l signs in" in program.screen
        assert "Chart colours" not in program.screen


async def test_activity_is_not_cached_and_shows_that_it_loads(setting: Setting) -> None:
    async with running(remembering(setting)) as program:
        await program.press("4", "q")
    key_event = asyncio.Event()
    async with running(replace(remembering(setting), key_found=key_event), wait=False) as program:
        while "Loading the activity" not in program.screen:
            await program.pilot.pause()
        key_event.set()
        await program.settle()
        assert "rollout 50 % → 100 %" in program.screen


def front(program: Program) -> BrowseScreen:
    return program.front(BrowseScreen)


async def test_a_list_comes_back_as_left_without_missing_records(setting: Setting) -> None:
    async with running(remembering(setting)) as program:
        await program.go_to("checkout", "s", "down", "down", "v")
        left = (front(program).search.value, front(program).rows.row_id, front(program).has_class("-preview"))
        assert front(program).rows.place > 0
        drawn = program.screen.splitlines()[2:20]
        await program.press("q")
    async with running(remembering(setting)) as program:
        now = front(program)
        assert (now.search.value, now.rows.row_id, now.has_class("-preview")) == left
        assert program.screen.splitlines()[2:20] == drawn
        await program.press("q")
    memory = Path(setting.folder) / "memory" / "remembered.json"
    memory.write_text(memory.read_text().replace('"record": ', '"record": 9999'))
    async with running(remembering(setting)) as program:
        assert (front(program).search.value, front(program).rows.place) == ("checkout", 0)


async def test_the_tab_comes_back_and_every_list_with_it(setting: Setting) -> None:
    left: dict[str, object] = {}
    async with running(remembering(setting)) as program:
        for tab in ("2", "4"):
            await program.press(tab, "down", "down")
            left[tab] = front(program).rows.row_id
            assert front(program).rows.place > 0
        await program.press("q")
    async with running(remembering(setting)) as program:
        assert program.app.tabs.current == "4"
        for tab, record in left.items():
            await program.press(tab)
            assert front(program).rows.row_id == record
        await program.press("q")
    async with running(remembering(setting, resumes=False)) as program:
        assert program.app.tabs.current == "1"
        assert (front(program).search.value, front(program).rows.place) == ("", 0)


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
            assert any(notice.startswith(f"Left open earlier: {message}") for notice in program.notices), (
                message
            )
        assert program.wire.writes() == []


async def test_changes_left_open_are_looked_up_after_a_late_connection(setting: Setting) -> None:
    async with running(setting) as program:
        flag, host = await program.stored("new-nav"), str(program.colleague().host)
    here = Signature("alice@acme.com", "test", host, "1")
    off, on = {"active": False}, {"active": True}
    entry = Entry(id="left", at=NOW.timestamp() - 3600, record=flag.id, key=flag.key, verb="turn off",
                  version=flag.version, before=on, after=off, signature=here)  # fmt: skip
    Journal(setting.folder / "journal").begin(entry)

    def fail(wire: Wire) -> None:
        wire.before = lambda request: httpx.ConnectError("down")

    async with running(setting, fail) as program:
        assert program.notices[-1].endswith("whether “turn off” was done is still not known.")
        program.wire.heal()
        await program.press("f5")
        assert program.notices[-1].startswith("Left open earlier: new-nav: “turn off” was not applied")
        await program.go_to("new-nav", "f5", "space")
        program.wire.held = lambda request: request.method == "PATCH"
        program.timing.now += 1
        for key in ("y", "p", *"mobile", "enter", "p", *"web", "enter"):
            await program.press_without_waiting(key)
        await program.let_go()
        assert "Web app #1" in program.header
        assert not [notice for notice in program.notices if "Left open" in notice], "it was in flight"


async def test_uncacheable_list_is_marked_beside_its_age(setting: Setting) -> None:
    (setting.folder / "rows").write_text("a file in the place of the folder")
    async with running(replace(setting, snapshots=True)) as program:
        assert "synced just now, not cached" in program.header

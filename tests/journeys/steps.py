"""Steps that journeys share: records by name, keys of the server, staged changes, the activity."""

from collections.abc import Mapping
from typing import Any, Unpack

import httpx
from tests.doubles.expected import require
from tests.doubles.sights import Sight
from tests.doubles.whole_program import KEY, Program
from tests.doubles.wire import Wire

from flagtui.app.activity.activity_screen import ActivityScreen
from flagtui.app.events.event_list import EventsScreen
from flagtui.app.experiments.experiment_list import ExperimentsScreen
from flagtui.changes.sets.project_set import StagedSet
from flagtui.models.activity_rows import ChangeRow
from flagtui.models.event_definition import EventDefinition
from flagtui.service.keys import NewKey, create_key

REVOKED = {"type": "authentication_error", "code": "authentication_failed", "detail": "Invalid API key."}


def revoke(wire: Wire, key: str = KEY, *, method: str = "") -> None:
    """The server knows this key no more; any other it still knows."""
    refusal = httpx.Response(401, json=REVOKED)

    def refuse(request: httpx.Request) -> httpx.Response | None:
        is_of_key = request.headers["authorization"] == f"Bearer {key}"
        return refusal if is_of_key and request.method.startswith(method) else None

    wire.before = refuse


def hold_flag(program: Program, key: str) -> None:
    """Let every request for this flag alone wait."""
    program.wire.hold(f"/feature_flags/{program.row(key).id}/$")


def another_key(program: Program, *scopes: str) -> str:
    return create_key(program.database, NewKey("another", scopes or ("*",)))


async def make_flag(program: Program, key: str, filters: Mapping[str, Any], **body: Any) -> int:
    """Let a colleague make a flag, put the cursor on it, and return its number."""
    flag = await program.colleague().flags.create({"key": key, "filters": filters, **body})
    await program.press("f5")
    await program.go_to(key)
    return flag.id


async def stand_on_experiment(program: Program, name: str, *keys: str, **sight: Unpack[Sight]) -> None:
    """Open the experiments, find the one with this name, and press keys there."""
    if not isinstance(program.app.screen, ExperimentsScreen):
        await program.press("2")
    await program.go_to(name, *keys, **sight)


async def stored_event(program: Program, name: str) -> EventDefinition:
    """Return an event definition as the service has it."""
    return await program.colleague().event_definitions.by_name(name)


async def stand_on_event(program: Program, name: str, *keys: str, **sight: Unpack[Sight]) -> None:
    """Open the tab of events, stand on the one with this name, and press keys there."""
    if not isinstance(program.app.screen, EventsScreen):
        await program.press("3")
    screen = program.front(EventsScreen)
    screen.go_to(next(row.id for row in program.workspace.events.rows if row.name == name))
    await program.settle()
    assert require(screen.record).name == name
    if keys:
        await program.press(*keys)
    program.see(**sight)


async def click(program: Program, words: str, *, line: int = 0) -> None:
    """Click on the first place with these words from that line of the screen on."""
    lines = program.screen.splitlines()
    y = next(place for place in range(line, len(lines)) if words in lines[place])
    program.timing.now += 1
    await program.pilot.click(offset=(lines[y].index(words), y))
    await program.settle()


def set_on_disk(program: Program) -> StagedSet:
    state = program.app.app_state
    return StagedSet(state.session.state_folder / "sets", program.signature, "another program")


async def stage_two(program: Program) -> StagedSet:
    """Stage a switch and a rollout; return the set on disk."""
    await program.go_to("new-nav", "plus", "space")
    await program.go_to("export-parquet", "percent_sign", *"40", "enter")
    return set_on_disk(program)


async def on_activity(program: Program, line: str = "") -> ActivityScreen:
    """Open the activity and search it."""
    await program.press("4")
    screen = program.front(ActivityScreen)
    if line:
        await program.search(line)
    return screen


def shown_rows(screen: ActivityScreen) -> list[ChangeRow]:
    """The entries as they are listed."""
    rows = screen.rows
    return [rows._rows[place] for place in rows._order]


def listed_rows(program: Program) -> list[str]:
    """The rows of the list, without the pane."""
    screen = program.front(ActivityScreen)
    width = screen.rows.size.width
    return [line[:width].strip() for line in program.screen.split("\n")[5:-2]]

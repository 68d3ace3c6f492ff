"""Experiments and events by name: going to one in its list, and what the service has."""

from tests.doubles.whole_program import Program

from flagtui.app.events.event_list import EventsScreen
from flagtui.app.experiments.experiment_list import ExperimentsScreen
from flagtui.models.event_definition import EventDefinition


async def stand_on_experiment(program: Program, name: str, *keys: str) -> None:
    """Open the experiments, find the one with this name, and press keys there."""
    if not isinstance(program.app.screen, ExperimentsScreen):
        await program.press("2")
    await program.go_to(name, *keys)


async def stored_event(program: Program, name: str) -> EventDefinition:
    """Return an event definition as the service has it."""
    return await program.colleague().event_definitions.by_name(name)


async def stand_on_event(program: Program, name: str, *keys: str) -> None:
    """Open the tab of events, stand on the one with this name, and press keys there."""
    if not isinstance(program.app.screen, EventsScreen):
        await program.press("3")
    screen = program.front(EventsScreen)
    rows = program.workspace.events.rows
    screen.go_to(next(row.id for row in rows if row.name == name))
    await program.settle()
    assert screen.record is not None
    assert screen.record.name == name
    if keys:
        await program.press(*keys)

"""Event definitions as the server would send them, and the surroundings of a plan."""

from typing import Any

from flagtui.changes.event_definitions.definition_plan import DefinitionContext
from flagtui.models.event_definition import EventDefinition

AROUND = DefinitionContext(1_780_000_000.0, {1: "alice@acme.com"})


def definition(**fields: Any) -> EventDefinition:
    """A definition as the server would send it."""
    return EventDefinition.of({"id": "0190b6f2-7c1e-7f00-8a11-5d1b2c3d4e5f", "name": "signed up", **fields})

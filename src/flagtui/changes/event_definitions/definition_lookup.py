"""Whether a change is there: in the server's answer, or, without one, by reading the definition again."""

from dataclasses import replace
from typing import Final, Protocol

from flagtui.api.errors import ApiError, NotFound
from flagtui.changes.difference import same
from flagtui.changes.event_definitions.definition_outcome import DefinitionEnded
from flagtui.changes.event_definitions.definition_plan import EventPlan, stored
from flagtui.models.event_definition import EventDefinition

NOT_KEPT: Final = "the server said yes and did not keep it"


class DefinitionReader(Protocol):
    """Reads one definition: `client.event_definitions`."""

    async def get(self, id: str) -> EventDefinition: ...
    async def by_name(self, name: str) -> EventDefinition: ...


def judged(plan: EventPlan, found: EventDefinition) -> DefinitionEnded:
    """What of the plan is in the record the server gave back."""
    missing = missing_in(plan, found)
    if missing and len(missing) == len(plan.body):
        why = "the organisation may not have tagging" if missing == ("tags",) else "it may not be licensed"
        return DefinitionEnded(plan, "refused", found, NOT_KEPT, why, missing=missing)
    return DefinitionEnded(plan, "saved", found, missing=missing)


def missing_in(plan: EventPlan, found: EventDefinition) -> tuple[str, ...]:
    """Planned fields that are otherwise."""
    return tuple(
        name for name, value in plan.body.items() if not same(stored(found, name), _sorted(name, value))
    )


def _sorted(name: str, value: object) -> object:
    return sorted(value) if name == "tags" and isinstance(value, list) else value


async def look(plan: EventPlan, unknown: DefinitionEnded, definitions: DefinitionReader) -> DefinitionEnded:
    """One read of a change without an answer. Nothing is sent again."""
    try:
        seen = await (definitions.by_name(plan.key) if plan.is_new else definitions.get(plan.id))
    except NotFound:
        return DefinitionEnded(plan, "saved") if plan.is_deletion else replace(unknown, record=None)
    except ApiError:
        return unknown
    if not plan.is_deletion and not missing_in(plan, seen):
        return DefinitionEnded(plan, "saved", seen)
    return replace(unknown, record=seen)

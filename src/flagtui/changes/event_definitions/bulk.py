"""Changes that the server can make together: the same tags for many events, many events verified."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal, Protocol

from flagtui.changes.event_definitions.definition_plan import EventPlan
from flagtui.models.event_definition import EventDefinition
from flagtui.models.event_definition_answers import BulkVerified
from flagtui.models.flag_answers import BulkError, BulkTags
from flagtui.models.json_value import JSON

MOST: Final = 500
"""Definitions a server takes at once."""


class DefinitionReader(Protocol):
    """Reads one definition: `client.event_definitions`."""

    async def get(self, id: str) -> EventDefinition: ...
    async def by_name(self, name: str) -> EventDefinition: ...


class BulkWriter(DefinitionReader, Protocol):
    """Changes many definitions with one request, else one by one: `client.event_definitions`."""

    async def bulk_update_tags(
        self, ids: Sequence[str], action: Literal["add", "remove", "set"], tags: Sequence[str]
    ) -> BulkTags: ...
    async def bulk_update_verified(self, ids: Sequence[str], verified: bool) -> BulkVerified: ...


def grouped(plans: Sequence[EventPlan]) -> Iterator[Sequence[EventPlan]]:
    """The plans in groups that can go together, in the order in which the first of each came."""
    groups: dict[tuple[object, ...], list[EventPlan]] = {}
    for place, plan in enumerate(plans):
        groups.setdefault(_together(plan) or (place,), []).append(plan)
    for found in groups.values():
        for start in range(0, len(found), MOST):
            yield tuple(found[start : start + MOST])


def can_go_together(plan: EventPlan) -> bool:
    """Whether the server takes it with others in one request."""
    return _together(plan) is not None


def _together(plan: EventPlan) -> tuple[object, ...] | None:
    """What it has in common with others of its group; None when it goes alone."""
    if plan.is_deletion or plan.is_new:
        return None
    if set(plan.body) == {"verified"}:
        return "verified", plan.body["verified"]
    if set(plan.body) == {"tags"} and plan.intent.retag is not None:
        return "tags", plan.intent.retag.action, plan.intent.retag.tags
    return None


async def save_group(
    plans: Sequence[EventPlan], definitions: BulkWriter
) -> tuple[dict[str, JSON], dict[str, str]]:
    """What each definition has now, by id, and why others were left out. Raises ApiError."""
    first, ids = plans[0], [plan.id for plan in plans]
    retag = first.intent.retag
    if set(first.body) == {"verified"} or retag is None:
        wanted = first.body.get("verified") is True
        verified = await definitions.bulk_update_verified(ids, wanted)
        # Those that are so already appear in neither list.
        kept: dict[str, JSON] = dict.fromkeys(ids, wanted)
        kept |= {one.id: one.verified for one in verified.updated}
        return kept, _reasons(verified.skipped)
    tagged = await definitions.bulk_update_tags(ids, retag.action, retag.tags)
    return {str(one.id): list(one.tags) for one in tagged.updated}, _reasons(tagged.skipped)


def _reasons(skipped: Sequence[BulkError]) -> dict[str, str]:
    return {str(one.id): one.reason for one in skipped}

"""Changes that the server can make together: the same tags for many events, many events verified."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from flagtui.api.errors import ApiError
from flagtui.changes.event_definitions.definition_intent import Retagging
from flagtui.changes.event_definitions.definition_lookup import NOT_KEPT, DefinitionReader
from flagtui.changes.event_definitions.definition_outcome import DefinitionEnded
from flagtui.changes.event_definitions.definition_plan import EventPlan
from flagtui.changes.pipeline import Adapter, WriteContext, look_up
from flagtui.models.event_definition_answers import BulkVerified
from flagtui.models.flag_answers import BulkError, BulkTags
from flagtui.models.json_value import JSON

MOST: Final = 500
"""Definitions a server takes at once."""

Way = Literal["verified", "tags", ""]


class BulkWriter(DefinitionReader, Protocol):
    """Changes many definitions with one request, else one by one: `client.event_definitions`."""

    async def bulk_update_tags(
        self, ids: Sequence[str], action: Literal["add", "remove", "set"], tags: Sequence[str]
    ) -> BulkTags: ...
    async def bulk_update_verified(self, ids: Sequence[str], verified: bool) -> BulkVerified: ...


@dataclass(frozen=True, slots=True)
class Bulk:
    """Plans that go in one request; a single one goes the ordinary way."""

    plans: tuple[EventPlan, ...]
    verified: bool | None = None
    action: Retagging | None = None
    tags: tuple[str, ...] = ()


def grouped(plans: Sequence[EventPlan]) -> Iterator[Bulk]:
    """The plans in groups that can go together, in the order in which the first of each came."""
    groups: dict[tuple[object, ...], list[EventPlan]] = {}
    for place, plan in enumerate(plans):
        groups.setdefault(_together(plan) or (place,), []).append(plan)
    for kind, found in groups.items():
        for start in range(0, len(found), MOST):
            some = tuple(found[start : start + MOST])
            if kind[0] == "verified":
                yield Bulk(some, verified=some[0].body.get("verified") is True)
            elif kind[0] == "tags" and (retag := some[0].intent.retag) is not None:
                yield Bulk(some, action=retag.action, tags=retag.tags)
            else:
                yield Bulk(some)


def _together(plan: EventPlan) -> tuple[object, ...] | None:
    """What it has in common with others of its group; None when it goes alone."""
    if plan.is_deletion or plan.is_new:
        return None
    if set(plan.body) == {"verified"}:
        return "verified", plan.body["verified"]
    if set(plan.body) == {"tags"} and plan.intent.retag is not None:
        return "tags", plan.intent.retag.action, plan.intent.retag.tags
    return None


class GroupAdapter(Adapter[EventPlan, DefinitionEnded], Protocol):
    """Of event definitions, with what writes many at once."""

    @property
    def definitions(self) -> BulkWriter: ...


async def save_group(group: Bulk, adapter: GroupAdapter, context: WriteContext) -> Sequence[DefinitionEnded]:
    """How each plan of the group ended."""
    try:
        kept, skipped = await _ask(group, adapter.definitions)
    except ApiError as error:
        if not error.sent:
            return [adapter.not_applied(plan, error) for plan in group.plans]
        return [
            await look_up(plan, adapter.without_answer(plan, error), adapter, context) for plan in group.plans
        ]
    return [_ended(plan, group, kept, skipped) for plan in group.plans]


async def _ask(group: Bulk, definitions: BulkWriter) -> tuple[dict[str, JSON], dict[str, str]]:
    """What each definition has now, by id, and why others were left out."""
    ids = [plan.id for plan in group.plans]
    if group.verified is not None:
        verified = await definitions.bulk_update_verified(ids, group.verified)
        # Those that are so already appear in neither list.
        kept: dict[str, JSON] = dict.fromkeys(ids, group.verified)
        kept |= {one.id: one.verified for one in verified.updated}
        return kept, _reasons(verified.skipped)
    tagged = await definitions.bulk_update_tags(ids, group.action or "add", group.tags)
    return {str(one.id): list(one.tags) for one in tagged.updated}, _reasons(tagged.skipped)


def _reasons(skipped: Sequence[BulkError]) -> dict[str, str]:
    return {str(one.id): one.reason for one in skipped}


def _ended(plan: EventPlan, group: Bulk, kept: dict[str, JSON], skipped: dict[str, str]) -> DefinitionEnded:
    if plan.id in skipped:
        return DefinitionEnded(plan, "refused", None, skipped[plan.id], "F5 looks whether it is still there")
    found = kept.get(plan.id)
    if group.tags and isinstance(found, list):
        is_kept = all((tag in found) == (group.action == "add") for tag in group.tags)
        if not is_kept:
            return DefinitionEnded(plan, "refused", None, NOT_KEPT, "the organisation may not have tagging")
    return DefinitionEnded(plan, "saved")

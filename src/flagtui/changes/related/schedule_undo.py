"""Undo of scheduling or dropping a change: until its time has come, and unless it was changed since."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from flagtui.api.errors import NotFound
from flagtui.changes.difference import Clash, same
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.journal_entries import Entry, moment
from flagtui.changes.related.creation import RelatedPlan
from flagtui.changes.related.schedules import Later, plan_later
from flagtui.local_time import utc
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_dict, as_id, as_text
from flagtui.models.scheduled_change import ScheduledChange


class ScheduleReader(Protocol):
    """Reads one scheduled change: `client.schedule`."""

    async def get(self, id: int) -> ScheduledChange: ...


def why_not_dropped(entry: Entry) -> Blocked | None:
    """Why a change that was scheduled or dropped stays so."""
    kept = _kept(entry)
    if not kept.get("payload"):
        return Blocked("cannot be undone", "what it was was not written down", "schedule it anew, or drop it")
    if entry.after and as_id(kept.get("scheduled")) is None:
        return Blocked("number", "its number was not learned", "find it among the scheduled ones and drop it")
    return None


def inverse_of(entry: Entry) -> Later:
    """Dropping what was scheduled, or scheduling what was dropped."""
    kept = _kept(entry)
    return Later(
        as_text(kept.get("words")),
        as_dict(kept.get("payload")),
        utc(moment(kept.get("at"))),
        as_id(kept.get("scheduled")) if entry.after else None,
        as_dict(kept.get("again")),
    )


async def plan_unscheduling(
    entry: Entry, fresh: Flag, schedule: ScheduleReader, now: float
) -> RelatedPlan | Blocked | None:
    """Plans the undo on the current schedule; None when nothing would change. Raises `ApiError`."""
    if refusal := why_not_dropped(entry):
        return refusal
    later = inverse_of(entry)
    if later.known is None:
        if later.at.timestamp() <= now and not later.again:
            return Blocked("past", "its moment has gone by", "schedule it anew")
        return plan_later(later, fresh)
    try:
        current = await schedule.get(later.known)
    except NotFound:
        return None
    if current.is_done:
        return Blocked("done", "it has happened already", "take back what it did in the flag's history")
    plan = plan_later(later, fresh)
    return plan if isinstance(plan, Blocked) else replace(plan, clashes=tuple(_moved(later, current)))


def _moved(later: Later, current: ScheduledChange) -> list[Clash]:
    """What was changed on it since."""
    found: list[Clash] = []
    if not same(dict(later.payload), current.payload):
        found.append(Clash(("payload",), dict(later.payload), "dropped", current.payload))
    at = current.scheduled_at
    if at is not None and abs(at.timestamp() - later.at.timestamp()) >= 1:
        found.append(Clash(("scheduled_at",), later.moment, "dropped", replace(later, at=at).moment))
    return found


def _kept(entry: Entry) -> Mapping[str, JSON]:
    return entry.after or entry.before

"""Changes the server makes later: planned, asked about, written down and sent like any other, and dropped."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Protocol

from flagtui import local_time
from flagtui.changes.flags.flag_cautions import Caution
from flagtui.changes.flags.flag_consequences import Consequence
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.related.creation import Answered, RelatedPlan, Send
from flagtui.changes.verbs import Verb
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON
from flagtui.models.scheduled_change import ScheduledChange

KIND: Final = "scheduled_change"
"""What the journal calls it."""
RECURRENCE: Final = ("is_recurring", "recurrence_interval", "cron_expression", "end_date", "timezone")
_LATER: Final = re.compile(r"\+?\s*(\d{1,4})\s*(min|m|h|d|w)", re.IGNORECASE)
_SECONDS: Final = {"m": 60, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_TIME: Final = re.compile(r"\d{1,2}:\d{2}")


class Timetable(Protocol):
    """Creates and deletes scheduled changes: `client.schedule`. Each request is sent once."""

    async def create(self, body: Mapping[str, JSON]) -> ScheduledChange: ...
    async def delete(self, id: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Later:
    """What shall happen."""

    words: str
    """`turned off`."""
    payload: Mapping[str, JSON]
    at: datetime
    """With its zone."""
    known: int | None = None
    """The number of a scheduled change that shall not happen after all."""
    again: Mapping[str, JSON] = field(default_factory=dict)
    """How it recurs, in the server's words."""

    @property
    def moment(self) -> str:
        """`2026-03-05 10:00 CET (09:00 UTC)`, which the journal keeps for others to read."""
        at = self.at.timestamp()
        return f"{local_time.minute(at)}{local_time.beside(at)}"


def read_moment(text: str, now: float) -> float | str:
    """`2026-03-05 09:00`, `09:00`, `+2h`: Unix seconds, or what is wrong.

    It is in the person's zone unless another one is written.
    """
    line = text.strip()
    if found := _LATER.fullmatch(line):
        return now + int(found[1]) * _SECONDS[found[2].lower()]
    if _TIME.fullmatch(line):
        try:
            return local_time.coming(local_time.read_clock(line), now)
        except ValueError:
            return "there is no such time of day"
    try:
        moment = local_time.read_iso(line)
    except (ValueError, OverflowError, OSError):
        return f"a moment such as 2026-03-05 09:00, 09:00 or +2h, in {local_time.label(now)}"
    return moment if moment > now else "that moment has gone by"


def switching(is_on: bool, at: datetime) -> Later:
    """On or off."""
    payload: dict[str, JSON] = {"operation": "update_status", "value": is_on}
    return Later("turned on" if is_on else "turned off", payload, at)


def adding_condition(share: float, at: datetime) -> Later:
    """One condition more, for a share of everyone in percent."""
    percentage = int(share) if float(share).is_integer() else share
    group: JSON = {"properties": [], "rollout_percentage": percentage}
    payload: dict[str, JSON] = {"operation": "add_release_condition", "value": {"groups": [group]}}
    return Later(f"given to {share:g} % of everyone more", payload, at)


def dropping(change: ScheduledChange, words: str) -> Later:
    """That it shall not happen after all, with what it takes to schedule it again."""
    again = {name: change.raw[name] for name in RECURRENCE if change.raw.get(name)}
    return Later(
        words,
        change.payload,
        change.scheduled_at or local_time.utc(0),
        change.id,
        again if change.is_recurring else {},
    )


def plan_later(later: Later, fresh: Flag) -> RelatedPlan | Blocked:
    """What would be scheduled. Nothing checks it before it is due, so what is plain now is said now."""
    if fresh.deleted:
        return Blocked("deleted", "it is deleted", "restore it first")
    if not fresh.targeting.is_editable:
        return Blocked("config", "its targeting is of a newer kind")
    told: tuple[Consequence, ...] = (
        Consequence("Then", f"{later.words}, {later.moment}", "plain"),
        Consequence("By", "the server, in your name, without asking again", "plain"),
    )
    verb = Verb("schedule", "Schedule a change of", f"will be {later.words}, {later.moment}", "drop it")
    if later.known is not None:
        told = (Consequence("Not any more", f"{later.words}, {later.moment}", "plain"),)
        verb = Verb(
            "unschedule", "Drop a scheduled change of", "has that change no longer", "schedule it again"
        )
    return RelatedPlan(
        fresh=fresh,
        verb=verb,
        kind=KIND,
        before=kept_of(later) if later.known is not None else {},
        after=kept_of(later) if later.known is None else {},
        told=f"{later.words}, {later.moment}",
        stays="nothing changes now",
        consequences=told,
        cautions=tuple(_cautions(later, fresh)) if later.known is None else (),
    )


def _cautions(later: Later, fresh: Flag) -> list[Caution]:
    found: list[Caution] = []
    running = [one for one in fresh.experiment_set_metadata if one.is_running]
    if running:
        found.append(
            Caution("running experiment", f"experiment #{running[0].id} {running[0].name} is running on it")
        )
    if later.payload.get("operation") == "update_status" and later.payload.get("value") is fresh.active:
        found.append(Caution("already so", f"it is {'on' if fresh.active else 'off'} already"))
    if later.payload.get("operation") == "add_release_condition" and not fresh.active:
        found.append(Caution("stays off", "it is off, and the condition alone does not turn it on"))
    return found


def send_later(later: Later, id: int, timetable: Timetable) -> Send:
    """The request that schedules or drops it."""

    async def send() -> Answered:
        if later.known is not None:
            await timetable.delete(later.known)
            return Answered()
        made = await timetable.create(
            {
                "record_id": str(id),
                "model_name": "FeatureFlag",
                "payload": dict(later.payload),
                "scheduled_at": _sent(later.at),
                **later.again,
            }
        )
        return Answered(f"scheduled change #{made.id}", learned={"scheduled": made.id})

    return send


def kept_of(later: Later) -> dict[str, JSON]:
    """What the journal keeps of it."""
    kept: dict[str, JSON] = {"words": later.words, "payload": dict(later.payload), "at": _sent(later.at)}
    if later.known is not None:
        kept["scheduled"] = later.known
    return {**kept, "again": dict(later.again)} if later.again else kept


def _sent(moment: datetime) -> str:
    return local_time.iso(moment.timestamp())

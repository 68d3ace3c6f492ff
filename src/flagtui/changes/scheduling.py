"""Changes the server makes later: planned, asked about, written down and sent like any other, and dropped."""

import asyncio
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol
from uuid import uuid4

from flagtui.api.clock import Clock
from flagtui.api.errors import ApiError
from flagtui.changes.blocking import Blocked, is_plain_key
from flagtui.changes.cautions import Caution
from flagtui.changes.consequences import Consequence
from flagtui.changes.difference import Clash
from flagtui.changes.entries import Ending, Entry, Signature
from flagtui.changes.guard import Approved, spend
from flagtui.changes.journal import Journal, JournalUnwritable
from flagtui.changes.plan import DiffLine
from flagtui.changes.verbs import Verb
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON
from flagtui.models.scheduled_change import ScheduledChange

_LATER: Final = re.compile(r"\+?\s*(\d{1,4})\s*(min|m|h|d|w)", re.IGNORECASE)
_UNITS: Final = {"m": "minutes", "min": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_TIME: Final = re.compile(r"(\d{1,2}):(\d{2})")


class Timetable(Protocol):
    """Whoever keeps them, as `client.schedule` does. Each is asked once."""

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

    @property
    def moment(self) -> str:
        return self.at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


@dataclass(frozen=True, slots=True)
class LaterPlan:
    """A change that could be scheduled, or dropped; the flag itself stays as it is now."""

    later: Later
    fresh: Flag
    consequences: tuple[Consequence, ...]
    cautions: tuple[Caution, ...] = ()
    lines: tuple[DiffLine, ...] = ()
    clashes: tuple[Clash, ...] = ()

    @property
    def id(self) -> int:
        return self.fresh.id

    @property
    def noun(self) -> str:
        return "flag"

    @property
    def key(self) -> str:
        return self.fresh.key

    @property
    def type_to_confirm(self) -> str:
        return self.key if is_plain_key(self.key) else str(self.id)

    @property
    def title(self) -> str:
        return self.verb.title

    @property
    def verb(self) -> Verb:
        if self.later.known is None:
            return Verb(
                "schedule", "Schedule a change of", f"will be {self.later.words}, {self.later.moment}", ""
            )
        return Verb("unschedule", "Drop a scheduled change of", "has that change no longer", "")

    @property
    def versions(self) -> str:
        return f"#{self.id} · nothing changes now"


def read_moment(text: str, now: datetime) -> datetime | str:
    """`2026-03-05 09:00`, `09:00`, `+2h`: the moment in UTC unless a zone is written, or what is wrong."""
    line = text.strip()
    if found := _LATER.fullmatch(line):
        return now + timedelta(**{_UNITS[found[2].lower()]: int(found[1])})
    if found := _TIME.fullmatch(line):
        hour, minute = int(found[1]), int(found[2])
        if hour > 23 or minute > 59:
            return "there is no such time of day"
        moment = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
        return moment if moment > now else moment + timedelta(days=1)
    try:
        moment = datetime.fromisoformat(line)
    except ValueError:
        return "a moment such as 2026-03-05 09:00, 09:00 or +2h, in UTC"
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment if moment > now else "that moment has gone by"


def plan_later(later: Later, fresh: Flag) -> LaterPlan | Blocked:
    """What would be scheduled. Nothing checks it before it is due, so what is plain now is said now."""
    if fresh.deleted:
        return Blocked("deleted", "it is deleted", "restore it first")
    if not fresh.targeting.is_editable:
        return Blocked("config", "its targeting is of a newer kind")
    if later.known is not None:
        return LaterPlan(
            later, fresh, (Consequence("Not any more", f"{later.words}, {later.moment}", "plain"),)
        )
    told = (
        Consequence("Then", f"{later.words}, {later.moment}", "plain"),
        Consequence("By", "the server, in your name, without asking again", "plain"),
    )
    return LaterPlan(later, fresh, told, tuple(_cautions(later, fresh)))


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


@dataclass(frozen=True, slots=True)
class LaterEnded:
    """How it ended, in the words of the journal."""

    plan: LaterPlan
    ending: Ending
    note: str = ""
    error: ApiError | None = None


async def keep_later(
    approved: Approved[LaterPlan],
    timetable: Timetable,
    journal: Journal,
    signature: Signature,
    clock: Clock,
) -> LaterEnded:
    """Sends it once, written down before and after. Raises for an approval that was used."""
    spend(approved)
    plan = approved.plans[0]
    entry = Entry(
        id=uuid4().hex,
        at=clock.time(),
        record=plan.id,
        key=plan.key,
        verb=plan.verb.name,
        signature=signature,
        kind="scheduled_change",
        reason=approved.reason,
        words=(f"{plan.later.words}, {plan.later.moment}",),
        pid=os.getpid(),
    )
    try:
        await asyncio.to_thread(journal.begin, entry)
    except JournalUnwritable as fault:
        if not approved.without_journal:
            return LaterEnded(plan, "refused", f"the journal cannot be written: {fault}")
        return await _send(plan, timetable)
    ended = await _send(plan, timetable)
    await asyncio.to_thread(journal.finish, entry.id, ended.ending, None, ended.note)
    return ended


async def _send(plan: LaterPlan, timetable: Timetable) -> LaterEnded:
    later = plan.later
    body: dict[str, JSON] = {
        "record_id": str(plan.id),
        "model_name": "FeatureFlag",
        "payload": dict(later.payload),
        "scheduled_at": later.at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
    }
    try:
        if later.known is not None:
            await timetable.delete(later.known)
            return LaterEnded(plan, "saved")
        made = await timetable.create(body)
    except ApiError as error:
        return LaterEnded(plan, "unknown" if error.sent else "refused", error.what, error)
    return LaterEnded(plan, "saved", f"scheduled change #{made.id}")

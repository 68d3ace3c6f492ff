"""Changes the server makes later: planned, asked about, written down and sent like any other, and dropped.

Both can be undone until the change is due, unless it was edited since.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Final

import msgspec
from msgspec.structs import replace

from flagtui import local_time
from flagtui.api import Client
from flagtui.api.errors import ApiError
from flagtui.changes.difference import FieldConflict, same
from flagtui.changes.flags.flag_words import HAS_RULES, why_read_only
from flagtui.changes.flags.unlisted_flags import rows_in_lists
from flagtui.changes.journal_entries import Entry, moment
from flagtui.changes.proposal import Caution, Consequence
from flagtui.changes.related.creation import Answered, RelatedPlan
from flagtui.changes.skipped import Blocked
from flagtui.changes.verbs import Verb
from flagtui.evaluate import wire
from flagtui.models.filters import EVERYONE
from flagtui.models.flag import Flag
from flagtui.models.flag_responses import ScheduledChange
from flagtui.models.json_value import JSON, as_dict, as_id, as_text, format_number

KIND: Final = "scheduled_change"
"""Its name in the journal."""
DROP_WORDS: Final = "drop the change scheduled for it"
"""The undo of a scheduled change."""
SCHEDULE_WORDS: Final = "schedule the change of it again"
"""The undo of dropping one."""
_HAS_HAPPENED: Final = Blocked("done", "it has happened already", "revert what it did in the flag's history")
RECURRENCE: Final = ("is_recurring", "recurrence_interval", "cron_expression", "end_date", "timezone")
_LATER: Final = re.compile(r"\+?(?:\s*\d{1,4}\s*(?:min|m|h|d|w))+", re.IGNORECASE)
_SPAN: Final = re.compile(r"(\d{1,4})\s*(min|m|h|d|w)", re.IGNORECASE)
_SECONDS: Final = {"m": 60, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_TIME: Final = re.compile(r"\d{1,2}:\d{2}")


class Later(msgspec.Struct, frozen=True):
    """A change at a later time."""

    words: str
    """`turned off`."""
    payload: Mapping[str, JSON]
    at: datetime
    """With its zone."""
    scheduled_id: int | None = None
    """The number of a scheduled change that shall not happen after all."""
    again: Mapping[str, JSON] = {}
    """How it recurs, in the server's words."""

    @property
    def moment(self) -> str:
        """`2026-03-05 10:00 CET (09:00 UTC)`, which the journal keeps for others to read."""
        at = self.at.timestamp()
        return f"{local_time.minute(at)}{local_time.beside(at)}"


def read_moment(text: str, now: float) -> float | str:
    """Parse `2026-03-05 09:00`, `09:00`, `tomorrow 09:00`, `+2h30m` to Unix seconds, or return the problem.

    The user's zone applies unless the text names another one.
    """
    line = text.strip()
    if _LATER.fullmatch(line):
        return now + sum(int(count) * _SECONDS[unit.lower()] for count, unit in _SPAN.findall(line))
    day, _blank, clock = line.rpartition(" ")
    if _TIME.fullmatch(clock) and day.strip().lower() in ("", "today", "tomorrow"):
        try:
            at = local_time.read_clock(clock)
        except ValueError:
            return "there is no such time of day"
        if not day:
            return local_time.coming(at, now)
        moment = local_time.on_day(at, now, 1 if day.strip().lower() == "tomorrow" else 0)
        return moment if moment > now else "that time has passed"
    try:
        moment = local_time.read_iso(line)
    except (ValueError, OverflowError, OSError):
        forms = "2026-03-05 09:00, tomorrow 09:00, 09:00 or +2h30m"
        problem = "it is not a valid time; " if line else ""
        return f"{problem}use {forms}, in {local_time.label(now)}"
    return moment if moment > now else "that time has passed"


def switching(is_on: bool, at: datetime) -> Later:
    """Return a later change that turns the flag on or off."""
    payload: dict[str, JSON] = {"operation": "update_status", "value": is_on}
    return Later("turned on" if is_on else "turned off", payload, at)


def adding_condition(share: float, at: datetime) -> Later:
    """Return a later change that adds a condition for a share of everyone in percent."""
    condition = wire.new_condition(wire.whole_if_equal(share))
    return Later(f"a condition for {format_number(share)} % of everyone added", _adding(condition), at)


def _adding(condition: Mapping[str, JSON]) -> dict[str, JSON]:
    return {"operation": "add_release_condition", "value": wire.with_conditions({}, [condition])}


def why_no_step(fresh: Flag) -> str:
    """Return why no rollout of the flag can be raised by a schedule; empty if one can."""
    if not fresh.targeting.deciding:
        return "it has no condition whose rollout can be raised"
    if fresh.targeting.early_exit:
        return "its first matching condition decides, and a scheduled rollout is appended after it"
    if all(condition.rollout >= EVERYONE for condition in fresh.targeting.deciding):
        return "every condition is at 100 %"
    return ""


def raising(fresh: Flag, place: int, share: float, at: datetime) -> Later | Blocked:
    """Return a later change that gives the flag to a larger share of the users of a condition.

    The server appends the condition again with that share. No user drops out: a user's bucket is the same for
    every condition.
    """
    if why := why_no_step(fresh):
        return Blocked("rollout", why, "schedule a condition for everyone, or change it now")
    conditions = fresh.targeting.deciding
    if not 0 <= place < len(conditions):
        last = len(conditions)
        next = f"use a condition from 1 to {last:,}" if last > 1 else "use condition 1"
        return Blocked("condition", f"it has no condition {place + 1}", next)
    condition = conditions[place]
    now = format_number(condition.rollout)
    if share <= condition.rollout:
        reason = f"condition {place + 1} is at {now} %, and a schedule can only raise it"
        return Blocked("rollout", reason, "lower it now without a schedule, or schedule to turn the flag off")
    payload = _adding(wire.with_share(condition.raw, wire.whole_if_equal(share)))
    change = f"raised from {now} to {format_number(share)} % by a further condition"
    return Later(f"rollout of condition {place + 1} {change}", payload, at)


def dropping(change: ScheduledChange, words: str) -> Later:
    """Return the removal of a scheduled change, with the values to schedule it again."""
    again = {name: change.raw[name] for name in RECURRENCE if change.raw.get(name)}
    at = change.scheduled_at or local_time.utc(0)
    keeps_pattern = change.is_recurring or change.is_paused
    return Later(words, change.payload, at, change.id, again if keeps_pattern else {})


def why_not_dropped(change: ScheduledChange) -> Blocked | None:
    """Return why the change cannot be dropped: the server has applied it. One that failed can be."""
    if change.scheduled_at is None:
        return Blocked(
            "time", "its time is not known, and undo could not set it again", "drop it in the browser"
        )
    return _HAS_HAPPENED if change.is_done and not change.failure_reason else None


def plan_later(later: Later, fresh: Flag) -> RelatedPlan | Blocked:
    """Plan a scheduled change. The server checks it only when it is due, so refuse plain mistakes now."""
    if fresh.deleted:
        return Blocked("deleted", "it is deleted", "restore it first")
    if not fresh.targeting.is_editable:
        if fresh.targeting.has_rules:
            reason = f"{HAS_RULES}; every change of it names a version, and a scheduled one cannot"
            return Blocked("configuration version", reason, "turn it on or off without a schedule")
        return Blocked("configuration version", why_read_only(fresh.targeting), "schedule it in the browser")
    change, kept = f"{later.words}, {later.moment}", kept_of(later)
    follows: tuple[Consequence, ...] = (
        Consequence("Then", change, "plain"),
        Consequence("By", "the server, in your name, without asking again", "plain"),
    )
    verb = Verb("schedule", "Schedule a change of", f"has a scheduled change: {change}", DROP_WORDS)
    is_dropped = later.scheduled_id is not None
    if is_dropped:
        follows = (Consequence("Dropped", change, "plain"),)
        title, done = "Drop a scheduled change of", "no longer has that scheduled change"
        verb = Verb("unschedule", title, done, SCHEDULE_WORDS)
    return RelatedPlan(
        fresh=fresh,
        verb=verb,
        kind=KIND,
        before=kept if is_dropped else {},
        after={} if is_dropped else kept,
        summary=change,
        send=partial(_send, later, fresh.id),
        stays="nothing changes now",
        consequences=follows,
        cautions=() if is_dropped else tuple(_cautions(later, fresh)),
    )


async def plan_switch_later(later: Later, fresh: Flag, client: Client) -> RelatedPlan | Blocked:
    """Plan a scheduled change with a warning of the reasons for which the server would refuse it now."""
    plan = plan_later(later, fresh)
    if isinstance(plan, Blocked) or later.payload.get("operation") != "update_status":
        return plan
    flags = client.flags
    if later.payload.get("value") is True:
        needed = await rows_in_lists(flags, flags.get, sorted(fresh.targeting.depends_on))
        reasons = [f"it depends on {row.key}, which is off" for row in needed if not row.active]
        reasons += ["it is archived"] * fresh.archived
    else:
        try:
            reasons = [f"{flag.key} depends on it and is on" for flag in await flags.dependents(fresh.id)]
        except ApiError as error:
            unknown = Caution(f"which flags depend on it is not known: {error.what.rstrip('.')}")
            return replace(plan, cautions=(*plan.cautions, unknown))
    refused = "the server refuses the change if that is still so then"
    return replace(plan, cautions=(*plan.cautions, *(Caution(f"{why}; {refused}") for why in reasons)))


def _cautions(later: Later, fresh: Flag) -> list[Caution]:
    cautions: list[Caution] = []
    running = [experiment for experiment in fresh.experiment_set_metadata if experiment.is_running]
    if running:
        state = fresh.experiment_state(True)
        cautions.append(Caution(f"experiment #{running[0].id} {running[0].name} is {state} on it"))
    if later.payload.get("operation") == "update_status" and later.payload.get("value") is fresh.active:
        cautions.append(Caution(f"it is {'on' if fresh.active else 'off'} already"))
    if later.payload.get("operation") == "add_release_condition" and not fresh.active:
        cautions.append(Caution("it is off, and the condition alone does not turn it on"))
    return cautions


async def _send(later: Later, id: int, client: Client) -> Answered:
    """Schedule the change, or delete it from the schedule."""
    if later.scheduled_id is not None:
        await client.schedule.delete(later.scheduled_id)
        return Answered()
    made = await client.schedule.create(
        {
            "record_id": str(id),
            "model_name": "FeatureFlag",
            "payload": dict(later.payload),
            "scheduled_at": _iso(later.at),
            **later.again,
        }
    )
    return Answered(f"scheduled change #{made.id}", server_values={"scheduled": made.id})


def kept_of(later: Later) -> dict[str, JSON]:
    """Return the journal's data of a scheduled change."""
    kept: dict[str, JSON] = {"words": later.words, "payload": dict(later.payload), "at": _iso(later.at)}
    if later.scheduled_id is not None:
        kept["scheduled"] = later.scheduled_id
    return {**kept, "again": dict(later.again)} if later.again else kept


def _iso(moment: datetime) -> str:
    return local_time.iso(moment.timestamp())


def refuse_undo_of_schedule(entry: Entry) -> Blocked | None:
    """Return why a scheduled or dropped change cannot be undone."""
    kept = entry.after or entry.before
    if not kept.get("payload"):
        return Blocked(
            "cannot be undone", "the previous value was not recorded", "schedule it again, or drop it"
        )
    again = as_dict(kept.get("again"))
    if not entry.after and again and not again.get("is_recurring"):
        return Blocked("paused", "it was paused, and a new schedule cannot start paused", "schedule it again")
    if entry.after and as_id(kept.get("scheduled")) is None:
        return Blocked("number", "its id is not known", "find it among the scheduled ones and drop it")
    return None


def inverse_of(entry: Entry) -> Later:
    """Drop a scheduled change, or schedule a dropped one again."""
    kept = entry.after or entry.before
    return Later(
        as_text(kept.get("words")),
        as_dict(kept.get("payload")),
        local_time.utc(moment(kept.get("at"))),
        as_id(kept.get("scheduled")) if entry.after else None,
        as_dict(kept.get("again")),
    )


def schedule_conflicts(later: Later, current: ScheduledChange) -> list[FieldConflict]:
    """Return the later changes of the scheduled fields."""
    conflicts: list[FieldConflict] = []
    if not same(dict(later.payload), current.payload):
        conflicts.append(FieldConflict(("payload",), dict(later.payload), "dropped", current.payload))
    at = current.scheduled_at
    if at is not None and abs(at.timestamp() - later.at.timestamp()) >= 1:
        conflicts.append(
            FieldConflict(("scheduled_at",), later.moment, "dropped", replace(later, at=at).moment)
        )
    return conflicts

"""What is made from flags, or kept for later, from the command line: schedules, cohorts, dashboards."""

import asyncio
from dataclasses import replace
from typing import Literal

import click

from flagtui import local_time
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.proposal import LeftOut
from flagtui.changes.related.creation import RelatedPlan, What, made_beside
from flagtui.changes.related.related_entries import RelatedAdapter
from flagtui.changes.related.schedules import (
    Later,
    adding_condition,
    dropping,
    plan_later,
    read_moment,
    switching,
)
from flagtui.cli.agreement import PlannedChange, carry_out
from flagtui.cli.change_report import STOPPED
from flagtui.cli.errors import Trouble
from flagtui.cli.flags.flag_selection import flags_of
from flagtui.cli.options import WriteTerms
from flagtui.cli.output.lines import progress, warn
from flagtui.cli.project_session import ProjectSession, in_project
from flagtui.cli.row_source import FLAGS
from flagtui.cli.selection import only_one, read_words
from flagtui.models.flag import Flag
from flagtui.models.flag_answers import ScheduledChange
from flagtui.text.flag_sentences import scheduled_words

Made = Literal["cohort", "dashboard"]


def schedule_change(word: str, what: tuple[bool | None, float | None], when: str, terms: WriteTerms) -> int:
    """On, off or one condition more, at a moment; the exit code. Raises Trouble."""
    wanted = read_words([word], FLAGS.is_query)

    async def work(session: ProjectSession) -> int:
        moment = read_moment(when, session.now)
        if isinstance(moment, str):
            raise Trouble(f"--at: {moment}.", code="usage")
        at = local_time.utc(moment)
        is_on, share = what
        later = adding_condition(share, at) if share is not None else switching(is_on is True, at)
        flag = only_one(await flags_of(session, wanted), "flag")
        code = await _later(session, flag, later, terms)
        if code or terms.agreement.dry_run or not terms.agreement.wait:
            return code
        return await _until_done(session, flag, later, terms.agreement.wait)

    return in_project(terms.place, work)


async def _until_done(session: ProjectSession, flag: Flag, later: Later, wait: float) -> int:
    """0 when the server has done it. Raises Trouble when it could not, or did not so far."""

    def is_then(one: ScheduledChange) -> bool:
        return one.scheduled_at is not None and abs((one.scheduled_at - later.at).total_seconds()) < 1

    async def look() -> ScheduledChange | None:
        known = await session.client.schedule.all({"model_name": "FeatureFlag", "record_id": flag.id})
        # Servers keep fewer digits of the moment than were sent.
        alike = [one for one in known if one.payload == later.payload and is_then(one)]
        newest = max(alike, key=lambda one: one.id, default=None)
        return newest if newest is not None and newest.is_done else None

    try:
        done = await session.until(look, wait, f"{flag.key} is {later.words}")
    except asyncio.CancelledError:
        warn(f"stopped waiting; {flag.key} stays scheduled.")
        raise click.exceptions.Exit(STOPPED) from None
    if done is None:
        fix = f"It stays scheduled: flagtui flags due {flag.key}"
        raise Trouble(f"{flag.key} is not {later.words} so far.", fix, code="not_known", retryable=True)
    if done.failure_reason:
        raise Trouble(f"{flag.key} could not be {later.words}: {done.failure_reason}")
    progress(f"{flag.key} is {later.words}")
    return 0


def drop_change(word: str, number: int, terms: WriteTerms) -> int:
    """A scheduled change that shall not happen; the exit code. Raises Trouble."""
    wanted = read_words([word], FLAGS.is_query)

    async def work(session: ProjectSession) -> int:
        flag = only_one(await flags_of(session, wanted), "flag")
        known = await session.client.schedule.all({"model_name": "FeatureFlag", "record_id": flag.id})
        found = next((one for one in known if one.id == number), None)
        if found is None:
            fix = f"See: flagtui flags due {flag.key}"
            raise Trouble(f"{flag.key} has no scheduled change {number}.", fix, code="not_found")
        return await _later(session, flag, dropping(found, scheduled_words(found)), terms)

    return in_project(terms.place, work)


async def _later(session: ProjectSession, flag: Flag, later: Later, terms: WriteTerms) -> int:
    return await carry_out(related_change(session, flag, plan_later(later, flag)), session, terms)


def make_from_flag(word: str, made: Made, terms: WriteTerms) -> int:
    """A cohort of who has it, or its dashboard, or more on that; the exit code."""
    wanted = read_words([word], FLAGS.is_query)

    async def work(session: ProjectSession) -> int:
        flag = only_one(await flags_of(session, wanted), "flag")
        has_one = made == "dashboard" and flag.usage_dashboard is not None
        what: What = "enrich" if has_one else made
        who = "everyone who has the flag now" if flag.active else "no one, since the flag is off"
        plan = await made_beside(what, flag, who, session.client)
        return await carry_out(related_change(session, flag, plan), session, terms)

    return in_project(terms.place, work)


def related_change(
    session: ProjectSession, flag: Flag, plan: RelatedPlan | Blocked, place: str = ""
) -> PlannedChange[RelatedPlan]:
    """The plan with the way it is sent."""
    adapter = RelatedAdapter(session.client)
    if isinstance(plan, Blocked):
        return PlannedChange((), adapter, [LeftOut(flag.id, flag.key, plan.reason, plan.next)])
    return PlannedChange([replace(plan, read_at=session.now)], adapter, place=place)

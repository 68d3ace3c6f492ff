"""`flagtui flags schedule`, `cohort` and `dashboard`."""

import asyncio
from typing import Any, Final, TypedDict, Unpack

import click

from flagtui import local_time
from flagtui.changes.related.creation import RelatedPlan, What, made_beside
from flagtui.changes.related.related_planner import RelatedPlanner
from flagtui.changes.related.schedules import (
    Later,
    adding_condition,
    dropping,
    plan_later,
    plan_switch_later,
    raising,
    read_moment,
    switching,
    why_not_dropped,
)
from flagtui.changes.skipped import Blocked
from flagtui.cli.commands.flags.flag_selection import flag_of
from flagtui.cli.plumbing.change_report import STOPPED, change_command
from flagtui.cli.plumbing.confirmation import carry_out
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.plumbing.option_rules import ruled_option
from flagtui.cli.plumbing.options import Percentage, WriteTerms
from flagtui.cli.plumbing.output.lines import progress, warn
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.record_command import RecordCommand
from flagtui.cli.plumbing.selection import RecordSelection
from flagtui.cli.plumbing.session_context import SessionContext
from flagtui.cli.plumbing.word_types import FLAG_WORD
from flagtui.models.flag import Flag
from flagtui.models.flag_responses import ScheduledChange
from flagtui.text.schedule_words import scheduled_words

LATER_CHANGES: Final = ("--on", "--off", "--add-share", "--rollout")


class ChangeNumber(click.types.IntParamType):
    """The id of a scheduled change, also as messages show it: `#3`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        digits: Any = value.removeprefix("#") if isinstance(value, str) else value
        return super().convert(digits, param, ctx)


class ScheduleOptions(TypedDict):
    """The options as click passes them."""

    turns_on: bool
    turns_off: bool
    share: float | None
    rollout: float | None
    condition: int
    when: str
    number: int | None


@change_command(
    "schedule",
    operations=(
        *("flags.list", "flags.get", "flags.dependents"),
        *("schedule.list", "schedule.create", "schedule.delete"),
    ),
    never_staged="a schedule is kept by the server",
    examples=(
        "checkout-redesign --off --at +2h --yes",
        "new-nav --rollout 50 --at +1d --dry-run",
        "checkout-redesign --add-share 50 --at '2099-03-05 09:00' --dry-run",
    ),
)
@FLAG_WORD
@ruled_option("--on", "turns_on", is_flag=True, help="Turn it on then.", excludes=LATER_CHANGES)
@ruled_option("--off", "turns_off", is_flag=True, help="Turn it off then.", excludes=LATER_CHANGES)
@ruled_option(
    "--add-share",
    "share",
    type=Percentage(),
    metavar="PERCENT",
    help="Add a condition with this rollout.",
    excludes=LATER_CHANGES,
)
@ruled_option(
    "--rollout",
    type=Percentage(),
    metavar="PERCENT",
    help="Raise the rollout of a condition.",
    excludes=LATER_CHANGES,
)
@ruled_option(
    "--condition",
    type=click.IntRange(1),
    metavar="N",
    default=1,
    show_default=True,
    help="The condition of --rollout.",
    requires=("--rollout",),
)
@click.option(
    "--at",
    "when",
    default="",
    metavar="WHEN",
    help="+2h30m, 09:00, tomorrow 09:00 or 2026-03-05 09:00, your time zone.",
)
@ruled_option(
    "--drop",
    "number",
    type=ChangeNumber(),
    metavar="ID",
    help="Drop this scheduled change; flagtui flags due shows ids.",
    excludes=(*LATER_CHANGES, "--at"),
)
async def schedule(
    session: ProjectSession, flag: RecordSelection, terms: WriteTerms, **given: Unpack[ScheduleOptions]
) -> int:
    """Schedule a change of a flag on the server, or drop a scheduled one."""
    share, rollout = given["share"], given["rollout"]
    is_changed = given["turns_on"] or given["turns_off"] or share is not None or rollout is not None
    if given["number"] is not None:
        return await drop_change(session, await flag_of(session, flag), given["number"], terms)
    if not is_changed or not given["when"]:
        raise click.UsageError(
            "Give a change and a time: --on, --off, --rollout or --add-share, and --at; or --drop ID."
        )
    moment = read_moment(given["when"], session.now)
    if isinstance(moment, str):
        raise Trouble(f"--at {given['when']!r}: {moment}; nothing was scheduled.", code="usage")
    at = local_time.utc(moment)
    fresh = await flag_of(session, flag)
    if rollout is not None:
        step = raising(fresh, given["condition"] - 1, rollout, at)
        if isinstance(step, Blocked):
            raise Trouble(f"{fresh.key}: {step.reason}.", f"To go on: {step.next}.", code="refused")
        return await schedule_change(session, fresh, step, terms)
    later = adding_condition(share, at) if share is not None else switching(given["turns_on"], at)
    return await schedule_change(session, fresh, later, terms)


def _make(what: What, words: str, *operations: str) -> RecordCommand:
    """Declare a command that creates something from a flag, which stays unchanged."""

    @change_command(
        what,
        operations=("flags.list", "flags.get", *operations),
        examples=("checkout-redesign --dry-run", "checkout-redesign --yes"),
        help=words,
        never_staged="it creates a record beside the flag",
    )
    @FLAG_WORD
    async def make(session: ProjectSession, flag: RecordSelection, terms: WriteTerms) -> int:
        fresh = await flag_of(session, flag)
        has_one = what == "dashboard" and fresh.usage_dashboard is not None
        plan = await made_beside("enrich" if has_one else what, fresh, session.client)
        return await change_related(session, fresh, plan, terms)

    return make


cohort = _make(
    "cohort",
    "Create a cohort of all users who are served a flag now.",
    "flags.create_static_cohort",
    "cohorts.list",
)
dashboard = _make(
    "dashboard",
    "Create the usage dashboard of a flag, or add insights to it.",
    "flags.dashboard",
    "flags.enrich_usage_dashboard",
)


async def schedule_change(session: ProjectSession, flag: Flag, later: Later, terms: WriteTerms) -> int:
    """Schedule a switch or a new condition; return the exit code. Raises Trouble."""
    plan = await plan_switch_later(later, flag, session.client)
    code = await change_related(session, flag, plan, terms)
    if code or terms.agreement.dry_run or not terms.agreement.wait:
        return code
    return await _until_done(session, flag, later, terms.agreement.wait)


async def _until_done(session: ProjectSession, flag: Flag, later: Later, wait: float) -> int:
    """Return 0 once the server has applied it. Raises Trouble when it failed, or after the wait."""

    def is_then(change: ScheduledChange) -> bool:
        return change.scheduled_at is not None and abs((change.scheduled_at - later.at).total_seconds()) < 1

    async def look() -> ScheduledChange | None:
        scheduled = await session.client.schedule.all({"model_name": "FeatureFlag", "record_id": flag.id})
        # Servers keep fewer digits of the moment than were sent.
        alike = [change for change in scheduled if change.payload == later.payload and is_then(change)]
        newest = max(alike, key=lambda change: change.id, default=None)
        return newest if newest is not None and newest.is_done else None

    try:
        done = await session.until(look, wait, f"the scheduled change of {flag.key} is applied")
    except asyncio.CancelledError:
        warn(f"stopped waiting; {flag.key} stays scheduled.")
        raise click.exceptions.Exit(STOPPED) from None
    if done is None:
        fix = f"It stays scheduled: {next_command('flags', 'due', flag.key)}"
        what = f"the scheduled change of {flag.key} is not applied so far."
        raise Trouble(what, fix, code="not_known", retryable=True)
    if done.failure_reason:
        what = f"the scheduled change of {flag.key} could not be applied"
        raise Trouble(f"{what}: {done.failure_reason}")
    progress(f"the scheduled change of {flag.key} is applied: {later.words}")
    return 0


async def drop_change(session: ProjectSession, flag: Flag, number: int, terms: WriteTerms) -> int:
    """Drop a scheduled change and return the exit code. Raises Trouble."""
    scheduled = await session.client.schedule.all({"model_name": "FeatureFlag", "record_id": flag.id})
    change = next((change for change in scheduled if change.id == number), None)
    if change is None:
        fix = f"See: {next_command('flags', 'due', flag.key)}"
        raise Trouble(f"{flag.key} has no scheduled change {number}.", fix, code="not_found")
    plan = why_not_dropped(change) or plan_later(dropping(change, scheduled_words(change)), flag)
    return await change_related(session, flag, plan, terms)


async def change_related(
    session: ProjectSession, flag: Flag, plan: RelatedPlan | Blocked, terms: WriteTerms, place: str = ""
) -> int:
    """Create something from a flag, or schedule a change; return the exit code. Raises Trouble."""

    async def make() -> RelatedPlan | Blocked:
        return plan

    planner = RelatedPlanner(SessionContext(session, terms), make=make, place=place)
    return await carry_out(await planner.plan([flag.key]), session, terms)

"""`flagtui flags …` that change fields: plans on today's records, sent as the app sends them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Unpack

import click
from msgspec.structs import replace

from flagtui.changes.flags.flag_intent import (
    Intent,
    set_all_rollouts,
    set_field,
    set_rollout,
    switch,
    why_no_rollout,
)
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.flag_planner import FlagPlanner, FlagRequest
from flagtui.changes.flags.flag_save import FlagAdapter, VersionedFlagAdapter
from flagtui.changes.flags.flags_together import would_change
from flagtui.changes.flags.row_refusals import refuse_row
from flagtui.changes.planner import Planned
from flagtui.changes.skipped import Skipped
from flagtui.cli.commands.flags.flag_selection import (
    NAMING,
    FindFlags,
    FlagObject,
    deleted_flags_of,
    flags_of,
    flags_to_change,
)
from flagtui.cli.plumbing.bulk_reader import BulkReader
from flagtui.cli.plumbing.change_report import change_command
from flagtui.cli.plumbing.confirmation import carry_out
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.plumbing.option_rules import ruled_option
from flagtui.cli.plumbing.options import IF_VERSION, Percentage, TagOptions, WriteTerms, read_retagging
from flagtui.cli.plumbing.output.lines import progress
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.record_command import RecordCommand
from flagtui.cli.plumbing.selection import RecordSelection, only_one
from flagtui.cli.plumbing.session_context import planning_context
from flagtui.cli.plumbing.word_types import FLAG_WORDS, tag_options
from flagtui.models.flag import Flag
from flagtui.models.rows import FlagRow
from flagtui.text.formats import count as count_words
from flagtui.text.formats import percent as percent_words

WRITE = (
    "flags.list",
    "flags.get",
    "flags.update",
    "flags.dependents",
    "flags.activity_of",
    "flags.blast_radius",
)
MakeIntent = Callable[[Flag], Intent | Skipped]
"""The intended change of one flag, or why it is skipped."""


async def change_selected(
    session: ProjectSession,
    selection: RecordSelection,
    make: MakeIntent,
    terms: WriteTerms,
    row_would_change: Callable[[FlagRow], bool] | None = None,
    find: FindFlags = flags_of,
) -> int:
    """Read the selected flags and change them; the exit code. Raises Trouble, ApiError.

    `row_would_change` returns whether the row of a flag shows that the flag would change; None where rows
    lack what the change is about.
    """

    def flag_would_change(raw: FlagObject) -> bool:
        flag = Flag.of(raw)
        intent = make(flag)
        return isinstance(intent, Intent) and would_change(intent, flag)

    is_bulk = bool(selection.queries) or len(selection.names) > 1
    bulk = BulkReader(session, terms, Plan.noun, flag_would_change, row_would_change) if is_bulk else None
    return await change_flags(
        session, await flags_to_change(session, selection, terms, bulk, find), make, terms
    )


async def change_flags(
    session: ProjectSession, flags: Sequence[Flag], make: MakeIntent, terms: WriteTerms
) -> int:
    """Change flags that were just read; the exit code. Raises Trouble, ApiError."""
    version = terms.agreement.if_version
    if version is not None:
        check_version(flags, version)
    intents = [make(flag) for flag in flags]
    requests = [intent for intent in intents if isinstance(intent, Intent)]
    skipped = [intent for intent in intents if isinstance(intent, Skipped)]
    context, is_part = planning_context(session, terms), terms.agreement.stage
    planner = FlagPlanner(context, {flag.id: flag for flag in flags}, is_part=is_part)
    planned = await planner.plan(requests)
    if version is not None:
        planned = with_version_check(planned)
    return await carry_out(replace(planned, skipped=(*skipped, *planned.skipped)), session, terms)


def check_version(flags: Sequence[Flag], version: int) -> None:
    """Raise Trouble unless the only flag has the version of `--if-version`."""
    flag = only_one(flags, "flag")
    if flag.id <= 0:
        what = f"{flag.key} is not created yet, so it has no version"
        raise Trouble(f"{what}; nothing was staged.", code="refused")
    if flag.version is None:
        what = f"{flag.key} has no version on this server, so --if-version cannot be checked"
        raise Trouble(f"{what}; nothing was sent.", code="refused")
    if flag.version != version:
        what = f"{flag.key} has version {flag.version}, not {version}; nothing was sent."
        raise Trouble(what, f"See: {next_command('flags', 'history', flag.key)}", code="conflict")


def with_version_check(planned: Planned[FlagRequest, Plan]) -> Planned[FlagRequest, Plan]:
    """Return the same, with the version compared again right before the request."""
    adapter = planned.adapter
    if not isinstance(adapter, FlagAdapter):
        return planned
    if not all(plan.retag is None and adapter.is_compared(plan) for plan in planned.plans):
        progress("the server does not compare versions of this change: the check is not atomic")
    return replace(planned, adapter=VersionedFlagAdapter(adapter.flags))


_ROW_WOULD_CHANGE: Final[Mapping[str, Callable[[FlagRow], bool]]] = {
    "enable": lambda row: not row.active,
    "disable": lambda row: row.active,
    "archive": lambda row: not row.archived,
    "unarchive": lambda row: row.archived,
    "delete": lambda _row: True,
}


def _switch(name: str, words: str, *examples: str) -> RecordCommand:
    """Return a change of one field that needs nothing but the flags."""

    @change_command(
        name,
        operations=(*WRITE, "flags.activity") if name == "restore" else WRITE,
        examples=examples,
        help=words,
    )
    @FLAG_WORDS
    @IF_VERSION
    async def change(session: ProjectSession, flags: RecordSelection, terms: WriteTerms) -> int:
        verb = {"enable": "turn on", "disable": "turn off"}.get(name, name)

        def switch_flag(flag: Flag) -> Intent:
            return switch(verb, flag.id, flag.version)

        if name == "restore":
            return await change_selected(session, flags, switch_flag, terms, find=deleted_flags_of)
        return await change_selected(
            session,
            flags,
            switch_flag,
            terms,
            lambda row: _ROW_WOULD_CHANGE[name](row) and not refuse_row(row, name),
        )

    return change


enable = _switch("enable", "Turn flags on.", "checkout-redesign --dry-run", "dark-mode-default --yes --json")
disable = _switch(
    "disable", "Turn flags off; their targeting stays.", "new-nav --yes", "'is:stale tag:web' --dry-run"
)
archive = _switch(
    "archive",
    "Turn flags off and hide them from lists.",
    "new-nav --yes",
    "'is:stale called:never' --dry-run --json",
)
unarchive = _switch(
    "unarchive", "Unarchive flags; they stay off.", "new-nav --yes", "'is:archived tag:web' --dry-run"
)
delete = _switch(
    "delete",
    "Soft-delete flags; restore brings them back.",
    "new-nav --dry-run",
    "old-banner --yes --reason cleanup",
)
restore = _switch(
    "restore", "Restore deleted flags with their previous state.", "old-banner --dry-run", "old-banner --yes"
)


@change_command(
    "rollout",
    operations=(*WRITE, *NAMING),
    examples=("new-nav --to 40 --dry-run", "checkout-redesign --to 50 --condition 1 --yes"),
)
@FLAG_WORDS
@IF_VERSION
@click.option("--to", "percent", type=Percentage(), required=True, metavar="PERCENT", help="The share.")
@ruled_option(
    "--condition",
    type=click.IntRange(1),
    metavar="NUMBER",
    help="Only this condition, from 1.",
    excludes=("--all-conditions",),
)
@click.option("--all-conditions", is_flag=True, help="All conditions, also with different rollouts.")
async def rollout(
    session: ProjectSession,
    flags: RecordSelection,
    percent: float,
    condition: int | None,
    all_conditions: bool,
    terms: WriteTerms,
) -> int:
    """Set the rollout of flags; conditions, variants and payloads stay as they are.

    A flag whose conditions have different rollouts needs --condition or --all-conditions.
    """

    def change_rollout(flag: Flag) -> Intent | Skipped:
        return rollout_intent(flag, percent, condition, has_all=all_conditions)

    return await change_selected(session, flags, change_rollout, terms)


@change_command(
    "tag",
    operations=(*WRITE, "flags.bulk_update_tags"),
    examples=("checkout-redesign --add ops --remove old --dry-run", "'is:stale' --add cleanup --dry-run"),
)
@FLAG_WORDS
@IF_VERSION
@tag_options("flags")
async def tag(
    session: ProjectSession, flags: RecordSelection, terms: WriteTerms, **tags: Unpack[TagOptions]
) -> int:
    """Add, remove or set tags of flags."""
    retagging = read_retagging(**tags)

    def retag(flag: Flag) -> Intent:
        return set_field(flag.id, "tags", list(flag.tags), list(retagging.of(flag.tags)), flag.version)

    def row_would_change(row: FlagRow) -> bool:
        return {*retagging.of(row.tags)} != {*row.tags}

    return await change_selected(session, flags, retag, terms, row_would_change)


def rollout_intent(
    flag: Flag, percent: float, condition: int | None, *, has_all: bool = False
) -> Intent | Skipped:
    """Return the rollout of all conditions, or of one, counted from 1.

    Conditions with different rollouts are skipped unless `has_all`.
    """
    if why := why_no_rollout(flag):
        return Skipped(flag.id, flag.key, why)
    rollouts = dict.fromkeys(each.rollout for each in flag.targeting.conditions)
    if condition is None and len(rollouts) > 1 and not has_all:
        reason = f"its conditions have different rollouts: {', '.join(map(percent_words, rollouts))}"
        return Skipped(flag.id, flag.key, reason, "choose --condition NUMBER or --all-conditions")
    if condition is None:
        return set_all_rollouts(flag, percent)
    count = len(flag.targeting.conditions)
    if condition > count:
        return Skipped(flag.id, flag.key, f"it has {count_words(count, 'condition')}, so no {condition}")
    return set_rollout(flag, condition - 1, percent)

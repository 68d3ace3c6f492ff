"""`flagtui flags create` and `flagtui flags copy`: new flags, here and in other projects."""

from collections.abc import Mapping, Sequence
from re import fullmatch
from typing import Final, TypedDict, Unpack

import click
from msgspec.structs import replace

from flagtui.api.errors import ApiError
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.flag_planner import NewFlag, NewFlagPlanner
from flagtui.changes.flags.new_flags import (
    Taken,
    boolean_flag,
    copy_of,
    multivariate_flag,
    plan_create,
    remote_configuration,
)
from flagtui.changes.planner import PlanContext
from flagtui.changes.related.project_copies import (
    find_left_behind,
    find_target,
    needs_the_server,
    plan_copy,
    stays_behind_in_words,
    why_no_new_flag,
)
from flagtui.cli.commands.flags.flag_extras import change_related
from flagtui.cli.commands.flags.flag_selection import FlagObject, flags_of
from flagtui.cli.plumbing.bulk_reader import BulkReader
from flagtui.cli.plumbing.change_report import change_command
from flagtui.cli.plumbing.confirmation import carry_out
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.input_text import read_text
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.plumbing.option_rules import refuse_option, ruled_option
from flagtui.cli.plumbing.options import Percentage, WriteTerms, read_fields_of_new, source_option
from flagtui.cli.plumbing.project_names import find_project
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.selection import RecordSelection, only_one
from flagtui.cli.plumbing.session_context import SessionContext, planning_context
from flagtui.cli.plumbing.value_types import ProjectId
from flagtui.cli.plumbing.word_types import FLAG_WORDS, TAG
from flagtui.cli.records.flag_files import read_flags
from flagtui.evaluate import wire
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON
from flagtui.models.record_fields import FLAG_FIELDS

OF_NEW_FLAGS: Final = (
    *("--kind", "--variant", "--payload", "--rollout", "--field", "--description", "--tag", "--enable"),
)
"""Options for the values of one new flag."""


class NewFlagOptions(TypedDict):
    """The options as click passes them."""

    kind: str | None
    variants: tuple[str, ...]
    payload: str | None
    percent: float | None
    values: tuple[str, ...]
    description: str
    tags: tuple[str, ...]
    enable: bool
    source: str | None


@change_command(
    "create",
    operations=("flags.list", "flags.create", "flags.activity"),
    examples=(
        "new-search --description 'The new search' --rollout 10 --dry-run",
        "new-search --variant control --variant test --tag web --yes",
        "--from new-flags.json --dry-run",
    ),
)
@click.argument("key", required=False)
@source_option(
    help="JSON as flags get --json gives it, of one flag or many; - reads it.",
    excludes=("KEY", *OF_NEW_FLAGS),
)
@ruled_option(
    "--kind",
    type=click.Choice(["boolean", "multivariate", "config"]),
    default=None,
    help="What it serves: on or off (the default), variants, a value for programs.",
    excludes=("--field filters",),
)
@ruled_option(
    "--variant",
    "variants",
    multiple=True,
    metavar="KEY",
    help="A variant; all get equal shares.",
    excludes=("--kind boolean", "--kind config", "--payload", "--field filters"),
)
@ruled_option(
    "--payload",
    metavar="JSON",
    help="The payload of a boolean flag, or the value for programs.",
    excludes=("--kind multivariate", "--field filters"),
)
@ruled_option(
    "--rollout",
    "percent",
    type=Percentage(),
    metavar="PERCENT",
    help="The rollout; default: 0, of a value for programs 100.",
    excludes=("--field filters",),
)
@click.option("--field", "values", multiple=True, metavar="NAME=VALUE", help="Set any other field.")
@ruled_option("--description", default="", help="The description.", excludes=("--field name",))
@ruled_option(
    "--tag", "tags", multiple=True, metavar="TAG", type=TAG, help="A tag.", excludes=("--field tags",)
)
@ruled_option("--enable", is_flag=True, help="Turn it on; default: off.", excludes=("--field active",))
async def create(
    session: ProjectSession, key: str | None, terms: WriteTerms, **given: Unpack[NewFlagOptions]
) -> int:
    """Create a flag; by default it is off, with a rollout of 0 %.

    With --from, flags get the keys, states and targeting of the file.
    """
    source = given["source"]
    if source is not None:
        return await _create_records(session, read_flags(read_text(source) or ""), terms)
    if key is None:
        raise click.UsageError("Missing argument 'KEY'. Give a key, or --from FILE.")
    if key == "-":
        raise click.UsageError("- means standard input, and names no flag. Give a key, or --from -.")
    refuse_option(key, click.get_current_context())
    fields = new_fields(key, given["kind"], given["variants"], given["payload"])
    fields = with_rollout(fields, given["percent"]) | {"name": given["description"]}
    if tags := [tag.strip().lower() for tag in ",".join(given["tags"]).split(",") if tag.strip()]:
        fields["tags"] = tags
    if given["enable"]:
        fields["active"] = True
    fields |= read_fields_of_new(given["values"], FLAG_FIELDS, "a flag", "key")
    planned = await NewFlagPlanner(planning_context(session, terms)).plan([NewFlag(fields)])
    return await carry_out(planned, session, terms)


async def _create_records(
    session: ProjectSession, records: Sequence[Mapping[str, JSON]], terms: WriteTerms
) -> int:
    """Create the flags of these records, without what belongs to experiments and what is secret.

    Raises Trouble for a value that a new flag cannot have.
    """
    requests: list[NewFlag] = []
    for place, record in enumerate(records, start=1):
        flag = Flag.of(dict(record))
        fields = copy_of(flag, str(record["key"])) | {"active": record.get("active") is True}
        requests.append(NewFlag(fields, source=place if len(records) > 1 else 0))
        if record.get("archived") is True or record.get("deleted") is True:
            state = "archived" if record.get("archived") is True else "deleted"
            what = f"{flag.key} is {state} in the file, which a new flag cannot be; nothing was sent."
            raise Trouble(what, f"Set {state} to false, or leave the flag out.", code="usage")
        if record.get("rollout", rollout := flag.row().rollout) != rollout:
            what = f"{flag.key}: rollout cannot be set in a file; nothing was sent."
            raise Trouble(what, "Set the rollouts of its conditions, or leave rollout out.", code="usage")
    planned = await NewFlagPlanner(planning_context(session, terms)).plan(requests)
    return await carry_out(planned, session, terms)


@change_command(
    "copy",
    operations=(
        "flags.list",
        "flags.get",
        "flags.create",
        "flags.copy",
        "flags.activity",
        "schedule.list",
        "projects.get",
    ),
    examples=(
        "checkout-redesign --to-key checkout-again --yes",
        "checkout-redesign --to-project 2 --dry-run",
    ),
)
@FLAG_WORDS
@ruled_option(
    "--to-key",
    "key",
    default="",
    metavar="KEY",
    help="Copy to this key in the same project.",
    excludes=("--to-project",),
)
@click.option(
    "--to-project",
    "target",
    type=ProjectId(),
    metavar="PROJECT",
    help="Copy to that project, under the same key.",
)
async def copy_flags(
    session: ProjectSession, flags: RecordSelection, key: str, target: str | None, terms: WriteTerms
) -> int:
    """Copy flags, turned off: one to another key here, or any number to another project."""
    if target is not None:
        return await _copy_to_project(session, flags, await find_project(session.client, target), terms)
    if not key:
        raise click.UsageError("Give a target: --to-key KEY or --to-project PROJECT.")
    context = planning_context(session, terms)
    copies = await _copies([only_one(await flags_of(session, flags), "flag")], session, key)
    return await carry_out(await NewFlagPlanner(context).plan(copies), session, terms)


async def _copy_to_project(
    session: ProjectSession, flags: RecordSelection, project: int, terms: WriteTerms
) -> int:
    destination = _in_project(session, project)
    context = planning_context(destination, terms)
    fresh = await flags_of(session, flags, await _copy_reader(destination, context, terms, flags))
    if len(fresh) == 1 and needs_the_server(fresh[0]):
        return await _copied_by_the_server(session, destination, fresh[0], terms)
    skipped = {flag.id: why for flag in fresh if (why := why_no_new_flag(flag))}
    copies = await _copies([flag for flag in fresh if flag.id not in skipped], session)
    planned = await NewFlagPlanner(context, place=await _name_of(destination)).plan(copies)
    planned = replace(planned, skipped=(*skipped.values(), *planned.skipped))
    return await carry_out(planned, destination, terms)


async def _copies(flags: Sequence[Flag], session: ProjectSession, key: str = "") -> list[NewFlag]:
    """Return copies of flags of this project, under `key` or under their own keys. Raises ApiError."""
    left = await find_left_behind(flags, session.client)
    return [
        NewFlag(copy_of(flag, key or flag.key), (stays_behind_in_words(left[flag.id]),), flag.id)
        for flag in flags
    ]


async def _copy_reader(
    destination: ProjectSession, context: PlanContext, terms: WriteTerms, flags: RecordSelection
) -> BulkReader | None:
    """Return the reader of several flags that are copied to another project. Raises ApiError."""
    if not flags.queries and len(flags.names) == 1:
        return None
    taken = Taken(await context.all_flags(has_archived=True))

    def would_copy(raw: FlagObject) -> bool:
        flag = Flag.of(raw)
        if why_no_new_flag(flag):
            return False
        return isinstance(plan_create(copy_of(flag, flag.key), taken, Context()), Plan)

    return BulkReader(destination, terms, Plan.noun, would_copy)


def new_fields(key: str, kind: str | None, variants: Sequence[str], payload: str | None) -> dict[str, JSON]:
    """Return the first fields of a flag of this kind. Raises Trouble."""
    if odd := [variant for variant in variants if not fullmatch(r"[\w.-]+", variant)]:
        edit = next_command("flags", "edit")
        fix = f"--variant takes a key alone; shares are equal, and changed with: {edit}"
        raise Trouble(f"{odd[0]!r} is not a variant key.", fix, code="usage")
    kind = kind or ("multivariate" if variants else "boolean")
    if kind == "multivariate":
        return multivariate_flag(key, variants or ("control", "test"))
    if kind == "config":
        return remote_configuration(key, payload if payload is not None else "{}")
    fields = boolean_flag(key)
    if payload is not None:
        fields["filters"] = wire.with_payloads(fields["filters"], {"true": payload})
    return fields


def with_rollout(fields: Mapping[str, JSON], percent: float | None) -> dict[str, JSON]:
    """Return the same with a share for every condition."""
    if percent is None:
        return dict(fields)
    share = wire.whole_if_equal(percent)
    filters = wire.map_conditions(fields["filters"], lambda condition: wire.with_share(condition, share))
    return {**fields, "filters": filters}


def _in_project(session: ProjectSession, project: int) -> ProjectSession:
    destination, origin = session.client.for_project(project), str(session.client.project)
    return ProjectSession(session.opening, destination, session.is_read_only, origin=origin)


async def _name_of(session: ProjectSession) -> str:
    try:
        return (await session.client.projects.get(session.client.project)).label
    except ApiError:
        return f"project {session.client.project}"


async def _copied_by_the_server(
    session: ProjectSession, destination: ProjectSession, flag: Flag, terms: WriteTerms
) -> int:
    target = await find_target(SessionContext(session, terms), SessionContext(destination, terms), "")
    plan = plan_copy(flag, target, (await find_left_behind([flag], session.client))[flag.id])
    return await change_related(session, flag, plan, terms, target.name)

"""`flagtui flags create` and `flagtui flags copy`: new flags, here and in other projects."""

from collections.abc import Mapping, Sequence
from re import fullmatch
from typing import TypedDict, Unpack

import click

from flagtui.api.errors import ApiError
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.flags.flag_save import FlagAdapter
from flagtui.changes.flags.new_flags import (
    Taken,
    boolean_flag,
    copy_of,
    multivariate_flag,
    plan_create,
    remote_configuration,
)
from flagtui.changes.flags.surroundings import similar_keys
from flagtui.changes.proposal import LeftOut
from flagtui.changes.related.project_copies import (
    Target,
    bound_to_its_project,
    needs_the_server,
    plan_copy,
    stays_behind,
    stays_behind_in_words,
)
from flagtui.cli.commands.flags.flag_extras import related_change
from flagtui.cli.commands.flags.flag_selection import flags_of
from flagtui.cli.plumbing.change_report import change_command
from flagtui.cli.plumbing.confirmation import PlannedChange, carry_out
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.options import NumberRange, WriteTerms, read_fields
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.selection import FLAGS, Wanted, only_one
from flagtui.cli.plumbing.word_types import FLAG_WORDS, TAG
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_list, as_text
from flagtui.store.activity_feed import recent_deletions


class NewFlagOptions(TypedDict):
    """As click gives them."""

    kind: str
    variants: tuple[str, ...]
    payload: str | None
    percent: float | None
    values: tuple[str, ...]
    description: str
    tags: tuple[str, ...]
    enable: bool


@change_command(
    "create",
    operations=("flags.list", "flags.create", "flags.activity"),
    examples=(
        "flags create new-search --description 'The new search' --rollout 10 --dry-run",
        "flags create new-search --variant control --variant test --tag web --yes",
    ),
)
@click.argument("key")
@click.option(
    "--kind",
    type=click.Choice(["boolean", "multivariate", "config"]),
    default="boolean",
    show_default=True,
    help="What it gives: on or off, variants, a value for programs.",
)
@click.option("--variant", "variants", multiple=True, metavar="KEY", help="A variant; all get equal shares.")
@click.option("--payload", metavar="JSON", help="What comes with it.")
@click.option(
    "--rollout", "percent", type=NumberRange(0, 100), metavar="PERCENT", help="The share; 0 unless said."
)
@click.option("--field", "values", multiple=True, metavar="NAME=VALUE", help="Any other field.")
@click.option("--description", default="", help="What it is for.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", type=TAG, help="A tag.")
@click.option("--enable", is_flag=True, help="Make it on; off unless said.")
async def create(
    session: ProjectSession, key: str, terms: WriteTerms, **given: Unpack[NewFlagOptions]
) -> int:
    """Make a new flag: off, with a rollout of 0 %, unless options say otherwise."""
    fields = new_fields(key, given["kind"], given["variants"], given["payload"])
    fields = with_rollout(fields, given["percent"]) | {"name": given["description"]}
    if tags := [tag.strip().lower() for tag in given["tags"] if tag.strip()]:
        fields["tags"] = tags
    if given["enable"]:
        fields["active"] = True
    fields |= read_fields(given["values"])
    taken = await taken_in(session)
    plan = plan_create(fields, taken, await _context(session, fields, taken))
    change = _change(session, [plan], [as_text(fields.get("key"))])
    return await carry_out(change, session, terms)


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
        "flags copy checkout-redesign --to-key checkout-again --yes",
        "flags copy checkout-redesign --to-project 2 --dry-run",
    ),
)
@FLAG_WORDS
@click.option("--to-key", "key", default="", metavar="KEY", help="Here, under this key.")
@click.option("--to-project", "target", type=int, metavar="ID", help="In that project, under the same key.")
async def copy_flags(
    session: ProjectSession, flags: Wanted, key: str, target: int | None, terms: WriteTerms
) -> int:
    """Copy flags, off: one here under another key, or any number to another project."""
    if not key and target is None:
        raise click.UsageError("Say where: --to-key KEY or --to-project ID.")
    fresh = await flags_of(session, flags)
    if target is None:
        only_one(fresh, "flag")
    there = session if target is None else _in_project(session, target)
    if target is not None and len(fresh) == 1 and needs_the_server(fresh[0]):
        return await _copied_by_the_server(session, there, fresh[0], terms)
    taken = await taken_in(there)
    plans: list[Plan | Blocked] = []
    for place_of_it, flag in enumerate(fresh):
        if target is not None and (why := _why_not_made(flag)):
            plans.append(why)
            continue
        fields = copy_of(flag, key or flag.key)
        left = await _left_behind(session, flag)
        context = await _context(there, fields, taken)
        plans.append(plan_create(fields, taken, context, (stays_behind_in_words(left),), place_of_it))
    name = "" if target is None else await _name_of(there)
    change = _change(there, plans, [key or flag.key for flag in fresh], name)
    return await carry_out(change, there, terms)


def new_fields(key: str, kind: str, variants: Sequence[str], payload: str | None) -> dict[str, JSON]:
    """What a flag of this kind starts with. Raises Trouble."""
    if odd := [one for one in variants if not fullmatch(r"[\w.-]+", one)]:
        fix = "--variant takes a key alone; shares are equal, and changed with: flagtui flags edit"
        raise Trouble(f"{odd[0]!r} is no key of a variant.", fix, code="usage")
    if variants and kind == "boolean":
        kind = "multivariate"
    if kind == "multivariate":
        return multivariate_flag(key, variants or ("control", "test"))
    if variants:
        raise Trouble("a remote configuration has no variants.", code="usage")
    if kind == "config":
        return remote_configuration(key, payload if payload is not None else "{}")
    fields = boolean_flag(key)
    if payload is not None:
        fields["filters"] = {**fields["filters"], "payloads": {"true": payload}}
    return fields


def with_rollout(fields: Mapping[str, JSON], percent: float | None) -> dict[str, JSON]:
    """The same with a share for every condition."""
    if percent is None:
        return dict(fields)
    share = int(percent) if percent.is_integer() else percent
    filters = fields["filters"]
    groups = [{**group, "rollout_percentage": share} for group in as_list(filters.get("groups"))]
    return {**fields, "filters": {**filters, "groups": groups}}


async def taken_in(session: ProjectSession) -> Taken:
    """The keys in use. Raises ApiError; without the activity the deleted ones are not known."""
    rows = await FLAGS.every(session, has_archived=True)
    try:
        deleted = {one.key: one.id for one in await recent_deletions(session.client.flags)}
    except ApiError:
        deleted = {}
    return Taken(rows, deleted)


async def _context(session: ProjectSession, fields: Mapping[str, JSON], taken: Taken) -> Context:
    similar = similar_keys(as_text(fields.get("key")), [row.key for row in taken.rows])
    return Context(now=session.now, me=await session.me(), similar=similar)


def _change(
    session: ProjectSession, plans: Sequence[Plan | Blocked], keys: Sequence[str], place: str = ""
) -> PlannedChange[Plan]:
    out = [
        LeftOut(0, key, plan.reason, plan.next)
        for key, plan in zip(keys, plans, strict=True)
        if isinstance(plan, Blocked)
    ]
    made = [plan for plan in plans if isinstance(plan, Plan)]
    return PlannedChange(made, FlagAdapter(session.client.flags), out, place=place)


def _in_project(session: ProjectSession, project: int) -> ProjectSession:
    return ProjectSession(session.opening, session.client.for_project(project), session.is_read_only)


async def _name_of(session: ProjectSession) -> str:
    try:
        return (await session.client.projects.get(session.client.project)).label
    except ApiError:
        return f"project {session.client.project}"


async def _left_behind(session: ProjectSession, flag: Flag) -> tuple[str, ...]:
    try:
        due = await session.client.schedule.all({"model_name": "FeatureFlag", "record_id": flag.id})
    except ApiError:
        return stays_behind(flag, None)
    return stays_behind(flag, sum(not change.is_done for change in due))


def _why_not_made(flag: Flag) -> Blocked | None:
    if why := bound_to_its_project(flag):
        return Blocked("bound", why, "make it there by hand")
    if needs_the_server(flag):
        reason = "it asks for cohorts or flags, which have other numbers there, so the server has to copy it"
        return Blocked("server", reason, "copy it alone")
    return None


async def _copied_by_the_server(
    session: ProjectSession, there: ProjectSession, flag: Flag, terms: WriteTerms
) -> int:
    ours = await session.client.projects.get(session.client.project)
    theirs = await there.client.projects.get(there.client.project)
    organization = ours.organization if ours.organization == theirs.organization else ""
    target = Target(theirs.id, theirs.label, organization, await taken_in(there))
    plan = plan_copy(flag, target, await _left_behind(session, flag))
    change = related_change(session, flag, plan, theirs.label)
    return await carry_out(change, session, terms)

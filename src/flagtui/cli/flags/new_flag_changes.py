"""New flags and copies from the command line."""

from collections.abc import Mapping, Sequence
from re import fullmatch

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
from flagtui.cli.agreement import PlannedChange, carry_out
from flagtui.cli.errors import Trouble
from flagtui.cli.flags.flag_extras import related_change
from flagtui.cli.flags.flag_selection import flags_of
from flagtui.cli.options import WriteTerms
from flagtui.cli.project_session import ProjectSession, in_project
from flagtui.cli.row_source import FLAGS
from flagtui.cli.selection import only_one, read_words
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_list, as_text
from flagtui.store.activity_feed import recent_deletions


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


def create_flag(fields: Mapping[str, JSON], terms: WriteTerms) -> int:
    """A new flag; the exit code."""

    async def work(session: ProjectSession) -> int:
        taken = await taken_in(session)
        plan = plan_create(fields, taken, await _context(session, fields, taken))
        change = _change(session, [plan], [as_text(fields.get("key"))])
        return await carry_out(change, session, terms)

    return in_project(terms.place, work)


def copy_flags(words: Sequence[str], to: tuple[str, int | None], terms: WriteTerms) -> int:
    """Here under another key, or in another project under the same ones; the exit code."""
    wanted = read_words(words, FLAGS.is_query)
    key, project = to

    async def work(session: ProjectSession) -> int:
        flags = await flags_of(session, wanted)
        if project is None:
            only_one(flags, "flag")
        there = session if project is None else _in_project(session, project)
        if project is not None and len(flags) == 1 and needs_the_server(flags[0]):
            return await _copied_by_the_server(session, there, flags[0], terms)
        taken = await taken_in(there)
        plans: list[Plan | Blocked] = []
        for place_of_it, flag in enumerate(flags):
            if project is not None and (why := _why_not_made(flag)):
                plans.append(why)
                continue
            fields = copy_of(flag, key or flag.key)
            left = await _left_behind(session, flag)
            context = await _context(there, fields, taken)
            plans.append(plan_create(fields, taken, context, (stays_behind_in_words(left),), place_of_it))
        name = "" if project is None else await _name_of(there)
        change = _change(there, plans, [key or flag.key for flag in flags], name)
        return await carry_out(change, there, terms)

    return in_project(terms.place, work)


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

"""Copies of a flag into another project: parts that exist only here, and the choice of the copier.

flagtui copies wherever it can, as a new flag: an existing key is refused then. The server's
own copy maps cohorts and flags to their other ids, but overwrites a flag of the same key. It
is used only for flags that need it, and only after a check that the key is free.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from flagtui.api import Client
from flagtui.api.errors import ApiError
from flagtui.api.flags import Flags
from flagtui.changes.flags.flag_plan import stored_value
from flagtui.changes.flags.flag_planner import find_taken
from flagtui.changes.flags.flag_words import cohort_name
from flagtui.changes.flags.new_flags import Taken, taken_by, warn_of_deleted, why_no_copy
from flagtui.changes.journal_entries import Entry
from flagtui.changes.planner import PlanContext
from flagtui.changes.proposal import Caution, Consequence
from flagtui.changes.related.creation import Answered, RelatedPlan
from flagtui.changes.skipped import Blocked, Skipped
from flagtui.changes.verbs import Verb
from flagtui.models.filters import is_frozen
from flagtui.models.flag import Flag
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.json_value import JSON, as_id, as_list, as_text

KIND: Final = "copy"
"""The name in the journal of a copy that the server made."""
UNDO_WORDS: Final = "delete the copy of it"
_BY_HAND: Final = "make it there by hand"
_KEPT: Final = ("key", "name", "active", "filters", "tags")
"""Fields of the copy that the journal stores, to detect a later change."""


class CopyTarget(msgspec.Struct, frozen=True):
    """The project a copy is for."""

    id: int
    name: str
    organization: str = ""
    """Id of the organisation; the server copies within one."""
    taken: Taken = msgspec.field(default_factory=lambda: Taken(()))


def bound_to_its_project(flag: Flag) -> str:
    """Return why the flag cannot be copied to another project unchanged; empty when it can."""
    targeting = flag.targeting
    if why := why_no_copy(flag):
        return why
    if any(targeting.group_type_of(condition) is not None for condition in targeting.conditions):
        return "its conditions are about groups, which may be of another type there"
    if needs_the_server(flag) and (parts := [*_own_parts(flag)]):
        return f"only the server can find its cohorts and flags there, and it would take {parts[0]} along"
    return ""


def needs_the_server(flag: Flag) -> bool:
    """Return whether its conditions refer to ids that differ between projects."""
    return bool(flag.targeting.cohorts or flag.targeting.depends_on)


def stays_behind(flag: Flag, scheduled: int | None) -> tuple[str, ...]:
    """Return the parts that a copy lacks; `scheduled` is None if the schedules are not known."""
    parts = [*_own_parts(flag)]
    parts += ["its experiments"] if flag.experiment_set else []
    parts += ["early access"] if flag.features else []
    parts += ["dashboards"] if flag.usage_dashboard is not None or flag.analytics_dashboards else []
    if scheduled is None:
        parts.append("scheduled changes, if it has any")
    elif scheduled:
        parts.append(f"{scheduled} scheduled change{'s' * (scheduled > 1)}")
    return (*parts, "its history")


def _own_parts(flag: Flag) -> Iterator[str]:
    """Yield the stored parts of the flag that belong to this project, or are secret."""
    raw = flag.targeting.raw
    if flag.targeting.holdout_id is not None or as_list(raw.get("holdout_groups")):
        yield f"holdout #{flag.targeting.holdout_id}" if flag.targeting.holdout_id else "its holdout"
    if flag.targeting.feature_enrollment:
        yield "the early access rule"
    if any(map(is_frozen, flag.targeting.stored_conditions)):
        yield "what its experiment froze"
    if flag.has_encrypted_payloads:
        yield "its encrypted payload"


def why_no_new_flag(flag: Flag) -> Skipped | None:
    """Return why the flag cannot be created in another project; None when it can be."""
    if why := bound_to_its_project(flag):
        return Skipped(flag.id, flag.key, why, _BY_HAND)
    if needs_the_server(flag):
        reason = "it depends on cohorts or flags, which have other ids there, so the server has to copy it"
        return Skipped(flag.id, flag.key, reason, "copy it alone")
    return None


async def find_left_behind(flags: Sequence[Flag], client: Client) -> dict[int, tuple[str, ...]]:
    """Return by id what a copy of each flag does not have.

    Scheduled changes count where the key may read them; those of several flags take one request.
    """
    if not flags:
        return {}
    alone: dict[str, JSON] = {"record_id": flags[0].id} if len(flags) == 1 else {}
    try:
        due = await client.schedule.all({"model_name": "FeatureFlag", **alone})
    except ApiError:
        return {flag.id: stays_behind(flag, None) for flag in flags}
    scheduled = Counter(change.record_id for change in due if not change.is_done)
    return {flag.id: stays_behind(flag, scheduled[str(flag.id)]) for flag in flags}


async def find_target(context: PlanContext, destination: PlanContext, name: str) -> CopyTarget:
    """Return the project of `destination` with this name; the server copies within one organisation.

    Raises ApiError.
    """
    ours = await context.client.projects.get(context.client.project)
    theirs = await destination.client.projects.get(destination.client.project)
    organization = ours.organization if ours.organization == theirs.organization else ""
    taken = replace(await find_taken(destination), is_elsewhere=True)
    return CopyTarget(theirs.id, name or theirs.label, organization, taken)


def plan_copy(
    flag: Flag, target: CopyTarget, left: Sequence[str], names: Names = NO_NAMES
) -> RelatedPlan | Blocked:
    """Return the server's own copy, off, under the same key."""
    if why := bound_to_its_project(flag):
        return Blocked("bound", why, _BY_HAND)
    if blocked := taken_by(flag.key, target.taken):
        return blocked
    if not target.organization:
        return Blocked("bound", "it is not known which organisation its project belongs to", _BY_HAND)
    overwrites = "a flag created there with this key at this moment is overwritten"
    return RelatedPlan(
        fresh=flag,
        verb=Verb("copy", "Copy", f"is in {target.name} now, off", UNDO_WORDS),
        kind=KIND,
        before={"id": flag.id},
        after={"project": target.id, "project_name": target.name},
        makes_a_flag=True,
        send=lambda client: send_copy(flag, target, client.flags),
        summary=f"copy to {target.name} #{target.id}",
        consequences=(
            *_found_there(flag, names),
            stays_behind_in_words(left),
            Consequence("Undo", f"deletes it in {target.name}", "plain"),
        ),
        cautions=(*warn_of_deleted(flag.key, target.taken), Caution(overwrites)),
    )


def _found_there(flag: Flag, names: Names) -> Iterator[Consequence]:
    properties = [*flag.targeting.properties]
    cohorts = {item.cohort_id: item for item in properties if item.cohort_id is not None}
    if cohorts:
        called = ", ".join(cohort_name(item, names) for item in cohorts.values())
        yield Consequence("Cohorts", f"{called}: found there by name, or made there", "warning")
    needed = {item.flag_id: item.label or item.key for item in properties if item.flag_id is not None}
    if needed:
        called = ", ".join(names.flags.get(id, label) for id, label in needed.items())
        yield Consequence("Needs", f"{called} there under the same key", "warning")


def stays_behind_in_words(left: Sequence[str]) -> Consequence:
    """Return the consequence for parts that the copy leaves behind."""
    return Consequence("Stays behind", ", ".join(left), "plain")


async def send_copy(flag: Flag, target: CopyTarget, flags: Flags) -> Answered:
    """Send the copy; the note names its number, whether it is on, and an overwritten flag."""
    result = await flags.copy(target.organization, flag.key, [target.id], disable=True)
    if result.failed:
        return Answered(_why(result.failed[0].error_message), is_done=False)
    made = Flag.of(result.success[0]) if result.success else None
    if made is None:
        return Answered("the server names no copy", is_done=False)
    notes = [f"#{made.id}"]
    notes += ["it is on"] if made.active else []
    notes += ["it exists by then and is overwritten"] if (made.version or 1) > 1 else []
    return Answered(", ".join(notes), made=made, server_values=kept_of(made))


def kept_of(made: Flag) -> dict[str, JSON]:
    """Return the journal's data of a copy."""
    return {name: stored_value(made, name) for name in _KEPT}


def project_of(entry: Entry) -> int | None:
    """Return the target project of a copy that the server made; None for other changes."""
    return as_id(entry.after.get("project")) if entry.kind == KIND else None


def as_creation(entry: Entry) -> Entry:
    """Return the copy as a new flag of its project."""
    signature = replace(entry.signature, project=str(project_of(entry) or ""))
    return replace(entry, kind="flag", verb="create", signature=signature)


def _why(message: object) -> str:
    """Return the error as text; servers send it as text or by field."""
    if isinstance(message, Mapping):
        return "; ".join(f"{name}: {as_text(words) or words}" for name, words in message.items())
    return str(message)

"""Predict the server's refusals, in the server's order."""

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from flagtui.changes.difference import compact
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.row_refusals import (
    IS_ARCHIVED,
    IS_DELETED,
    NO_ACCESS,
    OUT_OF_ARCHIVE,
    OUT_OF_DELETED,
    RULES_ARE_FIXED,
)
from flagtui.changes.skipped import Blocked, Linked
from flagtui.evaluate import wire
from flagtui.models.editable_fields import is_plain_key
from flagtui.models.filters import flags_needed
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_dict, as_text
from flagtui.models.record_fields import FLAG_FIELDS

NAMED: Final = 5
"""How many flags a sentence names before it counts the rest."""


def experiments_of(fresh: Flag) -> tuple[Linked, ...]:
    """Return the experiments on the flag."""
    links = {link.id: link for link in fresh.experiment_set_metadata}
    ids = dict.fromkeys((*fresh.experiment_set, *links))
    return tuple(
        Linked(id, links[id].name, links[id].is_running) if id in links else Linked(id, "") for id in ids
    )


def names_of(flags: tuple[Linked, ...]) -> str:
    """Return `child, grandchild and 3 more`."""
    named = ", ".join(flag.name or f"flag {flag.id}" for flag in flags[:NAMED])
    return named if len(flags) <= NAMED else f"{named} and {len(flags) - NAMED:,} more"


def refusals(fresh: Flag, values: Mapping[str, JSON], context: Context) -> Iterator[Blocked]:
    """Yield each reason why these new values cannot be saved on this flag."""
    if not fresh.can_edit:
        yield Blocked("access", NO_ACCESS, "ask for editor access to it")
    if fresh.deleted and values.get("deleted") is not False:
        yield Blocked("deleted", IS_DELETED, OUT_OF_DELETED)
    if has_rules := wire.has_rules(fresh.filters):
        yield from _of_rules(fresh, values)
    is_refused = values.get("deleted") is False or {"filters", "archived"} & values.keys()
    if is_refused and not has_rules and not fresh.targeting.is_editable:
        version = compact(fresh.targeting.config_version)[:40]
        reason = f"its targeting is stored in configuration version {version}, which is read-only here"
        yield Blocked("configuration version", reason, "change it in the browser")
    for name in values:
        if name in _NEWER_FIELDS and name not in fresh.raw:
            yield Blocked("unknown field", f"this server has no `{name}` and would ignore it", "")
    if "key" in values and not is_plain_key(as_text(values["key"])):
        reason = "a key has 1 to 400 letters, digits, - and _, and nothing else"
        yield Blocked("key", reason, "choose another key")
    if values.get("deleted") is True:
        yield from _of_deletion(fresh, context)
    if values.get("archived") is True:
        yield from _of_archiving(fresh, values)
    if values.get("active") is False and fresh.active:
        yield from _of_dependents(context)
    if values.get("active") is True and not fresh.active:
        yield from _of_turning_on(fresh, values, context)
    if "filters" in values:
        yield from refused_dependencies(as_dict(values["filters"]), context)


def _of_archiving(fresh: Flag, values: Mapping[str, JSON]) -> Iterator[Blocked]:
    if fresh.id <= 0:
        yield Blocked("archive", "it is not created yet, and a new flag cannot be archived")
    if values.get("active", fresh.active):
        yield Blocked("archive", "a flag that is on cannot be archived", "turn it off in the same step")


_WITH_RULES: Final = frozenset({"active", "deleted", "name", "tags"})
"""Fields of a flag with rules that can be changed here; servers refuse most others."""


def _of_rules(fresh: Flag, values: Mapping[str, JSON]) -> Iterator[Blocked]:
    """Yield the refusals of a flag with rules, whose every update has to name its version."""
    code = "configuration version"
    if values.get("deleted") is False:
        yield Blocked(code, "servers cannot restore a flag with rules (configuration version 2)", "")
    if fields := [FLAG_FIELDS.words(name) for name in values if name not in _WITH_RULES]:
        reason = f"{RULES_ARE_FIXED}, not {', '.join(fields)}"
        yield Blocked(code, reason, "change it in the browser")
    if fresh.version is None:
        yield Blocked(code, "it has rules, and the server reports no version to check the change against", "")


def _of_deletion(fresh: Flag, context: Context) -> Iterator[Blocked]:
    names = [as_text(as_dict(item).get("name")) or "one without a name" for item in fresh.features]
    if names:
        reason = f"early access uses it: {', '.join(names)}"
        yield Blocked("early access", reason, "delete the early access feature first")
    running = [f"#{link.id} {link.name}".rstrip() for link in experiments_of(fresh) if link.is_on]
    if running:
        reason = f"{', '.join(running)} is {fresh.experiment_state(True)} on it"
        yield Blocked("experiment", reason, "end the experiment first")
    for blocked in _of_dependents(context):
        yield replace(blocked, together=())
    if fresh.is_used_in_replay_settings:
        yield Blocked("replay", "session replay settings use it", "take it out of the replay settings first")


def _of_dependents(context: Context) -> Iterator[Blocked]:
    dependents = context.dependents
    asking = (
        tuple(flag for flag in dependents if flag.is_on is not False) if isinstance(dependents, tuple) else ()
    )
    if asking:
        is_one = len(asking) == 1
        depends = "depends on this flag and is on" if is_one else "depend on this flag and are on"
        next = f"change or turn off {'that flag' if is_one else 'those flags'} first"
        yield Blocked("dependents", f"{names_of(asking)} {depends}", next, together=asking)


def _of_turning_on(fresh: Flag, values: Mapping[str, JSON], context: Context) -> Iterator[Blocked]:
    if fresh.archived and values.get("archived") is not False:
        yield Blocked("archived", IS_ARCHIVED, OUT_OF_ARCHIVE)
    needed = tuple(flag for flag in context.dependencies if flag.is_on is False and not flag.is_deleted)
    if blocking := tuple(flag for flag in needed if flag.id not in context.together):
        yield replace(_needs(blocking), together=blocking)


def refused_dependencies(filters: Mapping[str, JSON], context: Context) -> Iterator[Blocked]:
    """Yield the refusals of conditions that depend on a flag that is off or deleted.

    Servers check every write of conditions.
    """
    asks_for = flags_needed(filters)
    needed = [flag for flag in context.dependencies if flag.id in asks_for]
    if deleted := tuple(flag for flag in needed if flag.is_deleted):
        is_one = len(deleted) == 1
        reason = f"it depends on {names_of(deleted)}, which {'is' if is_one else 'are'} deleted"
        next = f"restore {'that flag' if is_one else 'those flags'}, or edit the conditions"
        yield Blocked("dependencies", reason, next)
    if off := tuple(flag for flag in needed if flag.is_on is False):
        yield _needs(off)


def _needs(off: tuple[Linked, ...]) -> Blocked:
    is_one = len(off) == 1
    reason = f"it depends on {names_of(off)}, which {'is' if is_one else 'are'} off"
    return Blocked("dependencies", reason, f"turn {'that flag' if is_one else 'those flags'} on first")


_NEWER_FIELDS: Final = FLAG_FIELDS.having("newer")

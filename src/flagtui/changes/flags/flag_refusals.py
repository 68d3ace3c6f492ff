"""What the server would refuse, known before it is asked. The order is the server's own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from flagtui.changes.difference import compact
from flagtui.changes.flags.flag_context import Context, Linked
from flagtui.models.editable_fields import is_plain_key
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_dict, as_text
from flagtui.models.record_fields import FLAG_FIELDS

NAMED: Final = 5
"""How many flags a sentence names before it counts the rest."""


@dataclass(frozen=True, slots=True)
class Blocked:
    """The change cannot be made now: why, and what would make it possible."""

    code: str
    reason: str
    next: str = ""
    together: tuple[Linked, ...] = ()
    """Flags that stand in the way, and would not if the same change were made to them as well."""


Check = Callable[[Flag, Mapping[str, JSON], Context], Blocked | None]


def foresee_refusal(fresh: Flag, wanted: Mapping[str, JSON], context: Context) -> Blocked | None:
    """The first reason why these new values cannot be saved on this flag."""
    for check in _CHECKS:
        if found := check(fresh, wanted, context):
            return found
    return None


def experiments_of(fresh: Flag, context: Context) -> tuple[Linked, ...]:
    """The experiments on the flag: those of the context, else those the flag names."""
    if context.experiments is not None:
        return context.experiments
    known = {link.id: link for link in fresh.experiment_set_metadata}
    ids = dict.fromkeys((*fresh.experiment_set, *known))
    return tuple(
        Linked(id, known[id].name, known[id].is_running) if id in known else Linked(id, "") for id in ids
    )


def names_of(flags: tuple[Linked, ...]) -> str:
    """`child, grandchild and 3 more`."""
    named = ", ".join(flag.name or f"flag {flag.id}" for flag in flags[:NAMED])
    return named if len(flags) <= NAMED else f"{named} and {len(flags) - NAMED} more"


def _no_access(fresh: Flag, wanted: Mapping[str, JSON], context: Context) -> Blocked | None:
    if fresh.can_edit:
        return None
    return Blocked("access", "you may look at this flag but not change it", "ask for editor access to it")


def _is_deleted(fresh: Flag, wanted: Mapping[str, JSON], context: Context) -> Blocked | None:
    if not fresh.deleted or wanted.get("deleted") is False:
        return None
    return Blocked("deleted", "the flag has been deleted", "restore it first")


def _newer_configuration(fresh: Flag, wanted: Mapping[str, JSON], context: Context) -> Blocked | None:
    if fresh.targeting.is_editable:
        return None
    refused = [name for name in ("filters", "archived") if name in wanted]
    if not refused and wanted.get("deleted") is not False:
        return None
    version = compact(fresh.targeting.config_version)[:40]
    reason = f"its targeting is stored in configuration version {version}, which is read-only here"
    return Blocked("configuration version", reason, "change it in the browser")


def _unknown_here(fresh: Flag, wanted: Mapping[str, JSON], context: Context) -> Blocked | None:
    missing = [name for name in wanted if name in _NEWER_FIELDS and name not in fresh.raw]
    if not missing:
        return None
    return Blocked("unknown field", f"this server has no `{missing[0]}` and would ignore it", "")


def _bad_key(fresh: Flag, wanted: Mapping[str, JSON], context: Context) -> Blocked | None:
    if "key" not in wanted or is_plain_key(as_text(wanted["key"])):
        return None
    reason = "a key has 1 to 400 letters, digits, - and _, and nothing else"
    return Blocked("key", reason, "choose another key")


def _deletion(fresh: Flag, wanted: Mapping[str, JSON], context: Context) -> Blocked | None:
    if wanted.get("deleted") is not True:
        return None
    if fresh.features:
        names = ", ".join(
            as_text(as_dict(item).get("name")) or "one without a name" for item in fresh.features
        )
        return Blocked(
            "early access", f"early access uses it: {names}", "delete the early access feature first"
        )
    running = tuple(link for link in experiments_of(fresh, context) if link.is_on)
    if running:
        return Blocked("experiment", f"{_numbered(running)} is running on it", "end the experiment first")
    if asking := _active_dependents(context):
        reason = f"{names_of(asking)} {_ask(asking)}"
        return Blocked("dependents", reason, _way_out(asking))
    if fresh.is_used_in_replay_settings:
        return Blocked("replay", "session replay settings use it", "take it out of the replay settings first")
    return None


def _ask(asking: tuple[Linked, ...]) -> str:
    return "depends on this flag and is on" if len(asking) == 1 else "depend on this flag and are on"


def _way_out(asking: tuple[Linked, ...]) -> str:
    those = "that flag" if len(asking) == 1 else "those flags"
    return f"change or turn off {those} first"


def _turning_off(fresh: Flag, wanted: Mapping[str, JSON], context: Context) -> Blocked | None:
    asking = _active_dependents(context)
    if wanted.get("active") is not False or not fresh.active or not asking:
        return None
    reason = f"{names_of(asking)} {_ask(asking)}"
    return Blocked("dependents", reason, _way_out(asking), together=asking)


def _turning_on(fresh: Flag, wanted: Mapping[str, JSON], context: Context) -> Blocked | None:
    if wanted.get("active") is not True or fresh.active:
        return None
    if fresh.archived and wanted.get("archived") is not False:
        return Blocked("archived", "the flag is archived", "bring it back from the archive first")
    needed = tuple(flag for flag in context.dependencies if flag.is_on is False)
    if needed:
        reason = f"it depends on {names_of(needed)}, which {'is' if len(needed) == 1 else 'are'} off"
        next = f"turn {'that flag' if len(needed) == 1 else 'those flags'} on first"
        return Blocked("dependencies", reason, next, together=needed)
    return None


def _archiving(fresh: Flag, wanted: Mapping[str, JSON], context: Context) -> Blocked | None:
    stays_on = wanted.get("active", fresh.active)
    if wanted.get("archived") is not True or not stays_on:
        return None
    return Blocked("archive", "a flag that is on cannot be archived", "turn it off in the same step")


def _active_dependents(context: Context) -> tuple[Linked, ...]:
    found = context.dependents
    return tuple(flag for flag in found if flag.is_on is not False) if isinstance(found, tuple) else ()


def _numbered(experiments: tuple[Linked, ...]) -> str:
    return ", ".join(f"#{link.id} {link.name}".rstrip() for link in experiments)


_NEWER_FIELDS: Final = FLAG_FIELDS.having("newer")
_CHECKS: Final[tuple[Check, ...]] = (
    _no_access,
    _is_deleted,
    _newer_configuration,
    _unknown_here,
    _bad_key,
    _deletion,
    _archiving,
    _turning_off,
    _turning_on,
)

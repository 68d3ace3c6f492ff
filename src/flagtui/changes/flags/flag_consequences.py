"""The consequences of a change: reach, experiments, dependents, the last editor."""

from collections.abc import Iterator, Mapping
from typing import Final

from flagtui.changes.difference import difference
from flagtui.changes.flags.flag_context import NO_USERS, Context, NotKnown, Reach
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_refusals import experiments_of
from flagtui.changes.flags.flag_words import in_words
from flagtui.changes.proposal import Caution, Consequence, Sentence, Tone, consequence_with_age
from flagtui.changes.skipped import Linked
from flagtui.local_time import unix
from flagtui.models.activity import SYSTEM, Activity
from flagtui.models.code_uses import CodeUses
from flagtui.models.editable_fields import is_plain_key
from flagtui.models.filters import Filters
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_dict
from flagtui.models.record_fields import FLAG_FIELDS
from flagtui.safe_text import code_points, safe_text

TOUCHES: Final = 3
"""Earlier changes that a question lists one by one."""
NAME: Final = 80
"""Characters of an experiment's number and name."""
SPOILING: Final = frozenset({"active", "filters", "key", "archived", "deleted", "bucketing_identifier"})
"""Fields that change an experiment's users or their variants."""
_USES: Final[Mapping[str, tuple[str, Tone]]] = {
    "running": ("is running on it", "experiment"),
    "paused": ("is paused on it", "experiment"),
    "": ("uses it", "experiment"),
    "not running": ("uses it and is not running", "plain"),
}
"""How an experiment uses a flag, by its state."""


def consequences(
    intent: Intent, fresh: Flag, values: Mapping[str, JSON], context: Context
) -> Iterator[Consequence]:
    """Yield all known consequences of these new values, in the order of a dialog."""
    was_on = fresh.active and not fresh.deleted
    is_on = bool(values.get("active", fresh.active)) and not values.get("deleted", fresh.deleted)
    if was_on is not is_on or (is_on and "filters" in values):
        yield reach_in_words(context.reach)
    for experiment in experiments_of(fresh):
        if experiment.is_on is not False and SPOILING & values.keys():
            # A caution names it.
            continue
        name = safe_text(f"#{experiment.id} {experiment.name}".rstrip(), NAME)
        uses, tone = _USES[fresh.experiment_state(experiment.is_on)]
        yield Consequence("Experiment", f"{name} {uses}", tone)
    if {"active", "deleted", "key"} & values.keys():
        yield from _dependents(fresh, values, context.dependents)
    if "key" in values and not fresh.deleted:
        yield Consequence("Code", f"stops matching {fresh.key} at once", "danger")
    is_deletion = values.get("deleted") is True
    if context.code_uses is not None:
        yield _code_uses(context.code_uses, context.now)
    if is_deletion and fresh.targeting.has_rules:
        yield Consequence("Undo", "not possible: servers cannot restore a flag with rules", "danger")
    elif is_deletion:
        yield Consequence(
            "Key", "a new flag with this key can destroy the deleted one permanently", "warning"
        )
    is_newer = intent.seen_version is not None and fresh.version not in (None, intent.seen_version)
    # The newer changes end with the last one.
    if not is_newer and (touch := _last_touch(fresh, context)) is not None:
        yield touch
    if intent.seen_version is not None:
        yield _changed_since(intent.seen_version, fresh, context)


def touch_sentence(who: str, at: float | None, what: str = "") -> Sentence:
    """Return `sam, 3 min ago: rollout 25 % → 50 %`; `at` is in Unix seconds."""
    when = (", ", at) if at is not None else ()
    return (who, *when, f": {what}" if what else "")


def _not_known(label: str, part: NotKnown) -> Consequence:
    return Consequence(label, f"not known{' yet' if part.is_pending else ''}: {part.why}", "warning")


def reach_in_words(reach: Reach | NotKnown) -> Consequence:
    """Describe who gains or loses the flag."""
    if isinstance(reach, NotKnown):
        return _not_known("Reach", reach)
    if reach == NO_USERS:
        return Consequence("Reach", "no one (unchanged): no condition matches", share=0.0)
    most = "up to " if reach.is_bound else "about " if reach.is_estimate else ""
    of, sides = f" of {reach.total:,} {reach.unit}", ""
    moves = [(number, verb) for number, verb in zip(reach.moved, ("lose", "gain"), strict=True) if number]
    if not moves:
        text = f"{most if reach.after else ''}{reach.after:,}{of}, as before"
    else:
        (first, verb), *second = moves
        others = "".join(f", {most}{number:,} {other} it" for number, other in second)
        is_cut = reach.is_bound and reach.total in (reach.before, reach.after)
        if reach.before and reach.after and not is_cut:
            sides = f": {reach.before:,} → {reach.after:,}"
        text = f"{most}{first:,}{of} {verb} it{others}{sides}"
    uncounted = f"; {reach.opted_in} are not counted" if reach.opted_in else ""
    tone: Tone = "danger" if reach.moved[0] else "good" if moves else "plain"
    share = max(reach.moved) / reach.total if reach.total else 0.0
    return Consequence("Reach", text + uncounted, tone, share)


def _code_uses(in_code: CodeUses, now: float) -> Consequence:
    """Return the uses in code, with the age of the scan that saw them."""
    searched = ("; searched ", in_code.taken_at)
    shown = in_code.uses or in_code.quoted
    if not shown:
        calls = (
            "1 call computes its key" if in_code.computed == 1 else f"{in_code.computed:,} calls compute keys"
        )
        where = f", where {calls}" if in_code.computed else ""
        return consequence_with_age("Code", (f"no use in {in_code.folder}{where}", *searched), now)
    places = ", ".join(use.place for use in shown[:PLACES])
    more = f" and {len(shown) - PLACES:,} more" if len(shown) > PLACES else ""
    count = "1 use" if len(shown) == 1 else f"{len(shown):,} uses"
    what = count if in_code.uses else "no call, but in quotes"
    return consequence_with_age("Code", (f"{what}: {places}{more}", *searched), now, "warning")


def _dependents(
    fresh: Flag, values: Mapping[str, JSON], dependents: tuple[Linked, ...] | NotKnown
) -> Iterator[Consequence]:
    """Describe what becomes of conditions that depend on the flag, whatever value they need."""
    if isinstance(dependents, NotKnown):
        yield _not_known("Dependents", dependents)
        return
    follows = "depends on this flag"
    if values.get("deleted") is True:
        follows += ", which will be missing: that flag will be off for everyone"
    elif fresh.active and values.get("active") is False:
        follows += ", which will be off for everyone"
    for flag in dependents:
        state = " (it is off)" if flag.is_on is False else ""
        yield Consequence("Dependents", f"{flag.name or f'flag {flag.id}'} {follows}{state}", "warning")


def _last_touch(fresh: Flag, context: Context) -> Consequence | None:
    touch = context.last_touch
    if isinstance(touch, NotKnown):
        return _not_known("Last change", touch)
    if touch is None:
        if fresh.last_modified_by is None:
            return None
        touch = touch_sentence(fresh.last_modified_by.label, unix(fresh.updated_at))
    is_recent = any(context.now and context.now - at < 15 * 60 for at in touch if not isinstance(at, str))
    return consequence_with_age("Last change", touch, context.now, "warning" if is_recent else "plain")


def _changed_since(seen_version: int, fresh: Flag, context: Context) -> Consequence:
    if fresh.version is None:
        return Consequence("Newer changes", "not known: the server has no versions for it", "warning")
    if fresh.version == seen_version:
        return Consequence("Newer changes", "none", "good")
    versions = f"v{seen_version} → v{fresh.version}"
    touches = context.touched_since[:TOUCHES]
    if not touches and fresh.last_modified_by is not None:
        touches = (touch_sentence(fresh.last_modified_by.label, unix(fresh.updated_at)),)
    parts: list[str | float] = [versions]
    for touch in touches:
        parts += ["; " if len(parts) > 1 else " by ", *touch]
    # Every change raises the version by one, and only the newest are read.
    if context.touched_since and (more := fresh.version - seen_version - len(touches)) > 0:
        parts.append(f"; and {more:,} more")
    return consequence_with_age("Newer changes", parts, context.now, "danger")


PLACES: Final = 3
"""Places in code that a question names one by one."""


def cautions(fresh: Flag, values: Mapping[str, JSON], context: Context) -> Iterator[Caution]:
    """Yield every warning, the gravest first."""
    for experiment in experiments_of(fresh) if SPOILING & values.keys() else ():
        name = safe_text(f"#{experiment.id} {experiment.name}".rstrip(), NAME)
        if experiment.is_on and values == {"active": True}:
            yield Caution(f"experiment {name} is paused, and turning its flag on resumes it")
        elif experiment.is_on:
            state = fresh.experiment_state(True)
            text = f"experiment {name} is {state} on this flag, and the change can spoil what it measures"
            yield Caution(text, (*["pause the experiment"] * fresh.active, "end the experiment"))
        elif experiment.is_on is None:
            text = f"experiment {name} uses this flag; the server does not report whether it is running"
            yield Caution(text, ("look at the experiment first",))
    yield from _redrawn(fresh, values, context)
    if not is_plain_key(key := fresh.key.removesuffix(f":deleted:{fresh.id}")):
        points = code_points(key)
        odd = f"characters that can look like others: {points}" if points else "characters no key should have"
        yield Caution(f"the key has {odd}")
    if context.similar:
        yield Caution(f"easily confused with {', '.join(context.similar[:5])}")
    if fresh.is_used_in_replay_settings and values.get("active") is False:
        yield Caution("session replay settings use this flag to choose what is recorded")
    if fresh.has_encrypted_payloads and "filters" in values:
        yield Caution("its payload is encrypted; it is sent back with the change and kept out of the journal")


def _redrawn(fresh: Flag, values: Mapping[str, JSON], context: Context) -> Iterator[Caution]:
    """Yield a caution when users are re-bucketed: a share depends on the key and the identifier."""
    before, old = fresh.targeting, fresh.bucketing_identifier
    after = Filters.of(values["filters"]) if "filters" in values else before
    is_by_device = values.get("bucketing_identifier", old) == "device_id"
    if not fresh.deleted and (
        values.get("key", fresh.key) != fresh.key or is_by_device is not (old == "device_id")
    ):
        is_split = sum(variant.rollout > 0 for variant in after.variants) > 1
        if is_split or any(0 < condition.rollout < 100 for condition in after.deciding):
            yield Caution("users are re-bucketed: different users get each share and variant")
            return
    was, now = (
        [variant.key for variant in side.variants if variant.key in other.variant_keys]
        for side, other in ((before, after), (after, before))
    )
    if was != now and sum(variant.rollout > 0 for variant in after.variants) > 1:
        yield Caution(
            "variants are in another order: users are re-bucketed, different users get each variant"
        )
    if len(before.conditions) != len(after.conditions):
        return
    for number, (previous, condition) in enumerate(zip(before.conditions, after.conditions, strict=True), 1):
        kind = after.group_type_of(condition)
        if before.group_type_of(previous) != kind and previous.rollout > 0:
            audience = "users" if kind is None else context.names.group_noun(kind)
            yield Caution(f"condition {number} is re-bucketed by {audience}: different ones match")


UNLOGGED: Final = "tags changed, or saved without a change"
"""An entry with nothing but a new version: servers do not log the tags of a single flag."""

SHOWN: Final = 2
"""Phrases of one entry that a question shows; the rest is counted."""


def touch_of(entry: Activity) -> Sentence:
    """Return an entry of the activity as an earlier change."""
    who = "the system" if entry.actor == SYSTEM else entry.actor
    return touch_sentence(who, unix(entry.created_at), activity_in_short(entry))


def activity_in_short(entry: Activity) -> str:
    """Describe an entry in one line: `turned off`, `condition 1: rollout 25 % → 50 %, tags changed`."""
    for change in entry.changes:
        if change.field == "active" and change.switch_words:
            return change.switch_words
    if entry.activity != "updated":
        return entry.activity
    if entry.is_unlogged:
        return UNLOGGED
    words, count = [], 0
    for change in entry.changes:
        if change.field == "filters":
            before, after = as_dict(change.before), as_dict(change.after)
            lines = difference(before, after, ("filters",))
            words += [in_words(line, {"filters": before}, {"filters": after}) for line in lines[:SHOWN]]
            count += len(lines)
        elif change.field:
            # Without values, which may be long or secret.
            words.append(change.switch_words or f"{FLAG_FIELDS.words(change.field)} changed")
            count += 1
    more = f" and {count - SHOWN:,} more" if count > SHOWN else ""
    return f"{', '.join(words[:SHOWN]) or 'something changed'}{more}"

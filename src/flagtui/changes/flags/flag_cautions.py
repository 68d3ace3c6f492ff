"""What should make a person stop and look, though nothing forbids it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from flagtui.changes.flags.flag_context import FRESH_FOR, Context
from flagtui.changes.flags.flag_refusals import experiments_of
from flagtui.models.editable_fields import is_plain_key
from flagtui.models.filters import Filters
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON
from flagtui.safe_text import code_points

Code = Literal[
    "odd key",
    "destroys",
    "similar keys",
    "stale",
    "running experiment",
    "linked experiment",
    "replay",
    "targeting",
    "encrypted",
    "rule",
    "redrawn",
    "already so",
    "stays off",
    "overwrites",
    "together",
]
SPOILING: Final = frozenset({"active", "filters", "key", "archived", "deleted", "bucketing_identifier"})
"""Fields that change who is in an experiment, and as what."""


@dataclass(frozen=True, slots=True)
class Caution:
    """One reason to look twice, and what could be done instead."""

    code: Code
    text: str
    instead: tuple[str, ...] = ()
    """Names of safer ways, such as `pause the experiment`."""


def cautions(fresh: Flag, values: Mapping[str, JSON], context: Context) -> tuple[Caution, ...]:
    """Every reason to look twice, the gravest first."""
    return (
        *_seat_belt(fresh, values, context),
        *_redrawn(fresh, values, context),
        *_odd_keys(fresh, values),
        *_surroundings(fresh, values, context),
    )


def _seat_belt(fresh: Flag, values: Mapping[str, JSON], context: Context) -> Iterator[Caution]:
    if not SPOILING & values.keys():
        return
    for experiment in experiments_of(fresh, context):
        name = f"#{experiment.id} {experiment.name}".rstrip()
        if experiment.is_on:
            text = f"experiment {name} is running on this flag, and the change can spoil what it measures"
            yield Caution("running experiment", text, ("pause the experiment", "end the experiment"))
        elif experiment.is_on is None:
            text = f"experiment {name} uses this flag; the server does not say whether it is running"
            yield Caution("linked experiment", text, ("look at the experiment first",))


def _redrawn(fresh: Flag, values: Mapping[str, JSON], context: Context) -> Iterator[Caution]:
    """A share is drawn from the key and the person, device or group: other ones have other people in it."""
    if not fresh.deleted and _has_other_draws(fresh, values) and _draws(fresh, values):
        yield Caution("redrawn", "its shares and variants are drawn anew: others will be in them")
        return
    if "filters" not in values:
        return
    before, after = fresh.targeting, Filters.of(values["filters"])
    pairs = zip(before.conditions, after.conditions, strict=False)
    for number, (old, new) in enumerate(pairs, 1):
        was, now = before.group_type_of(old), after.group_type_of(new)
        if was != now and old.rollout > 0 and len(before.conditions) == len(after.conditions):
            audience = "people" if now is None else context.names.group_noun(now)
            yield Caution(
                "redrawn", f"condition {number} is drawn anew, among {audience}: others will be in it"
            )


def _has_other_draws(fresh: Flag, values: Mapping[str, JSON]) -> bool:
    """Whether what is drawn from is another: the key, or the device in place of the person."""
    old = fresh.bucketing_identifier
    is_by_device = values.get("bucketing_identifier", old) == "device_id"
    return values.get("key", fresh.key) != fresh.key or is_by_device is not (old == "device_id")


def _draws(fresh: Flag, values: Mapping[str, JSON]) -> bool:
    """Whether anybody is in or out, or gets one variant or the other, by a draw."""
    filters = Filters.of(values["filters"]) if "filters" in values else fresh.targeting
    is_split = sum(variant.rollout > 0 for variant in filters.variants) > 1
    return is_split or any(0 < condition.rollout < 100 for condition in filters.deciding)


def _odd_keys(fresh: Flag, values: Mapping[str, JSON]) -> Iterator[Caution]:
    key = fresh.key.removesuffix(f":deleted:{fresh.id}")
    if not is_plain_key(key):
        points = code_points(key)
        what = (
            f"characters that can look like others: {points}" if points else "characters no key should have"
        )
        yield Caution("odd key", f"the key has {what}")


def _surroundings(fresh: Flag, values: Mapping[str, JSON], context: Context) -> Iterator[Caution]:
    if context.similar:
        yield Caution("similar keys", f"easily taken for {', '.join(context.similar[:5])}")
    if context.age > FRESH_FOR:
        yield Caution(
            "stale", f"this was read {context.age:,.0f} s ago and is read again before anything is sent"
        )
    if fresh.is_used_in_replay_settings and values.get("active") is False:
        yield Caution("replay", "session replay settings use this flag to choose what is recorded")
    if fresh.has_encrypted_payloads and "filters" in values:
        yield Caution(
            "encrypted",
            "its payload is encrypted; it is sent back with the change and kept out of the journal",
        )

"""Draw the three sides of a value that was changed since, with the name of its place in the record."""

from collections.abc import Iterator, Mapping
from typing import Final

from flagtui.changes.difference import (
    MISSING,
    Author,
    FieldConflict,
    Path,
    compact,
    path_words,
    taken_apart,
    value_words,
)
from flagtui.changes.flags.flag_words import condition_in_short, percent
from flagtui.evaluate import wire
from flagtui.models.editable_fields import FieldTable
from flagtui.models.json_value import JSON, as_dict
from flagtui.safe_text import safe_text
from flagtui.store.kinds import BY_ENTRY
from flagtui.text.long_lists import wrap_safe
from flagtui.text.styled import Piece

PARTS: Final = 12
"""The most parts of one conflict shown; the rest is counted."""
Sides = tuple[str, str, str]
THEIRS: Final[Sides] = ("was", "theirs", "yours")
NOT_THEIRS: Final[Sides] = ("was", "now", "new")
STAGED: Final[Sides] = ("was", "now", "staged")
_BY: Final[Mapping[Author, str]] = {
    "you": "you changed",
    "others": "another user changed",
    "": "changed since:",
}


def conflict_lines(
    conflict: FieldConflict, noun: str, width: int, sides: Sides | None = None
) -> Iterator[list[Piece]]:
    """Yield the original, current and requested value of each conflicting field of a record."""
    parts = taken_apart(conflict)
    where = parts[0].path if len(parts) == 1 else conflict.path
    changed = f"{_BY[conflict.by]} {place_words(where, noun)}{' since' * bool(conflict.by)}"
    for place, text in enumerate(wrap_safe(changed, width - 4)):
        yield [("  ! " if place == 0 else "    ", "bold $error"), (text, "$error")]
    for part in parts[:PARTS]:
        if part.path != where:
            yield [("    ", ""), (safe_text(place_words(part.path, noun), max(20, width - 4)), "$text-muted")]
        labels = sides or (THEIRS if conflict.by == "others" else NOT_THEIRS)
        for side, value in zip(labels, (part.seen, part.theirs, part.mine), strict=True):
            text = side_words(part.path, value, noun)
            for place, shown in enumerate(wrap_safe(text, width - 14)):
                yield [(f"    {side if place == 0 else '':<8}", "$text-muted"), (shown or "nothing", "")]
    if len(parts) > PARTS:
        yield [(f"    … {len(parts) - PARTS:,} more differences", "$text-muted")]


NO_FIELDS: Final = FieldTable()
METRICS: Final = (("metrics",), ("metrics_secondary",))
DATES: Final = (("start_date",), ("end_date",))
HOLDOUT: Final = "holdout"
"""Its filters are one condition, of which its share is all that is set."""
SHARE: Final = "rollout_percentage"
_STEPS: Final = {SHARE: "rollout", "variant": "forced variant", "aggregation_group_type_index": "group type"}


def place_words(path: Path, noun: str) -> str:
    """Return the name of a place in a record: `rollout of condition 1`, `description`."""
    match path:
        case ("filters", "groups", int() as place, *rest):
            return " of ".join((*_inside(rest), f"condition {place + 1}"))
        case ("filters", "multivariate", "variants", int() as place, *rest):
            return " of ".join((*_inside(rest), f"variant {place + 1}"))
        case ("filters", "payloads", str() as key):
            return f"payload of {key}"
        case ("filters", "groups"):
            return "conditions"
        case ("filters", "multivariate", *_):
            return "variants"
        case ("filters",) if noun == HOLDOUT:
            return "share"
        case (str() as name,):
            return _fields_of(noun).words(name)
    return path_words(path)


def side_words(path: Path, value: JSON, noun: str) -> str:
    """Return the whole value of a place as people read it: `40 %`, `off`; empty for a missing one."""
    if value is MISSING:
        return ""
    if path[-1:] == (SHARE,):
        return percent(value)
    if path[:2] == ("filters", "groups") and len(path) == 3:
        return condition_in_short(value)
    if noun == HOLDOUT and path == ("filters",) and isinstance(value, list):
        return percent(wire.share(value[0])) if value else "none"
    if path == ("query",) and isinstance(value, dict):
        return _metric_words([value])
    if noun == "experiment" and path in METRICS and isinstance(value, list):
        return _metric_words(value) or "none"
    if len(path) == 1:
        field = _fields_of(noun).get(str(path[0]))
        value = _date_words(value) if path in DATES else value_words(field, value)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value) or "none"
    return value if isinstance(value, str) and value else compact(value)


def _metric_words(metrics: list[JSON]) -> str:
    # Loaded here: flags do without it.
    from flagtui.changes.experiments.metric_words import named_words

    return "; ".join(named_words(as_dict(metric)) for metric in metrics)


def _date_words(value: JSON) -> str:
    # Loaded here, too.
    from flagtui.changes.experiments.experiment_fields import date_words

    return date_words(value)


def _fields_of(noun: str) -> FieldTable:
    """Return the fields of a kind: `event definition`, or `event_definition` as in the journal."""
    kind = BY_ENTRY.get(noun.replace(" ", "_"))
    return NO_FIELDS if kind is None else kind.fields


def _inside(steps: list[str | int]) -> Iterator[str]:
    """Yield the names of steps within a condition or a variant, the innermost first."""
    match steps:
        case ["properties", int() as place, *rest]:
            yield from _inside(rest)
            yield f"property {place + 1}"
        case [int() as place, *rest]:
            yield from _inside(rest)
            yield f"item {place + 1}"
        case [str() as name, *rest]:
            yield from _inside(rest)
            yield _STEPS.get(name, name.replace("_", " "))

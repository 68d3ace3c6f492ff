"""Name the places of a record, and the values there, for those who compare versions of it. Texts are raw."""

from collections.abc import Iterator
from typing import Final

from flagtui.changes.difference import MISSING, Path, compact, path_words, value_words
from flagtui.changes.flags.flag_words import condition_in_short, percent
from flagtui.models.editable_fields import FieldTable
from flagtui.models.json_value import JSON, as_dict
from flagtui.store.kinds import BY_ENTRY

NO_FIELDS: Final = FieldTable()
METRICS: Final = (("metrics",), ("metrics_secondary",))
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
    if noun == "experiment" and path in METRICS and isinstance(value, list):
        # Loaded here: flags do without it.
        from flagtui.changes.experiments.metric_words import named_words

        return "; ".join(named_words(as_dict(metric)) for metric in value) or "none"
    if len(path) == 1:
        value = value_words(_fields_of(noun).get(str(path[0])), value)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value) or "none"
    return value if isinstance(value, str) and value else compact(value)


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

"""Compare two JSON values by path, in words too, and merge three versions of one value."""

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from enum import Enum
from typing import Final, Literal

import msgspec

from flagtui.models.editable_fields import EditableField, FieldTable
from flagtui.models.json_value import JSON, as_list

Path = tuple[str | int, ...]


class Absence(Enum):
    """The absence of a value, which differs from null."""

    MISSING = "missing"


MISSING: Final = Absence.MISSING


class DifferenceLine(msgspec.Struct, frozen=True):
    """One path that differs; either side can be `MISSING`. An added item is numbered by the new list."""

    path: Path
    before: JSON
    after: JSON
    words: str = ""
    """The same as a phrase, in the plan of a change. Raw."""

    @property
    def where(self) -> str:
        """The path as people write it: `filters.groups[0].rollout_percentage`."""
        return path_words(self.path)


PRESENT: Final = "there"
"""In place of a whole record, in the difference that its deletion makes."""

Author = Literal["you", "others", ""]
"""Who made a later change, as far as journal or server name the user; empty where neither does."""


class FieldConflict(msgspec.Struct, frozen=True):
    """One path that both sides changed from the same value to different ones."""

    path: Path
    seen: JSON
    mine: JSON
    theirs: JSON
    by: Author = ""
    """Who made their value."""

    @property
    def where(self) -> str:
        return path_words(self.path)


Equal = Callable[[JSON, JSON, Path], bool]
Merged = tuple[JSON, tuple[FieldConflict, ...]]


def same(left: JSON, right: JSON) -> bool:
    """Return whether two values are equal as JSON: 50 is 50.0, but true is not 1. Skip shared parts."""
    # Python's equality is quick, and what differs for it differs as JSON too.
    return left is right or (
        left == right and (_are_written_alike(left, right) or _has_same_booleans(left, right))
    )


def _are_written_alike(left: JSON, right: JSON) -> bool:
    """Return whether both are the same text as JSON, as equal values of megabytes nearly always are."""
    if not isinstance(left, dict | list):
        return False
    try:
        return msgspec.json.encode(left) == msgspec.json.encode(right)
    except (OverflowError, UnicodeError, TypeError, ValueError):
        # Numbers and texts that can be neither drawn nor sent.
        return False


def _has_same_booleans(left: JSON, right: JSON) -> bool:
    """Return whether values that are equal for Python, to which true is 1, are equal as JSON."""
    if isinstance(left, dict):
        pairs: Iterable[tuple[JSON, JSON]] = ((value, right[key]) for key, value in left.items())
    elif isinstance(left, list):
        pairs = zip(left, right, strict=True)
    else:
        return isinstance(left, bool) is isinstance(right, bool)
    for mine, other in pairs:
        if mine is not other and not isinstance(mine, str) and not _has_same_booleans(mine, other):
            return False
    return True


def exactly(left: JSON, right: JSON, at: Path) -> bool:
    """Return whether two values are equal as JSON, wherever they are."""
    return same(left, right)


def difference(before: JSON, after: JSON, at: Path = ()) -> tuple[DifferenceLine, ...]:
    """Return every path that differs, as deep as it can be named, in the order of `before`."""
    return () if same(before, after) else tuple(_lines(before, after, at))


def each_difference(before: JSON, after: JSON) -> Iterator[DifferenceLine]:
    """Yield every path that differs, each looked for when it is needed."""
    return iter(()) if same(before, after) else _lines(before, after, ())


def path_words(path: Path) -> str:
    """Return the path in words that users can search for in the JSON."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step.replace("_", "").isalnum():
            text += f".{step}" if text else step
        else:
            text += f"[{json.dumps(step, ensure_ascii=False)}]"
    return text


def compact(value: JSON) -> str:
    """Return the value as JSON on one line; nothing for a value that is not there."""
    return "" if value is MISSING else json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def merge(seen: JSON, mine: JSON, theirs: JSON, at: Path = (), equal: Equal = exactly) -> Merged:
    """Apply my change to theirs; in conflicting places the result has my value.

    Objects merge key by key. Items of lists of one length merge as wholes, so that a condition that
    another user changed or moved is never mixed with my change to it. Other lists are single values.
    """
    sides, whole = (seen, mine, theirs), _merged_whole(seen, mine, theirs, at, equal)
    merged: JSON
    if not whole[1]:
        return whole
    if all(isinstance(side, dict) for side in sides):
        keys = dict.fromkeys((*theirs, *mine, *seen))
        parts = []
        for key in keys:
            before, ours, others = (side.get(key, MISSING) for side in sides)
            parts.append(merge(before, ours, others, (*at, key), equal))
        merged = {key: value for key, (value, _) in zip(keys, parts, strict=True) if value is not MISSING}
    elif all(isinstance(side, list) for side in sides) and len(seen) == len(mine) == len(theirs):
        items = enumerate(zip(*sides, strict=True))
        parts = [_merged_whole(*each, (*at, place), equal) for place, each in items]
        merged = [value for value, _ in parts]
    else:
        return whole
    return merged, tuple(conflict for _, conflicts in parts for conflict in conflicts)


def _merged_whole(seen: JSON, mine: JSON, theirs: JSON, at: Path, equal: Equal) -> Merged:
    if equal(mine, seen, at) or equal(mine, theirs, at):
        return theirs, ()
    return mine, () if equal(theirs, seen, at) else (FieldConflict(at, seen, mine, theirs),)


def taken_apart(conflict: FieldConflict) -> tuple[FieldConflict, ...]:
    """Split a conflict of three objects into those of their fields; return any other one unchanged."""
    sides = (conflict.seen, conflict.mine, conflict.theirs)
    if not all(isinstance(side, dict) for side in sides):
        return (conflict,)
    conflicts: list[FieldConflict] = []
    for key in dict.fromkeys(key for side in sides for key in side):
        seen, mine, theirs = (side.get(key, MISSING) for side in sides)
        if not (same(seen, mine) and same(seen, theirs)):
            conflicts += taken_apart(FieldConflict((*conflict.path, key), seen, mine, theirs, conflict.by))
    return tuple(conflicts)


def _lines(before: JSON, after: JSON, at: Path) -> Iterator[DifferenceLine]:
    """Yield the paths that differ in two values that do."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys((*before, *after)):
            old, new = before.get(key, MISSING), after.get(key, MISSING)
            if not same(old, new):
                yield from _lines(old, new, (*at, key))
    elif isinstance(before, list) and isinstance(after, list):
        yield from _list_lines(before, after, at)
    else:
        yield DifferenceLine(at, before, after)


MATCHED: Final = 10_000
"""The most pairs of items of two lists that are compared with each other."""


def _list_lines(before: list[JSON], after: list[JSON], at: Path) -> Iterator[DifferenceLine]:
    if all(isinstance(item, str) for item in (*before, *after)):
        gone, new = (_places_without(*sides) for sides in ((before, after), (after, before)))
        if (gone or new) and gone != new:
            # Those in both lists only have another place.
            yield from (DifferenceLine((*at, place), before[place], MISSING) for place in gone)
            yield from (DifferenceLine((*at, place), MISSING, after[place]) for place in new)
            return
    if len(before) == len(after):
        for place, (old, new) in enumerate(zip(before, after, strict=True)):
            if not same(old, new):
                yield from _lines(old, new, (*at, place))
        return
    shorter = min(len(before), len(after))
    start = next((n for n in range(shorter) if not same(before[n], after[n])), shorter)
    ending = next(
        (n for n in range(shorter - start) if not same(before[-1 - n], after[-1 - n])), shorter - start
    )
    left, right = range(start, len(before) - ending), range(start, len(after) - ending)
    removed, added = set(left), set(right)
    if 0 < len(left) * len(right) <= MATCHED:
        # Loaded here: most differences have no lists of different lengths.
        from difflib import SequenceMatcher

        texts, other_texts = (
            [json.dumps(side[place], sort_keys=True) for place in places]
            for side, places in ((before, left), (after, right))
        )
        for block in SequenceMatcher(None, texts, other_texts, autojunk=False).get_matching_blocks():
            removed.difference_update(left[block.a : block.a + block.size])
            added.difference_update(right[block.b : block.b + block.size])
    for place in sorted(removed):
        yield DifferenceLine((*at, place), before[place], MISSING)
    for place in sorted(added):
        yield DifferenceLine((*at, place), MISSING, after[place])


def _places_without(texts: list[str], others: list[str]) -> list[int]:
    """Return the places of the texts that are not among the others."""
    excluded = frozenset(others)
    return [place for place, text in enumerate(texts) if text not in excluded]


SHORT: Final = 80
"""Characters of one value inside a sentence."""
ITEMS: Final = 40
"""Items of a list that a sentence names."""


def field_words(fields: FieldTable, name: str, before: JSON, after: JSON) -> str:
    """Return `description: old → new`, `tags: + billing, − old`, `off → on`; a side can be `MISSING`."""
    field = fields.get(name)
    if isinstance(before, list) or isinstance(after, list):
        before, after = as_list(before), as_list(after)
        moved = [("+", item) for item in without(after, before)]
        moved += [("−", item) for item in without(before, after)]
        more = f" and {len(moved) - ITEMS:,} more" if len(moved) > ITEMS else ""
        words = ", ".join(f"{sign} {brief(item)}" for sign, item in moved[:ITEMS])
        return f"{fields.words(name)}: {words or 'in another order'}{more}"
    words = arrow(value_words(field, before), value_words(field, after))
    if field is None or not field.is_self_explanatory or MISSING in (before, after):
        return f"{fields.words(name)}: {words}"
    return words


def without(items: Sequence[JSON], others: Sequence[JSON]) -> list[JSON]:
    """Return the items that are not among the others, in order."""
    if not items or not others:
        return list(items)
    try:
        texts = frozenset(others)
        return [item for item in items if item not in texts]
    except TypeError:
        keys = frozenset(map(_hashable, others))
        return [item for item in items if _hashable(item) not in keys]


def _hashable(value: JSON) -> Hashable:
    """Return a value that is equal for equal JSON: there can be thousands of objects to look up."""
    if isinstance(value, dict):
        return frozenset((key, _hashable(item)) for key, item in value.items())
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def value_words(field: EditableField | None, value: JSON) -> JSON:
    """Return the name of a value where the field has one; else the value."""
    if field is None or value is MISSING:
        return value
    if field.name == "owner" and isinstance(value, int):
        return f"user {value}"
    option = field.option(value)
    return option.words if option is not None else "none" if value in (None, "") else value


def arrow(before: JSON, after: JSON) -> str:
    """Return `old → new`, or the only side with its sign."""
    if before is MISSING:
        return f"+ {brief(after)}"
    if after is MISSING:
        return f"− {brief(before)}"
    return f"{brief(before)} → {brief(after)}"


def brief(value: JSON) -> str:
    """Return a value short enough for a sentence."""
    text = value if isinstance(value, str) and value else compact(value)
    return text if len(text) <= SHORT else f"{text[:SHORT]}…"

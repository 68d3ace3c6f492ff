"""What the flags are called that another one asks for, and which of them may never let anybody in."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from flagtui.evaluate.definitions import evaluation_orders
from flagtui.models.flag import Flag
from flagtui.models.flag_details import Names
from flagtui.models.rows import FlagRow

ROUND = "in a circle: matches nobody"
GONE = "not in the list: while it is archived or gone, nobody matches"
GONE_OFF = "not in the list: everybody matches while it is archived, nobody if it is gone"


def names_about(flag: Flag | None, names: Names, rows: Iterable[FlagRow], *, is_complete: bool) -> Names:
    """The names with those of the flags that its conditions ask for, among these rows.

    Servers list neither archived flags nor those that are gone, so of a flag that a complete list does not
    have only both can be said.
    """
    if flag is None or not flag.targeting.depends_on:
        return names
    known = {row.id: row for row in rows}
    needs = {id: row.depends_on for id, row in known.items()} | {flag.id: flag.targeting.depends_on}
    undecided = dict(_undecided(flag, known, needs)) if is_complete else {}
    keys = {id: known[id].key for id in flag.targeting.depends_on if id in known}
    return replace(names, flags=keys, undecided=undecided)


def _undecided(
    flag: Flag, known: Mapping[int, FlagRow], needs: Mapping[int, tuple[int, ...]]
) -> Iterator[tuple[int, str]]:
    decided = _without_circles(flag.targeting.depends_on, needs)
    for item in flag.targeting.properties:
        id = item.flag_id
        if id is None:
            continue
        if id not in known and id != flag.id:
            yield id, GONE_OFF if item.value is False else GONE
        elif id not in decided:
            yield id, ROUND


def _without_circles(starts: Iterable[int], needs: Mapping[int, tuple[int, ...]]) -> frozenset[int]:
    """The ids of flags that depend on no flag, directly or through others, that depends on itself."""
    reached = set(starts)
    waiting = [*reached]
    while waiting:
        further = [id for id in needs.get(waiting.pop(), ()) if id not in reached]
        reached.update(further)
        waiting += further
    asked = {str(id): tuple(map(str, needs.get(id, ()))) for id in reached}
    return frozenset(map(int, evaluation_orders(asked)))

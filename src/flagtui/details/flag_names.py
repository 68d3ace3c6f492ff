"""Name the dependencies of a flag, and find those that can never match."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from flagtui.evaluate.definitions import evaluation_orders
from flagtui.models.flag import Flag
from flagtui.models.flag_details import Names
from flagtui.models.rows import FlagRow

CIRCULAR = "in a circular dependency: matches no one"
MISSING = "not in the list (archived or deleted): no one matches"
MISSING_OFF = "not in the list: everyone matches if archived, no one if deleted"


def names_about(flag: Flag | None, names: Names, rows: Iterable[FlagRow], *, is_complete: bool) -> Names:
    """Return the names with the keys of the flag's dependencies, from these rows.

    Servers list neither archived nor deleted flags, so a flag missing from a complete list can be either.
    """
    if flag is None or not flag.targeting.depends_on:
        return names
    listed = {row.id: row for row in rows}
    needs = {id: row.depends_on for id, row in listed.items()} | {flag.id: flag.targeting.depends_on}
    undecided = dict(_undecided_flags(flag, listed, needs)) if is_complete else {}
    keys = {id: listed[id].key for id in flag.targeting.depends_on if id in listed}
    return replace(names, flags=keys, undecided=undecided)


def _undecided_flags(
    flag: Flag, listed: Mapping[int, FlagRow], needs: Mapping[int, tuple[int, ...]]
) -> Iterator[tuple[int, str]]:
    decided = _without_circles(flag.targeting.depends_on, needs)
    for item in flag.targeting.properties:
        id = item.flag_id
        if id is None:
            continue
        if id not in listed and id != flag.id:
            yield id, MISSING_OFF if item.value is False else MISSING
        elif id not in decided:
            yield id, CIRCULAR


def _without_circles(starts: Iterable[int], needs: Mapping[int, tuple[int, ...]]) -> frozenset[int]:
    """Return the ids of flags without a circular dependency, direct or transitive."""
    reached = set(starts)
    waiting = [*reached]
    while waiting:
        further = [id for id in needs.get(waiting.pop(), ()) if id not in reached]
        reached.update(further)
        waiting += further
    graph = {str(id): tuple(map(str, needs.get(id, ()))) for id in reached}
    return frozenset(map(int, evaluation_orders(graph)))

"""Name the dependencies of a flag, and find those that turn it off or may do so."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from flagtui.evaluate.definitions import evaluation_orders
from flagtui.models.flag import Flag
from flagtui.models.flag_details import Names
from flagtui.models.rows import FlagRow

CIRCULAR = "in a circular dependency: this flag is off for everyone"
MISSING = "not in the list: off if archived; if deleted, this flag is off for everyone"
MISSING_BEYOND = "depends on a flag that is not in the list: if deleted, this flag is off for everyone"


def names_about(flag: Flag | None, names: Names, rows: Iterable[FlagRow], *, is_complete: bool) -> Names:
    """Return the names with the keys of the flag's dependencies, from these rows.

    Servers list neither archived nor deleted flags, so a flag missing from a complete list can be either.
    """
    if flag is None or not flag.targeting.depends_on:
        return names
    listed = {row.id: row for row in rows}
    undecided = _undecided_flags(flag, listed) if is_complete else {}
    keys = {id: listed[id].key for id in flag.targeting.depends_on if id in listed}
    return replace(names, flags=keys, undecided=undecided)


def _undecided_flags(flag: Flag, listed: Mapping[int, FlagRow]) -> dict[int, str]:
    """Return what each dependency that cannot be evaluated, or may not, means for the flag once it is on."""
    # A flag that is off is off whatever it depends on.
    needs = {id: row.depends_on if row.active else () for id, row in listed.items() if not row.deleted}
    needs[flag.id] = flag.targeting.depends_on
    reached = _follow_dependencies(flag.targeting.depends_on, needs)
    present = evaluation_orders({str(id): tuple(map(str, needs[id])) for id in reached if id in needs})
    whole = evaluation_orders({str(id): tuple(map(str, needs.get(id, ()))) for id in reached})
    undecided = {}
    for id in flag.targeting.depends_on:
        if str(id) not in whole:
            undecided[id] = CIRCULAR
        elif id not in needs:
            undecided[id] = MISSING
        elif str(id) not in present:
            undecided[id] = MISSING_BEYOND
    return undecided


def _follow_dependencies(starts: Iterable[int], needs: Mapping[int, tuple[int, ...]]) -> set[int]:
    """Return the ids of these flags and of all that they depend on."""
    reached = set(starts)
    waiting = [*reached]
    while waiting:
        further = [id for id in needs.get(waiting.pop(), ()) if id not in reached]
        reached.update(further)
        waiting += further
    return reached

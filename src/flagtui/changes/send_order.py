"""The order in which changes are sent when some have to follow others."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

NameT = TypeVar("NameT", bound=Hashable)


def send_order(names: Iterable[NameT], earlier: Mapping[NameT, Sequence[NameT]]) -> list[NameT]:
    """Return the names, each after its `earlier` ones; otherwise, and in a circle, the order stays."""
    ordered: dict[NameT, None] = {}

    def place(name: NameT, above: frozenset[NameT]) -> None:
        if name in ordered or name in above:
            return
        for other in earlier.get(name, ()):
            place(other, above | {name})
        ordered[name] = None

    for name in names:
        place(name, frozenset())
    return list(ordered)

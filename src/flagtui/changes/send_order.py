"""The order in which changes are sent when some have to follow others."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

NameT = TypeVar("NameT", bound=Hashable)


def send_order(names: Iterable[NameT], earlier: Mapping[NameT, Sequence[NameT]]) -> list[NameT]:
    """Return the names, each after its `earlier` ones; otherwise, and in a circle, the order stays."""
    ordered: dict[NameT, None] = {}
    for first in names:
        # A stack in place of recursion: a chain of dependencies may be longer than Python's limit.
        above = {first: iter(earlier.get(first, ()))} if first not in ordered else {}
        while above:
            name = next(reversed(above))
            unplaced = (other for other in above[name] if other not in ordered and other not in above)
            other = next(unplaced, None)
            if other is None:
                del above[name]
                ordered[name] = None
            else:
                above[other] = iter(earlier.get(other, ()))
    return list(ordered)

"""What a search found, without making a list of it: a screen looks at forty of a hundred thousand."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, overload


class Found(Sequence[int]):
    """Indices of rows in order. Neither list may be altered afterwards."""

    __slots__ = ("_order", "_places")

    def __init__(self, order: list[int], places: Sequence[int]) -> None:
        """`order` has the index of the row at each place; `places`, ascending, are those that were found."""
        self._order = order
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, at: int) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> list[int]: ...
    def __getitem__(self, at: int | slice) -> int | list[int]:
        order = self._order
        if isinstance(at, slice):
            return [order[place] for place in self._places[at]]
        return order[self._places[at]]

    def __iter__(self) -> Iterator[int]:
        return map(self._order.__getitem__, self._places)

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """Where the row with this index stands. Raises ValueError when it is not among them."""
        place = self._order.index(value)
        end = len(self) if stop is None else min(stop, len(self))
        at = bisect_left(self._places, place, start, end)
        if at == end or self._places[at] != place:
            raise ValueError(value)
        return at

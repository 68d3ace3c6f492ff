"""What a search found, by place: it behaves as the list it stands for."""

import pytest

from flagtui.store.sort_orders import Found


def test_view_equals_the_rows_at_its_positions_without_a_list() -> None:
    order, places = [7, 3, 9, 0, 5], [0, 2, 3]
    found, listed = Found(order, places), [order[place] for place in places]
    assert list(found) == listed
    assert [found[0], found[-1], found[1:], len(found)] == [listed[0], listed[-1], listed[1:], 3]
    assert [found.index(index) for index in listed] == [0, 1, 2]


@pytest.mark.parametrize(("index", "start", "stop"), [(3, 0, None), (0, 0, 2), (7, 1, None)])
def test_what_does_not_stand_there_is_not_found(index: int, start: int, stop: int | None) -> None:
    found = Found([7, 3, 9, 0, 5], [0, 2, 3])
    with pytest.raises(ValueError, match=str(index)):
        found.index(index, start, stop)

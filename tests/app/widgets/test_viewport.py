from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagtui.app.widgets.viewport import Marks, Viewport

MOVES = st.lists(
    st.one_of(
        st.tuples(st.just("move_to"), st.integers(-5, 60)),
        st.tuples(st.just("page"), st.integers(-30, 30)),
        st.tuples(st.just("scroll"), st.integers(-9, 9)),
        st.tuples(st.just("resize"), st.integers(1, 20)),
        st.tuples(st.just("count"), st.integers(0, 60)),
    )
)


def shown(count: int, height: int = 10) -> Viewport:
    """The view of so many rows, with the cursor on the first."""
    view = Viewport()
    view.resize(height)
    view.replace(count, 0, 0)
    return view


def moving(moves: list[tuple[str, int]], *rule: int) -> Iterator[Viewport]:
    """The view after each of the moves."""
    view = Viewport(height=10)
    for name, amount in moves:
        if name == "count":
            view.replace(amount, view.place, view.line, *rule)
        else:
            getattr(view, name)(amount)
        yield view


@given(MOVES)
def test_cursor_is_always_on_a_visible_row(moves: list[tuple[str, int]]) -> None:
    for view in moving(moves):
        assert 0 <= view.top <= max(0, view.count - view.height)
        assert (view.place == -1) == (view.count == 0)
        assert view.count == 0 or view.top <= view.place < min(view.count, view.top + view.height)


@given(MOVES, st.integers(0, 60))
def test_a_dividing_line_hides_no_row_and_no_cursor(moves: list[tuple[str, int]], rule: int) -> None:
    for view in moving(moves, rule):
        places = [view.place_at(line) for line in range(view.height)]
        drawn = [place for place in places if place is not None]
        assert drawn == list(view.rows_in_sight)
        assert view.count == 0 or view.place_at(view.line) == view.place
        is_drawn = view.rule_line >= 0
        assert is_drawn == (places.count(None) > view.height - 1 - len(drawn) and is_drawn)
        if is_drawn:
            assert places[view.rule_line - 1] == rule - 1
            assert view.rule_line + 1 == view.height or places[view.rule_line + 1] == rule


@pytest.mark.parametrize(("case", "moves", "top", "place"), [
    ("step past the edge", [lambda view: view.move_to(10)], 1, 10),
    ("jump past the edge", [lambda view: view.move_to(10, jump=True)], 5, 10),
    ("page", [lambda view: view.move_to(3), lambda view: view.page(10)], 10, 13),
    ("scroll", [lambda view: view.move_to(5), lambda view: view.scroll(3)], 3, 5),
    ("scroll past the cursor", [lambda view: view.move_to(5), lambda view: view.scroll(6)], 6, 6),
    ("other rows", [lambda view: view.move_to(7), lambda view: view.replace(100, 40, view.line)], 33, 40),
])  # fmt: skip
def test_moves_keep_cursor_in_sight(
    case: str, moves: list[Callable[[Viewport], object]], top: int, place: int
) -> None:
    view = shown(100)
    for move in moves:
        move(view)
    assert (view.top, view.place) == (top, place)


def test_former_height_brings_back_the_former_rows() -> None:
    view = Viewport(height=30)
    view.replace(100, 40, 25)
    for height, top in ((20, 21), (10, 31), (30, 15)):
        view.resize(height)
        assert (view.top, view.place) == (top, 40)
    view.resize(10)
    view.move_to(20)
    view.resize(30)
    assert (view.top, view.place) == (20, 20)


@pytest.mark.parametrize(("place", "top"), [(5, 0), (40, 31)])
def test_rows_before_the_first_height_stay_where_it_puts_them(place: int, top: int) -> None:
    view = Viewport()
    view.replace(100, place, 0)
    for height in (10, 9, 10):
        view.resize(height)
    assert (view.top, view.place) == (top, place)


def test_no_thumb_while_all_rows_are_in_sight() -> None:
    for count, height in ((0, 10), (10, 10), (3, 10), (10, 0)):
        assert len(shown(count, height).thumb) == 0


@pytest.mark.parametrize(("count", "height"), [(11, 10), (248, 17), (10_000, 40), (3, 1)])
def test_thumb_goes_from_the_first_line_to_the_last(count: int, height: int) -> None:
    view, starts = shown(count, height), list[int]()
    for place in range(count):
        view.move_to(place)
        starts.append(view.thumb.start)
    assert starts == sorted(starts)
    assert (starts[0], view.thumb.stop) == (0, height)


SHOWN = [10, 11, 12, 13, 14]


def test_range_extends_from_the_last_visible_mark() -> None:
    for mark, end, ids in ((13, 1, {11, 12, 13}), (99, 2, {99, 12})):
        marks = Marks()
        marks.flip(mark)
        marks.reach(SHOWN, end)
        assert marks.ids == ids


def test_marks_are_added_and_leave_with_their_record() -> None:
    marks = Marks()
    for ids in ([11, 99], [11, 12], SHOWN):
        marks.take(ids)
    assert marks.ids == {*SHOWN, 99}
    assert marks.keep([12, 13])
    assert marks.ids == {12, 13}
    assert not marks.keep([12, 13, 99])

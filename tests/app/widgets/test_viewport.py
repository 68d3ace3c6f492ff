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


@pytest.mark.parametrize(
    ("moves", "top", "place"),
    [
        ([lambda view: view.move_to(10)], 1, 10),
        ([lambda view: view.move_to(10, jump=True)], 5, 10),
        ([lambda view: view.move_to(3), lambda view: view.page(10)], 10, 13),
        ([lambda view: view.move_to(5), lambda view: view.scroll(3)], 3, 5),
        ([lambda view: view.move_to(5), lambda view: view.scroll(6)], 6, 6),
        ([lambda view: view.move_to(7), lambda view: view.replace(100, 40, view.line)], 33, 40),
    ],
    ids=[
        *("step past the edge", "jump past the edge", "page", "scroll", "scroll past the cursor"),
        "other rows",
    ],
)
def test_moves_keep_cursor_in_sight(moves: list[Callable[[Viewport], object]], top: int, place: int) -> None:
    view = Viewport(height=10)
    view.replace(100, 0, 0)
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


@pytest.mark.parametrize(("count", "height"), [(0, 10), (10, 10), (3, 10), (10, 0)])
def test_no_thumb_while_all_rows_are_in_sight(count: int, height: int) -> None:
    view = Viewport()
    view.resize(height)
    view.replace(count, 0, 0)
    assert len(view.thumb) == 0


@pytest.mark.parametrize(("count", "height"), [(11, 10), (248, 17), (10_000, 40), (3, 1)])
def test_thumb_goes_from_the_first_line_to_the_last(count: int, height: int) -> None:
    view = Viewport()
    view.resize(height)
    view.replace(count, 0, 0)
    starts = []
    for place in range(count):
        view.move_to(place)
        starts.append(view.thumb.start)
    assert starts == sorted(starts)
    assert starts[0] == 0
    assert view.thumb.stop == height


SHOWN = [10, 11, 12, 13, 14]


def test_range_extends_from_the_last_visible_mark() -> None:
    marks = Marks()
    marks.flip(13)
    marks.reach(SHOWN, 1)
    assert marks.ids == {11, 12, 13}
    marks = Marks()
    marks.flip(99)
    marks.reach(SHOWN, 2)
    assert marks.ids == {99, 12}


def test_marks_are_added_and_leave_with_their_record() -> None:
    marks = Marks()
    marks.take([11, 99])
    marks.take([11, 12])
    assert marks.ids == {11, 12, 99}
    marks = Marks()
    marks.take(SHOWN)
    assert marks.keep([12, 13])
    assert marks.ids == {12, 13}
    assert not marks.keep([12, 13, 99])

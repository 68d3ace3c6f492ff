import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagtui.app.widgets.viewport import Viewport

MOVES = st.lists(
    st.one_of(
        st.tuples(st.just("move_to"), st.integers(-5, 60)),
        st.tuples(st.just("page"), st.integers(-30, 30)),
        st.tuples(st.just("scroll"), st.integers(-9, 9)),
        st.tuples(st.just("resize"), st.integers(1, 20)),
        st.tuples(st.just("count"), st.integers(0, 60)),
    )
)


@given(MOVES)
def test_cursor_is_always_on_a_visible_row(moves: list[tuple[str, int]]) -> None:
    view = Viewport(height=10)
    for name, amount in moves:
        if name == "count":
            view.replace(amount, view.place, view.line)
        else:
            getattr(view, name)(amount)
        assert 0 <= view.top <= max(0, view.count - view.height)
        assert (view.place == -1) == (view.count == 0)
        assert view.count == 0 or view.top <= view.place < min(view.count, view.top + view.height)


@given(MOVES, st.integers(0, 60))
def test_a_dividing_line_hides_no_row_and_no_cursor(moves: list[tuple[str, int]], rule: int) -> None:
    view = Viewport(height=10)
    for name, amount in moves:
        if name == "count":
            view.replace(amount, view.place, view.line, rule)
        else:
            getattr(view, name)(amount)
        places = [view.place_at(line) for line in range(view.height)]
        drawn = [place for place in places if place is not None]
        assert drawn == list(view.rows_in_sight)
        assert view.count == 0 or view.place_at(view.line) == view.place
        is_drawn = view.rule_line >= 0
        assert is_drawn == (places.count(None) > view.height - 1 - len(drawn) and is_drawn)
        if is_drawn:
            assert places[view.rule_line - 1] == rule - 1
            assert view.rule_line + 1 == view.height or places[view.rule_line + 1] == rule


def make_view(place: int = 0) -> Viewport:
    view = Viewport(height=10)
    view.replace(100, place, 0)
    return view


def test_a_step_past_the_edge_scrolls_by_one_row() -> None:
    view = make_view()
    view.move_to(10)
    assert (view.top, view.place) == (1, 10)


def test_a_jump_past_the_edge_scrolls_half_a_page() -> None:
    view = make_view()
    view.move_to(10, jump=True)
    assert (view.top, view.place) == (5, 10)


def test_a_page_keeps_the_cursor_on_its_screen_line() -> None:
    view = make_view()
    view.move_to(3)
    view.page(10)
    assert (view.top, view.line) == (10, 3)


def test_scrolling_takes_the_cursor_along_only_at_the_edge() -> None:
    view = make_view()
    view.move_to(5)
    view.scroll(3)
    assert (view.top, view.place) == (3, 5)
    view.scroll(3)
    assert (view.top, view.place) == (6, 6)


def test_replaced_rows_leave_the_cursor_on_its_screen_line() -> None:
    view = make_view()
    view.move_to(7)
    view.replace(100, 40, view.line)
    assert (view.place, view.line) == (40, 7)


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

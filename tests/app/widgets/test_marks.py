from flagtui.app.widgets.viewport import Marks

SHOWN = [10, 11, 12, 13, 14]


def test_range_extends_from_the_last_mark_in_either_direction() -> None:
    marks = Marks()
    marks.flip(13)
    marks.reach(SHOWN, 1)
    assert marks.ids == {11, 12, 13}


def test_range_without_a_visible_mark_is_one_record() -> None:
    marks = Marks()
    marks.flip(99)
    marks.reach(SHOWN, 2)
    assert marks.ids == {99, 12}


def test_marking_what_is_marked_already_unmarks_it() -> None:
    marks = Marks()
    marks.take(SHOWN)
    assert marks.ids == set(SHOWN)
    marks.take([11, 12])
    assert marks.ids == {10, 13, 14}


def test_records_that_are_gone_lose_their_mark() -> None:
    marks = Marks()
    marks.take(SHOWN)
    assert marks.keep([12, 13])
    assert marks.ids == {12, 13}
    assert not marks.keep([12, 13, 99])

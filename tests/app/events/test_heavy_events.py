"""Events with thousands of tags and a description of a megabyte."""

from functools import partial

from tests.doubles import heavy_records as heavy
from tests.doubles.counted_calls import counted_calls

from flagtui.details.event_inspector import EventDetails
from flagtui.models.event_definition import EventDefinition
from flagtui.text.event_words import detail_lines, event_lines
from flagtui.text.flag_sentences import plain

NOW = 1_780_000_000.0


def test_heavy_event_is_drawn_in_bounded_work() -> None:
    definition = EventDefinition.of(heavy.event(10_000, 1024 * 1024))
    details = EventDetails(definition.row(), definition)
    assert "#tag-199 and 9,800 more" in plain(detail_lines(details, (), NOW, 100))
    assert "#tag-19 and 9,980 more" in plain(event_lines(details.row, NOW, 40))
    assert "more characters" in plain(detail_lines(details, (), NOW, 100))
    assert counted_calls(partial(list, detail_lines(details, (), NOW, 100))) < 60_000

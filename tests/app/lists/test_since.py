"""Differences in words, for every kind of record."""

import msgspec
from tests.doubles.whole_program import NOW

from flagtui.app.lists.since import difference_lines
from flagtui.models.rows import EventDefinitionRow, ExperimentRow, FlagRow
from flagtui.store.list_differences import compare
from flagtui.text.flag_sentences import plain

THEN = NOW.timestamp()


def text_of(before: list[msgspec.Struct], after: list[msgspec.Struct]) -> list[str]:
    """The lines after the first two, as text."""
    return plain(difference_lines(compare(before, after), THEN)).split("\n")[2:]


def test_lines_name_their_record_and_use_readable_words() -> None:
    flag = FlagRow(id=1, key="new-nav", name="old", active=True)
    after = msgspec.structs.replace(flag, name="new", active=False)
    assert text_of([flag], [after]) == ["~ new-nav  description old → new, on yes → no"]
    draft = ExperimentRow(id=1, name="Blue", status="draft")
    started = msgspec.structs.replace(draft, name="Bluer", status="running", started_at=THEN)
    [line] = text_of([draft], [started])
    assert line.startswith("~ Bluer  name Blue → Bluer, status draft → running, started none → 2026-03-02")


def test_an_event_that_was_only_seen_again_is_not_different() -> None:
    event = EventDefinitionRow(id="u", name="paid", seen_at=1.0)
    assert text_of([event], [msgspec.structs.replace(event, seen_at=2.0)]) == ["No changes."]
    assert text_of([event], []) == ["− paid  is gone"]
    hostile = msgspec.structs.replace(event, description="\x1b[31m")
    assert text_of([event], [hostile]) == ["~ paid  description none → ␛[31m"]

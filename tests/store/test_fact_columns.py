"""Whole columns tested at once find what one row after the other would."""

from operator import attrgetter

import pytest
from tests.store.conftest import NOW, Someone

from flagtui.models.rows import EventDefinitionRow
from flagtui.store.event_listing import EVENT_LISTING, EVENTS
from flagtui.store.fact_columns import LOOK, Columns, column_of
from flagtui.store.finder import Finder
from flagtui.store.query.language import compile_query, read_line
from flagtui.store.query.vocabulary import Facts
from flagtui.store.sort_orders import Sort

MANY = LOOK + 500
PERSON = Someone(3, "P3@acme.test")


ROWS = [
    EventDefinitionRow(
        id=f"u{at}",
        name=f"{'$' if at % 5 == 0 else ''}Step {at} {'done' if at % 3 else 'begun'}",
        description="" if at % 4 else "what it means",
        tags=(("Revenue",), ("growth", "rev-ops"), ())[at % 3],
        verified=at % 2 == 0,
        owner_id=at % 7 or None,
        owner=f"p{at % 7}@acme.test" if at % 7 else "",
        seen_at=None if at % 11 == 0 else NOW - (at % 90) * 86_400,
        created_at=NOW - at * 600,
    )
    for at in range(MANY)
]
LINES = [
    "kind:custom", "kind:posthog", "is:verified,undescribed", "is:stale", "seen:>30d", "seen:never",
    "created:<7d", "tag:rev", 'tag:"revenue"', "owner:me", "owner:p5", "name:done", "name:/^step .*begun$/",
    "kind:custom seen:<7d", "begun kind:custom tag:rev",
]  # fmt: skip


@pytest.mark.parametrize("line", [*LINES, *(f"-{line}" for line in LINES[:13])])
def test_a_line_finds_the_same_by_column_and_by_row(line: str) -> None:
    finder = Finder(ROWS, listing=EVENT_LISTING, sort=Sort("seen"), clock=lambda: NOW)
    finder.set_user(PERSON)
    passes = compile_query(read_line(line, EVENTS), now=NOW, me=PERSON)
    matches = finder.find(line)
    passing = [index for index, row in enumerate(ROWS) if passes(row)]
    assert sorted(matches) == passing
    rows = set(passing)
    assert [*matches] == [index for index in finder.find("") if index in rows]


def test_few_different_values_are_tested_once_each() -> None:
    column = column_of(attrgetter("tags"), ROWS)
    assert column is not None
    facts_read: list[object] = []

    def test(tags: tuple[str, ...]) -> bool:
        facts_read.append(tags)
        return not tags

    assert list(column.passing(test)) == [not row.tags for row in ROWS]
    assert len(facts_read) == 3


def test_columns_are_skipped_without_repeats_or_facts() -> None:
    assert column_of(attrgetter("name"), ROWS) is None
    [term] = read_line("owner:me", EVENTS).terms
    assert set(Columns(ROWS).passing(term, Facts(NOW, None))) == {1}

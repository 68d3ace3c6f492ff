"""Tabs of records as large as servers take: bounded work, bounded lines, and the true count of the rest."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from tests.doubles import heavy_records as heavy
from tests.doubles.counted_calls import counted_calls

from flagtui.app.flags.flag_list import detail_lines
from flagtui.app.flags.flag_preview_lines import variant_bar
from flagtui.app.flags.form.flag_form_lines import form_lines
from flagtui.app.flags.form.rollout import MOST, choices_of
from flagtui.app.flags.tabs.conditions_tab import condition_pages, reach_lines
from flagtui.app.flags.tabs.links_tab import link_pages
from flagtui.app.flags.tabs.overview_tab import overview_lines, side_lines
from flagtui.app.flags.tabs.tab_pane import Study
from flagtui.app.flags.tabs.variants_tab import variant_pages
from flagtui.changes.flags.flag_draft import WorkingCopy
from flagtui.models.flag import Flag
from flagtui.models.flag_details import CountedReach, FlagDetails
from flagtui.text.flag_sentences import plain
from flagtui.text.styled import Piece

JSON = Any
Lines = Callable[[Study, int], Any]
NOW = 1_780_000_000.0
TABS: tuple[Lines, ...] = (
    overview_lines,
    side_lines,
    condition_pages,
    reach_lines,
    variant_pages,
    lambda study, width: detail_lines(study.details, study.now, width),
)
MOST_LINES = 700
"""Of a whole tab: a shortened list and what stands around it."""
MOST_CALLS = 60_000
"""Of one drawing, however heavy the record: about 10 ms."""


def study(raw: dict[str, JSON]) -> Study:
    flag = Flag.of(raw)
    row = flag.row()
    reach = CountedReach(reason="too many to count")
    return Study(FlagDetails(row, flag, reach, dependents=()), NOW)


RECORDS = {
    "conditions": partial(heavy.with_conditions, 5_000),
    "bare conditions": partial(heavy.with_bare_conditions, 5_000),
    "properties": partial(heavy.with_properties, 5_000),
    "values": partial(heavy.with_values, 50_000),
    "payload": partial(heavy.with_payload, 1024 * 1024),
    "tags": partial(heavy.with_tags, 10_000),
    "description": partial(heavy.with_description, 1024 * 1024),
    "dependencies": partial(heavy.with_dependencies, 1_000),
    "cohorts": partial(heavy.with_cohorts, 5_000),
}


def text_of(lines: Any) -> str:
    return plain([*lines])


@pytest.mark.parametrize("name", RECORDS)
def test_every_tab_of_a_heavy_record_is_bounded(name: str) -> None:
    heavy_study = study(RECORDS[name]())
    for tab in TABS:
        drawn: list[list[Piece]] = []
        calls = counted_calls(partial(lambda tab, drawn: drawn.extend(tab(heavy_study, 80)), tab, drawn))
        assert calls < MOST_CALLS
        assert len(drawn) < MOST_LINES


def test_tabs_count_conditions_variants_and_links_they_leave_out() -> None:
    shown = study(heavy.with_conditions(2_000))
    assert "WHO SEES IT   2,000 conditions" in text_of(overview_lines(shown, 80))
    assert "… and 1,900 more conditions; the JSON tab has all" in text_of(overview_lines(shown, 80))
    assert "2,000 of them; first match wins" in text_of(condition_pages(shown, 80))
    assert "… and 1,933 more conditions; the JSON tab has all" in text_of(condition_pages(shown, 80))
    assert "… and 1,950 more conditions; the JSON tab has all" in text_of(reach_lines(shown, 80))
    shown = study(heavy.with_variants(2_000))
    words = text_of(variant_pages(shown, 80))
    assert "… and 1,933 more variants; the JSON tab has all" in words
    assert "total 100 %" in words
    assert words.count("variant-") == 67 * 2
    words = text_of(link_pages(study(heavy.with_dependencies(1_000)), 80))
    assert "… and 940 more flags; the JSON tab has all" in words
    words = text_of(link_pages(study(heavy.with_cohorts(5_000)), 80))
    assert "… and 4,940 more cohorts; the JSON tab has all" in words


def test_variant_bar_and_rollout_choices_are_bounded() -> None:
    pieces = [*variant_bar(Flag.of(heavy.with_variants(20_000)).targeting.variants, 40)]
    assert len(pieces) <= 40
    assert sum(len(text) for text, _ in pieces) == 40
    choices = [*choices_of([Flag.of(heavy.with_conditions(2_000))])]
    assert len(choices) == MOST + 1
    assert [place for place, _share, _line in choices] == [*range(MOST), None]


def test_form_of_a_heavy_flag_leads_to_its_json() -> None:
    copy = WorkingCopy.of(Flag.of(heavy.with_conditions(2_000)))
    lines = [*form_lines(copy)]
    words = plain(line.pieces for line in lines)
    assert "… and 1,900 more conditions; leave with esc; E edits the whole flag as JSON" in words
    assert len(lines) < 400
    assert len(copy.groups) == 2_000
    assert "… and 4,950 more properties" in plain(
        line.pieces for line in form_lines(WorkingCopy.of(Flag.of(heavy.with_properties(5_000))))
    )
    words = plain(line.pieces for line in form_lines(WorkingCopy.of(Flag.of(heavy.with_variants(2_000)))))
    assert "… and 1,900 more variants" in words
    assert "… and 1,900 more payloads" in words


def test_heavy_form_adds_to_every_list_and_names_no_editor() -> None:
    for record, part in (
        (heavy.with_conditions(2_000), "add condition"),
        (heavy.with_properties(5_000), "add property"),
        (heavy.with_variants(2_000), "add variant"),
    ):
        parts = [line.part for line in form_lines(WorkingCopy.of(Flag.of(record)))]
        assert part in parts
    fields = Flag.of(heavy.with_conditions(2_000)).raw
    words = plain(line.pieces for line in form_lines(WorkingCopy.new(fields)))
    assert "… and 1,900 more conditions" in words
    assert "as JSON" not in words

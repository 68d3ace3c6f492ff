"""The tabs of a flag show every fact that decides, and count the rest of heavy records."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace
from tests.doubles import heavy_records as heavy
from tests.doubles.counted_calls import counted_calls
from tests.doubles.expected import require
from tests.doubles.targeting import asks_cohort, asks_flag

from flagtui.app.flags.flag_list import detail_lines
from flagtui.app.flags.flag_preview_lines import flag_lines, variant_bar
from flagtui.app.flags.form.flag_form_lines import form_lines
from flagtui.app.flags.form.rollout import MOST, choices_of
from flagtui.app.flags.tabs.conditions_tab import condition_pages, reach_lines
from flagtui.app.flags.tabs.links_tab import link_pages
from flagtui.app.flags.tabs.overview_tab import overview_lines, side_lines
from flagtui.app.flags.tabs.tab_pane import Lines, Study
from flagtui.app.flags.tabs.variants_tab import variant_pages
from flagtui.changes.flags.flag_draft import WorkingCopy
from flagtui.models.flag import Flag
from flagtui.models.flag_details import CountedReach, FlagDetails, Names
from flagtui.models.flag_responses import FlagStatus
from flagtui.models.flag_rows import read_flag_page
from flagtui.text.flag_sentences import plain
from flagtui.text.styled import Piece

JSON = Any
TARGETED = {"rule_type": "targeted_release", "targeting": {"properties": []}, "value": "b"}
RULES = {"version": 2, "return_type": "string", "default_value": "a", "rules": [TARGETED]}


def study(filters: JSON, **more: JSON) -> Study:
    flag = Flag.of({"id": 1, "key": "k", "active": True, "filters": filters, **more})
    return Study(FlagDetails(flag.row(), flag), 0.0)


def lines(pages: Lines) -> list[str]:
    return plain(pages).splitlines()


def test_the_conditions_tab_says_what_decides_before_and_beside_them() -> None:
    filters = {
        "groups": [{"rollout_percentage": 50}],
        "feature_enrollment": True,
        "holdout": {"id": 4, "exclusion_percentage": 5},
    }
    flag_study = study(filters, ensure_experience_continuity=True, bucketing_identifier="device_id")
    assert lines(condition_pages(flag_study, 80))[:7] == [
        " ·  everyone who opted in to early access, no one who opted out",
        " ·  5 % are held out of experiments and get holdout-4",
        " ·  users keep their value across sign-in",
        " ·  bucketed by device, not by user",
        "",
        "CONDITIONS  first match wins, for everyone else",
        "",
    ]


def test_its_heading_says_how_conditions_decide() -> None:
    filters = {"groups": [{"rollout_percentage": 50}], "early_exit": True}
    heading = "CONDITIONS  early exit: the first matching condition decides, even by its rollout"
    assert lines(condition_pages(study(filters), 80))[0] == heading


def test_tabs_list_rules_their_values_and_newer_configurations() -> None:
    words = lines(variant_pages(study(RULES), 80))
    assert words == ["values of type string", 'rule 1: "b"', 'default value "a"']
    words = lines(variant_pages(study({**RULES, "version": 3}), 80))
    assert words == ["configuration version 3, which only its JSON shows"]
    words = lines(condition_pages(study(RULES), 80))
    assert words[0] == "RULES  the first rule that decides wins"
    assert words[2:] == [' 1 serves "b" to everyone', ' ·  everyone else: default value "a"']


def test_tab_and_pane_name_users_without_a_variant() -> None:
    variants = [{"key": key, "rollout_percentage": 45} for key in ("control", "test")]
    flag_study = study({"groups": [{}], "multivariate": {"variants": variants}})
    rest = "the other 10 % of matching users get plain true, unless a condition sets the variant"
    assert lines(variant_pages(flag_study, 40))[0] == "VARIANTS  total 90 %, which is not 100 %"
    assert rest in lines(variant_pages(flag_study, 40))
    flag = flag_study.details.flag
    assert flag is not None
    assert f" {rest}" in lines(flag_lines(flag, flag_study.details, 0.0, 40))


@pytest.mark.parametrize(
    ("more", "called"), [({"last_called_at": None}, "never"), ({}, "not known")], ids=["null", "not sent"]
)
def test_never_called_is_said_only_where_calls_are_told(more: dict[str, JSON], called: str) -> None:
    raw = {"id": 1, "key": "k", "active": True, "status": "STALE", "filters": {"groups": [{}]}, **more}
    [row] = read_flag_page(json.dumps({"results": [raw]}).encode()).rows
    flag = Flag.of(raw)
    assert row == flag.row()
    details = FlagDetails(row, flag)
    pane, side = lines(flag_lines(flag, details, 0.0, 60)), lines(side_lines(Study(details, 0.0), 40))
    assert f"AGE         changed not known · called {called}" in pane
    assert f"AGE   created not known · changed not known · called {called}" in side
    assert ("no call recorded" in " ".join(pane)) == (called == "never")


@pytest.mark.parametrize(("active", "word"), [(True, "active"), (False, "not stale")])
def test_flag_that_is_off_is_never_called_active(active: bool, word: str) -> None:
    bare = study({"groups": [{}]}, active=active).details
    details = replace(bare, status=FlagStatus.of({"status": "active", "reason": "because"}))
    assert f"STATUS      {word}  because" in lines(overview_lines(Study(details, 0.0), 80))


def test_dependents_are_none_active_or_unknown() -> None:
    flag_study = study({"groups": []})
    details = flag_study.details
    for dependents, reason, words in (
        ((), "", "  no flag that is on"),
        (None, "", "  asking…"),
        (None, "The server failed.", "  The server failed."),
    ):
        with_dependents = FlagDetails(details.row, details.flag, dependents=dependents, no_dependents=reason)
        texts = lines(link_pages(Study(with_dependents, 0.0), 80))
        assert texts[texts.index("NEEDED BY") + 1] == words


def test_parts_that_could_not_be_read_are_not_known() -> None:
    bare, why = study({"groups": [{}]}).details, "The server failed (502)."
    details = replace(bare, changes=(), no_changes=why, no_dependents=why, no_schedule=why)
    pane = lines(flag_lines(require(details.flag), details, 0.0, 30))
    side = lines(side_lines(Study(details, 0.0), 40))
    assert "NEEDED BY   not known: The se…" in pane
    assert pane[pane.index("RECENT CHANGES") + 1] == " not known: The server failed…"
    assert "needed by   not known: The server faile…" in side
    assert "schedule    not known: The server faile…" in side
    assert side[side.index("HISTORY") + 1] == f" not known: {why}"


def test_pages_beside_lists_count_the_links_they_leave_out() -> None:
    needs = [asks_flag(number) for number in range(10, 18)]
    page = study({"groups": [{"properties": needs}]}, experiment_set=[*range(1, 9)])
    details = replace(page.details, dependents=tuple(f"flag-{number}" for number in range(8)))
    flag = require(details.flag)
    pane = lines(flag_lines(flag, details, 0.0, 60))
    assert pane[pane.index("NEEDED BY   flag-0") + 5] == "            … and 3 more"
    assert "EXPERIMENT  #1, #2, #3, #4, #5, #6 and 2 more" in pane
    details = replace(details, reach=CountedReach(reason="some conditions count groups, others users"))
    pane = lines(flag_lines(flag, details, 0.0, 30))
    assert "REACH       some conditions count groups, others users" in pane
    side = lines(side_lines(Study(details, 0.0), 40))
    assert side.count("            … and 3 more") == 2


def test_links_name_cohorts_as_conditions_do() -> None:
    cohorts = [asks_cohort(31), asks_cohort(32, cohort_name=None), asks_cohort(33)]
    page = replace(study({"groups": [{"properties": cohorts}]}), names=Names(cohorts={33: "Staff"}))
    texts = lines(link_pages(page, 80))
    assert texts[texts.index("COHORTS") + 1 :][:3] == [
        "  cohort 31  #31",
        "  cohort 32  #32 (the cohort does not exist)",
        "  Staff  #33",
    ]


@pytest.mark.parametrize(
    ("mode", "line"), [("any", "CONTEXTS    web ios"), ("all", "CONTEXTS    web ios  all have to match")]
)
def test_overview_names_contexts_and_how_they_match(mode: str, line: str) -> None:
    flag = study({"groups": []}, evaluation_contexts=["web", "ios"], evaluation_contexts_match_mode=mode)
    assert line in [text.rstrip() for text in lines(overview_lines(flag, 80))]


TabLines = Callable[[Study, int], Any]
NOW = 1_780_000_000.0
TABS: tuple[TabLines, ...] = (
    overview_lines,
    side_lines,
    condition_pages,
    reach_lines,
    variant_pages,
    lambda study_of, width: detail_lines(study_of.details, study_of.now, width),
)
MOST_LINES = 700
"""Of a whole tab: a shortened list and what stands around it."""
MOST_CALLS = 60_000
"""Of one drawing, however heavy the record: about 10 ms."""


def study_of(raw: dict[str, JSON]) -> Study:
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
    heavy_study = study_of(RECORDS[name]())
    for tab in TABS:
        drawn: list[list[Piece]] = []
        calls = counted_calls(partial(lambda tab, drawn: drawn.extend(tab(heavy_study, 80)), tab, drawn))
        assert calls < MOST_CALLS
        assert len(drawn) < MOST_LINES


def test_tabs_count_conditions_variants_and_links_they_leave_out() -> None:
    shown = study_of(heavy.with_conditions(2_000))
    assert "WHO SEES IT   2,000 conditions" in text_of(overview_lines(shown, 80))
    assert "… and 1,900 more conditions; the JSON tab has all" in text_of(overview_lines(shown, 80))
    assert "2,000 of them; first match wins" in text_of(condition_pages(shown, 80))
    assert "… and 1,933 more conditions; the JSON tab has all" in text_of(condition_pages(shown, 80))
    assert "… and 1,950 more conditions; the JSON tab has all" in text_of(reach_lines(shown, 80))
    shown = study_of(heavy.with_variants(2_000))
    words = text_of(variant_pages(shown, 80))
    assert "… and 1,933 more variants; the JSON tab has all" in words
    assert "total 100 %" in words
    assert words.count("variant-") == 67 * 2
    flag = shown.details.flag
    assert flag is not None
    assert " … 1,992 more" in lines(flag_lines(flag, shown.details, NOW, 40))
    words = text_of(link_pages(study_of(heavy.with_dependencies(1_000)), 80))
    assert "… and 940 more flags; the JSON tab has all" in words
    words = text_of(link_pages(study_of(heavy.with_cohorts(5_000)), 80))
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

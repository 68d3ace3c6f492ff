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
from tests.doubles.targeting import asks_cohort, asks_flag, variants

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
from flagtui.models.flag_details import Counted, CountedReach, FlagDetails, Names
from flagtui.models.flag_responses import FlagStatus
from flagtui.models.flag_rows import read_flag_page
from flagtui.text.flag_sentences import plain

JSON = Any
TARGETED = {"rule_type": "targeted_release", "targeting": {"properties": []}, "value": "b"}
RULES = {"version": 2, "return_type": "string", "default_value": "a", "rules": [TARGETED]}


def study(filters: JSON, **more: JSON) -> Study:
    flag = Flag.of({"id": 1, "key": "k", "active": True, "filters": filters, **more})
    return Study(FlagDetails(flag.row(), flag), 0.0)


def lines(pages: Lines) -> list[str]:
    return plain(pages).splitlines()


def line_below(heading: str, pages: Lines) -> str:
    texts = lines(pages)
    return texts[texts.index(heading) + 1]


def pane(details: FlagDetails, width: int) -> list[str]:
    return lines(flag_lines(require(details.flag), details, 0.0, width))


def side(details: FlagDetails) -> list[str]:
    return lines(side_lines(Study(details, 0.0), 40))


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
    flag_study = study({"groups": [{}], "multivariate": variants(control=45, test=45)})
    rest = "the other 10 % of matching users get plain true, unless a condition sets the variant"
    assert lines(variant_pages(flag_study, 40))[0] == "VARIANTS  total 90 %, which is not 100 %"
    assert rest in lines(variant_pages(flag_study, 40))
    assert f" {rest}" in pane(flag_study.details, 40)


@pytest.mark.parametrize(
    ("more", "called"), [({"last_called_at": None}, "never"), ({}, "not known")], ids=["null", "not sent"]
)
def test_never_called_is_said_only_where_calls_are_told(more: dict[str, JSON], called: str) -> None:
    raw = {"id": 1, "key": "k", "active": True, "status": "STALE", "filters": {"groups": [{}]}, **more}
    [row] = read_flag_page(json.dumps({"results": [raw]}).encode()).rows
    details = FlagDetails(row, Flag.of(raw))
    assert row == Flag.of(raw).row()
    assert f"AGE         changed not known · called {called}" in pane(details, 60)
    assert f"AGE  created not known · changed not known · called {called}" in side(details)
    assert ("no call recorded" in " ".join(pane(details, 60))) == (called == "never")


@pytest.mark.parametrize(("active", "word"), [(True, "active"), (False, "not stale")])
def test_flag_that_is_off_is_never_called_active(active: bool, word: str) -> None:
    bare = study({"groups": [{}]}, active=active).details
    details = replace(bare, status=FlagStatus.of({"status": "active", "reason": "because"}))
    assert f"STATUS      {word}  because" in lines(overview_lines(Study(details, 0.0), 80))


def test_dependents_are_none_active_or_unknown() -> None:
    details = study({"groups": []}).details
    for dependents, reason, words in (
        ((), "", "no flag that is on"),
        (None, "", "asking…"),
        (None, "The server failed.", "The server failed."),
    ):
        shown = replace(details, dependents=dependents, no_dependents=reason)
        assert f"NEEDED BY      {words}" in lines(link_pages(Study(shown, 0.0), 80))


def test_parts_that_could_not_be_read_are_not_known() -> None:
    bare, why = study({"groups": [{}]}).details, "The server failed (502)."
    details = replace(bare, changes=(), no_changes=why, no_dependents=why, no_schedule=why)
    assert "NEEDED BY   not known: The se…" in pane(details, 30)
    changes = line_below("RECENT CHANGES", flag_lines(require(details.flag), details, 0.0, 30))
    assert changes == " not known: The server failed…"
    assert {f"{part}   not known: The server faile…" for part in ("needed by", "schedule ")} <= {
        *side(details)
    }
    assert line_below("HISTORY", side_lines(Study(details, 0.0), 40)) == f" not known: {why}"


def test_pages_beside_lists_count_the_links_they_leave_out() -> None:
    needs = [asks_flag(number) for number in range(10, 18)]
    page = study({"groups": [{"properties": needs}]}, experiment_set=[*range(1, 9)])
    details = replace(page.details, dependents=tuple(f"flag-{number}" for number in range(8)))
    texts = pane(details, 60)
    assert texts[texts.index("NEEDED BY   flag-0") + 5] == "            … and 3 more"
    assert "EXPERIMENT  #1, #2, #3, #4, #5, #6 and 2 more" in texts
    details = replace(details, reach=CountedReach(reason="some conditions count groups, others users"))
    assert "REACH       some conditions count groups, others users" in pane(details, 30)
    assert side(details).count("            … and 3 more") == 2


@pytest.mark.parametrize("width", [50, 74, 150])
def test_bars_of_reach_end_in_one_column(width: int) -> None:
    page = study({"groups": [{}, {}]})
    parts = tuple(Counted(number, 10, 50.0, 20) for number in (1, 2))
    details = replace(page.details, reach=CountedReach(10, 20, parts=parts))
    bars = [text for text in lines(reach_lines(replace(page, details=details), width)) if text.endswith("─")]
    assert [len(text) for text in bars] == [min(width, 60)] * 3


def test_links_name_cohorts_as_conditions_do() -> None:
    cohorts = [asks_cohort(31), asks_cohort(32, cohort_name=None), asks_cohort(33)]
    page = replace(study({"groups": [{"properties": cohorts}]}), names=Names(cohorts={33: "Staff"}))
    texts = lines(link_pages(page, 80))
    assert texts[(place := texts.index("COHORTS        cohort 31  #31")) + 1 : place + 3] == [
        "               cohort 32  #32 (the cohort does not exist)",
        "               Staff  #33",
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


@pytest.mark.parametrize("name", RECORDS)
def test_every_tab_of_a_heavy_record_is_bounded(name: str) -> None:
    heavy_study = study_of(RECORDS[name]())
    for tab in TABS:
        assert counted_calls(partial(lambda tab: [*tab(heavy_study, 80)], tab)) < MOST_CALLS
        assert len([*tab(heavy_study, 80)]) < MOST_LINES


CONDITIONS, VARIANTS = heavy.with_conditions(2_000), heavy.with_variants(2_000)
MORE = "{} more {}; the JSON tab has all"


@pytest.mark.parametrize(("raw", "tab", "words"), [
    (CONDITIONS, overview_lines, ["WHO SEES IT   2,000 conditions", MORE.format("1,900", "conditions")]),
    (CONDITIONS, condition_pages,
     ["2,000 of them; first match wins", MORE.format("1,933", "conditions")]),
    (CONDITIONS, reach_lines, [MORE.format("1,950", "conditions")]),
    (VARIANTS, variant_pages, [MORE.format("1,933", "variants"), "total 100 %"]),
    (heavy.with_dependencies(1_000), link_pages, [MORE.format("940", "flags")]),
    (heavy.with_cohorts(5_000), link_pages, [MORE.format("4,940", "cohorts")]),
], ids=["overview", "conditions", "reach", "variants", "dependencies", "cohorts"])  # fmt: skip
def test_tabs_count_what_they_leave_out(raw: dict[str, JSON], tab: TabLines, words: list[str]) -> None:
    drawn = plain(tab(study_of(raw), 80))
    assert all(phrase in drawn for phrase in words)
    assert raw is not VARIANTS or drawn.count("variant-") == 67 * 2


def test_variant_bar_and_rollout_choices_are_bounded() -> None:
    assert " … 1,992 more" in pane(study_of(VARIANTS).details, 40)
    pieces = [*variant_bar(Flag.of(heavy.with_variants(20_000)).targeting.variants, 40)]
    assert len(pieces) <= 40
    assert sum(len(text) for text, _ in pieces) == 40
    choices = [*choices_of([Flag.of(CONDITIONS)])]
    assert [place for place, _share, _line in choices] == [*range(MOST), None]


@pytest.mark.parametrize(("raw", "words", "part"), [
    (CONDITIONS, ["… and 1,900 more conditions; leave with esc; E edits the whole flag as JSON"],
     "add condition"),
    (heavy.with_properties(5_000), ["… and 4,950 more properties"], "add property"),
    (VARIANTS, ["… and 1,900 more variants", "… and 1,900 more payloads"], "add variant"),
], ids=["conditions", "properties", "variants"])  # fmt: skip
def test_form_of_a_heavy_flag_leads_to_its_json(raw: JSON, words: list[str], part: str) -> None:
    copy = WorkingCopy.of(Flag.of(raw))
    drawn = [*form_lines(copy)]
    assert all(phrase in plain(line.pieces for line in drawn) for phrase in words)
    assert part in [line.part for line in drawn]
    assert len(drawn) < 400
    assert len(copy.groups) == len(raw["filters"]["groups"])


def test_form_of_a_new_heavy_flag_names_no_editor() -> None:
    words = plain(line.pieces for line in form_lines(WorkingCopy.new(Flag.of(CONDITIONS).raw)))
    assert "… and 1,900 more conditions" in words
    assert "as JSON" not in words

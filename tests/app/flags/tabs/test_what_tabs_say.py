"""The tabs of a flag show every fact that decides, beside its conditions."""

import json
from dataclasses import replace
from typing import Any

import pytest

from flagtui.app.flags.flag_preview_lines import flag_lines
from flagtui.app.flags.tabs.conditions_tab import condition_pages
from flagtui.app.flags.tabs.links_tab import link_pages
from flagtui.app.flags.tabs.overview_tab import overview_lines, side_lines
from flagtui.app.flags.tabs.tab_pane import Lines, Study
from flagtui.app.flags.tabs.variants_tab import variant_pages
from flagtui.models.flag import Flag
from flagtui.models.flag_details import FlagDetails
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


@pytest.mark.parametrize(
    ("more", "heading"),
    [
        ({}, "first match wins"),
        ({"early_exit": True}, "early exit: the first matching condition decides, even by its rollout"),
    ],
)
def test_its_heading_says_how_conditions_decide(more: JSON, heading: str) -> None:
    filters = {"groups": [{"rollout_percentage": 50}], **more}
    assert lines(condition_pages(study(filters), 80))[0] == f"CONDITIONS  {heading}"


def test_tabs_list_rules_their_values_and_newer_configurations() -> None:
    words = lines(variant_pages(study(RULES), 80))
    assert words == ["values of type string", 'rule 1: "b"', 'default value "a"']
    words = lines(variant_pages(study({**RULES, "version": 3}), 80))
    assert words == ["configuration of a newer version; the JSON tab shows it"]
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


@pytest.mark.parametrize(
    ("mode", "line"), [("any", "CONTEXTS    web ios"), ("all", "CONTEXTS    web ios  all have to match")]
)
def test_overview_names_contexts_and_how_they_match(mode: str, line: str) -> None:
    flag = study({"groups": []}, evaluation_contexts=["web", "ios"], evaluation_contexts_match_mode=mode)
    assert line in [text.rstrip() for text in lines(overview_lines(flag, 80))]

"""Findings: the state of a flag, each rule, and fingerprints."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.doubles.servers import page
from tests.doubles.targeting import asks_cohort, flag_of, group

from flagtui.code.code_findings import (
    DEFAULT_RULES,
    RULES,
    CodeFinding,
    code_after_removal,
    find_findings,
    flag_states,
    state_of,
)
from flagtui.code.flag_facts import CodeFacts
from flagtui.code.listed_flags import ListedFlag, complete_flags, read_listed_page, with_deleted
from flagtui.code.reference_records import Reference
from flagtui.models.code_flags import CodeFlag
from flagtui.models.flag_shapes import read_shape_page
from flagtui.models.rows import EventDefinitionRow, FlagRow, RowPage


def flag(key: str, *, everyone: bool | str | None = None, not_local: str = "", **row: Any) -> CodeFlag:
    return CodeFlag(FlagRow(1, key, **{"active": True, **row}), everyone, not_local)


def use(key: str, *, line: int = 1, **more: Any) -> Reference:
    about = {"kind": "call", "key": key, "function": "isFeatureEnabled", **more}
    return Reference("src/app.ts", line, 5, **about)


def facts(*flags: CodeFlag, events: tuple[str, ...] = ()) -> CodeFacts:
    rows = {name: EventDefinitionRow(name, name) for name in events}
    return CodeFacts({each.key: each for each in flags}, rows, 0.0)


def rules(*references: Reference, about: CodeFacts) -> list[str]:
    return [each.rule for each in find_findings(references, about, RULES)]


REMOVE = "remove what it turns on"


@pytest.mark.parametrize(("about", "states", "after_removal"), [
    (None, ["unknown-key"], REMOVE),
    (flag("a", deleted=True), ["deleted-key"], REMOVE),
    (flag("a", archived=True, status="STALE"), ["archived"], REMOVE),
    (flag("a", active=False), ["off"], REMOVE),
    (flag("a", everyone=False), ["never-on"], REMOVE),
    (flag("a", everyone=True), ["rolled-out"], "keep what it turns on"),
    (flag("a", everyone="test", status="STALE"), ["rolled-out", "stale"], "keep variant test"),
    (flag("a", status="STALE"), ["stale"], ""),
    (flag("a"), ["healthy"], ""),
])  # fmt: skip
def test_state_of_a_flag_decides_over_its_code(
    about: CodeFlag | None, states: list[str], after_removal: str
) -> None:
    assert (flag_states(about), code_after_removal(about)) == (states, after_removal)


@pytest.mark.parametrize(("reference", "about", "expected"), [
    (use("b"), facts(), ["unknown-key"]),
    (use(""), facts(), ["dynamic-key"]),
    (use("b", kind="string"), facts(), []),
    (use("b", kind="test"), facts(), []),
    (use("b", accepted="on purpose"), facts(), []),
    (use("a", is_server=True), facts(flag("a", not_local="it keeps values")), ["not-local"]),
    (use("a"), facts(flag("a", not_local="it keeps values")), []),
    (use("a", fallback=False), facts(flag("a", everyone=True)), ["rolled-out", "default-differs"]),
    (use("a", fallback="test"), facts(flag("a", everyone="test")), ["rolled-out"]),
    (use("a", fallback=False), facts(flag("a")), []),
    (use("a", kind="comment"), facts(flag("a")), ["comment-only"]),
    (use("a", kind="test"), facts(flag("a")), ["unreferenced"]),
    (use("a", kind="string"), facts(flag("a")), []),
    (use("e", subject="event"), facts(), ["unknown-key"]),
    (use("e", subject="event"), facts(events=("e",)), []),
    (use("$pageview", subject="event"), facts(), []),
    (use("", subject="event"), facts(), ["dynamic-key"]),
])  # fmt: skip
def test_reference_has_the_findings_of_its_record(
    reference: Reference, about: CodeFacts, expected: list[str]
) -> None:
    assert rules(reference, about=about) == expected


def test_findings_of_records_name_unreferenced_and_similar_ones() -> None:
    about = facts(flag("a"), flag("b", archived=True), flag("c", deleted=True), events=("e", "$pageview"))
    findings = find_findings((), about, RULES)
    assert [(each.rule, each.key) for each in findings] == [("unreferenced", "e"), ("unreferenced", "a")]
    similar = facts(flag("new-nav"), flag("new-nvw", archived=True), events=("paid",))
    uses = (use("new-nvv"), *(use(name, subject="event", line=2) for name in ("payd", "order placed")))
    assert [each.message for each in find_findings(uses, similar, DEFAULT_RULES)] == [
        "There is no flag new-nvv, and none was deleted; did you mean new-nav?",
        "There is no event definition payd; did you mean paid?",
        "There is no event definition order placed; for a new event: flagtui events create.",
    ]
    about = CodeFacts({}, None, 0.0)
    assert rules(use("e", subject="event"), about=about) == []
    assert find_findings((), facts(flag("kill", active=False)), DEFAULT_RULES, ("kill",)) == []


@pytest.mark.parametrize(
    "about", [facts(), facts(flag("kill", archived=True)), facts(flag("kill", deleted=True))]
)
def test_required_flag_has_to_exist(about: CodeFacts) -> None:
    (finding,) = find_findings((), about, DEFAULT_RULES, ("kill",))
    assert (finding.rule, finding.level) == ("missing-required", "error")


def test_fingerprints_stay_when_lines_move() -> None:
    def marks(*lines: int) -> list[str]:
        references = [use("b", line=line) for line in lines]
        return [each.fingerprint for each in find_findings(references, facts(), DEFAULT_RULES)]

    assert marks(1, 2) == marks(10, 70)
    assert len({*marks(1, 2), *marks(1)}) == 2


def test_every_rule_has_a_level_and_a_sentence() -> None:
    for name, rule in RULES.items():
        assert rule.id == name
        assert rule.summary.endswith(".")
        assert CodeFinding(name, "", "").level == rule.level


def listed_flag(id: int, *, cohorts: tuple[int, ...] = (), not_local: str = "", **row: Any) -> ListedFlag:
    return ListedFlag(CodeFlag(FlagRow(id, f"flag-{id}", **row), None, not_local), cohorts)


def test_flags_on_static_cohorts_and_their_dependents_are_not_local() -> None:
    dependents = [listed_flag(3, depends_on=(2,)), listed_flag(2, depends_on=(1,))]
    flags = complete_flags([*dependents, listed_flag(1, cohorts=(7,)), listed_flag(4, cohorts=(8,))], {7})
    assert [(each.key, each.not_local) for each in flags] == [
        ("flag-3", "it depends on flag-2"),
        ("flag-2", "it depends on flag-1"),
        ("flag-1", "it targets a static cohort"),
        ("flag-4", ""),
    ]


def test_pages_of_flags_have_the_value_that_everyone_gets() -> None:
    kept = flag_of({"properties": [asks_cohort(7)]}) | {"id": 2, "ensure_experience_continuity": True}
    flags = [flag_of(group(100)), kept, flag_of(version=2, rules=[]) | {"id": 3}]
    first, second, third = read_listed_page(page(*flags)).rows
    assert (first.flag.everyone, first.flag.not_local) == (True, "")
    assert (second.flag.everyone, second.cohorts) == (None, (7,))
    assert "sign-in" in second.flag.not_local
    assert "rules" in third.flag.not_local


@pytest.mark.parametrize("read", [read_listed_page, read_shape_page])
@pytest.mark.parametrize("number", ["NaN", "1e400", "9" * 5_000])
def test_an_impossible_number_loses_no_other_flag(read: Callable[[bytes], RowPage[Any]], number: str) -> None:
    odd = f'{{"id": 1, "key": "odd", "filters": {{"payloads": {{"true": {number}}}}}}}'
    page = read(f'{{"results": [{odd}, {{"id": 2, "key": "b", "filters": {{}}}}]}}'.encode())
    assert [row.id for row in page.rows] == [1, 2]


def test_deleted_flags_come_from_the_activity_and_from_earlier_copies() -> None:
    now = [flag("kept")]
    earlier = [CodeFlag(FlagRow(2, "gone")), CodeFlag(FlagRow(3, "kept")), CodeFlag(FlagRow(1, "renamed"))]
    flags = with_deleted(now, {"logged:deleted:9": 9, "kept": 1}, earlier)
    expected = {"kept": False, "logged": True, "gone": True, "renamed": True}
    assert {each.key: each.row.deleted for each in flags} == expected


def test_events_in_code_are_hidden_stale_or_healthy() -> None:
    day = 86_400.0
    days = {"hidden": 100, "stale": 60, "fresh": 99}
    events = {
        name: EventDefinitionRow(name, name, hidden=name == "hidden", seen_at=count * day)
        for name, count in days.items()
    }
    events["new"] = EventDefinitionRow("new", "new")
    about = CodeFacts({}, events, 100 * day)
    uses = [use(name, line=line, subject="event") for line, name in enumerate(events, 1)]
    reports = [(each.rule, each.message) for each in find_findings(uses, about, RULES)]
    assert reports == [
        ("off", "The event hidden is hidden."),
        ("stale", "The event stale was last received 40 days ago."),
    ]
    assert [state_of(each, about) for each in uses] == ["off", "stale", "healthy", "healthy"]
    unused = [each.message for each in find_findings((), about, RULES)]
    assert "No call sends the event fresh; it was last received 1 day ago." in unused
    assert "No call sends the event new; it was never received." in unused
    assert "No call sends the event hidden; it was received today." in unused


def test_unused_records_count_the_calls_that_compute_keys() -> None:
    about = facts(flag("nav"), events=("signed up",))
    computed = [use("", line=1), use("", line=2), use("", line=3, subject="event")]
    messages = [each.message for each in find_findings(computed, about, ["unreferenced"])]
    assert [message.split("; ")[-1] for message in messages] == [
        "1 call computes its key, so it may be a use.",
        "2 calls compute their keys, so one may be a use.",
    ]

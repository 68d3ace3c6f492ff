"""Which names mean the same event, and which definitions are to be tidied up."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from tests.store.conftest import DAY, NOW

from flagtui.models.rows import EventDefinitionRow
from flagtui.store.inbox import NEW_TWINS, Case, Inbox, LookAlikes, keys_of, words_of

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "look_alikes.py"


def benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("look_alikes_benchmark", BENCHMARK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def are_alike(name: str, other: str) -> bool:
    return not set(keys_of(name)).isdisjoint(keys_of(other))


@pytest.mark.parametrize(
    ("name", "other"),
    [("signup_completed", "sign_up_complete"), ("Plan Upgraded", "plan_upgraded"),
     ("checkout completed", "chekout_completed"), ("[Trial] started", "trial.started_v3"),
     ("$pageview", "pageview"), ("order shipped", "order ship")],
)  # fmt: skip
def test_names_written_otherwise_are_alike(name: str, other: str) -> None:
    assert are_alike(name, other)
    assert are_alike(other, name)


@pytest.mark.parametrize(
    ("name", "other"),
    [("btn_click_1", "btn_click_2"), ("rule updated", "role updated"), ("step 22", "step 2"),
     ("tab closed", "tag closed"), ("checkout started", "checkout completed"), ("", ""), ("___", "---")],
)  # fmt: skip
def test_names_of_other_events_are_not_alike(name: str, other: str) -> None:
    assert not are_alike(name, other)


def test_look_alikes_match_the_labelled_list_and_any_words() -> None:
    precision, recall, wrong, _missed = benchmark().measure()
    assert precision >= 0.95, wrong
    assert recall >= 0.9
    for name in ("", "\x1b[31m", "🎉", "событие создано", "a" * 10_000, "[/oops]", "v2"):
        assert isinstance(words_of(name), tuple)
        assert not LookAlikes([EventDefinitionRow(id="1", name=name)]).twin("1")


def test_verified_and_described_look_alike_is_preferred() -> None:
    best = EventDefinitionRow(id="b", name="plan upgraded", verified=True, description="x")
    other = EventDefinitionRow(id="o", name="Plan Upgraded", seen_at=9e8)
    hidden = EventDefinitionRow(id="h", name="plan_upgraded", verified=False, hidden=True, seen_at=9e9)
    look_alikes = LookAlikes([other, hidden, best])
    assert look_alikes.twin("b") is None
    assert look_alikes.twin("o") is best
    assert look_alikes.twin("h") is best
    assert len(look_alikes) == 2


def row(name: str, **fields: object) -> EventDefinitionRow:
    return EventDefinitionRow(id=f"id of {name}", name=name, **fields)  # type: ignore[arg-type]  # as named


def case(inbox: Inbox, name: str) -> Case:
    return next(case for case in inbox.cases if case.name == name)


def test_every_reason_is_named_and_what_is_well_stays_out() -> None:
    inbox = Inbox(
        [
            row("plan upgraded", verified=True, description="x", seen_at=NOW),
            row("Plan Upgraded", seen_at=NOW),
            row("old one", verified=True, description="x", seen_at=NOW - 31 * DAY),
            row("$pageview", seen_at=NOW),
            row("gone", hidden=True),
        ],
        NOW,
    )
    assert {case.name: case.reasons for case in inbox.cases} == {
        "Plan Upgraded": ("look-alike", "undescribed", "unverified"),
        "old one": ("silent",),
    }


def test_look_alikes_come_first_then_what_was_seen_last() -> None:
    inbox = Inbox(
        [
            row("b", seen_at=NOW - 3 * DAY),
            row("a", seen_at=NOW - DAY),
            row("never"),
            row("plan_upgraded", seen_at=NOW - 90 * DAY),
            row("plan upgraded", verified=True, description="x", seen_at=NOW),
        ],
        NOW,
    )
    assert [case.name for case in inbox.cases] == ["plan_upgraded", "a", "b", "never"]


def test_a_description_comes_from_the_twin_before_any_neighbour() -> None:
    inbox = Inbox(
        [
            row("checkout completed", verified=True, description="Order paid"),
            row("checkout started", description="Cart opened"),
            row("checkout_completed"),
            row("checkout_abandoned"),
        ],
        NOW,
    )
    twin = inbox.proposal(case(inbox, "checkout_completed"))
    assert (twin.description, twin.source) == ("Order paid", "checkout completed")
    neighbour = inbox.proposal(case(inbox, "checkout_abandoned"))
    assert neighbour.source in ("checkout completed", "checkout started")


def test_tags_and_descriptions_are_proposed_where_they_are_missing() -> None:
    tagged = [row(f"invoice {deed}", tags=("billing", deed)) for deed in ("paid", "sent", "lost")]
    inbox = Inbox(
        [*tagged, row("invoice viewed"), row("video played", tags=("media",)), row("video paused")], NOW
    )
    proposal = inbox.proposal(case(inbox, "invoice viewed"))
    assert (proposal.tags, proposal.neighbours) == (("billing",), 3)
    assert inbox.proposal(case(inbox, "video paused")).tags == ()
    inbox = Inbox(
        [row("plan seen", description="mine"), row("plan left", description="x", verified=True)], NOW
    )
    assert inbox.proposal(case(inbox, "plan seen")).description == ""


def test_new_look_alikes_wait_apart_from_the_cases_at_opening() -> None:
    rows = [
        row("plan upgraded", verified=True, description="x", seen_at=NOW - DAY),
        row("PlanUpgraded", description="x", seen_at=NOW),
        row("other", description="x", seen_at=NOW),
    ]
    opened = Inbox(rows, NOW)
    assert [each.name for each in opened.waiting("", ())] == ["PlanUpgraded", "other"]
    verified = [row("PlanUpgraded", verified=True, description="x", seen_at=NOW), rows[0], rows[2]]
    assert opened.count_decided("", {"nothing", *opened.opened}) == 2
    later = Inbox(verified, NOW, opened.opened)
    assert [each.name for each in later.cases] == ["plan upgraded", "other"]
    assert [each.name for each in later.waiting("", ())] == ["other"]
    assert [each.name for each in later.waiting(NEW_TWINS, ())] == ["plan upgraded"]
    assert later.waiting(NEW_TWINS, {"id of plan upgraded"}) == []

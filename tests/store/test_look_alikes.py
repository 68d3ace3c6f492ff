"""Which names mean the same event, and which definitions are to be tidied up."""

import importlib.util
from pathlib import Path
from types import ModuleType

import msgspec
import pytest
from tests.doubles.expected import require
from tests.store.conftest import DAY, NOW

from flagtui.models.rows import EventDefinitionRow
from flagtui.store.inbox import NEW_TWINS, Case, Inbox, LookAlikes, keys_of, words_of

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "look_alikes.py"


def benchmark() -> ModuleType:
    spec = require(importlib.util.spec_from_file_location("look_alikes_benchmark", BENCHMARK))
    module = importlib.util.module_from_spec(spec)
    require(spec.loader).exec_module(module)
    return module


def are_alike(name: str, other: str) -> bool:
    return not set(keys_of(name)).isdisjoint(keys_of(other))


@pytest.mark.parametrize(("name", "other"), [
    ("signup_completed", "sign_up_complete"), ("Plan Upgraded", "plan_upgraded"),
    ("checkout completed", "chekout_completed"), ("[Trial] started", "trial.started_v3"),
    ("$pageview", "pageview"), ("order shipped", "order ship"),
])  # fmt: skip
def test_names_written_otherwise_are_alike(name: str, other: str) -> None:
    assert are_alike(name, other)
    assert are_alike(other, name)


@pytest.mark.parametrize(("name", "other"), [
    ("btn_click_1", "btn_click_2"), ("rule updated", "role updated"), ("step 22", "step 2"),
    ("tab closed", "tag closed"), ("checkout started", "checkout completed"), ("", ""), ("___", "---"),
])  # fmt: skip
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
    assert [look_alikes.twin(id) for id in "boh"] == [None, best, best]
    assert len(look_alikes) == 2


def row(name: str, **fields: object) -> EventDefinitionRow:
    return EventDefinitionRow(id=f"id of {name}", name=name, **fields)  # type: ignore[arg-type]  # as named


def case(inbox: Inbox, name: str) -> Case:
    return next(case for case in inbox.cases if case.name == name)


def test_every_reason_is_named_and_what_is_well_stays_out() -> None:
    well = row("plan upgraded", verified=True, description="x", seen_at=NOW)
    silent = row("old one", verified=True, description="x", seen_at=NOW - 31 * DAY)
    others = [row("Plan Upgraded", seen_at=NOW), row("$pageview", seen_at=NOW), row("gone", hidden=True)]
    inbox = Inbox([well, silent, *others], NOW)
    assert {case.name: case.reasons for case in inbox.cases} == {
        "Plan Upgraded": ("look-alike", "undescribed", "unverified"),
        "old one": ("silent",),
    }


def test_look_alikes_come_first_then_what_was_seen_last() -> None:
    days = {"b": 3, "a": 1, "plan_upgraded": 90}
    seen = [row(name, seen_at=NOW - count * DAY) for name, count in days.items()]
    verified = row("plan upgraded", verified=True, description="x", seen_at=NOW)
    inbox = Inbox([*seen, row("never"), verified], NOW)
    assert [case.name for case in inbox.cases] == ["plan_upgraded", "a", "b", "never"]


def test_a_description_comes_from_the_twin_before_any_neighbour() -> None:
    paid = row("checkout completed", verified=True, description="Order paid")
    opened = row("checkout started", description="Cart opened")
    inbox = Inbox([paid, opened, row("checkout_completed"), row("checkout_abandoned")], NOW)
    twin = inbox.proposal(case(inbox, "checkout_completed"))
    assert (twin.description, twin.source) == ("Order paid", "checkout completed")
    neighbour = inbox.proposal(case(inbox, "checkout_abandoned"))
    assert neighbour.source in ("checkout completed", "checkout started")


def test_tags_and_descriptions_are_proposed_where_they_are_missing() -> None:
    tagged = [row(f"invoice {deed}", tags=("billing", deed)) for deed in ("paid", "sent", "lost")]
    videos = [row("video played", tags=("media",)), row("video paused")]
    inbox = Inbox([*tagged, row("invoice viewed"), *videos], NOW)
    proposal = inbox.proposal(case(inbox, "invoice viewed"))
    assert (proposal.tags, proposal.neighbours) == (("billing",), 3)
    assert inbox.proposal(case(inbox, "video paused")).tags == ()
    described = [row("plan seen", description="mine"), row("plan left", description="x", verified=True)]
    inbox = Inbox(described, NOW)
    assert inbox.proposal(case(inbox, "plan seen")).description == ""


def test_new_look_alikes_wait_apart_from_the_cases_at_opening() -> None:
    original = row("plan upgraded", verified=True, description="x", seen_at=NOW - DAY)
    twin, other = (row(name, description="x", seen_at=NOW) for name in ("PlanUpgraded", "other"))
    opened = Inbox([original, twin, other], NOW)
    assert [each.name for each in opened.waiting("", ())] == ["PlanUpgraded", "other"]
    assert opened.count_decided("", {"nothing", *opened.opened}) == 2
    verified = msgspec.structs.replace(twin, verified=True)
    later = Inbox([verified, original, other, row("plan-upgraded")], NOW, opened.opened)
    assert [each.name for each in later.cases] == ["plan-upgraded", "other"], "a verified one is no duplicate"
    assert [each.name for each in later.waiting("", ())] == ["other"]
    assert [each.name for each in later.waiting(NEW_TWINS, ())] == ["plan-upgraded"]
    assert later.waiting(NEW_TWINS, {"id of plan-upgraded"}) == []

"""Which definitions are to be tidied up, why, and what their neighbours suggest."""

from tests.store.conftest import DAY, NOW

from flagtui.models.rows import EventDefinitionRow
from flagtui.store.inbox import NEW_TWINS, Case, Inbox


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

"""Pending decisions: merged for each event, stored on disk, undone one by one."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.changes.event_definitions.conftest import AROUND, definition
from tests.doubles.expected import expect

from flagtui.changes.event_definitions.definition_intent import verify
from flagtui.changes.event_definitions.definition_plan import EventPlan, plan_event
from flagtui.changes.event_definitions.triage import Triage
from flagtui.changes.proposal import Outcome, Report
from flagtui.models.rows import EventDefinitionRow

ROW = EventDefinitionRow("id-1", "signed up", description="old", tags=("a",))
OTHER = EventDefinitionRow("id-2", "left")


@pytest.fixture
def triage(tmp_path: Path) -> Triage:
    return Triage(tmp_path, "here")


def test_several_decisions_on_one_event_are_one_request(triage: Triage) -> None:
    triage.decide(ROW, {"tags": ["a", "b"]})
    triage.decide(ROW, {"description": "new"})
    triage.decide(ROW, {"verified": True})
    [decision] = triage.by_id.values()
    assert decision.changes == {"tags": ["a", "b"], "description": "new", "verified": True}
    assert decision.seen == {"tags": ["a"], "description": "old"}
    assert decision.intent.verb == "tidy up"


def test_verified_and_hidden_exclude_each_other(triage: Triage) -> None:
    triage.decide(ROW, {"hidden": True})
    triage.decide(ROW, {"verified": True})
    assert triage.by_id["id-1"].changes == {"verified": True}
    triage.decide(ROW, {"hidden": True}, same_as="signed_up")
    assert triage.by_id["id-1"].changes == {"hidden": True}
    assert triage.by_id["id-1"].words == "same as"


def test_look_alike_is_kept_until_the_event_is_verified(triage: Triage) -> None:
    triage.decide(ROW, {"hidden": True}, same_as="signed_up")
    triage.decide(ROW, {"description": "as signed_up"})
    assert triage.by_id["id-1"].same_as == "signed_up"
    triage.decide(ROW, {"verified": True})
    assert triage.by_id["id-1"].same_as == ""


def test_later_run_loads_decisions_of_its_own_project(triage: Triage) -> None:
    triage.decide(ROW, {"hidden": True}, same_as="other")
    triage.decide(OTHER, {"verified": True})
    later, elsewhere = (Triage(triage.path.parent, name) for name in ("here", "elsewhere"))
    assert (later.load(), elsewhere.load()) == (2, 0)
    assert list(later.by_id.values()) == list(triage.by_id.values())


def test_what_was_applied_is_forgotten_and_what_failed_says_why(triage: Triage) -> None:
    triage.decide(ROW, {"verified": True})
    triage.decide(OTHER, {"verified": True})
    made = (plan_event(verify(id, True), definition(id=id), AROUND) for id in triage.by_id)
    plans = [expect(plan, EventPlan) for plan in made]
    report = Report((Outcome(plans[0], "saved"), Outcome(plans[1], "refused", reason="Not found")))
    triage.settle_report(["id-1", "id-2"], report, {"id-1": replace(ROW, verified=True), "id-2": OTHER}.get)
    assert [decision.trouble for decision in triage.by_id.values()] == ["Not found"]
    assert triage.undo_last() is not None
    assert triage.undo_last() is None
    assert not triage.path.exists()


def test_two_programs_keep_decisions_of_the_other(triage: Triage, tmp_path: Path) -> None:
    triage.decide(ROW, {"hidden": True})
    Triage(tmp_path, "here").decide(OTHER, {"verified": True})
    assert Triage(tmp_path, "here").load() == 2
    triage.settle("id-1", None)
    later = Triage(tmp_path, "here")
    later.load()
    assert list(later.by_id) == ["id-2"]


def test_a_damaged_file_counts_as_none(triage: Triage) -> None:
    for text in ("", "{", "[1, null]", '{"a": 1}', '[{"id": "x"}]', '[{"changes": {"hidden": true}}]'):
        triage.path.write_text(text)
        assert triage.load() == 0


def test_a_disk_that_refuses_loses_only_the_memory(tmp_path: Path) -> None:
    folder = tmp_path / "file"
    folder.write_text("in the way")
    triage = Triage(folder, "here")
    triage.decide(ROW, {"verified": True})
    assert list(triage.by_id) == ["id-1"]


def test_applied_decision_holds_until_its_fields_change(triage: Triage) -> None:
    triage.decide(ROW, {"verified": True, "tags": ["b", "a"]})
    applied = replace(ROW, verified=True, tags=("b", "a"))
    triage.settle("id-1", applied)
    triage.decide(OTHER, {"hidden": True})
    triage.settle("id-2", None)
    edited = {"id-1": replace(applied, description="by another user")}
    assert triage.still_applied(edited.get) == {"id-1", "id-2"}
    assert triage.still_applied({"id-1": ROW, "id-2": OTHER}.get) == {"id-2"}

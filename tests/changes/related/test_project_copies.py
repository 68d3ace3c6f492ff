"""Copies of a flag into another project: copied parts, the copier, and the sentences."""

from collections.abc import Sequence
from typing import Any, cast

import pytest
from tests.doubles.expected import expect
from tests.doubles.flag_server import raw_flag

from flagtui.api.flags import Flags
from flagtui.changes.flags.new_flags import Taken
from flagtui.changes.related.creation import RelatedPlan
from flagtui.changes.related.project_copies import (
    CopyTarget,
    bound_to_its_project,
    needs_the_server,
    plan_copy,
    send_copy,
    stays_behind,
)
from flagtui.changes.skipped import Blocked
from flagtui.models.flag import Flag
from flagtui.models.flag_details import Names
from flagtui.models.flag_responses import Copied

PAYING = {"key": "id", "type": "cohort", "operator": "in", "value": 31}
BASE = {"key": "9", "type": "flag", "operator": "flag_evaluates_to", "value": True, "label": "base"}
THERE = CopyTarget(2, "Mobile", "org-1")


def asking(*properties: dict[str, Any], fields: dict[str, Any] | None = None, **filters: Any) -> Flag:
    groups = [{"properties": list(properties), "rollout_percentage": 10, **filters.pop("group", {})}]
    return Flag.of(raw_flag(filters={"groups": groups, **filters}, **(fields or {})))


@pytest.mark.parametrize(("flag", "why"), [
    (asking(), ""),
    (asking(PAYING), ""),
    (asking(BASE), ""),
    (asking(version=2), "it has rules (configuration version 2), and cannot be copied"),
    (asking(version=3), "configuration version 3, which is only shown here, and cannot be copied"),
    (asking(aggregation_group_type_index=0), "about groups"),
    (asking(group={"aggregation_group_type_index": 1}), "about groups"),
    (asking(holdout={"id": 4}), ""),
    (asking(PAYING, holdout={"id": 4}), "would take holdout #4 along"),
    (asking(PAYING, feature_enrollment=True), "would take the early access rule along"),
    (asking(BASE, group={"exposure_frozen": True}), "would take what its experiment froze along"),
    (asking(PAYING, fields={"has_encrypted_payloads": True}), "would take its encrypted payload along"),
])  # fmt: skip
def test_what_means_something_else_there_is_copied_by_nobody(flag: Flag, why: str) -> None:
    reason = bound_to_its_project(flag)
    assert (why in reason) if why else (reason == "")


def test_what_a_copy_does_not_have_is_named() -> None:
    assert stays_behind(asking(), 0) == ("its history",)
    flag = asking(
        holdout={"id": 4},
        fields={"experiment_set": [3], "usage_dashboard": 7, "has_encrypted_payloads": True},
    )
    assert stays_behind(flag, 2) == (
        *("holdout #4", "its encrypted payload", "its experiments", "dashboards", "2 scheduled changes"),
        "its history",
    )
    assert "scheduled changes, if it has any" in stays_behind(asking(), None)


def test_copies_name_their_needs_and_obstacles() -> None:
    plan = expect(
        plan_copy(asking(PAYING, BASE), THERE, ("its history",), Names(cohorts={31: "Payers"})), RelatedPlan
    )
    texts = {consequence.label: consequence.text for consequence in plan.consequences}
    assert texts["Cohorts"].startswith("Payers: found there by name")
    assert (texts["Needs"], texts["Stays behind"]) == ("base there under the same key", "its history")
    assert [caution.text.endswith("is overwritten") for caution in plan.cautions] == [True]
    flag = asking(PAYING)
    for target in (CopyTarget(2, "Mobile", "org-1", Taken((flag.row(),))), CopyTarget(2, "Mobile")):
        assert isinstance(plan_copy(flag, target, ()), Blocked)
    deleted = CopyTarget(2, "Mobile", "org-1", Taken((), {flag.key: 5}))
    (caution, *_) = expect(plan_copy(flag, deleted, ()), RelatedPlan).cautions
    assert caution.text.endswith("is destroyed permanently")
    assert [needs_the_server(flag) for flag in (asking(), asking(PAYING), asking(BASE))] == [
        False,
        True,
        True,
    ]


class Copier:
    """Answers as told."""

    def __init__(self, **answer: Any) -> None:
        self.answer = answer
        self.asked: list[tuple[str, str, Sequence[int], bool]] = []

    async def copy(
        self, organization: str, key: str, targets: Sequence[int], *, disable: bool = True
    ) -> Copied:
        self.asked.append((organization, key, targets, disable))
        return Copied.of(self.answer)


@pytest.mark.parametrize(("answer", "is_done", "note"), [
    ({"success": [{"id": 8, "key": "k", "active": False, "version": 1}]}, True, "#8"),
    ({"success": [{"id": 8, "key": "k", "active": True, "version": 4}]}, True,
     "#8, it is on, it exists by then and is overwritten"),
    ({"failed": [{"project_id": 2, "error_message": "Project not found."}]}, False, "Project not found."),
    ({"failed": [{"project_id": 2, "error_message": {"key": "bad"}}]}, False, "key: bad"),
    ({}, False, "the server names no copy"),
])  # fmt: skip
async def test_the_answer_is_held_against_what_was_meant(answer: Any, is_done: bool, note: str) -> None:
    copier = Copier(**answer)
    outcome = await send_copy(asking(PAYING), THERE, cast(Flags, copier))
    assert (outcome.is_done, outcome.note) == (is_done, note)
    assert copier.asked == [("org-1", asking().key, [2], True)]

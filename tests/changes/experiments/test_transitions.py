"""Every step in every state: either it can be planned, or the reason is known before anything is sent."""

from string import ascii_letters
from typing import Any, Final

import pytest
from tests.changes.experiments.conftest import make_experiment, try_step
from tests.doubles.expected import expect

from flagtui.changes.experiments.step_plan import ExperimentPlan
from flagtui.changes.experiments.step_refusals import refuse_row
from flagtui.changes.experiments.steps import STEPS, StepName
from flagtui.changes.skipped import Blocked

STATES: Final = ("draft", "running", "paused", "stopped")
ANY: Final = ("", "", "", "")
LAUNCHED, NOT_YET = "already been launched", "not been launched yet"
REASONS: Final[dict[StepName, tuple[str, str, str, str]]] = {
    "launch": ("", LAUNCHED, LAUNCHED, LAUNCHED),
    "pause": (NOT_YET, "", "already paused", "already ended"),
    "resume": (NOT_YET, "is not paused", "", "already ended"),
    "end": (NOT_YET, "", "", "already ended"),
    "ship": (NOT_YET, "", "", ""),
    "archive": ("must be launched and ended before", "must be ended before", "must be ended before", ""),
    "unarchive": ("is not archived",) * 4,
    "reset": ("already a draft", "", "", ""),
    "duplicate": ANY,
    "copy": ANY,
    "cohort": (NOT_YET, "", "", ""),
    "delete": ANY,
}
"""By step: why it cannot be taken in each of the states, while nothing is archived."""
CHOSEN: Final[dict[str, Any]] = {"variant": "test", "flag_key": "blue-2"}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", REASONS)
def test_a_step_is_planned_or_refused_with_its_reason(name: StepName, state: str) -> None:
    fresh, reason = make_experiment(state), REASONS[name][STATES.index(state)]
    result = try_step(name, fresh, **CHOSEN)
    if not reason:
        assert isinstance(result, ExperimentPlan)
        assert refuse_row(fresh.row(), STEPS[name]) == ""
        return
    blocked = expect(result, Blocked)
    assert reason in blocked.reason
    # What a row shows is enough to refuse a command, in the same words.
    assert refuse_row(fresh.row(), STEPS[name]) == "; ".join(filter(None, (blocked.reason, blocked.next)))
    # The command line says it too, and has no keys to press.
    assert not blocked.next or blocked.next.split()[0] not in (*ascii_letters, "space", "enter")
    assert reason != NOT_YET or blocked.next == "launch it first"


def test_a_row_without_access_refuses_every_step_but_copies() -> None:
    row = make_experiment("running", user_access_level="viewer").row()
    refused = {name for name, step in STEPS.items() if refuse_row(row, step)}
    assert refused == STEPS.keys() - {"duplicate", "copy"}


def test_what_is_archived_comes_back_and_is_not_archived_twice() -> None:
    archived = make_experiment("stopped", archived=True)
    assert "already archived" in expect(try_step("archive", archived), Blocked).reason
    assert isinstance(try_step("unarchive", archived), ExperimentPlan)


@pytest.mark.parametrize("name", ["launch", "pause", "end", "ship", "archive", "reset", "cohort", "resume"])
def test_unknown_state_of_a_newer_server_blocks_steps(name: StepName) -> None:
    refusal = expect(try_step(name, make_experiment(status="under_review"), **CHOSEN), Blocked)
    assert "state is under_review" in refusal.reason


@pytest.mark.parametrize(("name", "more", "reason"), [
    ("launch", {"feature_flag": None}, "has no flag"),
    ("launch", {"feature_flag": {"id": 31, "key": "blue", "deleted": True}}, "has been deleted"),
    ("launch", {"feature_flag": {"id": 31, "key": "blue", "filters": {}}}, "fewer than two variants"),
    ("ship", {"feature_flag": {"id": 31, "key": "blue", "active": True}}, "has no variant test"),
    ("cohort", {"exposure_cohort": 5}, "already has an exposure cohort, #5"),
    ("end", {"user_access_level": "viewer"}, "not change it"),
    ("ship", {"is_legacy": True}, "old engine"),
    ("reset", {"is_legacy": True}, "old engine"),
])  # fmt: skip
def test_invalid_flag_cohort_or_access_is_reported(
    name: StepName, more: dict[str, object], reason: str
) -> None:
    fresh = make_experiment("draft" if name == "launch" else "running", **more)
    assert reason in expect(try_step(name, fresh, **CHOSEN), Blocked).reason


@pytest.mark.parametrize("key", ["", "blue", "with space", "ключ", "a" * 401])
def test_copy_needs_its_own_flag_and_a_plain_key(key: str) -> None:
    assert isinstance(try_step("duplicate", make_experiment(), flag_key=key), Blocked)

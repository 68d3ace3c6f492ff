"""Steps an earlier run left open are found out by reading, and closed only when that can be told."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.changes.experiments.conftest import NOW, made, planned
from tests.changes.writing import recover

from flagtui.api.errors import ApiError, NotFound, Unanswered
from flagtui.api.request import Query
from flagtui.changes.experiments.step_save import before_and_after
from flagtui.changes.experiments.steps import STEPS, StepName
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Entry, Signature
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON
from flagtui.models.rows import ExperimentRow, RowPage

HERE = Signature("alice@acme.com", "prod", "https://us.example", "1")


@dataclass
class Server:
    answer: Experiment | ApiError

    async def get(self, id: int) -> Experiment:
        if isinstance(self.answer, ApiError):
            raise self.answer
        return self.answer

    async def page(self, filters: Query | None = None) -> RowPage[ExperimentRow]:
        """Two at a time, the one that is looked for on the second page."""
        if isinstance(self.answer, ApiError):
            raise self.answer
        others = [ExperimentRow(id, f"Blue button {id}", key="blue") for id in (7, 8)]
        is_first = not (filters or {}).get("offset")
        return RowPage(tuple(others) if is_first else (self.answer.row(),), total=3)


def open_step(
    folder: Path, after: dict[str, JSON], age: float = 3600.0, step: StepName = "pause", record: int = 12
) -> Journal:
    journal = Journal(folder, clock=lambda: NOW)
    before: dict[str, JSON] = {"status": "running"} if "status" in after else {}
    verb = STEPS[step].verb.name
    journal.begin(
        Entry("e", NOW - age, record, "Blue button", verb, HERE, "experiment", before=before, after=after)
    )
    return journal


@pytest.mark.parametrize(
    ("state", "age", "truth", "is_open"),
    [
        ("paused", 3600.0, "applied", False),
        ("running", 3600.0, "not applied", False),
        ("running", 5.0, "not known", True),
    ],
)
async def test_the_state_tells_what_became_of_a_pause(
    state: str, age: float, truth: str, is_open: bool, tmp_path: Path
) -> None:
    journal = open_step(tmp_path, {"status": "paused", "feature_flag.active": False}, age)
    (found,) = await recover(journal, HERE, experiments=Server(made(state)))
    assert found.truth == truth
    assert journal.entries()[0].is_open is is_open


async def test_one_that_was_ended_since_is_not_said_to_be_undone(tmp_path: Path) -> None:
    journal = open_step(tmp_path, {"status": "paused"})
    (found,) = await recover(journal, HERE, experiments=Server(made("stopped")))
    assert found.words == (
        "Blue button was changed since: whether “pause experiment” was done cannot be told"
    )
    assert journal.entries()[0].is_open


async def test_one_that_is_gone_was_deleted_if_that_was_the_step(tmp_path: Path) -> None:
    journal = open_step(tmp_path, {"deleted": True})
    (found,) = await recover(journal, HERE, experiments=Server(NotFound("Not found.")))
    assert found.words == "Blue button: “pause experiment” was done"


async def test_what_cannot_be_read_stays_open(tmp_path: Path) -> None:
    journal = open_step(tmp_path, {"status": "paused"})
    (found,) = await recover(journal, HERE, experiments=Server(Unanswered("No answer.")))
    assert found.truth == "not known"
    assert journal.entries()[0].is_open
    assert await recover(journal, Signature(project="2"), experiments=Server(Unanswered("No answer."))) == []


NEW: dict[str, JSON] = {"feature_flag_key": "blue", "name": "Blue button"}


@pytest.mark.parametrize("step", ["create", "duplicate"])
async def test_one_that_was_made_is_found_by_its_flag_and_its_name(step: StepName, tmp_path: Path) -> None:
    journal = open_step(tmp_path, NEW, step=step, record=0)
    await recover(journal, HERE, experiments=Server(made("draft")))
    (entry,) = journal.entries()
    assert (entry.ending, entry.record) == ("saved", 12)


@pytest.mark.parametrize(("name", "ending"), [("Blue button", "saved"), ("Green button", "failed")])
async def test_a_copy_is_looked_for_in_the_project_it_is_for(name: str, ending: str, tmp_path: Path) -> None:
    journal = open_step(tmp_path, {**NEW, "project": 2}, step="copy", record=0)
    there = {2: Server(made("draft", name=name))}
    await recover(journal, HERE, experiments=Server(NotFound("Not found.")), elsewhere=there)
    assert journal.entries()[0].ending == ending


async def test_a_setting_that_the_server_filled_in_is_the_one_that_was_wanted(tmp_path: Path) -> None:
    stored = {"method": "frequentist", "frequentist": {"alpha": 0.05}}
    journal = open_step(tmp_path, {"stats_config": {"method": "frequentist"}}, step="edit")
    (found,) = await recover(journal, HERE, experiments=Server(made(stats_config=stored)))
    assert found.truth == "applied"


@pytest.mark.parametrize(("shares", "truth"), [((0, 100), "applied"), ((50, 50), "not applied")])
async def test_the_shares_of_the_flag_tell_whether_a_variant_was_shipped(
    shares: tuple[int, int], truth: str, tmp_path: Path
) -> None:
    before, after = before_and_after(planned("ship", made("stopped"), variant="test"))
    journal = Journal(tmp_path, clock=lambda: NOW)
    verb = STEPS["ship"].verb.name
    journal.begin(Entry("e", NOW - 90, 12, "x", verb, HERE, "experiment", before=before, after=after))
    variants = [
        {"key": key, "rollout_percentage": share}
        for key, share in zip(("control", "test"), shares, strict=True)
    ]
    flag = {
        "id": 31,
        "key": "blue",
        "filters": {"groups": [{"properties": []}], "multivariate": {"variants": variants}},
    }
    (found,) = await recover(journal, HERE, experiments=Server(made("stopped", feature_flag=flag)))
    assert found.truth == truth

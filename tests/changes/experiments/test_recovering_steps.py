"""Steps an earlier run left open are found out by reading, and closed only when that can be told."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.changes.experiments.conftest import NOW, Made

from flagtui.api.errors import ApiError, NotFound, Unanswered
from flagtui.changes.entries import Entry, Signature
from flagtui.changes.experiments.recovery import recover_steps
from flagtui.changes.journal import Journal
from flagtui.models.experiment import Experiment

HERE = Signature("alice@acme.com", "prod", "https://us.example", "1")


@dataclass
class Server:
    answer: Experiment | ApiError

    async def get(self, id: int) -> Experiment:
        if isinstance(self.answer, ApiError):
            raise self.answer
        return self.answer


def open_step(folder: Path, after: dict[str, object], age: float = 3600.0) -> Journal:
    journal = Journal(folder, clock=lambda: NOW)
    before = {"status": "running"} if "status" in after else {}
    journal.begin(
        Entry(
            "e",
            NOW - age,
            12,
            "Blue button",
            "pause experiment",
            HERE,
            "experiment",
            before=before,
            after=after,
        )
    )
    return journal


@pytest.mark.parametrize(
    ("state", "age", "truth", "is_open"),
    [
        ("paused", 3600.0, "is done", False),
        ("running", 3600.0, "was not done", False),
        ("running", 5.0, "is not known", True),
    ],
)
async def test_the_state_tells_what_became_of_a_pause(
    state: str, age: float, truth: str, is_open: bool, experiment: Made, tmp_path: Path
) -> None:
    journal = open_step(tmp_path, {"status": "paused", "feature_flag.active": False}, age)
    (found,) = await recover_steps(journal, Server(experiment(state)), HERE)
    assert found.truth == truth
    assert journal.entries()[0].is_open is is_open


async def test_one_that_was_ended_since_is_not_said_to_be_undone(experiment: Made, tmp_path: Path) -> None:
    journal = open_step(tmp_path, {"status": "paused"})
    (found,) = await recover_steps(journal, Server(experiment("stopped")), HERE)
    assert found.words == "Blue button: pause experiment cannot be told any more; it was changed since"
    assert journal.entries()[0].is_open


async def test_one_that_is_gone_was_deleted_if_that_was_the_step(tmp_path: Path) -> None:
    journal = open_step(tmp_path, {"deleted": True})
    (found,) = await recover_steps(journal, Server(NotFound("Not found.")), HERE)
    assert found.words == "Blue button: pause experiment is done"


async def test_what_cannot_be_read_stays_open(tmp_path: Path) -> None:
    journal = open_step(tmp_path, {"status": "paused"})
    (found,) = await recover_steps(journal, Server(Unanswered("No answer.")), HERE)
    assert found.truth == "is not known"
    assert journal.entries()[0].is_open
    assert await recover_steps(journal, Server(Unanswered("No answer.")), Signature(project="2")) == []

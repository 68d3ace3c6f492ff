"""Steps an earlier run left open are found out by reading, and closed only when that can be told."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.changes.experiments.conftest import NOW, make_experiment, make_plan
from tests.changes.writing import recover
from tests.doubles.targeting import variants

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
        """Search names, two rows at a time: the experiment itself is on the second page."""
        if isinstance(self.answer, ApiError):
            raise self.answer
        others = [ExperimentRow(id, f"{self.answer.name} {id}", key="blue") for id in (7, 8)]
        query = filters or {}
        rows = [row for row in (*others, self.answer.row()) if str(query["search"]) in row.name]
        offset = int(str(query["offset"] or 0))
        return RowPage(tuple(rows[offset : offset + 2]), total=len(rows))


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


NO_ANSWER = Unanswered("No answer.")
PAUSED: dict[str, JSON] = {"status": "paused", "feature_flag.active": False}
SHIPPED = before_and_after(make_plan("ship", make_experiment("stopped"), variant="test"))


@pytest.mark.parametrize(("after", "answer", "age", "truth", "is_open"), [
    (PAUSED, make_experiment("paused"), 3600.0, "applied", False),
    (PAUSED, make_experiment("running"), 3600.0, "not applied", False),
    (PAUSED, make_experiment("running"), 5.0, "not known", True),
    (PAUSED, make_experiment("stopped"), 3600.0, "changed since", True),
    (PAUSED, NO_ANSWER, 3600.0, "not known", True),
    ({"deleted": True}, NotFound("Not found."), 3600.0, "applied", False),
], ids=["done", "not done", "may still be done", "ended since", "not to be read", "deleted"])  # fmt: skip
async def test_the_state_tells_what_became_of_a_step(
    after: dict[str, JSON],
    answer: Experiment | ApiError,
    age: float,
    truth: str,
    is_open: bool,
    tmp_path: Path,
) -> None:
    journal = open_step(tmp_path, after, age)
    assert await recover(journal, Signature(project="2"), experiments=Server(answer)) == []
    (recovery,) = await recover(journal, HERE, experiments=Server(answer))
    assert (recovery.verdict, journal.entries()[0].is_open) == (truth, is_open)
    assert recovery.words.startswith(SAID[truth])


SAID = {
    "applied": "Blue button: “pause experiment” was done",
    "not applied": "Blue button: “pause experiment” was not applied",
    "not known": "",
    "changed since": "Blue button was changed since: could not confirm whether “pause experiment”",
}


NEW: dict[str, JSON] = {"feature_flag_key": "blue", "name": "Blue button"}


@pytest.mark.parametrize(
    ("step", "name"), [("create", "Blue button"), ("duplicate", "Blue button"), ("duplicate", "Red button")]
)
async def test_created_experiment_is_recovered_by_flag_and_name(
    step: StepName, name: str, tmp_path: Path
) -> None:
    journal = open_step(tmp_path, {**NEW, "name": name}, step=step, record=0)
    await recover(journal, HERE, experiments=Server(make_experiment("draft", name=name)))
    (entry,) = journal.entries()
    assert (entry.ending, entry.record) == ("saved", 12)


@pytest.mark.parametrize(("name", "ending"), [("Blue button", "saved"), ("Green button", "failed")])
async def test_copy_is_looked_up_in_its_target_project(name: str, ending: str, tmp_path: Path) -> None:
    journal = open_step(tmp_path, {**NEW, "project": 2}, step="copy", record=0)
    servers = {2: Server(make_experiment("draft", name=name))}
    await recover(journal, HERE, experiments=Server(NotFound("Not found.")), elsewhere=servers)
    assert journal.entries()[0].ending == ending


async def test_setting_filled_in_by_the_server_counts_as_applied(tmp_path: Path) -> None:
    stored = {"method": "frequentist", "frequentist": {"alpha": 0.05}}
    journal = open_step(tmp_path, {"stats_config": {"method": "frequentist"}}, step="edit")
    (recovery,) = await recover(journal, HERE, experiments=Server(make_experiment(stats_config=stored)))
    assert recovery.verdict == "applied"


@pytest.mark.parametrize(("control", "test", "truth"), [(0, 100, "applied"), (50, 50, "not applied")])
async def test_shares_of_the_flag_show_whether_a_variant_was_shipped(
    control: int, test: int, truth: str, tmp_path: Path
) -> None:
    journal = Journal(tmp_path, clock=lambda: NOW)
    verb, (before, after) = STEPS["ship"].verb.name, SHIPPED
    journal.begin(Entry("e", NOW - 90, 12, "x", verb, HERE, "experiment", before=before, after=after))
    filters = {"groups": [{"properties": []}], "multivariate": variants(control=control, test=test)}
    flag = {"id": 31, "key": "blue", "filters": filters}
    (recovery,) = await recover(
        journal, HERE, experiments=Server(make_experiment("stopped", feature_flag=flag))
    )
    assert recovery.verdict == truth

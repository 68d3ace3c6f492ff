"""Steps an earlier run left open are found out by reading, and closed only when that can be told."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from tests.changes.experiments.conftest import NOW, make_experiment, make_plan
from tests.changes.office import HERE
from tests.changes.writing import recover
from tests.doubles.tables import table
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


def open_step(folder: Path, step: StepName, after: dict[str, JSON], **more: Any) -> Journal:
    """The journal with a step that was begun an hour ago."""
    journal, verb = Journal(folder, clock=lambda: NOW), STEPS[step].verb.name
    entry = Entry("e", NOW - 3600, 12, "Blue button", verb, HERE, "experiment", after=after)
    journal.begin(replace(entry, **more))
    return journal


RUNNING = {"before": {"status": "running"}}
PAUSED: dict[str, JSON] = {"status": "paused", "feature_flag.active": False}
BEFORE, SHIPPED = before_and_after(make_plan("ship", make_experiment("stopped"), variant="test"))
CHOSEN: dict[str, JSON] = {"stats_config": {"method": "frequentist"}}
FILLED_IN = make_experiment(stats_config={"method": "frequentist", "frequentist": {"alpha": 0.05}})
WORDS = {
    "applied": "Blue button: “{}” was done",
    "not applied": "Blue button: “{}” was not applied",
    "not known": "",
    "changed since": "Blue button was changed since: could not confirm whether “{}”",
}


def shared_out(**shares: float) -> Experiment:
    """An ended experiment whose flag has these shares."""
    filters = {"groups": [{"properties": []}], "multivariate": variants(**shares)}
    return make_experiment("stopped", feature_flag={"id": 31, "key": "blue", "filters": filters})


@table("step, after, more, answer, verdict", {
    "done": ("pause", PAUSED, RUNNING, make_experiment("paused"), "applied"),
    "not done": ("pause", PAUSED, RUNNING, make_experiment(), "not applied"),
    "may still be done": ("pause", PAUSED, {**RUNNING, "at": NOW - 5}, make_experiment(), "not known"),
    "ended since": ("pause", PAUSED, RUNNING, make_experiment("stopped"), "changed since"),
    "cannot be read": ("pause", PAUSED, RUNNING, Unanswered("No answer."), "not known"),
    "deleted": ("pause", {"deleted": True}, {}, NotFound("Not found."), "applied"),
    "filled in by the server": ("edit", CHOSEN, {}, FILLED_IN, "applied"),
    "shipped": ("ship", SHIPPED, {"before": BEFORE}, shared_out(control=0, test=100), "applied"),
    "not shipped": ("ship", SHIPPED, {"before": BEFORE}, shared_out(control=50, test=50), "not applied"),
})  # fmt: skip
async def test_the_state_tells_what_became_of_a_step(
    step: StepName, after: Any, more: Any, answer: Experiment | ApiError, verdict: str, tmp_path: Path
) -> None:
    journal = open_step(tmp_path, step, after, **more)
    assert await recover(journal, Signature(project="2"), experiments=Server(answer)) == []
    (recovery,) = await recover(journal, HERE, experiments=Server(answer))
    assert recovery.verdict == verdict
    assert journal.entries()[0].is_open is (verdict in ("not known", "changed since"))
    assert recovery.words.startswith(WORDS[verdict].format(STEPS[step].verb.name))


NEW: dict[str, JSON] = {"feature_flag_key": "blue", "name": "Blue button"}


@table("step, after, name, ending", {
    "created": ("create", NEW, "Blue button", "saved"),
    "duplicated": ("duplicate", NEW, "Blue button", "saved"),
    "duplicated under another name": ("duplicate", {**NEW, "name": "Red button"}, "Red button", "saved"),
    "copied to another project": ("copy", {**NEW, "project": 2}, "Blue button", "saved"),
    "not copied": ("copy", {**NEW, "project": 2}, "Green button", "failed"),
})  # fmt: skip
async def test_new_experiment_is_recognised_by_flag_and_name(
    step: StepName, after: dict[str, JSON], name: str, ending: str, tmp_path: Path
) -> None:
    journal, made = open_step(tmp_path, step, after, record=0), Server(make_experiment("draft", name=name))
    here = Server(NotFound("Not found.")) if "project" in after else made
    await recover(journal, HERE, experiments=here, elsewhere={2: made})
    (entry,) = journal.entries()
    assert (entry.ending, entry.record) == (ending, 12 if ending == "saved" else 0)

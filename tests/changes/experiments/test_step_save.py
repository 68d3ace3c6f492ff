"""Steps in flight: sent once, in the journal, compared with the response."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from tests.changes.experiments.conftest import NOW, make_experiment, make_plan
from tests.changes.office import HERE
from tests.changes.writing import Writing, approve
from tests.doubles.expected import require
from tests.doubles.steady_clock import SteadyClock

from flagtui.api.experiments import Experiments
from flagtui.changes.experiments.step_save import StepAdapter
from flagtui.changes.experiments.step_undo import step_back
from flagtui.changes.journal import Journal
from flagtui.models.experiment import Experiment


@dataclass
class Server:
    """Takes every step."""

    stored: Experiment
    acts: bool = True
    taken: list[str] = field(default_factory=list)

    async def get(self, id: int) -> Experiment:
        return self.stored

    def __getattr__(self, name: str) -> Any:
        async def step(id: int, *words: object, **more: object) -> Experiment:
            self.taken.append(name)
            if self.acts:
                self.stored = make_experiment({"pause": "paused", "end": "stopped"}[name])
            return self.stored

        return step


def writing_to(server: Server, folder: Path) -> Writing:
    clock = SteadyClock(NOW)
    return Writing(StepAdapter(cast(Experiments, server)), Journal(folder, clock=clock.time), HERE, clock)


async def test_ends_are_undone_whole_and_ignored_steps_refused(tmp_path: Path) -> None:
    ended = await writing_to(Server(make_experiment(), acts=False), tmp_path).save(
        approve(make_plan("pause", make_experiment()))
    )
    assert ended.ending == "refused"
    assert "it is running" in ended.reason
    fresh = make_experiment(conclusion="won", conclusion_comment="so far")
    writing = writing_to(Server(fresh), tmp_path)
    await writing.save(approve(make_plan("end", fresh)))
    back = require(step_back(writing.journal.entries()[0]))
    assert back.choices.fields == {"end_date": None, "conclusion": "won", "conclusion_comment": "so far"}

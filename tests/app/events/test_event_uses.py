"""Which experiments measure an event: asked once, each experiment read once."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

from flagtui.api import Client
from flagtui.api.errors import Refused
from flagtui.changes.event_definitions.event_uses import EventUse, EventUses, uses_event
from flagtui.models.experiment import Experiment
from flagtui.models.rows import ExperimentRow, RowPage
from flagtui.text.event_words import use_lines
from flagtui.text.flag_sentences import plain


def measuring(id: int, *events: str) -> Experiment:
    """An experiment with a metric for each event."""
    sources = [{"kind": "EventsNode", "event": each} for each in events]
    metrics = [{"kind": "ExperimentMetric", "source": source} for source in sources]
    return Experiment.of({"id": id, "name": f"Number {id}", "metrics": metrics})


@dataclass
class Experiments:
    """A server that knows no filter by event, and counts what it is asked."""

    experiments: tuple[Experiment, ...]
    requests: list[str] = field(default_factory=list)
    is_down: bool = False
    hidden: int = 0
    """The number of an experiment that cannot be read."""

    async def page(self, filters: object) -> RowPage[ExperimentRow]:
        self.requests.append("page")
        if self.is_down:
            raise Refused("No.")
        rows = [experiment.row() for experiment in self.experiments]
        return RowPage(tuple(rows), len(rows))

    async def get(self, id: int) -> Experiment:
        self.requests.append(f"get {id}")
        if id == self.hidden:
            raise Refused("No.")
        return next(experiment for experiment in self.experiments if experiment.id == id)


def uses_at(server: Experiments) -> EventUses:
    return EventUses(cast(Client, SimpleNamespace(experiments=server)))


async def test_each_experiment_and_event_is_read_once() -> None:
    server = Experiments((measuring(1, "paid"), measuring(2, "paid", "left")))
    uses = uses_at(server)
    paid, why = await uses.find("paid")
    assert [use.id for use in paid or ()] == [1, 2]
    assert why == ""
    assert await uses.find("paid") == (paid, "")
    left, _why = await uses.find("left")
    assert [use.id for use in left or ()] == [2]
    assert sorted(server.requests) == ["get 1", "get 2", "page", "page"]


async def test_what_could_not_be_asked_is_said_and_asked_again() -> None:
    server = Experiments((measuring(1, "paid"),), is_down=True)
    uses = uses_at(server)
    assert await uses.find("paid") == (None, "No.")
    server.is_down = False
    assert (await uses.find("paid"))[0] == (EventUse(1, "Number 1", "draft"),)


async def test_unread_experiment_is_not_counted_as_looked_at() -> None:
    uses = uses_at(Experiments((measuring(1, "paid"), measuring(2, "paid")), hidden=2))
    paid, why = await uses.find("paid")
    assert ([use.id for use in paid or ()], why) == ([1], "looked at 1 of 2 experiments")


async def test_newer_servers_name_experiments_that_measure_an_action_with_it() -> None:
    action = {"metrics": [{"kind": "ExperimentMetric", "source": {"kind": "ActionsNode", "id": 5}}]}
    newer, older = (Experiment.of({"id": id, **action}) for id in (1, 2))
    newer = Experiment.of({**newer.raw, "is_legacy": False})
    paid, _why = await uses_at(Experiments((newer, older))).find("paid")
    assert [(use.id, use.words) for use in paid or ()] == [(1, "draft, through an action")]


def test_an_event_is_found_wherever_an_experiment_names_it() -> None:
    old: dict[str, Any] = {"filters": {"events": [{"id": "paid", "type": "events"}]}}
    exposed: dict[str, Any] = {"exposure_criteria": {"exposure_config": {"event": "paid"}}}
    for raw in (old, exposed):
        assert uses_event(Experiment.of({"id": 1, **raw}), "paid")
        assert not uses_event(Experiment.of({"id": 1, **raw}), "pai")


def test_experiments_are_listed_one_per_line_with_a_reason() -> None:
    assert plain(use_lines([EventUse(7, "\x1b[1mA", "running")], "of 90")) == "#7 ␛[1mA  running\nof 90"
    assert plain(use_lines((), "")) == "measured by no experiment"
    assert plain(use_lines(None, "")) == "loading…"

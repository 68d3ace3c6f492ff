"""Results that a server keeps back, and metrics that are gone."""

from typing import Any

import pytest
from tests.app.experiments.detail.test_measurements import (
    NOW,
    RESULT,
    Server,
    experiment,
    inspector,
    measure,
    run,
)

from flagtui.api.errors import MissingScope
from flagtui.details.measurements import WAITS, adopt
from flagtui.details.metric_findings import Findings, MetricReading, metrics_of
from flagtui.models.experiment_responses import MetricsRun


async def test_metric_without_an_id_has_no_last_day() -> None:
    metric = {"kind": "ExperimentMetric", "metric_type": "funnel", "name": "old", "uuid": ""}
    server = Server(experiment(metrics=[metric]), result_said=MissingScope("The key lacks query:read."))
    details = (await measure(server))[-1]
    assert [reading.trouble for reading in details.readings] == ["The key lacks query:read."]
    assert "days " not in server.requests


async def test_endless_calculation_leaves_the_metrics_to_queries() -> None:
    server = Server(runs=[run("in_progress", "a")] * (len(WAITS) + 1))
    details = (await measure(server, again=True))[-1]
    assert server.requests.count("wait") == len(WAITS)
    assert [reading.result is not None for reading in details.readings] == [True, True]


@pytest.mark.parametrize(
    ("outcome", "is_awaited", "trouble"),
    [
        ({"status": "failed"}, False, "calculation failed"),
        ({"status": "pending"}, True, ""),
        ({"status": "completed", "fingerprint": "another", "result": RESULT}, True, ""),
    ],
)
def test_outcome_without_a_result_is_pending_or_explained(
    outcome: dict[str, Any], is_awaited: bool, trouble: str
) -> None:
    (metric, _) = metrics_of(experiment())
    details = Findings(experiment().row(), readings=(MetricReading(metric, is_awaited=True),))
    calculated = MetricsRun.of({"id": "r", "results": [{"metric_uuid": metric.uuid, **outcome}]})
    (reading,) = adopt(details, calculated).readings
    assert (reading.is_awaited, reading.trouble) == (is_awaited, trouble)


async def test_removed_metrics_have_no_glance_days_or_goal() -> None:
    server = Server(experiment(metrics=[]))
    looking = inspector(server)
    row = server.record.row()
    await looking.glance(row)
    assert server.requests == ["get"]
    assert not looking.is_worth_a_glance(row), "it is not repeated at once"
    server = Server(experiment(metrics=[]))
    with pytest.raises(KeyError):
        await inspector(server, lambda: NOW).series(server.record.row(), "a")
    server = Server(experiment(metrics=[]), old={"result": None})
    assert (await measure(server))[-1].readings == ()

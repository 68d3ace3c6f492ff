"""Metrics put together on the client's side are ones the service takes."""

from typing import Any

import pytest
from tests.changes.experiments.test_metrics import BUILT

from flagtui.service.experiments.metric_rules import checked_metrics


@pytest.mark.parametrize("metric", [metric for metric, _words, _events in BUILT])
def test_the_service_takes_what_is_built(metric: dict[str, Any]) -> None:
    (taken,) = checked_metrics([metric], "metrics")
    assert taken["uuid"]

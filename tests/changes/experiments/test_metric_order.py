"""Metrics that trade places take the order along that servers keep beside them."""

from typing import Any

import pytest
from tests.changes.experiments.conftest import made

from flagtui.changes.experiments.experiment_fields import stored_field
from flagtui.changes.experiments.metrics import with_order
from flagtui.models.experiment import Experiment

ORDER = "primary_metrics_ordered_uuids"


def metrics(*uuids: str) -> list[dict[str, Any]]:
    return [{"kind": "ExperimentMetric", "metric_type": "mean", "uuid": uuid} for uuid in uuids]


def arranged(*shown: str, shared: str = "") -> Experiment:
    order: dict[str, Any] = {ORDER: list(shown)}
    return made(metrics=metrics(*sorted(uuid for uuid in shown if uuid != shared)), **order)


def test_metrics_are_edited_in_their_shown_order() -> None:
    assert stored_field(arranged("c", "a", "b"), "metrics") == metrics("c", "a", "b")
    assert stored_field(made(metrics=metrics("b", "a")), "metrics") == metrics("b", "a")


@pytest.mark.parametrize(
    ("before", "wanted", "sent"),
    [
        (("a", "b", "c"), ("b", "a", "c"), ["b", "a", "c"]),
        (("a", "s", "b"), ("b", "a"), ["b", "s", "a"]),
        (("a", "b"), ("b", "new", "a"), ["b", "new", "a"]),
        (("a", "b", "c"), ("c", "a"), ["c", "a"]),
        (("a", "b"), ("new", "a", "b"), ["new", "a", "b"]),
        (("a", "b"), ("a", "b", "new"), None),
        (("a", "b"), ("b",), None),
        (("a", "b"), (), None),
    ],
)
def test_an_order_is_sent_only_for_metrics_that_trade_places(
    before: tuple[str, ...], wanted: tuple[str, ...], sent: list[str] | None
) -> None:
    found = with_order(arranged(*before, shared="s"), {"metrics": metrics(*wanted), "name": "n"})
    assert found.get(ORDER) == sent
    assert found["name"] == "n"


def test_a_server_that_keeps_no_order_is_sent_none() -> None:
    fields = {"metrics": metrics("b", "a")}
    assert with_order(made(metrics=metrics("a", "b")), fields) == fields
    assert with_order(arranged("a", "b"), {"metrics": [{"kind": "x"}]}) == {"metrics": [{"kind": "x"}]}

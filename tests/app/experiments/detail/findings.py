"""Experiments and what was measured of them, for the tests beside this file."""

from typing import Any

from flagtui.app.experiments.detail.metric_table import strokes_for, table_lines
from flagtui.app.widgets.glyphs import UNICODE
from flagtui.details.metric_findings import Findings, MetricReading, metrics_of
from flagtui.models.experiment import Experiment
from flagtui.models.experiment_results import MetricResult
from flagtui.text.flag_sentences import plain

NOW = 1_772_442_000.0
STARTED = {"id": 1, "name": "One", "start_date": "2026-02-18T09:00:00Z"}
PAID = {"uuid": "m", "metric_type": "funnel", "name": "Paid", "fingerprint": "f"}
STROKES = strokes_for(UNICODE)


def experiment(*keys: str, **more: Any) -> Experiment:
    """A running experiment with equal shares for these variants, and one metric."""
    variants = [{"key": key, "rollout_percentage": 100 / len(keys)} for key in keys]
    flag = {"id": 3, "key": "k", "active": True, "filters": {"multivariate": {"variants": variants}}}
    return Experiment.of({**STARTED, "feature_flag": flag, "metrics": [PAID], **more})


def sample(key: str, people: int, total: float, **more: Any) -> dict[str, Any]:
    return {"key": key, "number_of_samples": people, "sum": total, "sum_squares": total, **more}


def compared(base: dict[str, Any], *others: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The result of a metric."""
    return {"baseline": base, "variant_results": [*others], **more}


def findings(made: Experiment, result: Any = None, exposed: Any = (), **more: Any) -> Findings:
    """What is known of an experiment whose metrics all have this result."""
    metric_result = MetricResult.of(result) if result is not None else None
    readings = tuple(MetricReading(metric, metric_result) for metric in metrics_of(made))
    return Findings(made.row(), made, readings, dict(exposed), **more)


def table(shown: Findings, width: int = 126, chosen: int = 0) -> str:
    return plain(table_lines(shown, width, STROKES, chosen))

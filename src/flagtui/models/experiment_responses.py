"""Responses of the operations around experiments."""

from datetime import date

from flagtui.models.experiment_results import MetricResult, read_result
from flagtui.models.json_value import JSON
from flagtui.models.record import Counts, Each, Moment, NamedTexts, Number, Record, Whole


class Timeseries(Record):
    """A metric day by day. Values are cumulative up to each day."""

    status: str = "pending"
    """pending, partial, completed or failed."""
    timeseries: dict[str, JSON] = {}
    errors: NamedTexts = {}
    recalculation_status: str | None = None

    @property
    def is_recalculating(self) -> bool:
        """Return whether the server is calculating it."""
        return self.recalculation_status in ("pending", "in_progress")

    @property
    def days(self) -> tuple[tuple[date, MetricResult | None], ...]:
        """Return every day in order, with None for days without a result."""
        days = []
        for day, value in self.timeseries.items():
            try:
                when = date.fromisoformat(day[:10])
            except ValueError:
                continue
            days.append((when, read_result(value) if isinstance(value, dict) else None))
        return tuple(sorted(days, key=lambda item: item[0]))


class Recalculation(Record):
    """A calculation that the server has started."""

    status: str = ""


class MetricOutcome(Record):
    """The result of one metric in a calculation of all metrics."""

    metric_uuid: str = ""
    fingerprint: str = ""
    """Fingerprint of the metric as calculated; empty where the server sends none."""
    status: str = ""
    result: dict[str, JSON] = {}
    error_message: str | None = None

    @property
    def measured(self) -> MetricResult | None:
        """Return the numbers; None where there are none (yet)."""
        return read_result(self.result)


class MetricsRun(Record):
    """One calculation of all metrics, stored by the server for all users."""

    id: str = ""
    status: str = "pending"
    """pending, in_progress, completed or failed."""
    completed_at: Moment | None = None
    query_to: Moment | None = None
    """End of the period whose events were counted."""
    results: Each[MetricOutcome] = ()

    @property
    def is_over(self) -> bool:
        """Return whether the run has ended."""
        return self.status in ("completed", "failed")

    @property
    def outcomes(self) -> dict[str, MetricOutcome]:
        """Return the results so far by metric UUID."""
        return {outcome.metric_uuid: outcome for outcome in self.results if outcome.metric_uuid}


class ExperimentStats(Record):
    """Counts of the project's experiments."""

    launched_last_30d: Whole = 0
    launched_previous_30d: Whole = 0
    active_experiments: Whole = 0
    completed_last_30d: Whole = 0


class BiasRisk(Record):
    """The number of users who saw several variants, where excluding them can bias the results."""

    multiple_variant_percentage: Number = None


class HealthFinding(Record):
    """A fault of a running experiment that the server found."""

    code: str = ""
    """srm, bias_risk_multiple_excluded, zero_exposures, flag_off_while_running, …"""
    severity: str = ""
    title: str = ""
    detail: str = ""


class Exposures(Record):
    """Number of users exposed to each variant; users who saw several variants are under `$multiple`."""

    total_exposures: Counts = {}
    bias_risk: BiasRisk | None = None
    health_findings: Each[HealthFinding] = ()

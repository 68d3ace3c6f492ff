"""Results of a metric now, and as of the end of each day."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property

from flagtui.service.call import Call
from flagtui.service.errors import Json
from flagtui.service.experiments.analysis.inference import Criterion, sample_ratio_mismatch, verdict
from flagtui.service.experiments.analysis.metric import Metric
from flagtui.service.experiments.analysis.samples import Sample
from flagtui.service.experiments.analysis.series import MOST_DAYS, History, day_ends, samples_at, walk
from flagtui.service.experiments.analysis.values import DAY, MULTIPLE, Exposure, assign, exposure_days, totals
from flagtui.service.experiments.records import Experiment
from flagtui.service.experiments.stored_events import Reader

Result = dict[str, Json]
MIN_BIAS_PERCENTAGE = 0.1
"""Share of users with several variants above which the product reports a risk of bias, in percent."""


class Results:
    """Computes the metrics of one experiment from one reading of its exposures.

    As of `until`, or now; events in the window after the end count as long as they are past.
    """

    def __init__(self, call: Call, experiment: Experiment, until: datetime | None = None) -> None:
        self.experiment = experiment
        self.reader = Reader(call, experiment, until or call.now)

    @cached_property
    def exposures(self) -> Mapping[str, Sequence[Exposure]]:
        """Raise NotComputable when the exposure criteria cannot be read from stored events."""
        return self.reader.exposures()

    def now(self, raw: Mapping[str, Json]) -> Result:
        """Return the result of one metric. Raises NotComputable."""
        history = self._history(raw)
        moment = self._last_exposure()
        return self._judge(history, samples_at(history, moment, self._late(history, moment)))

    def daily(self, raw: Mapping[str, Json], days: Mapping[int, float]) -> Iterator[tuple[int, Result]]:
        """Return results as of the moment given for each day, cumulative. Raises NotComputable."""
        history = self._history(raw)
        moments = [(moment, moment + self._late(history, moment)) for moment in days.values()]
        for day, samples in zip(days, walk(history, moments), strict=True):
            yield day, self._judge(history, samples)

    def exposure_result(self) -> Result:
        """Return exposures of each variant by day and in total, and the test of the sample ratio.

        Without those held back: they were exposed to no variant.
        """
        variants = [*self._weights()]
        start, last = self.experiment.start, self._last_exposure()
        handling = self.reader.handling
        past = ([exposure for exposure in seen if exposure.time <= last] for seen in self.exposures.values())
        exposed = (assign(seen, handling) for seen in past)
        days: dict[str, list[int]] = {}
        names: list[str] = []
        if start is not None:
            last_day = int(last // DAY)
            first_day = max(int(start.timestamp() // DAY), last_day - MOST_DAYS + 1)
            days = exposure_days(
                (exposure for exposure in exposed if exposure), variants, first_day, last_day
            )
            names = [day_name(day) for day in range(first_day, last_day + 1)]
        total = totals(days)
        return {
            "timeseries": [
                {"variant": variant, "days": names, "exposure_counts": counts}
                for variant, counts in days.items()
            ],
            "total_exposures": total,
            "sample_ratio_mismatch": self._mismatch(total),
            "bias_risk": self._bias_risk(total),
        }

    def days(self) -> dict[int, float]:
        """Return the moment as of which each day of the experiment is reported."""
        start, end = self.experiment.start, self.experiment.end
        if start is None:
            return {}
        now = self.reader.until.timestamp()
        return day_ends(start.timestamp(), end.timestamp() if end else now, now)

    def _history(self, raw: Mapping[str, Json]) -> History:
        metric = Metric.of(raw)
        return History(
            metric=metric,
            exposures=self.exposures,
            occurrences=self.reader.occurrences(metric, self.exposures.keys()),
            variants=self.reader.variants,
            handling=self.reader.handling,
            only_matured=bool(self.experiment.fields["only_count_matured_users"]),
        )

    def _judge(self, history: History, samples: Sequence[Sample]) -> Result:
        settings = Criterion.of(self.experiment.fields["stats_config"])
        return verdict(samples, self.experiment.baseline, history.metric.kind, settings)

    def _last_exposure(self) -> float:
        until, end = self.reader.until, self.experiment.end
        return min(until, end).timestamp() if end else until.timestamp()

    def _late(self, history: History, moment: float) -> float:
        """Return how long after the last exposure events still count: only once the experiment has ended."""
        end = self.experiment.end
        return float(history.metric.window) if end and moment >= end.timestamp() else 0.0

    def _mismatch(self, total: Mapping[str, int]) -> Json:
        weights = {key: weight for key, weight in self._weights().items() if weight > 0}
        p_value = sample_ratio_mismatch(total, weights)
        if p_value is None:
            return None
        whole, exposures = sum(weights.values()), sum(total.get(key, 0) for key in weights)
        expected = {key: exposures * weight / whole for key, weight in weights.items()}
        return {"expected": expected, "p_value": p_value}

    def _weights(self) -> dict[str, float]:
        variants = [
            variant for variant in self.experiment.flag.variants if variant.get("key") in self.reader.variants
        ]
        return {str(variant["key"]): float(variant.get("rollout_percentage") or 0) for variant in variants}

    def _bias_risk(self, total: Mapping[str, int]) -> Json:
        """Return the share of users with several variants, in percent, if excluding them can bias results.

        As in the product: only while the experiment runs, with uneven weights and more than 0.1 % of users.
        """
        is_uneven = len(set(self._weights().values())) > 1
        if self.experiment.end is not None or self.reader.handling != "exclude" or not is_uneven:
            return None
        percentage = 100 * total.get(MULTIPLE, 0) / max(1, sum(total.values()))
        return {"multiple_variant_percentage": percentage} if percentage > MIN_BIAS_PERCENTAGE else None


def day_name(day: int) -> str:
    """Return a day since 1970 as a date."""
    return (datetime(1970, 1, 1) + timedelta(days=day)).date().isoformat()

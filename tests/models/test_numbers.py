"""Numbers of a query or another server: 10 and 10.0 are the same, and one odd number loses no other."""

from typing import Any

import pytest
from tests.doubles.log_entries import log_entry
from tests.doubles.servers import page
from tests.models.test_any_json import KINDS

from flagtui.models.activity import version_made
from flagtui.models.experiment_responses import ExperimentStats, Exposures, MetricsRun, Timeseries
from flagtui.models.experiment_results import Baseline, VariantResult
from flagtui.models.experiment_rows import read_experiment_page
from flagtui.models.flag_responses import BlastRadius, LocalEvaluation
from flagtui.models.flag_rows import read_flag_page
from flagtui.models.json_value import JSON, as_id, as_whole
from flagtui.models.record import Record
from flagtui.text.judgement import value_of

ALL_KINDS: list[type[Record]] = [*KINDS, Baseline, ExperimentStats, MetricsRun]


@pytest.mark.parametrize("kind", ALL_KINDS, ids=lambda kind: kind.__name__)
def test_whole_numbers_may_be_floats_in_every_record(kind: type[Record]) -> None:
    whole, floating = (dict.fromkeys(kind.model_fields, number) for number in (7, 7.0))
    written, read = kind.of(whole), kind.of(floating)
    for name in kind.model_fields:
        if not isinstance(getattr(written, name), bool | str) and getattr(written, name) == 7:
            assert getattr(read, name) == 7, name


def test_malformed_exposures_reasons_and_names_lose_no_other() -> None:
    raw = {"total_exposures": {"control": 975.0, "test": 11, "odd": None, "text": "12", "part": 0.5}}
    assert Exposures.of(raw).total_exposures == {"control": 975.0, "test": 11.0, "part": 0.5}
    days = Timeseries.of({"errors": {"2026-03-01": None, "2026-03-02": "timeout"}})
    assert days.errors == {"2026-03-02": "timeout"}
    types = LocalEvaluation.of({"group_type_mapping": {"0": "company", "1": None}}).group_type_mapping
    assert types == {"0": "company"}


@pytest.mark.parametrize("odd", [True, "975", None, -1, float("nan"), float("inf")])
def test_sample_that_is_no_number_is_unknown(odd: JSON) -> None:
    sample = VariantResult.of({"number_of_samples": odd, "sum": odd if odd != -1 else None})
    assert (sample.number_of_samples, sample.sum) == (None, None)
    assert value_of(sample) is None
    for number in (975, 975.0, 975.25):
        assert Baseline.of({"number_of_samples": number}).number_of_samples == number


def test_reach_and_version_may_be_floats() -> None:
    reach = BlastRadius.of_any({"users_affected": 120.4, "total_users": 4000.0})
    assert (reach.affected, reach.total) == (120, 4000)
    assert version_made(log_entry(version=(4.0, 5.0))) == 5


def test_page_with_float_numbers_keeps_rows_and_total() -> None:
    flag = {"id": 5.0, "key": "a", "version": 3.0, "experiment_set": [12.0]}
    flags = read_flag_page(page(flag, count=261.0))
    assert flags.total == 261
    assert [(row.id, row.version, row.experiments) for row in flags.rows] == [(5, 3, (12,))]
    experiment = {"id": 5.0, "name": "a", "holdout_id": 3.0, "feature_flag": {"id": 7.0, "key": "k"}}
    [row] = read_experiment_page(page(experiment, count=1.0)).rows
    assert (row.id, row.holdout_id, row.flag_id) == (5, 3, 7)


@pytest.mark.parametrize(
    ("value", "number"), [(7, 7), (7.0, 7), (7.5, None), (True, None), ("7", None), (float("inf"), None)]
)
def test_a_whole_number_is_no_part_and_no_text(value: Any, number: int | None) -> None:
    assert as_whole(value) == number
    assert as_id(value) == (7 if value == "7" else number)

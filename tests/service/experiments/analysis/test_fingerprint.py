"""What changes a fingerprint, and what does not."""

import hashlib
from typing import Any

from flagtui.service.experiments.analysis.metric import fingerprint

METRIC = {"kind": "ExperimentMetric", "metric_type": "mean", "uuid": "u", "source": {"event": "buy"}}


START = "2026-03-01T12:00:00+00:00"


def test_fingerprint_hashes_sorted_json_in_any_order() -> None:
    text = (
        '{"metric":{"metric_type":"mean","source":{"event":"buy"}},'
        '"start_date":"2026-03-01T12:00:00+00:00","stats_method":"bayesian"}'
    )
    assert fingerprint(METRIC, START, {}) == hashlib.sha256(text.encode()).hexdigest()
    turned = ({"excluded_variants": names} for names in (["b", "a"], ["a", "b"]))
    assert len({fingerprint(METRIC, None, conditions) for conditions in turned}) == 1


def test_names_and_identity_do_not_change_a_fingerprint() -> None:
    renamed = METRIC | {
        "uuid": "other",
        "name": "Revenue",
        "fingerprint": "x",
        "only_count_matured_users": True,
    }
    empty: dict[str, Any] = {"stats_config": {}, "exposure_criteria": {}, "excluded_variants": []}
    assert fingerprint(renamed, None, empty) == fingerprint(METRIC, None, {})
    assert fingerprint(METRIC | {"breakdownFilter": {}}, None, {}) == fingerprint(METRIC, None, {})


def test_all_that_changes_the_numbers_changes_the_fingerprint() -> None:
    under: list[dict[str, Any]] = [
        {},
        {"stats_config": {"method": "frequentist"}},
        {"exposure_criteria": {"filterTestAccounts": True}},
        {"excluded_variants": ["b", "a"]},
        {"only_count_matured_users": True},
    ]
    fingerprints = {fingerprint(METRIC, START, conditions) for conditions in under} | {
        fingerprint(METRIC, None, {})
    }
    fingerprints.add(fingerprint(METRIC | {"breakdownFilter": {"breakdown": "$os"}}, None, {}))
    fingerprints.add(fingerprint(METRIC | {"goal": "decrease"}, None, {}))
    assert len(fingerprints) == 8

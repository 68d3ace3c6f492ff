"""What changes a fingerprint, and what does not."""

import hashlib

from flagtui.service.experiments.analysis.metric import Conditions, fingerprint

METRIC = {"kind": "ExperimentMetric", "metric_type": "mean", "uuid": "u", "source": {"event": "buy"}}


START = "2026-03-01T12:00:00+00:00"


def test_a_fingerprint_is_the_hash_of_sorted_compact_json() -> None:
    text = (
        '{"metric":{"metric_type":"mean","source":{"event":"buy"}},'
        '"start_date":"2026-03-01T12:00:00+00:00","stats_method":"bayesian"}'
    )
    assert fingerprint(METRIC, Conditions(START)) == hashlib.sha256(text.encode()).hexdigest()


def test_names_and_identity_do_not_change_a_fingerprint() -> None:
    renamed = METRIC | {
        "uuid": "other",
        "name": "Revenue",
        "fingerprint": "x",
        "only_count_matured_users": True,
    }
    empty = Conditions(stats_config={}, exposure_criteria={}, excluded_variants=[])
    assert fingerprint(renamed, empty) == fingerprint(METRIC, Conditions())
    assert fingerprint(METRIC | {"breakdownFilter": {}}, Conditions()) == fingerprint(METRIC, Conditions())


def test_all_that_changes_the_numbers_changes_the_fingerprint() -> None:
    under = [
        Conditions(),
        Conditions(START),
        Conditions(START, {"method": "frequentist"}),
        Conditions(START, exposure_criteria={"filterTestAccounts": True}),
        Conditions(START, excluded_variants=["b", "a"]),
        Conditions(START, only_matured=True),
    ]
    found = {fingerprint(METRIC, one) for one in under}
    found.add(fingerprint(METRIC | {"breakdownFilter": {"breakdown": "$os"}}, Conditions()))
    found.add(fingerprint(METRIC | {"goal": "decrease"}, Conditions()))
    assert len(found) == 8


def test_the_order_of_excluded_variants_does_not_matter() -> None:
    turned = (Conditions(excluded_variants=names) for names in (["b", "a"], ["a", "b"]))
    assert len({fingerprint(METRIC, one) for one in turned}) == 1

"""Official clients in Python get the values of `flagtui flags evaluate` from a mirror."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from tests.doubles.mirror_agreement import SampleMirror
from tests.doubles.official_sdk import quiet_client
from tests.doubles.slices import FULL

CHECKED = 50 if FULL else 3
"""People; `make check-full` has all of them."""


@pytest.fixture
def client(sample: SampleMirror) -> Iterator[Any]:
    opened = quiet_client(sample.host, token="phc_any", key="phx_any")
    yield opened
    opened.shutdown()


def without_absent(values: dict[str, Any]) -> dict[str, Any]:
    """Flags that are off for everyone are absent from responses; a client then has no value."""
    return {key: value for key, value in values.items() if value is not False and value is not None}


def test_posthog_requests_the_evaluated_values(
    sample: SampleMirror, client: Any, caplog: pytest.LogCaptureFixture
) -> None:
    logging.getLogger("posthog").setLevel(logging.INFO)
    for distinct_id, properties in sample.people[:CHECKED]:
        values = client.get_all_flags(distinct_id, person_properties=properties)
        expected = sample.values_of(distinct_id, runtime="server")
        assert without_absent(values) == without_absent(expected)
    assert len(values) > 100
    assert [record.message for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_posthog_evaluates_the_same_from_definitions(sample: SampleMirror, client: Any) -> None:
    """What it leaves open, such as a cohort that is a list, it requests."""
    client.load_feature_flags()
    decided = 0
    for distinct_id, properties in sample.people[:CHECKED]:
        local = client.get_all_flags(distinct_id, person_properties=properties, only_evaluate_locally=True)
        expected = sample.values_of(distinct_id)
        assert {key: expected[key] for key in local} == local
        decided += len(local)
        assert set(sample.types()) - {"brand-new"} <= set(expected)
    assert decided > 0.9 * CHECKED * len(expected)


def test_openfeature_gets_the_evaluated_values(sample: SampleMirror) -> None:
    ofrep = pytest.importorskip("openfeature.contrib.provider.ofrep")
    context = pytest.importorskip("openfeature.evaluation_context").EvaluationContext
    undecided = pytest.importorskip("openfeature.exception").GeneralError
    provider = ofrep.OFREPProvider(sample.host)
    resolve = {
        "boolean": (provider.resolve_boolean_details, False),
        "string": (provider.resolve_string_details, "the default"),
    }
    for distinct_id, properties in sample.people[: CHECKED // 3]:
        expected, person = sample.values_of(distinct_id), context(distinct_id, properties)
        for key, kind in sample.types().items():
            if kind == "object":
                continue
            details_of, default = resolve[kind]
            if expected[key] is None:
                with pytest.raises(undecided):
                    details_of(key, default, person)
                continue
            value = default if expected[key] is False else expected[key]
            assert details_of(key, default, person).value == value, key

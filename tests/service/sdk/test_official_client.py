"""The product's own client requests values from the service."""

import logging
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.doubles.official_sdk import quiet_client
from tests.service.evaluation.conftest import SAMPLE_KEY, Port
from tests.service.evaluation.test_official_sdk import TOKEN, people


@pytest.fixture
def sdk(sample_port: Port) -> Iterator[Any]:
    client = quiet_client(sample_port.url, token=TOKEN, key=SAMPLE_KEY)
    yield client
    client.shutdown()


def test_requested_values_are_those_of_the_service(
    sample_port: Port, sdk: Any, caplog: pytest.LogCaptureFixture
) -> None:
    logging.getLogger("posthog").setLevel(logging.INFO)
    base = f"{sample_port.url}/api/projects/1/feature_flags/evaluation_reasons/"
    headers = {"Authorization": f"Bearer {SAMPLE_KEY}"}
    with httpx.Client(headers=headers) as http:
        for distinct_id, _ in people(sample_port)[::4]:
            values = sdk.get_all_flags(distinct_id)
            reasons = http.get(base, params={"distinct_id": distinct_id}).raise_for_status().json()
            expected = {
                key: reason["value"]
                for key, reason in reasons.items()
                if reason["evaluation"]["reason"] != "disabled"
            }
            assert values == expected
    assert len(values) > 100
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]

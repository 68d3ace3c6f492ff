"""Repeated requests, and cached results: equal to fresh ones, for every person and the official client."""

import logging
from random import Random
from typing import Any

import httpx
import pytest
from tests.doubles import random_flags
from tests.doubles.slices import at_most
from tests.doubles.steady_clock import SteadyClock
from tests.service.evaluation.conftest import SAMPLE_KEY, Port
from tests.service.evaluation.test_official_sdk import people

from flagtui.evaluate.definitions import Definitions
from flagtui.service.responses import Response, encode
from flagtui.service.sdk.flag_set import FlagRecord, FlagSet
from flagtui.service.sdk.ofrep import describe, encode_results
from flagtui.service.sdk.sdk_application import MOST, ResponseCache


def test_response_is_repeated_for_a_second_while_flags_are_unchanged() -> None:
    clock = SteadyClock()
    cache = ResponseCache(clock.monotonic)
    assert cache.find("flags", "a") is None
    kept = cache.keep("a", Response(b"1"), ())
    assert (cache.find("flags", "a"), cache.find("flags", "b")) == (kept, None)
    clock.now += 1
    assert cache.find("flags", "a") is None
    cache.keep("a", Response(b"1"), ())
    for flags in ("changed", "flags"):
        assert cache.find(flags, "a") is None


def test_oldest_responses_are_forgotten_beyond_a_limit() -> None:
    cache = ResponseCache(SteadyClock().monotonic)
    for number in range(MOST + 1):
        cache.find("flags", number)
        cache.keep(number, Response(b"1"), ())
    assert [cache.find("flags", number) is not None for number in (0, MOST)] == [False, True]


def flag_set_of(seed: int) -> FlagSet:
    document = random_flags.document(Random(seed), 12)
    flags = document["flags"]
    assert isinstance(flags, list)
    records = [FlagRecord.of(flag) for flag in flags if isinstance(flag, dict)]
    return FlagSet(Definitions.of_document(document), {record.key: record for record in records})


@pytest.mark.parametrize("seed", range(at_most(4, 10)))
def test_kept_results_equal_new_ones(seed: int) -> None:
    people = [random_flags.person(Random(1000 * seed + number), 12) for number in range(20)]
    kept = flag_set_of(seed)
    for person in (*people, *people):
        text = encode(encode_results(kept.evaluate(person), kept))
        fresh = flag_set_of(seed)
        assert text == encode([describe(result, fresh) for result in fresh.evaluate(person)])
    assert len(kept.encoded) < 12 * len(people)


def test_requested_values_are_those_of_the_service(
    sample_port: Port, sdk: Any, caplog: pytest.LogCaptureFixture
) -> None:
    logging.getLogger("posthog").setLevel(logging.INFO)
    base = f"{sample_port.url}/api/projects/1/feature_flags/evaluation_reasons/"
    headers = {"Authorization": f"Bearer {SAMPLE_KEY}"}
    with httpx.Client(headers=headers) as http:
        listed = http.get(f"{sample_port.url}/api/projects/1/feature_flags/?limit=1000").json()["results"]
        of_browsers = {flag["key"] for flag in listed if flag["evaluation_runtime"] == "client"}
        # To a program on a server it is off: it depends on a flag of browsers.
        dependent = {"notifications-digest-mails-v2": False}
        for distinct_id, _ in people(sample_port)[::4]:
            values = sdk.get_all_flags(distinct_id)
            reasons = http.get(base, params={"distinct_id": distinct_id}).raise_for_status().json()
            expected = {
                key: reason["value"]
                for key, reason in reasons.items()
                if reason["evaluation"]["reason"] != "disabled" and key not in of_browsers
            }
            assert values == expected | dependent
    assert (len(values) > 100, len(of_browsers) > 5) == (True, True)
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]

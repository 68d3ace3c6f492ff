"""Cached results of a flag set equal fresh ones for every person."""

from random import Random

import pytest
from tests.doubles import random_flags
from tests.doubles.slices import at_most

from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.run import Person
from flagtui.service.responses import encode
from flagtui.service.sdk.flag_set import FlagRecord, FlagSet
from flagtui.service.sdk.ofrep import describe, encode_results


def flag_set_of(seed: int) -> FlagSet:
    document = random_flags.document(Random(seed), 12)
    flags = document["flags"]
    assert isinstance(flags, list)
    records = [FlagRecord.of(flag) for flag in flags if isinstance(flag, dict)]
    return FlagSet(Definitions.of_document(document), {record.key: record for record in records})


def plain_text(flag_set: FlagSet, person: Person) -> bytes:
    return encode([describe(result, flag_set) for result in flag_set.evaluate(person)])


@pytest.mark.parametrize("seed", range(at_most(4, 10)))
def test_kept_results_equal_new_ones(seed: int) -> None:
    people = [random_flags.person(Random(1000 * seed + number), 12) for number in range(20)]
    kept = flag_set_of(seed)
    for person in (*people, *people):
        text = encode(encode_results(kept.evaluate(person), kept))
        assert text == plain_text(flag_set_of(seed), person)
    assert len(kept.encoded) < 12 * len(people)

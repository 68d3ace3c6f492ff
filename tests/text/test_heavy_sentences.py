"""Sentences of flags with thousands of conditions: linear time, shortened with the count, still true."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any, Final

import pytest
from msgspec.structs import replace
from tests.doubles import heavy_records as heavy
from tests.doubles import random_flags
from tests.doubles.counted_calls import counted_calls
from tests.doubles.log_entries import log_entry
from tests.doubles.slices import at_most
from tests.doubles.targeting import asks, group

from flagtui.cli.records.flag_records import WHOLE_FLAG, WholeFlag
from flagtui.evaluate import wire
from flagtui.models.filters import Condition, Filters, Property
from flagtui.models.flag import Flag
from flagtui.models.json_value import as_list
from flagtui.text.activity_words import activity_words
from flagtui.text.differences import LINES, diff_lines
from flagtui.text.flag_sentences import condition_blocks, plain, rest_words, who_sees_it

JSON = Any
LINEAR = 2.3
"""The most work for twice as many conditions, as a factor."""


def targeting(raw: dict[str, JSON]) -> Filters:
    return Filters.of(raw["filters"])


def why_never(number: int, condition: Condition, filters: Filters) -> str:
    """Apply the rule condition by condition, as a reference for the fast implementation."""
    for place, raw in enumerate(as_list(filters.raw.get("groups"))[: number - 1], 1):
        if wire.condition_problem(raw):
            return f"condition {place} is malformed and ends the evaluation"
        earlier = Condition.of(raw)
        if earlier.properties:
            continue
        if filters.early_exit and filters.matches_everyone(earlier):
            return f"condition {place} matches everyone and decides, even by its rollout"
        is_same_kind = filters.group_type_of(earlier) == filters.group_type_of(condition)
        if is_same_kind and earlier.rollout >= condition.rollout:
            return f"condition {place} already matches them"
    return why_narrower(number, condition, filters)


def why_narrower(number: int, condition: Condition, filters: Filters) -> str:
    """Apply the rule of equal and narrower property filters condition by condition."""
    own = [without_negation(item) for item in condition.properties]
    for place, raw in enumerate(as_list(filters.raw.get("groups"))[: number - 1], 1):
        wider = Condition.of(raw)
        is_wider = wider.properties and all(without_negation(item) in own for item in wider.properties)
        if not is_wider or filters.group_type_of(wider) != filters.group_type_of(condition):
            continue
        if filters.early_exit:
            return f"condition {place} matches all of them and decides, even by its rollout"
        if wider.rollout >= condition.rollout:
            return f"condition {place} already matches them"
    return ""


def without_negation(item: Property) -> Property:
    return replace(item, is_negated=False, label="")


def random_filters(random: Random) -> Iterator[JSON]:
    odd: list[JSON] = [None, "odd", {"rollout_percentage": "5"}, {"properties": "x"}, {"properties": ["x"]}]
    for _ in range(at_most(80, 200)):
        raw = random_flags.flag(random, 1, 6)["filters"]
        raw["groups"] = [
            random.choice(odd) if random.random() < 0.03 else random_flags.condition(random, 6)
            for _ in range(random.randrange(1, 20))
        ]
        yield raw


def test_earlier_conditions_follow_the_rule() -> None:
    reasons = set()
    for raw in random_filters(Random(20)):
        filters = Filters.of(raw)
        for number, block in enumerate(condition_blocks(filters), 1):
            stored = filters.stored_conditions[number - 1]
            last_line = plain(block[-1:]).strip()
            is_read = not wire.condition_problem(stored)
            why = why_never(number, Condition.of(stored), filters) if is_read else ""
            assert last_line == f"adds no one: {why}" if why else not last_line.startswith("adds no one")
            reasons.add(why.rsplit(" ", 1)[-1])
    assert reasons == {"", "evaluation", "rollout", "them"}


@pytest.mark.parametrize(
    "make", [heavy.with_conditions, heavy.with_bare_conditions, heavy.with_properties, heavy.with_cohorts]
)
def test_sentences_take_linear_work(make: Callable[[int], dict[str, JSON]]) -> None:
    once, twice = (counted_calls(partial(list, who_sees_it(targeting(make(count))))) for count in (200, 400))
    assert once < twice < LINEAR * once


def test_forced_variants_take_linear_work() -> None:
    forced = [{"rollout_percentage": 1, "variant": f"variant-{place}"} for place in range(2_000)]
    both = Filters.of({**heavy.with_variants(2_000)["filters"], "groups": forced})
    assert counted_calls(lambda: [*who_sees_it(both)]) < 100 * 2_000
    assert not any("does not have" in plain([line]) for line in who_sees_it(both))


def test_shortened_lists_count_conditions_properties_and_early_exits() -> None:
    lines = plain([*who_sees_it(targeting(heavy.with_properties(5_000)), lines=200)]).split("\n")
    assert len(lines) == 102
    assert lines[-1] == "  … and 4,900 more properties; the JSON tab has all"
    raw = heavy.with_conditions(1_000)["filters"] | {"early_exit": True}
    *_, more, last = plain([*who_sees_it(Filters.of(raw), lines=200)]).split("\n")
    assert more.endswith("900 more conditions; the JSON tab has all")
    assert last.endswith("early exit: the first matching condition decides, even by its rollout")
    filters = targeting(heavy.with_conditions(1_000))
    described = [*who_sees_it(filters, lines=200)]
    assert plain(described[-1:]) == "  … and 900 more conditions; the JSON tab has all"
    assert plain(described[:-1]) == plain([*who_sees_it(filters)][:200])
    assert counted_calls(lambda: [*who_sees_it(filters, lines=200)]) < 10_000


def test_command_line_describes_all_conditions_in_linear_time() -> None:
    sentences = next(field for field in WHOLE_FLAG.fields if field.name == "conditions")
    calls = []
    for count in (300, 600):
        raw = heavy.with_conditions(count)
        whole = WholeFlag(raw, Flag.of(raw).row(), raw["filters"])
        calls.append(counted_calls(partial(sentences.read, whole)))
        assert len(sentences.read(whole)) == count
    assert calls[1] < LINEAR * calls[0]


def test_rest_of_shares_names_the_first_variants() -> None:
    raw = heavy.with_variants(400)["filters"]
    for variant in raw["multivariate"]["variants"]:
        variant["rollout_percentage"] = 1
    words = rest_words(Filters.of(raw).variants)
    assert words.startswith("shares beyond 100 % reach no one: variant-100 gets 0 %, ")
    assert words.endswith("and 280 more")


def test_change_of_thousands_of_conditions_is_described_in_part() -> None:
    after = heavy.targeting(heavy.conditions(5_000))
    before = {**after, "groups": [{**group, "rollout_percentage": 7.5} for group in after["groups"]]}
    entry = log_entry(filters=(before, after))
    words = activity_words(entry, 80)
    assert words.startswith("condition 1: 7.5 % → 0 %, condition 2: 7.5 % → 1 %")
    assert words.endswith("… and more")
    assert len(words) == 80
    assert counted_calls(lambda: activity_words(entry, 80)) < 15_000
    lines = [*diff_lines(before, after)]
    assert plain(lines[-1:]) == "… more than 940 more differences"
    assert counted_calls(lambda: [*diff_lines(before, after)]) < 60_000


def test_heavy_value_of_a_difference_is_written_in_part() -> None:
    value = [{"key": f"plan-{place}", "is": True} for place in range(5_000)]
    path, removed, *more = [*diff_lines({"other": value}, {})][1:]
    whole = json.dumps(value, ensure_ascii=False, indent=2).split("\n")
    assert [line[1][0] for line in (removed, *more[:LINES])] == [*whole[:LINES], "… and more"]
    assert plain([path]) == "  other"
    assert counted_calls(lambda: [*diff_lines({"other": value}, {})]) < 5_000


HEAVY: Final = heavy.with_properties(5_000)["filters"]
PROPERTIES: Final = HEAVY["groups"][0]["properties"]


@pytest.mark.parametrize(("before", "words", "most"), [
    ({"properties": [*PROPERTIES[:-1], {**PROPERTIES[-1], "key": "country"}]},
     "condition 1: + plan, - country", 20_000),
    ({"properties": [{**item, "value": ["other"]} for item in PROPERTIES], "rollout_percentage": 7.5},
     "rollout 7.5 % → 50 %, condition 1: properties changed", 1_000),
], ids=["the last", "all"])  # fmt: skip
def test_change_of_thousands_of_properties_is_counted_as_one(before: JSON, words: str, most: int) -> None:
    entry = log_entry(filters=({**HEAVY, "groups": [{**HEAVY["groups"][0], **before}]}, HEAVY))
    assert activity_words(entry) == words
    assert counted_calls(lambda: activity_words(entry)) < most


def test_last_change_of_thousands_is_described() -> None:
    after = heavy.targeting(heavy.conditions(5_000))
    before = {**after, "groups": [*after["groups"][:-1], {**after["groups"][-1], "rollout_percentage": 1.5}]}
    assert activity_words(log_entry(filters=(before, after))) == "condition 5000: 1.5 % → 50 %"


def test_change_of_thousands_of_variants_is_counted_as_one() -> None:
    after = heavy.with_variants(5_000)["filters"]
    variants = [{**variant, "rollout_percentage": 1} for variant in after["multivariate"]["variants"]]
    entry = log_entry(filters=({**after, "multivariate": {"variants": variants}}, after))
    assert activity_words(entry) == "variants changed"
    assert counted_calls(lambda: activity_words(entry)) < 1_000


def test_property_with_an_equal_number_is_unchanged() -> None:
    before, after = (
        heavy.targeting([group(100, asks(f"age {number}", "gt", number), asks("age", "gt", number))])
        for number in (1, 1.0)
    )
    assert activity_words(log_entry(filters=(before, after))) == "condition 1: + age 1.0, - age 1"


def test_change_of_thousands_of_tags_names_the_first() -> None:
    tags = [f"tag-{place:05d}" for place in range(5_000)]
    words = activity_words(log_entry(tags=([], tags)), 5_000)
    assert words.startswith("tags +tag-00000 +tag-00001 ")
    assert words.endswith(" +tag-00099 and 4,900 more")

"""Sentences and columns about shares and values are compared with the evaluator over many users."""

import re
from collections import defaultdict
from random import Random
from typing import Any, Final

import pytest
from tests.doubles import random_flags
from tests.doubles.expected import require
from tests.doubles.slices import at_most
from tests.doubles.targeting import asks, group, variants

from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.evaluation import Reason
from flagtui.evaluate.flags import evaluate
from flagtui.evaluate.run import Group, Person
from flagtui.models.filters import Filters, Property
from flagtui.models.flag import Flag
from flagtui.text.flag_sentences import manner_lines, plain, rest_words, who_sees_it
from flagtui.text.property_sentences import property_pieces

JSON = Any
MANY: Final = 200
"""Users per measured share."""
NEAR: Final = 12.0
"""Tolerance of a measured share in percentage points: more than three standard deviations."""
GIVEN: Final[list[JSON]] = [*random_flags.VALUES, "DE", "DE, FR", "x, y", ["DE", "FR"], "1.2.4", "null", "4"]


def people(random: Random, count: int = MANY) -> list[Person]:
    """Return users in groups of every type, so that every condition can match."""
    return [
        Person(
            f"person-{place}",
            random_flags.properties(random),
            {name: Group(f"{name}-{place}", {}) for name in ("company", "project")},
            device_id=f"device-{place}",
            is_complete=True,
        )
        for place in range(count)
    ]


def definitions_of(raw: dict[str, JSON]) -> Definitions:
    return Definitions.of([raw], group_types={"0": "company", "1": "project"})


def answers(raw: dict[str, JSON]) -> list[JSON]:
    """Evaluate a user without a value, then users with each value."""
    flag = {"id": 1, "key": "f", "active": True, "filters": {"groups": [{"properties": [raw]}]}}
    definitions = Definitions.of([flag])
    owned: list[dict[str, JSON]] = [{}, *({"k": value} for value in GIVEN)]
    return [evaluate("f", Person("p", person, is_complete=True), definitions).value for person in owned]


def kinds_of(filters: dict[str, JSON]) -> set[JSON]:
    """Return what conditions apply to: indexes of group types, None for users."""
    own = "aggregation_group_type_index"
    return {group.get(own, filters.get(own)) for group in filters["groups"]}


def test_equal_sentences_have_equal_meaning() -> None:
    random = Random("same words")
    meant: dict[str, tuple[list[JSON], JSON]] = {}
    again = 0
    for _ in range(at_most(200, 2_500)):
        operators = [*random_flags.OPERATORS, "icontains_multi", "not_icontains_multi"]
        value = random.choice([random.choice(GIVEN), [random.choice(GIVEN) for _ in range(2)]])
        raw = {**asks("k", "", value), "operator": random.choice(operators)}
        if raw["operator"] in ("regex", "not_regex") and not isinstance(value, str):
            # Servers store patterns as text only.
            continue
        text = plain([property_pieces(Property.of(raw))])
        values = answers(raw)
        before, other = meant.setdefault(text, (values, raw))
        again += other != raw
        assert values == before, (text, raw, other)
    assert again > 6


def test_row_rollout_bounds_evaluated_share() -> None:
    random = Random("rows")
    crowd = people(random)
    held = defaultdict[str, int](int)
    for number in range(at_most(60, 350)):
        raw = random_flags.flag(random, number, 1) | {"active": True, "ensure_experience_continuity": False}
        for decided_before in ("holdout", "feature_enrollment"):
            raw["filters"].pop(decided_before, None)
        if len(kinds_of(raw["filters"])) > 1:
            # People and groups are drawn apart: who is out as the one may be in as the other.
            continue
        rollout = require(Flag.of(raw).row().rollout)
        definitions = definitions_of(raw)
        having = sum(evaluate(raw["key"], person, definitions).value not in (False, None) for person in crowd)
        share = having * 100 / MANY
        assert share <= (rollout if rollout in (0, 100) else rollout + NEAR), (rollout, share, raw["filters"])
        held["nobody" if rollout == 0 else "some" if rollout < 100 else "all"] += 1
    assert min(held.values()) > 8, held


@pytest.mark.parametrize("seed", range(25))
def test_variant_sentences_match_evaluated_shares(seed: int) -> None:
    random = Random(f"rest {seed}")
    shares = [random.choice([0, 10, 25, 33.3, 50, 60, 100]) for _ in range(random.choice([1, 2, 3, 4]))]
    claimed: dict[JSON, float] = {f"v{place}": share for place, share in enumerate(shares)}
    filters = {"groups": [{}], "multivariate": variants(**claimed)}
    raw: dict[str, JSON] = {"id": 1, "key": f"f{seed}", "active": True, "filters": filters}
    counted = defaultdict[JSON, float](float)
    definitions = definitions_of(raw)
    for person in people(random):
        counted[evaluate(raw["key"], person, definitions).value] += 100 / MANY
    claimed[True] = 0.0
    words = rest_words(Filters.of(filters).variants)
    if match := re.match(r"the other ([\d.]+) % of matching users get plain true", words):
        claimed[True] = float(match[1])
    elif words.startswith("matching users get plain true"):
        claimed[True] = 100.0
    for key, share in re.findall(r"(v\d) gets ([\d.]+) %", words):
        claimed[key] = float(share)
    assert set(counted) <= {key for key, share in claimed.items() if share}, (words, shares)
    for key, share in claimed.items():
        assert abs(counted[key] - share) < NEAR, (words, shares, counted)


def test_holdout_sentence_matches_share_and_value() -> None:
    random = Random("held out")
    crowd = people(random)
    seen = 0
    for number in range(60):
        raw = random_flags.flag(random, number, 1) | {"active": True, "ensure_experience_continuity": False}
        held_out = random.choice([0, 5, 40, 100, 150, -3, None])
        raw["filters"]["holdout"] = {"id": 4, "exclusion_percentage": held_out}
        raw["filters"].pop("feature_enrollment", None)
        filters = Filters.of(raw["filters"])
        if filters.group_type_index == 9 or filters.depends_on:
            # Of a kind of group that the project does not have, or asking for a flag that it does not have.
            continue
        lines = plain(who_sees_it(filters))
        match = re.search(r"([\d.]+) % are held out of experiments and get (holdout-\d+)", lines)
        definitions = definitions_of(raw)
        evaluations = [evaluate(raw["key"], person, definitions) for person in crowd]
        held = [evaluation.value for evaluation in evaluations if evaluation.reason is Reason.HOLDOUT]
        assert set(held) <= ({match[2]} if match else set()), lines
        assert abs(len(held) * 100 / MANY - (float(match[1]) if match else 0.0)) < NEAR, lines
        seen += bool(held)
    assert seen > 10


def test_bucketing_sentence_matches_the_evaluator() -> None:
    random = Random("manner")
    crowd = people(random, 60)
    moved = [
        Person(person.distinct_id, {}, person.groups, device_id="x", is_complete=True) for person in crowd
    ]
    counts = defaultdict[bool, int](int)
    for number in range(150):
        group_type = random.choice([None, None, 0])
        filters: JSON = {"groups": [group(50)], "aggregation_group_type_index": group_type}
        raw: dict[str, JSON] = {"id": 1, "key": f"f-{number}", "active": True, "filters": filters}
        random.choice([raw, filters])["bucketing_identifier"] = random.choice(["device_id", None])
        by_device = "bucketed by device" in plain(manner_lines(Flag.of(raw).raw))
        counts[by_device] += 1
        definitions = definitions_of(raw)
        drawn, again = (
            [evaluate(raw["key"], each, definitions) for each in users] for users in (crowd, moved)
        )
        assert (drawn != again) is by_device, raw
    assert min(counts.values()) > 30

"""Sentences about measurements are parsed again and equal the stored metrics, completely."""

import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any, Final

import pytest
from tests.doubles import random_experiments
from tests.doubles.fixtures import NO_FIXTURES, real_records
from tests.doubles.metric_reader import read_node
from tests.doubles.slices import at_most
from tests.doubles.stored_metrics import compare, compare_trees, node_of

from flagtui.app.experiments.detail.experiment_settings import measures_lines, settings_lines
from flagtui.changes.experiments.metric_words import further_words, metric_words
from flagtui.details.metric_findings import metrics_of
from flagtui.models.experiment import Experiment
from flagtui.service.sample_data.experiments import catalogue
from flagtui.text.flag_sentences import plain

JSON = Any
REAL: Final = real_records("experiments/*.json", "feature_flag_key")
WIDE: Final = 4_000
EXPOSED: Final = re.compile(r"(.+), (with|without) test accounts; several variants seen: (.+)")
AFTERWARDS: Final = ": only who does that afterwards counts, and from then on"


def told(metric: dict[str, JSON]) -> str:
    return ", ".join([metric_words(metric), *further_words(metric)])


def stored_in(raw: dict[str, JSON]) -> list[dict[str, JSON]]:
    """Every metric of an experiment: its own, and the shared ones."""
    shared = [one["query"] for one in raw.get("saved_metrics") or []]
    return [*(raw.get("metrics") or []), *(raw.get("metrics_secondary") or []), *shared]


def test_every_metric_of_the_sample_measures_what_is_said() -> None:
    for metric in catalogue().values():
        compare(told(metric), metric)


def test_every_metric_made_at_random_measures_what_is_said() -> None:
    random = Random("metrics")
    for _ in range(at_most(1_000, 3_000)):
        metric = random_experiments.metric(random)
        compare(told(metric), metric)


@pytest.mark.skipif(not REAL, reason=NO_FIXTURES)
def test_every_real_metric_measures_what_is_said() -> None:
    metrics = [one for raw in REAL for one in stored_in(raw) if one]
    assert len(metrics) > 10
    for metric in metrics:
        compare(told(metric), metric)


DECIDING: Final = frozenset(
    (
        "event", "operator", "key", "value", "math_property", "math_hogql", "table_name", "threshold",
        "retention_window_end", "upper_bound_percentile", "conversion_window",
    )
)  # fmt: skip


def leaves(value: JSON, path: tuple[JSON, ...] = ()) -> Iterator[tuple[JSON, ...]]:
    """Where in a metric something is stored that decides what it counts."""
    if isinstance(value, dict | list):
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        for key, one in inner:
            yield from leaves(one, (*path, key))
    elif path[-1] in DECIDING:
        yield path


def changed(metric: dict[str, JSON], path: tuple[JSON, ...]) -> dict[str, JSON]:
    """The same with another value there."""
    other: dict[str, JSON] = json.loads(json.dumps(metric))
    inner = other
    for key in path[:-1]:
        inner = inner[key]
    last = path[-1]
    is_number = isinstance(inner[last], int | float)
    inner[last] = inner[last] + 1 if is_number else "is_date_exact" if last == "operator" else "other"
    return other


def test_what_the_words_do_not_say_is_seen() -> None:
    random = Random("changed")
    seen = 0
    for _ in range(at_most(80, 600)):
        metric = random_experiments.metric(random)
        text = told(metric)
        for path in leaves(metric):
            other = changed(metric, path)
            if told(other) == text:
                # What servers do not look at there: how a funnel counts, the value of `is set`.
                assert "math" in str(path[-1]) or is_idle(metric, path), (path, metric)
                continue
            seen += 1
            with pytest.raises(AssertionError):
                compare(text, other)
    assert seen > 240


def is_idle(metric: dict[str, JSON], path: tuple[JSON, ...]) -> bool:
    """Whether servers do not look at a value, because of what is stored beside it."""
    beside: JSON = metric
    for key in path[:-1]:
        beside = beside[key]
    asked = beside if isinstance(beside, dict) else {}
    is_without = asked.get("operator") in ("is_set", "is_not_set") or asked.get("type") in ("hogql", "cohort")
    return (is_without and path[-1] in ("value", "key", "operator")) or asked.get("value") == []


def test_an_experiment_tells_each_of_its_metrics_once() -> None:
    random = Random("measures")
    for number in range(at_most(100, 300)):
        raw = random_experiments.experiment(random, number)
        lines = plain(measures_lines(metrics_of(Experiment.of(raw)), WIDE)).splitlines()
        stored = stored_in(raw)
        assert len(lines) == len(stored), lines
        texts = [line[14:].removeprefix("Shared: ") for line in lines]
        for metric in stored:
            text = told(metric)
            texts.remove(text if text in texts else next(one for one in texts if one[:500] == text[:500]))


def settings_of(raw: dict[str, JSON]) -> dict[str, str]:
    lines = plain(settings_lines(Experiment.of(raw), WIDE)).splitlines()
    return {line[:14].strip(): line[14:] for line in lines}


def test_who_is_counted_and_how_is_what_is_stored() -> None:
    random = Random("settings")
    for number in range(at_most(150, 400)):
        raw = random_experiments.experiment(random, number)
        said, criteria = settings_of(raw), raw["exposure_criteria"]
        by = EXPOSED.fullmatch(said["EXPOSED BY"])
        assert by, said
        assert by[2] == ("without" if criteria.get("filterTestAccounts") else "with")
        is_first = criteria.get("multiple_variant_handling") == "first_seen"
        assert by[3] == ("counted for the first one" if is_first else "excluded from the results")
        compare_node(by[1], criteria.get("exposure_config"), "a call of its flag")
        then = said.get("ACTIVATED BY", "").removesuffix(AFTERWARDS)
        compare_node(then, criteria.get("activation_config"), "")
        assert ("ACTIVATED BY" in said) is ("activation_config" in criteria)
        assert said.get("HOLDOUT") == ("Company, 10 % held out" if raw["holdout"] else None)
        assert said.get("COHORT") == ("exposed users: cohort #7" if raw["exposure_cohort"] else None)


def compare_node(text: str, stored: dict[str, JSON] | None, without: str) -> None:
    if stored is None:
        assert text == without
        return
    found, wanted = read_node(text), node_of(stored, is_counted=False)
    assert (found.name, found.counting) == (wanted.name, "total")
    compare_trees(found.asked, wanted.asked)


def test_how_numbers_are_judged_is_what_is_stored() -> None:
    random = Random("statistics")
    for number in range(at_most(150, 400)):
        raw = random_experiments.experiment(random, number)
        assert settings_of(raw)["STATISTICS"].split(", ") == [*judged(raw)]


def judged(raw: dict[str, JSON]) -> Iterator[str]:
    stored = raw["stats_config"]
    is_frequentist = stored["method"] == "frequentist"
    level = stored.get("bayesian", {}).get("ci_level", 0.95)
    yield stored["method"]
    if is_frequentist:
        level = 1 - stored.get("frequentist", {}).get("alpha", 0.05)
    yield f"{level * 100:g} % intervals"
    if "baseline_variant_key" in stored:
        yield f"compared with {stored['baseline_variant_key']}"
    if raw["only_count_matured_users"]:
        yield "only people whose window is over"
    cuped = stored.get("cuped", {})
    if cuped.get("enabled"):
        days = " in 7 days" if cuped["lookback_days"] else ""
        yield f"CUPED: adjusted for what people did{days} before exposure"
    if stored.get("sequential"):
        yield "sequential testing: results may be read anytime"

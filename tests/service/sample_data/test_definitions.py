"""The sample's event definitions: as many as drawn, most in order, a third neglected."""

from random import Random

import pytest

from flagtui.service.sample_data.definitions import Definition, mobile_definitions, web_definitions
from flagtui.service.sample_data.events import DEEDS
from flagtui.service.sample_data.experiments import Metric, catalogue


@pytest.fixture(scope="module")
def definitions() -> list[Definition]:
    return web_definitions(Random("acme events"))


def named(definitions: list[Definition], name: str) -> Definition:
    return next(each for each in definitions if each.name == name)


def events_of(metric: Metric) -> set[str]:
    nodes = [*metric.get("series", []), *(value for value in metric.values() if isinstance(value, dict))]
    return {node["event"] for node in nodes}


def test_there_are_as_many_as_drawn_and_no_name_twice(definitions: list[Definition]) -> None:
    assert len({each.name for each in definitions}) == len(definitions) == 1_904


def test_a_third_of_custom_events_lacks_an_owner(definitions: list[Definition]) -> None:
    own = [each for each in definitions if not each.name.startswith("$")]
    silent = [each.seen is None or each.seen > 30 for each in own]
    neglected = [
        not each.verified_by or not each.description or quiet for each, quiet in zip(own, silent, strict=True)
    ]
    assert 0.28 < sum(neglected) / len(own) < 0.38
    assert sum(silent) > 100
    assert sum(each.seen is None for each in own) > 10


def test_the_drawn_inbox_is_there(definitions: list[Definition]) -> None:
    assert named(definitions, "checkout_completed").uses == 412
    twin = named(definitions, "checkout completed")
    assert (twin.uses, twin.description, twin.tags) == (9_881, "Order paid", ["revenue", "checkout"])
    assert named(definitions, "Plan Upgraded").seen == 21


def test_every_event_of_every_metric_is_defined(definitions: list[Definition]) -> None:
    names = {each.name for each in definitions}
    for metric in catalogue().values():
        assert events_of(metric) <= names


def test_every_metric_of_the_catalogue_knows_what_people_do() -> None:
    assert set(DEEDS) == set(catalogue())


def test_the_second_project_has_its_own() -> None:
    names = {each.name for each in mobile_definitions(Random("acme mobile events"))}
    assert len(names) == 212
    assert "$screen" in names

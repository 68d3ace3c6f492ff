"""Values in the cells of a table, and fields that are worked out from the whole record."""

from typing import Any

import pytest

from flagtui.cli.commands.events.event_views import WHOLE_EVENT, WholeEvent
from flagtui.cli.commands.experiments.experiment_views import WHOLE_EXPERIMENT, WholeExperiment
from flagtui.cli.plumbing.output.record_schema import RecordSchema
from flagtui.cli.records.field_words import commas, on_or_off, percent_words
from flagtui.cli.records.flag_records import WHOLE_FLAG, WholeFlag
from flagtui.models.event_definition import EventDefinition
from flagtui.models.experiment import Experiment
from flagtui.models.flag import Flag


@pytest.mark.parametrize(
    ("words", "value", "cell"),
    [
        (percent_words, 50, "50 %"),
        (percent_words, 33.3, "33.3 %"),
        (percent_words, None, ""),
        (on_or_off, True, "on"),
        (on_or_off, False, "off"),
        (on_or_off, None, ""),
        (commas, ["a", "b"], "a, b"),
        (commas, None, ""),
    ],
)
def test_cell_has_the_value_and_is_empty_without_one(words: Any, value: Any, cell: str) -> None:
    assert words(value) == cell


JSON = Any
SHARES = {"variants": [{"key": "a", "rollout_percentage": 30}, {"key": "b", "rollout_percentage": 70}]}


def field_of(schema: RecordSchema[Any], name: str, record: object) -> Any:
    (field,) = [field for field in schema.fields if field.name == name]
    return field.read(record)


@pytest.mark.parametrize(
    ("filters", "is_remote", "values"),
    [
        ({}, False, ["true"]),
        ({"payloads": {"true": "1"}}, False, ["true, with a payload"]),
        ({"multivariate": SHARES, "payloads": {"b": "1"}}, False, ["a 30 %", "b 70 %, with a payload"]),
        (
            {"multivariate": {"variants": [SHARES["variants"][0]] * 2}},
            False,
            [
                "a 30 %",
                "a 30 %",
                "the other 40 % of matching users get plain true, unless a condition sets the variant",
            ],
        ),
        ({"payloads": {"true": "1"}}, True, ["a value, which flagtui flags payload prints"]),
    ],
)
def test_flag_lists_the_values_it_serves(filters: JSON, is_remote: bool, values: list[str]) -> None:
    body = {"groups": [{"properties": []}], **filters}
    flag = Flag.of({"id": 1, "key": "k", "filters": body, "is_remote_configuration": is_remote})
    assert field_of(WHOLE_FLAG, "serves", WholeFlag(flag.raw, flag.row(), body)) == values


def test_experiment_lists_its_metrics_with_their_roles() -> None:
    metric = {"metric_type": "mean", "source": {"kind": "EventsNode", "event": "paid"}, "threshold": 2}
    shared = {"id": 1, "name": "Shared", "query": metric, "metadata": {"type": "primary"}}
    flag = {"id": 1, "key": "k", "filters": {"groups": [], "aggregation_group_type_index": 0}}
    parts = {"metrics": [{**metric, "name": "Own"}], "metrics_secondary": [metric], "saved_metrics": [shared]}
    experiment = Experiment.of({"id": 1, "name": "n", "feature_flag": flag, **parts})
    whole = WholeExperiment(experiment, experiment.row())
    words = "share of groups with at least 2 of paid"
    expected = [f"primary: Own: {words}", f"primary (shared): Shared: {words}", f"secondary: {words}"]
    assert field_of(WHOLE_EXPERIMENT, "measures", whole) == expected
    assert field_of(WHOLE_EXPERIMENT, "counts", whole) == "groups"


FACTS: JSON = {"verified": True, "enforcement_mode": "reject", "description": "who came"}


@pytest.mark.parametrize("facts", [FACTS, {}])
def test_event_shows_what_it_has_and_nothing_else(facts: JSON) -> None:
    definition = EventDefinition.of({"id": "u", "name": "paid", **facts})
    whole = WholeEvent(definition, definition.row())
    assert field_of(WHOLE_EVENT, "record", whole) == {"id": "u", "name": "paid", **facts}
    shown = [field_of(WHOLE_EVENT, name, whole) for name in ("verified", "enforcement", "description")]
    assert shown == [facts.get(name) for name in FACTS]

"""The committed JSON schemas. FLAGTUI_GOLDEN=write brings docs/schemas up to date."""

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from fastjsonschema import JsonSchemaException
from tests.doubles.command_tree import all_commands
from tests.doubles.json_schema import validate

from flagtui.changes.sets.change_set import ChangeSet
from flagtui.cli.commands.events.event_views import WHOLE_EVENT, WholeEvent
from flagtui.cli.commands.experiments.experiment_views import WHOLE_EXPERIMENT, WholeExperiment
from flagtui.cli.plumbing.change_records import PLAN
from flagtui.cli.plumbing.output.record_schema import RecordSchema
from flagtui.cli.records.code_records import CODE_FINDING
from flagtui.cli.records.field_words import commas, on_or_off, percent_words
from flagtui.cli.records.flag_records import WHOLE_FLAG, WholeFlag
from flagtui.models.event_definition import EventDefinition
from flagtui.models.experiment import Experiment
from flagtui.models.flag import Flag

FOLDER = Path(__file__).parents[3] / "docs" / "schemas"


def kinds() -> dict[str, RecordSchema[Any]]:
    schemas = [each.kind for each in all_commands().values() if each.kind is not None]
    return {kind.name: kind for kind in (*schemas, PLAN, CODE_FINDING)}


def set_schema() -> dict[str, Any]:
    """The schema of the file of a change set, which no command prints."""
    (root,), parts = msgspec.json.schema_components([ChangeSet], ref_template="#/$defs/{name}")
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **root, "$defs": parts}
    return dict(json.loads(json.dumps(schema)))


def test_the_committed_schemas_are_those_of_the_program() -> None:
    if os.environ.get("FLAGTUI_GOLDEN") == "write":
        FOLDER.mkdir(exist_ok=True)
        for name, kind in kinds().items():
            (FOLDER / f"{name}.json").write_text(json.dumps(kind.schema(), indent=2) + "\n")
        (FOLDER / "change-set.json").write_text(json.dumps(set_schema(), indent=2) + "\n")
    committed = {path.stem: json.loads(path.read_text()) for path in FOLDER.glob("*.json")}
    printed = {name: kind.schema() for name, kind in kinds().items()}
    assert committed == {**printed, "change-set": set_schema()}


def test_kinds_have_their_own_names_columns_and_endings() -> None:
    by_name: dict[str, RecordSchema[Any]] = {}
    for command in all_commands().values():
        if command.kind is not None:
            assert by_name.setdefault(command.kind.name, command.kind) is command.kind
    for kind in kinds().values():
        assert kind.shown, kind.name
        assert len(set(kind.names)) == len(kind.names), kind.name
        assert all(field.about.endswith((".", "…")) for field in kind.fields), kind.name
    record = kinds()["change-result"].schema()["properties"]["records"]["items"]
    assert {"saved", "unchanged", "skipped", "unknown"} <= {*record["properties"]["ending"]["enum"]}


def test_schemas_object_to_other_fields_and_types() -> None:
    schema = kinds()["project"].schema()
    good = {"opened": True, "id": 1, "name": "a", "organization": ""}
    envelope = {"schema_version": 1, "schema": "project"}
    validate({**envelope, "records": [good]}, schema)
    part = {**envelope, "fields": ["id"], "records": [{"id": 1}]}
    validate(part, schema)
    wrong = ({**good, "id": True}, {**good, "more": 1}, {"opened": True}, {**good, "name": None})
    for document in ({**part, "fields": ["nonsense"]}, *({**envelope, "records": [each]} for each in wrong)):
        with pytest.raises(JsonSchemaException):
            validate(document, schema)


@pytest.mark.parametrize(("words", "value", "cell"), [
    (percent_words, 50, "50 %"),
    (percent_words, 33.3, "33.3 %"),
    (percent_words, None, ""),
    (on_or_off, True, "on"),
    (on_or_off, False, "off"),
    (on_or_off, None, ""),
    (commas, ["a", "b"], "a, b"),
    (commas, None, ""),
])  # fmt: skip
def test_cell_has_the_value_and_is_empty_without_one(words: Any, value: Any, cell: str) -> None:
    assert words(value) == cell


JSON = Any
OTHERS = "the other 40 % of matching users get plain true, unless a condition sets the variant"
SHARES = {"variants": [{"key": "a", "rollout_percentage": 30}, {"key": "b", "rollout_percentage": 70}]}


def field_of(schema: RecordSchema[Any], name: str, record: object) -> Any:
    (field,) = [field for field in schema.fields if field.name == name]
    return field.read(record)


@pytest.mark.parametrize(("filters", "is_remote", "values"), [
    ({}, False, ["true"]),
    ({"payloads": {"true": "1"}}, False, ["true, with a payload"]),
    ({"multivariate": SHARES, "payloads": {"b": "1"}}, False, ["a 30 %", "b 70 %, with a payload"]),
    ({"multivariate": {"variants": [SHARES["variants"][0]] * 2}}, False, ["a 30 %", "a 30 %", OTHERS]),
    ({"payloads": {"true": "1"}}, True, ["a value, which flagtui flags payload prints"]),
])  # fmt: skip
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

"""The client reads every field of the specification's tables, as each generation sends it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

import pytest
from tests.service.specification.field_tables import TABLES, FieldEntry, shown_fields

from flagtui.models.account import User
from flagtui.models.event_definition import EventDefinition
from flagtui.models.experiment import Experiment, ExperimentFlag, Holdout, SavedMetric, SavedMetricLink
from flagtui.models.flag import Flag
from flagtui.models.record import Record

MODELS: Final[Mapping[str, type[Record]]] = {
    "user": User,
    "experiment": Experiment,
    "flag summary": ExperimentFlag,
    "holdout": Holdout,
    "saved metric link": SavedMetricLink,
    "saved metric": SavedMetric,
    "flag": Flag,
    "event definition": EventDefinition,
}
DICTIONARIES: Final = frozenset(
    ("parameters", "filters", "exposure_criteria", "stats_config", "metadata", "query")
)
"""Any-JSON fields that hold an object."""
NUMBERS: Final = frozenset(("experiment_set", "analytics_dashboards"))


def sample(table: str, generation: str) -> dict[str, Any]:
    """A record of this generation without empty fields."""
    return {
        name: value_of(name, table, entry, generation)
        for name, entry in shown_fields(table, generation).items()
    }


def value_of(name: str, table: str, entry: FieldEntry, generation: str) -> Any:
    if entry["type"] in TABLES:
        nested = sample(entry["type"], generation)
        return [nested] if entry.get("repeated") else nested
    if table == "holdout" and name == "filters":
        return [{"rollout_percentage": 10}]
    return {
        "integer": 7,
        "string": entry.get("values", ["text"])[0],
        "boolean": True,
        "object": {"a": 1},
        "array": [3] if name in NUMBERS else [{"a": 1}] if name in {"surveys", "features"} else ["b"],
        "date-time": "2026-03-01T12:00:00.000000Z",
        "uuid": "018f3c6d-0000-7000-8000-000000000009",
        "any": {"a": 1} if name in DICTIONARIES else ["c"],
    }[entry["type"]]


def test_every_table_has_a_model() -> None:
    assert MODELS.keys() == TABLES.keys()


@pytest.mark.parametrize("generation", ["default", "newest", "legacy"])
@pytest.mark.parametrize("table", TABLES)
def test_model_reads_every_field_of_its_table(table: str, generation: str) -> None:
    raw = sample(table, generation)
    if table == "flag":
        raw["experiment_set_metadata"] = [{"id": 3, "name": "x", "is_running": True}]
    record = MODELS[table].of(raw)
    assert (record.model_extra, record.raw) == ({}, raw)
    for name, value in raw.items():
        assert plain(getattr(record, name)) == value, name


def plain(value: Any) -> Any:
    """What a model's value was read from."""
    if isinstance(value, Record):
        return value.raw
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return [plain(item) for item in value] if isinstance(value, tuple) else value

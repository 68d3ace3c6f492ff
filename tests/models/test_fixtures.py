"""Real answers of the product parse, and come out as they went in. Read where FLAGTUI_FIXTURES points."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from tests.doubles.fixtures import NO_FIXTURES

from flagtui.api.faults import ErrorBody
from flagtui.models.account import Me, Project, User
from flagtui.models.activity import Activity, ActivityPage
from flagtui.models.event_definition import EventDefinition
from flagtui.models.event_definition_rows import read_event_definition_page
from flagtui.models.experiment import Experiment, Holdout
from flagtui.models.experiment_rows import read_experiment_page
from flagtui.models.flag import Flag
from flagtui.models.flag_responses import LocalEvaluation
from flagtui.models.flag_rows import read_flag_page
from flagtui.models.record import Record
from flagtui.models.rows import RowPage

FOLDER: Final = Path(os.environ.get("FLAGTUI_FIXTURES", "/nonexistent"))
KINDS: Final[dict[str, type[Record]]] = {
    "flags/": Flag,
    "experiments/holdout": Holdout,
    "experiments/": Experiment,
    "event_definitions/": EventDefinition,
    "activity/page": ActivityPage,
    "activity/": Activity,
    "projects/": Project,
    "users/me": Me,
    "users/": User,
    "local_evaluation/": LocalEvaluation,
}
LISTS: Final[dict[str, tuple[type[Any], Callable[[bytes], RowPage[Any]]]]] = {
    "flags/": (Flag, read_flag_page),
    "experiments/": (Experiment, read_experiment_page),
    "event_definitions/": (EventDefinition, read_event_definition_page),
}
NAMES: Final = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.glob("*/*.json"))

needs_fixtures = pytest.mark.skipif(not NAMES, reason=NO_FIXTURES)


def load(name: str) -> Any:
    return json.loads((FOLDER / name).read_text())


def records(value: Any) -> list[dict[str, Any]]:
    """The records in an answer: one, a page of them, or a bare list."""
    items = value.get("results", [value]) if isinstance(value, dict) else value
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def kind_of(name: str) -> type[Record] | None:
    return next((kind for start, kind in KINDS.items() if name.startswith(start)), None)


@needs_fixtures
def test_a_real_record_comes_out_as_it_went_in() -> None:
    seen = 0
    for name in NAMES:
        kind = kind_of(name)
        if kind is None:
            continue
        whole = issubclass(kind, ActivityPage | LocalEvaluation)
        for raw in [load(name)] if whole and isinstance(load(name), dict) else records(load(name)):
            assert kind.of(raw).raw == raw, name
            assert json.dumps(kind.of(raw).raw) == json.dumps(raw), name
            seen += 1
    assert seen > 150


@needs_fixtures
def test_every_known_field_of_a_real_record_has_its_value() -> None:
    for name in NAMES:
        kind = kind_of(name)
        if kind is None or name.startswith(("local_evaluation", "flags/docs", "experiments/docs")):
            continue
        for raw in records(load(name)):
            record = kind.of(raw)
            for field, value in raw.items():
                if field in kind.model_fields and isinstance(value, str | bool) and value != "":
                    assert getattr(record, field) not in (None, ""), f"{name}: {field}"


@needs_fixtures
def test_a_real_list_gives_the_rows_of_its_records() -> None:
    for start, (kind, read) in LISTS.items():
        for name in NAMES:
            raws = records(load(name)) if name.startswith(start) else []
            # The examples of the documentation count from 0, which no database does.
            raws = [raw for raw in raws if raw.get("id") and (raw.get("key") or raw.get("name"))]
            if not raws:
                continue
            page = read(json.dumps({"count": None, "results": raws}).encode())
            assert list(page.rows) == [kind.of(raw).row() for raw in raws], name
            assert not page.unreadable


@needs_fixtures
def test_every_real_error_says_something() -> None:
    names = [name for name in NAMES if name.startswith("errors/")]
    assert names
    for name in names:
        error = ErrorBody.of((FOLDER / name).read_bytes())
        assert error.detail or error.code or "405" in name, name


@needs_fixtures
def test_every_field_the_product_documents_is_typed() -> None:
    schemas = load("openapi-subset.json")["components"]["schemas"]
    written_only = {
        *("_create_in_folder", "_should_create_usage_dashboard", "creation_context"),
        *("update_feature_flag_params", "allow_unknown_events", "original_experiment", "repository"),
    }
    kinds: dict[str, type[Record]] = {
        "FeatureFlag": Flag,
        "Experiment": Experiment,
        "EnterpriseEventDefinition": EventDefinition,
    }
    for name, kind in kinds.items():
        assert set(schemas[name]["properties"]) - written_only <= set(kind.model_fields), name

"""The committed JSON schemas. FLAGTUI_GOLDEN=write brings docs/schemas up to date."""

import json
import os
from pathlib import Path
from typing import Any

import msgspec
from tests.doubles.command_tree import all_commands
from tests.doubles.json_schema import faults

from flagtui.changes.sets.change_set import ChangeSet
from flagtui.cli.plumbing.change_records import PLAN
from flagtui.cli.plumbing.output.record_schema import RecordSchema
from flagtui.cli.records.code_records import CODE_FINDING

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


def test_the_checker_of_schemas_sees_what_is_wrong() -> None:
    schema = kinds()["project"].schema()
    good = {"opened": True, "id": 1, "name": "a", "organization": ""}
    envelope = {"schema_version": 1, "schema": "project"}
    assert list(faults({**envelope, "records": [good]}, schema)) == []
    part = {**envelope, "fields": ["id"], "records": [{"id": 1}]}
    assert list(faults(part, schema)) == []
    assert list(faults({**part, "fields": ["nonsense"]}, schema))
    for wrong in ({**good, "id": True}, {**good, "more": 1}, {"opened": True}, {**good, "name": None}):
        assert list(faults({**envelope, "records": [wrong]}, schema))

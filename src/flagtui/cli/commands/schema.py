"""`flagtui schema`: the JSON schemas of what commands print."""

import json
from typing import Any

import click

from flagtui.cli.plumbing.command_tree import FINDING, PLAN, SchemaName, schemas
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.output.record_schema import RecordSchema
from flagtui.cli.plumbing.record_command import RecordCommand, command
from flagtui.cli.plumbing.registry import load_command
from flagtui.safe_text import safe_text


@command(
    "schema",
    line="Print the JSON schema of what a command prints.",
    only_shows=True,
    is_online=False,
    examples=("", "flag", "change-plan"),
)
@click.argument("name", default="", metavar="[NAME]", type=SchemaName())
def schema(name: str) -> None:
    """Print the schema NAME of what --json prints; without NAME the names of all schemas.

    flagtui commands --json has the schema of each command as output.
    """
    if not name:
        click.echo("\n".join(sorted(schemas())))
        return
    if name not in schemas():
        what = f"there is no schema {safe_text(name, 80)}."
        raise Trouble(what, "flagtui schema lists them.", code="not_found")
    click.echo(json.dumps(_schema_of(name).schema(), indent=2))


def _schema_of(name: str) -> RecordSchema[Any]:
    if name == PLAN:
        from flagtui.cli.plumbing.change_records import PLAN as plan

        return plan
    if name == FINDING:
        from flagtui.cli.records.code_records import CODE_FINDING

        return CODE_FINDING
    loaded: RecordCommand = load_command(schemas()[name])
    assert loaded.kind is not None
    return loaded.kind

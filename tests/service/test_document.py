"""docs/service.md names every operation and field. FLAGTUI_GOLDEN=write brings both up to date."""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from tests.service.specification.field_tables import TABLES, shown_fields

from flagtui.service import (
    approvals,
    evaluation,
    event_definitions,
    experiments,
    flags,
    keys,
    projects,
    properties,
    scheduling,
)
from flagtui.service.application import OPERATIONS
from flagtui.service.event_definitions.fields import DEFINITIONS
from flagtui.service.experiments.fields import EXPERIMENTS, IN_A_LIST
from flagtui.service.experiments.nested_fields import HOLDOUT_FIELDS, LINK_FIELDS
from flagtui.service.experiments.saved_metrics import SAVED_METRICS
from flagtui.service.field_kinds import Field, Table, Use
from flagtui.service.flags.fields import FLAGS
from flagtui.service.generations import DEFAULT, NEWEST, OLDER, Generation
from flagtui.service.operations import PROJECT, Operation
from flagtui.service.sdk import operations as sdk
from flagtui.service.shapes import NUMBER, USER_FIELDS

PAGE = Path(__file__).parents[2] / "docs" / "service.md"
IS_WRITTEN = os.environ.get("FLAGTUI_GOLDEN") == "write"

BEGIN, END = "<!-- fields: made from the declarations -->", "<!-- end of fields -->"
GENERATIONS = {"default": DEFAULT, "newest": NEWEST, "legacy": OLDER}
NESTED = [field for field in FLAGS.fields if Use.SUMMARY in field.uses]
RECORDS = (
    FLAGS,
    EXPERIMENTS,
    Table("flag summary", (Field(field.name, shown=NUMBER) for field in [*NESTED, Field("team_id")])),
    HOLDOUT_FIELDS,
    LINK_FIELDS,
    SAVED_METRICS.fields,
    DEFINITIONS,
    Table("user", (Field(name, shown=shown) for name, shown in USER_FIELDS.items())),
)


def access(record: str, field: Field, generation: Generation) -> str:
    """What a generation does with a field."""
    body, names = generation.body(record), []
    if field.is_shown and field.name not in body.hidden:
        names.append("read")
    if field.kind is not None and field.name not in body.unread(is_new=True):
        names.append("create" if field.name in body.create_only else "write")
    in_lists = generation.body(IN_A_LIST).hidden - body.hidden
    is_not_listed = record == EXPERIMENTS.record and field.name in in_lists
    return f"{', '.join(names)}{'; not in lists' * is_not_listed}" or "–"


def field_lines() -> Iterator[str]:
    yield "| record | field | default | `--newest` | `--legacy` |"
    yield "|---|---|---|---|---|"
    for table in RECORDS:
        for field in table.fields:
            cells = (access(table.record, field, generation) for generation in GENERATIONS.values())
            yield f"| {table.record} | `{field.name}` | {' | '.join(cells)} |"


SECTIONS = {
    "Flags": (flags, scheduling, approvals, evaluation, properties),
    "Experiments": (experiments,),
    "Event definitions": (event_definitions,),
    "Places and people": (projects, keys),
}
ABOUT_PROGRAMS = (
    "Programs request these with the project token. Stored properties count unless others are sent.",
    "Bodies may be compressed, or a form.",
)


def operation_lines() -> Iterator[str]:
    for title, packages in SECTIONS.items():
        yield from section_lines(title, (row for package in packages for row in package.OPERATIONS))
    yield from section_lines("For programs", sdk.OPERATIONS, *ABOUT_PROGRAMS)


def section_lines(title: str, operations: Iterable[Operation], *about: str) -> Iterator[str]:
    yield from ("", f"### {title}", "", *about, *([""] if about else []))
    yield "| operation | what it does | scope | |"
    yield "|---|---|---|---|"
    for operation in operations:
        path = operation.path.replace(PROJECT, "P")
        scope = f"`{operation.scope}`" if operation.scope else "any key"
        if operation.public:
            scope = "project token" if operation in sdk.OPERATIONS else "project token and key"
        yield f"| `{operation.method} {path}` | {operation.summary} | {scope} | {remark(operation)} |"
    if operations is sdk.OPERATIONS:
        yield ""


def remark(operation: Operation) -> str:
    if operation.name in OLDER.missing_operations:
        return "newer"
    if operation.closed:
        return "closed by `--strict`"
    return "closed by `--strict --legacy`" if operation.name in OLDER.closed_operations else ""


def test_page_shows_every_operation() -> None:
    shown = [row for packages in SECTIONS.values() for package in packages for row in package.OPERATIONS]
    names = sorted(row.name for row in [*shown, *sdk.OPERATIONS])
    assert names == sorted(row.name for row in OPERATIONS)


@pytest.mark.parametrize(
    ("begin", "lines", "end"),
    [
        (BEGIN, field_lines, END),
        (
            "<!-- operations: made from the routing table -->",
            operation_lines,
            "<!-- end of operations -->",
        ),
    ],
)
def test_page_has_the_declared_tables(begin: str, lines: Callable[[], Iterator[str]], end: str) -> None:
    table, text = "\n".join(lines()), PAGE.read_text(encoding="utf-8")
    if IS_WRITTEN:
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}\n{table}\n{end}{rest.partition(end)[2]}"
        PAGE.write_text(text, encoding="utf-8")
    assert f"{begin}\n{table}\n{end}" in text


@pytest.mark.parametrize("generation", GENERATIONS)
def test_declarations_agree_with_the_specification(generation: str) -> None:
    chosen = GENERATIONS[generation]
    for table in RECORDS:
        declared = {field.name: access(table.record, field, chosen) for field in table.fields}
        shown = {name for name, words in declared.items() if "read" in words}
        assert shown == set(shown_fields(table.record, generation)), table.record
        if generation == "default" and table.record != "flag summary":
            written = {name for name, words in declared.items() if "write" in words}
            writable = {name for name, entry in TABLES[table.record].items() if entry.get("writable")}
            assert writable <= written, table.record

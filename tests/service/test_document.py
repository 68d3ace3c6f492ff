"""docs/service.md names every operation and field. FLAGTUI_GOLDEN=write brings the fields up to date."""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.service.specification.field_tables import TABLES, shown_fields

from flagtui.service.application import OPERATIONS
from flagtui.service.event_definitions.fields import DEFINITIONS
from flagtui.service.experiments.fields import EXPERIMENTS, IN_A_LIST
from flagtui.service.experiments.nested_fields import HOLDOUT_FIELDS, LINK_FIELDS
from flagtui.service.experiments.saved_metrics import SAVED_METRICS
from flagtui.service.field_kinds import Field, Table, Use
from flagtui.service.flags.fields import FLAGS
from flagtui.service.generations import DEFAULT, NEWEST, OLDER, Generation
from flagtui.service.sdk.endpoints import ENDPOINTS
from flagtui.service.shapes import NUMBER, USER_FIELDS

PAGE = Path(__file__).parents[2] / "docs" / "service.md"
ROW = re.compile(r"^\| `([A-Z]+) ([^`]+)` \| (.*) \| (.*) \| (.*) \|$", re.MULTILINE)
"""An operation: its method, path, summary, scope and remark."""
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


def endpoint_lines() -> Iterator[str]:
    yield ""
    yield "Programs request these with the project token. Stored properties count unless others are sent."
    yield "Bodies may be compressed, or a form."
    yield ""
    yield "| operation | what it does | scope | |"
    yield "|---|---|---|---|"
    for endpoint in ENDPOINTS:
        yield f"| `{endpoint.method} {endpoint.path}` | {endpoint.summary} | project token |  |"
    yield ""


@pytest.mark.parametrize(
    ("begin", "lines", "end"),
    [
        (BEGIN, field_lines, END),
        ("<!-- programs: made from the table of endpoints -->", endpoint_lines, "<!-- end of programs -->"),
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


def test_page_lists_the_operations_with_summaries_and_scopes() -> None:
    served = {(str(operation.method), operation.path): operation for operation in OPERATIONS}
    listed = set[tuple[str, str]]()

    def declared_row(row: re.Match[str]) -> str:
        method, path, _, scope, remark = row.groups()
        name = method, re.sub("^P/", "/api/projects/{project_id}/", path)
        listed.add(name)
        operation = served[name]
        scope = scope if operation.scope is None else f"`{operation.scope}`"
        return f"| `{method} {path}` | {operation.summary} | {scope} | {remark} |"

    written = PAGE.read_text(encoding="utf-8")
    declared = ROW.sub(declared_row, written)
    if IS_WRITTEN:
        PAGE.write_text(declared, encoding="utf-8")
        written = declared
    assert written == declared
    assert listed == set(served)

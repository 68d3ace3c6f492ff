"""docs/client.md matches the code. FLAGTUI_GOLDEN=write brings its table of operations up to date."""

import os
import re
from pathlib import Path
from typing import Final

from flagtui.api import connection, errors, limits, pagination, request
from flagtui.api.errors import ApiError
from flagtui.api.operations import OPERATIONS
from flagtui.models import json_value

PAGE: Final = Path(__file__).parents[2] / "docs" / "client.md"
TEXT: Final = PAGE.read_text(encoding="utf-8")
BEGIN, END = "<!-- operations: made from the code -->", "<!-- end of operations -->"


def operation_table() -> str:
    lines = ["| operation | request | scope | sent twice |", "|---|---|---|---|"]
    for name, operation in OPERATIONS.items():
        path = operation.path.replace("/api/projects/{project}", "…")
        scope = f"`{operation.scope}`" if operation.scope else "–"
        lines.append(f"| `{name}` | `{operation.method} {path}` | {scope} | {operation.effect} |")
    return "\n".join(lines)


def test_client_page_lists_every_operation() -> None:
    text = TEXT
    if os.environ.get("FLAGTUI_GOLDEN") == "write":
        before, _, rest = TEXT.partition(BEGIN)
        text = f"{before}{BEGIN}\n{operation_table()}\n{END}{rest.partition(END)[2]}"
        PAGE.write_text(text, encoding="utf-8")
    assert f"{BEGIN}\n{operation_table()}\n{END}" in text


def test_only_what_changes_nothing_is_ever_repeated() -> None:
    for operation in OPERATIONS.values():
        assert operation.method != "GET" or operation.effect == "read"


def test_error_table_names_each_kind_and_whether_the_server_acted() -> None:
    rows = re.findall(r"^\| (`\w+`.*?) \| .* \| (yes|no) \|$", TEXT, re.M)
    names_sent = {name: acted == "yes" for names, acted in rows for name in re.findall(r"`(\w+)`", names)}
    raised_early = {"ApiError", "BadHost", "BadKey", "PlainHttpRefused"}
    kinds = {
        name: kind.sent
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, ApiError) and name not in raised_early
    }
    assert names_sent == kinds


def test_numbers_in_the_text_match_the_code() -> None:
    deadlines = connection.Deadlines()
    for words in (
        f"connect {deadlines.connect:.0f}, read {deadlines.read:.0f}, write {deadlines.write:.0f}",
        f"responses {deadlines.slow:.0f}",
        f"holds {limits.BURST:.0f} and refills at {limits.PER_SECOND}",
        f"leaves {limits.RESERVE:.0f} requests",
        f"up to {pagination.PAGES[1][0]:,} records come in pages of {pagination.FIRST_PAGE}",
        f"pages of {pagination.PAGES[1][1]}",
        f"those of more than {pagination.PAGES[0][0]:,} in pages of {pagination.PAGES[0][1]:,}",
        f"up to {request.RESPONSE_LIMIT // 2**20} MB",
        f"up to {json_value.DEPTH_LIMIT} levels",
    ):
        assert words in " ".join(TEXT.split())

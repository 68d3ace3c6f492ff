"""docs/service.md names every operation, and no other."""

import re
from pathlib import Path

from flagtui.service.application import OPERATIONS

PAGE = Path(__file__).parents[2] / "docs" / "service.md"
ROW = re.compile(r"^\| `([A-Z]+) ([^`]+)` \|.*\| (.*) \| (.*) \|$", re.MULTILINE)


def test_the_page_lists_the_operations_with_their_scopes() -> None:
    written = {
        (
            method,
            path.replace("P/", "/api/projects/{project_id}/", 1) if path.startswith("P/") else path,
        ): scope
        for method, path, scope, _ in ROW.findall(PAGE.read_text(encoding="utf-8"))
    }
    served = {(one.method, one.path): one for one in OPERATIONS}
    assert set(written) == set(served)
    for name, operation in served.items():
        if operation.scope is not None:
            assert written[name] == f"`{operation.scope}`", name

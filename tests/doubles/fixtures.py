"""Real answers of the product, where a folder has them, and why tests of them are left out elsewhere."""

import json
import os
from pathlib import Path
from typing import Any, Final

import pytest

FOLDER: Final = Path(os.environ.get("FLAGTUI_FIXTURES") or "/dev/null")
needs_fixtures: Final = pytest.mark.skipif(
    not FOLDER.is_dir(),
    reason="real responses of the product are not in this project; FLAGTUI_FIXTURES names a folder with them",
)


def read_fixture(name: str | Path) -> Any:
    """Return the document of a file; its name is below the folder, with or without `.json`."""
    return json.loads((FOLDER / name).with_suffix(".json").read_text(encoding="utf-8"))


def real_records(pattern: str, member: str) -> list[dict[str, Any]]:
    """Return the records of real answers that have the member, each alone or in a list of them."""
    records: list[Any] = []
    for path in sorted(FOLDER.glob(pattern)):
        answer = read_fixture(path)
        records += answer if isinstance(answer, list) else answer.get("results", [answer])
    return [record for record in records if isinstance(record, dict) and member in record]

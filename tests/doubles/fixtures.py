"""Real answers of the product, where a folder has them, and why tests of them are left out elsewhere."""

import json
import os
from pathlib import Path
from typing import Any, Final

NO_FIXTURES: Final = (
    "real responses of the product are not in this project; FLAGTUI_FIXTURES names a folder that has them"
)


def fixture_paths(pattern: str = "*/*.json") -> list[Path]:
    """Return the files of real answers, none without the folder."""
    return sorted(Path(os.environ.get("FLAGTUI_FIXTURES", "/nonexistent")).glob(pattern))


def real_records(pattern: str, member: str) -> list[dict[str, Any]]:
    """Return the records of real answers that have the member, each alone or in a list of them."""
    records: list[Any] = []
    for path in fixture_paths(pattern):
        answer = json.loads(path.read_text(encoding="utf-8"))
        records += answer if isinstance(answer, list) else answer.get("results", [answer])
    return [record for record in records if isinstance(record, dict) and member in record]

"""Real answers of the product, where a folder has them, and why tests of them are left out elsewhere."""

import os
from pathlib import Path
from typing import Final

NO_FIXTURES: Final = (
    "real responses of the product are not in this project; FLAGTUI_FIXTURES names a folder that has them"
)


def fixture_paths(pattern: str = "*/*.json") -> list[Path]:
    """Return the files of real answers, none without the folder."""
    return sorted(Path(os.environ.get("FLAGTUI_FIXTURES", "/nonexistent")).glob(pattern))

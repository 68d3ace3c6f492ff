"""Keys, names and tags that completion offers: from the copies of lists on disk."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from flagtui.config.locations import find_locations
from flagtui.store.snapshot_files import read_words

Kind = Literal["flags", "experiments", "events"]


def known_words(
    kind: Kind, profile: str, project: str, begun: str = "", *, is_tag: bool = False
) -> list[str]:
    """Of the profile's newest copy those that begin so, sorted; none where no copy can be read."""
    name = profile or os.environ.get("FLAGTUI_PROFILE", "")
    for path in sorted(_copies(kind, name, project), key=lambda path: -path.stat().st_mtime):
        if found := read_words(path, is_tag=is_tag):
            return sorted({word for word in found if word.startswith(begun)})
    return []


def _copies(kind: Kind, profile: str, project: str) -> Iterator[Path]:
    cache = find_locations().cache
    folder = cache / "rows" if cache is not None else None
    if folder is None or not folder.is_dir():
        return
    for path in folder.glob("*.rows"):
        # profile-host-project-kind-sum.rows, as the copies are named.
        parts = path.stem.split("-")
        if len(parts) < 4 or parts[-2] != kind or (project and parts[-3] != project):
            continue
        if not profile or path.name.startswith(f"{profile.lower()}-"):
            yield path

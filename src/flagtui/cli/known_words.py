"""Keys, names and tags that completion offers: from the copies of lists on disk."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def known_words(kind: str, profile: str, project: str, *, is_tag: bool = False) -> list[str]:
    """Of the profile's newest copy, sorted; none where there is no copy, or it cannot be read."""
    rows = _newest_rows(kind, profile, project)
    if is_tag:
        return sorted({tag for row in rows for tag in row.tags})
    names = ("key",) if kind == "flags" else ("name",)
    return sorted({str(getattr(row, name)) for row in rows for name in names})


def _newest_rows(kind: str, profile: str, project: str) -> Any:
    from flagtui.models import rows as row_types
    from flagtui.store.snapshots import Snapshots

    types: dict[str, Any] = {
        "flags": row_types.FlagRow,
        "experiments": row_types.ExperimentRow,
        "events": row_types.EventDefinitionRow,
    }
    name = profile or os.environ.get("FLAGTUI_PROFILE", "")
    for path in sorted(_copies(kind, name, project), key=lambda path: -path.stat().st_mtime):
        snapshot = Snapshots(path.parent).load_file(path, types[kind])
        if snapshot is not None:
            return snapshot.rows
    return ()


def _copies(kind: str, profile: str, project: str) -> Iterator[Path]:
    folder = _rows_folder()
    if folder is None or not folder.is_dir():
        return
    for path in folder.glob("*.rows"):
        # profile-host-project-kind-sum.rows, as the copies are named.
        parts = path.stem.split("-")
        if len(parts) < 4 or parts[-2] != kind or (project and parts[-3] != project):
            continue
        if not profile or path.name.startswith(f"{profile.lower()}-"):
            yield path


def _rows_folder() -> Path | None:
    from flagtui.config.locations import find_locations

    cache = find_locations().cache
    return cache / "rows" if cache is not None else None

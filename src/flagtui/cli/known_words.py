"""Keys, names and tags that completion offers: from the copies of lists on disk."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

Kind = Literal["flags", "experiments", "events"]


def known_words(kind: Kind, profile: str, project: str, *, is_tag: bool = False) -> list[str]:
    """Of the profile's newest copy, sorted; none where there is no copy, or it cannot be read."""
    from flagtui.models.rows import EventDefinitionRow, ExperimentRow, FlagRow
    from flagtui.store.snapshots import Snapshots

    types: dict[Kind, Any] = {"flags": FlagRow, "experiments": ExperimentRow, "events": EventDefinitionRow}
    name = profile or os.environ.get("FLAGTUI_PROFILE", "")
    field = "tags" if is_tag else "key" if kind == "flags" else "name"
    for path in sorted(_copies(kind, name, project), key=lambda path: -path.stat().st_mtime):
        found = Snapshots.column(path, types[kind], field)
        if found:
            words = {tag for tags in found for tag in tags} if is_tag else set(found)
            # A shell would take a word with blanks apart, and a terminal would obey some characters.
            return sorted(word for word in words if word.isprintable() and " " not in word)
    return []


def _copies(kind: Kind, profile: str, project: str) -> Iterator[Path]:
    from flagtui.config.locations import find_locations

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

"""The last definitions of a project on disk, so that a mirror starts without a connection."""

import json
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from flagtui.config.files import replace_file
from flagtui.models.json_value import JSON, as_dict


class Kept(msgspec.Struct, frozen=True):
    """Definitions as they were fetched."""

    document: Mapping[str, JSON]
    fetched_at: float
    """Unix seconds."""
    time_zone: str


class KeptDefinitions:
    """A private file for each host and project. What cannot be written or read is as good as not there."""

    def __init__(self, folder: Path, origin: str, project: str) -> None:
        name = sha256(f"{origin} {project}".encode()).hexdigest()[:32]
        self.path = folder / "mirror" / f"{name}.json"

    def write(self, kept: Kept) -> None:
        """Replace the file."""
        values = {"document": kept.document, "fetched_at": kept.fetched_at, "time_zone": kept.time_zone}
        with suppress(OSError):
            replace_file(self.path, json.dumps(values))

    def read(self) -> Kept | None:
        """Return the definitions; None without a readable file."""
        try:
            values = json.loads(self.path.read_bytes())
            return Kept(as_dict(values["document"]), float(values["fetched_at"]), str(values["time_zone"]))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

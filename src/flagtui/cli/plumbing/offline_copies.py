"""Copies on disk of what earlier runs read: lists for `--offline`, and the last scan of code."""

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.plumbing.profile_choice import Opening
from flagtui.config.profiles import CURRENT_PROJECT
from flagtui.models.code_flags import CodeFlag, StoredFlag, StoredFlags
from flagtui.models.rows import DiskRow
from flagtui.store.kinds import Kind
from flagtui.store.snapshots import Snapshot, SnapshotPlace, snapshots_in

if TYPE_CHECKING:
    from flagtui.models.code_uses import CodeUses
    from flagtui.store.code_scans import CodeIndex, CodeScans


CODE_PART: Final = "code"
"""The copies of flags and events that code is compared with."""


class OfflineCopies:
    """The copies of one profile."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._snapshots = snapshots_in(opening.cache)

    def save(
        self, project: int | str, kind: Kind, part: str, rows: Sequence[DiskRow], row_type: type[DiskRow]
    ) -> None:
        """Save the rows of a project, also as those of the project that was last chosen in the browser."""
        for name in project_names(self._opening, str(project)):
            self._snapshots.save(self._place(name, kind, part), rows, row_type)

    def load(
        self, kind: Kind, part: str, row_type: type[DiskRow], project: int | str = ""
    ) -> Snapshot[DiskRow] | None:
        """Return the rows of the project, the profile's unless given; None where no run read them."""
        name = str(project or self._opening.profile.project)
        return self._snapshots.load(self._place(name, kind, part), row_type)

    def _place(self, project: str, kind: Kind, part: str) -> SnapshotPlace:
        name, host = self._opening.profile.name, self._opening.host.origin
        return SnapshotPlace(name, host, project or CURRENT_PROJECT, kind, part)


def save_flags(copies: OfflineCopies, project: int | str, flags: Iterable[CodeFlag]) -> None:
    """Save the flags that code is compared with."""
    copies.save(project, "flags", CODE_PART, [*map(StoredFlag.of, flags)], StoredFlag)


def load_flags(copies: OfflineCopies, project: int | str = "") -> tuple[StoredFlags, float] | None:
    """Return the flags that code is compared with and their time; None without any of this version."""
    copy = copies.load("flags", CODE_PART, StoredFlag, project)
    with suppress(msgspec.MsgspecError):
        return None if copy is None else (StoredFlags(copy.rows), copy.taken_at)
    return None


def require_project_id(opening: Opening) -> None:
    """Raise Trouble for a project that was chosen by its name: copies have its id."""
    if opening.project_name:
        what = "offline, a project is chosen by its id; names are known to the server only."
        raise Trouble(what, f"See the ids: {next_command('projects')}", code="usage")


def never_read(opening: Opening) -> Trouble:
    """Return the error for flags of which there is no copy, or none that can be read."""
    folder = opening.cache or Path()
    try:
        with os.scandir(folder):
            pass
    except FileNotFoundError:
        pass
    except OSError as error:
        what = f"copies of earlier runs cannot be read: {folder}: {error.strerror}."
        return Trouble(what, "Make the folder readable, or set XDG_CACHE_HOME.", code="not_found")
    what = f"no run has read the flags of project {opening.profile.project} here yet."
    return Trouble(what, "Run the command once without --offline.", code="not_found")


def project_names(opening: Opening, project: str) -> list[str]:
    """Return the names under which copies of the project are stored."""
    own = opening.profile.project
    return [*dict.fromkeys((project or own, own if own == CURRENT_PROJECT else project or own))]


def code_scans(opening: Opening, project: str = "") -> "CodeScans":
    """Return the last scans of code of the profile with the flags of a project, its own unless given."""
    from flagtui.store.code_scans import CodeScans

    return CodeScans(opening.cache, opening.profile.name, project or opening.profile.project)


def code_folder(opening: Opening) -> Path:
    """Return the folder of source code of the profile, else the current one."""
    folder = opening.profile.code.folder
    with suppress(RuntimeError):
        return Path(folder).expanduser() if folder else current_folder()
    # The user of ~name does not exist.
    return Path(folder)


def current_folder() -> Path:
    """Return the current folder; where it was deleted, its former path."""
    with suppress(OSError):
        return Path.cwd()
    return Path(os.environ.get("PWD") or "/")


def code_index(opening: Opening) -> "CodeIndex | None":
    """Return the uses of each flag by the last scan of the profile's code; None without a scan."""
    from flagtui.store.code_scans import CodeIndex

    scan = code_scans(opening).load(code_folder(opening))
    return None if scan is None else CodeIndex(scan)


def code_uses(opening: Opening, key: str) -> "CodeUses | None":
    """Return the uses of a flag in the code of the profile, as of its last scan; None without a scan."""
    scan = code_scans(opening).load(code_folder(opening))
    return None if scan is None else scan.uses_of(key)

"""The request for a scan of a tree."""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final

import msgspec

from flagtui.code.file_content import SETTLED
from flagtui.code.file_rules import FileRules
from flagtui.code.repository_settings import RepositorySettings

FILES_PER_PROCESS: Final = 2_000
"""Files below which another process takes longer to start than it saves."""


class ScanRequest(msgspec.Struct, frozen=True):
    keys: Collection[str]
    settings: RepositorySettings = msgspec.field(default_factory=RepositorySettings)
    languages: Collection[str] = ()
    """Languages to parse, by name; empty for those of the settings."""
    files_per_process: int = FILES_PER_PROCESS
    store: Path | None = None
    """The file for the results, so that the next scan reads changed files only."""
    settled: int = SETTLED
    """Nanoseconds after the change of a file until its result can be stored."""
    report: Callable[[int, int], None] | None = None
    """Receives the number of files that were read, about, and of all files, while the scan runs."""

    @property
    def rules(self) -> FileRules:
        """Return what the results of files depend on."""
        own, keys = self.settings, tuple(self.keys)
        languages = tuple(sorted(self.languages or own.languages))
        return FileRules(
            keys, own.wrappers, own.constants, own.generated, own.tests, languages, own.event_wrappers
        )

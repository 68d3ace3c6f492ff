"""The last scan of the code of the open profile, and another one in the background."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from flagtui.api.errors import ApiError

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.store.code_scans import CodeScan

Report = Callable[[int, int], None]
"""Receives how many files were read, and how many there are."""


class ScanFailed(Exception):
    """A scan has no result; the text is the reason."""


class CodeSource(Protocol):
    """The code of one profile."""

    @property
    def folder(self) -> Path:
        """Return the folder of source code."""

    def load(self, project: str) -> CodeScan | None:
        """Return the last scan with the flags of the project; None without one."""

    def obstacle(self) -> str:
        """Return why nothing can be scanned, with the next step; empty where it can."""

    def scan(self, client: Client, report: Report) -> Awaitable[CodeScan]:
        """Scan the folder in another process, and store the result. Raises ScanFailed, ApiError."""


class CodeSearch(msgspec.Struct, eq=False):
    """The scanned code of a project. `on_change` runs after every change."""

    source: CodeSource
    project: str
    on_change: Callable[[], None]
    scan: CodeScan | None = None
    """The last scan, once it is loaded."""
    is_loaded: bool = False
    obstacle: str = ""
    """Why nothing can be scanned; known once it is loaded."""
    trouble: str = ""
    """Why the last scan of this run has no result."""
    progress: tuple[int, int] | None = None
    """Files that were read and all files while a scan runs; 0 of 0 until they are listed."""
    _running: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        """Return whether a scan runs."""
        return self._running is not None

    async def load(self) -> None:
        """Read the last scan again: a command may have made one."""
        before = self.scan
        scan = await asyncio.to_thread(self.source.load, self.project)
        obstacle = await asyncio.to_thread(self.source.obstacle)
        if not self.is_loaded or (scan, obstacle) != (self.scan, self.obstacle):
            # A scan that cannot be stored is kept for this run, and one that ended meanwhile is newer.
            self.scan = scan or self.scan if self.scan is before else self.scan
            self.obstacle, self.is_loaded = obstacle, True
            self.on_change()

    async def run(self, client: Client) -> None:
        """Scan until the end, a failure or `cancel`. A second call during a scan does nothing."""
        if self._running is not None:
            return
        self._running = asyncio.create_task(self._scan(client))
        self.progress, self.trouble = (0, 0), ""
        self.on_change()
        try:
            await asyncio.wait([self._running])
        finally:
            self.cancel()
            self._running = self.progress = None
            self.on_change()

    def cancel(self) -> bool:
        """End a scan; return whether there was one."""
        return self._running is not None and self._running.cancel()

    async def _scan(self, client: Client) -> None:
        try:
            self.scan = await self.source.scan(client, self._report)
            self.is_loaded = True
        except ScanFailed as failure:
            self.trouble = str(failure)
        except ApiError as error:
            self.trouble = error.what

    def _report(self, files: int, total: int) -> None:
        self.progress = (files, total)
        self.on_change()

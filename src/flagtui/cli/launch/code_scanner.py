"""The code of a profile, for the app: its last scan, and another one in a process of its own."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from flagtui.app.state.code_search import Report, ScanFailed

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.cli.plumbing.profile_choice import Opening
    from flagtui.code.scan_process import ScanJob, ScannedCode
    from flagtui.store.code_scans import CodeScan

PROCESS: Final = "flagtui.code.scan_process"
LINE_LIMIT: Final = 64 * 1024 * 1024
"""Bytes of a result."""


@dataclass(frozen=True)
class CodeScanner:
    """The code of one profile, in one folder."""

    profile: str
    folder: Path
    cache: Path | None
    """The folder of the cache; None stores no scan."""
    opening: Opening | None = None
    """Where the flags are stored for `--offline`; None stores none."""
    _last: list[CodeScan] = field(default_factory=list, repr=False)
    """The last scan, where it cannot be stored."""

    def load(self, project: str) -> CodeScan | None:
        """Return the last scan of the folder, or of one above it, for the project; None without one."""
        from flagtui.store.code_scans import CodeScans

        stored = CodeScans(self.cache, self.profile, project).load(self.folder)
        return stored or next((scan for scan in self._last if scan.project == project), None)

    def obstacle(self) -> str:
        """Return why nothing can be scanned, with the next step; empty where it can."""
        from flagtui.code.source_files import is_utf8
        from flagtui.code.syntax import PARSER, has_parser

        if not self.folder.is_dir():
            return f"{self.folder} is not a folder; set folder in [profiles.{self.profile}.code]"
        if not is_utf8(str(self.folder.resolve())):
            return f"the name of {self.folder} is not UTF-8"
        if not has_parser():
            return f"the parser is missing; install {PARSER} beside flagtui"
        if not sys.executable or getattr(sys, "frozen", False):
            return "this build of flagtui cannot start a scan; run: flagtui refs"
        return ""

    async def scan(self, client: Client, report: Report) -> CodeScan:
        """Scan the folder in another process, and store the result. Raises ScanFailed, ApiError."""
        from flagtui.cli.plumbing.fetched_facts import fetch_facts
        from flagtui.code.scan_process import ScanJob
        from flagtui.store.code_scans import CodeScans

        # The project of the screen may be another one than that of the profile.
        opening = None if self.opening is None else self.opening.in_project(str(client.project))
        facts = await fetch_facts(client, opening)
        scans = CodeScans(self.cache, self.profile, str(client.project))
        job = ScanJob(str(self.folder.resolve()), facts, str(scans.results(self.folder) or ""))
        scanned = await _run(job, report)
        scan = scans.save(self.folder, Path(scanned.root), scanned.places, time.time())
        self._last[:] = [scan]
        return scan


async def _run(job: ScanJob, report: Report) -> ScannedCode:
    """Return the result of the process. Raises ScanFailed."""
    import msgspec

    words = (sys.executable, "-P", "-m", PROCESS)
    try:
        process = await asyncio.create_subprocess_exec(
            *words, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=LINE_LIMIT, start_new_session=True
        )
    except OSError as error:
        raise ScanFailed(f"the scan cannot be started: {error.strerror}") from None
    assert process.stdin is not None
    try:
        process.stdin.write(msgspec.msgpack.encode(job))
        with suppress(ConnectionError):
            await process.stdin.drain()
        process.stdin.close()
        return await _read(process, report)
    finally:
        # The processes of the scan are one group.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


async def _read(process: Process, report: Report) -> ScannedCode:
    import msgspec

    from flagtui.code.scan_process import ScanLine, ScannedCode

    assert process.stdout is not None
    failure = "the scan ended without a result"
    with suppress(ValueError, msgspec.MsgspecError):
        while data := await process.stdout.readline():
            line = msgspec.json.decode(data, type=ScanLine)
            if line.result:
                return msgspec.json.decode(line.result, type=ScannedCode)
            if line.failure:
                failure = line.failure
            else:
                report(line.files, line.total)
    raise ScanFailed(failure)

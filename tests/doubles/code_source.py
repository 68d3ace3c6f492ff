"""Source code without files: a scan that is there, and one that a test lets end."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

from flagtui.api import Client
from flagtui.app.state.code_search import Report, ScanFailed
from flagtui.models.code_uses import CodeUse
from flagtui.store.code_scans import CodeScan


def make_scan(*places: CodeUse, taken_at: float = 0.0, root: str = "/home/me/shop") -> CodeScan:
    return CodeScan("test", root, root, taken_at, places)


@dataclass
class FakeCode:
    """Has `last`; another scan reports some files, waits for `ends`, and is `next`."""

    last: CodeScan | None = None
    next: CodeScan | None = None
    missing: str = ""
    folder: Path = Path("/home/me/shop")
    ends: asyncio.Event = field(default_factory=asyncio.Event)
    is_cancelled: bool = False

    def load(self, project: str) -> CodeScan | None:
        return self.last

    def obstacle(self) -> str:
        return self.missing

    async def scan(self, client: Client, report: Report) -> CodeScan:
        report(512, 14_800)
        try:
            await self.ends.wait()
        except asyncio.CancelledError:
            self.is_cancelled = True
            raise
        if self.next is None:
            raise ScanFailed("the scan ended without a result")
        self.last = self.next
        return self.next

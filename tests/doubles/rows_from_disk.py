"""Run by itself: the app on rows of an earlier run, with a server that never answers.

Writes which modules were loaded by the time the rows stood on the screen, one on a line.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, Final, NoReturn

from flagtui.api.clock import SystemClock
from flagtui.api.connection_state import ConnectionState
from flagtui.app.app import FlagTui
from flagtui.app.state.session import Session
from flagtui.changes.guard_rules import GuardRules
from flagtui.changes.journal import Journal
from flagtui.models.rows import FlagRow
from flagtui.store.snapshots import SnapshotPlace, Snapshots

HOST: Final = "https://nobody.test"
ROWS: Final = [FlagRow(number, f"flag-{number}") for number in range(1, 100)]


async def never(*_asked: object, **_how: object) -> NoReturn:
    await asyncio.Event().wait()
    raise AssertionError("nobody ends the waiting")


async def no_pages(*_asked: object) -> AsyncIterator[Any]:
    yield await never()


def silent_client() -> Any:
    flags = SimpleNamespace(pages=no_pages, activity=never, get=never)
    return SimpleNamespace(
        host=HOST,
        project=1,
        link=ConnectionState(SystemClock()),
        flags=flags,
        people=SimpleNamespace(me=never, key=never),
        projects=SimpleNamespace(get=never),
    )


async def connect() -> Any:
    return silent_client()


async def main(folder: Path) -> None:
    snapshots = Snapshots(folder / "rows")
    snapshots.save(SnapshotPlace("test", HOST, "1", "flags"), ROWS, FlagRow, taken_at=1.0)
    session = Session(
        profile="test",
        host="nobody.test",
        badge="TEST",
        colour="secondary",
        rules=GuardRules(),
        connect=connect,
        journal=Journal(folder / "journal"),
        state_folder=folder,
        snapshots=snapshots,
    )
    app = FlagTui(session)
    # Too narrow for the pane beside the list, which needs more.
    async with app.run_test(size=(100, 40)) as pilot, asyncio.timeout(10):
        while not shows(app, "flag-10"):
            await pilot.pause()
        sys.stdout.write("\n".join(sorted(sys.modules)))


def shows(app: FlagTui, text: str) -> bool:
    lines = app.screen._compositor.render_strips()
    return any(text in "".join(segment.text for segment in line) for line in lines)


if __name__ == "__main__":
    with TemporaryDirectory() as place:
        asyncio.run(main(Path(place)))

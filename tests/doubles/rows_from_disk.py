"""Run separately: the app on rows of an earlier run, before its first request.

Writes which modules were loaded by the time the rows stood on the screen, one on a line.
"""

import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NoReturn

from flagtui.app.app import FlagTui
from flagtui.app.state.app_state import Session
from flagtui.config.guard_rules import GuardRules
from flagtui.models.rows import FlagRow
from flagtui.store.snapshots import SnapshotPlace, Snapshots

HOST: Final = "https://nobody.test"
ROWS: Final = [FlagRow(number, f"flag-{number}") for number in range(1, 100)]


async def connect() -> NoReturn:
    raise AssertionError("nothing is asked here")


class Unasking(FlagTui):
    """Stays as it is before the server is asked for anything."""

    def begin(self) -> None:  # type: ignore[override]  # a worker there
        pass


async def main(folder: Path) -> None:
    snapshots = Snapshots(folder / "rows")
    snapshots.save(SnapshotPlace("test", HOST, "1", "flags"), ROWS, FlagRow, taken_at=1.0)
    session = Session(
        profile="test",
        host="nobody.test",
        origin=HOST,
        project=1,
        badge="TEST",
        colour="secondary",
        rules=GuardRules(),
        connect=connect,
        journal_folder=folder / "journal",
        state_folder=folder,
        snapshots=snapshots,
    )
    app = Unasking(session)
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

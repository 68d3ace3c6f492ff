"""The whole program against a service of its own with many event definitions, for measuring.

usage: events_program.py COUNT FOLDER [PROGRAM]     without a program the rows are printed, for others to show
"""

import os
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from flagtui.service import Settings, close_service, create_service
from flagtui.service.sample_data.company import WEB, add_company
from flagtui.service.sample_data.definitions import Definition, add_definitions

KEY = "phx_local_measuring"
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
WORDS = ("checkout", "account", "signup", "invoice", "plan", "video", "search", "team", "export", "widget")
DEEDS = ("completed", "started", "viewed", "failed", "clicked", "created", "deleted", "shared", "opened")
PATIENCE = 120.0


def definitions(count: int) -> list[Definition]:
    """Names, ages and states as a project of many years has them."""
    return [
        Definition(
            name=f"{WORDS[at % 10]}_{DEEDS[at % 9]}_{at}",
            seen=at % 400,
            description="" if at % 3 else "what it means",
            tags=("revenue",) if at % 7 == 0 else (),
            verified_by=1 if at % 4 == 0 else None,
            owner=1 if at % 5 == 0 else None,
            made=at % 900,
        )
        for at in range(count)
    ]


def as_text(count: int) -> Iterator[str]:
    """The same fields as the list keeps, as lines with tabs."""
    titles = "id name description tags verified hidden owner created seen updated enforcement property"
    yield titles.replace(" ", "\t")
    for at, definition in enumerate(definitions(count)):
        seen = NOW - timedelta(days=definition.seen or 0)
        made = NOW - timedelta(days=definition.made)
        fields = (
            f"0190b6f2-7c1e-7f00-8a11-{at:012x}",
            definition.name,
            definition.description,
            ",".join(definition.tags),
            definition.verified_by is not None,
            False,
            "alice@acme.com" if definition.owner else "",
            made.isoformat(),
            seen.isoformat(),
            made.isoformat(),
            "allow",
            "",
        )
        yield "\t".join(map(str, fields))


def prepare(database: Path, count: int) -> None:
    """Fill a new database with a company that has these definitions and nothing else."""

    def fill(db: sqlite3.Connection, now: datetime) -> None:
        add_company(db, now)
        add_definitions(db, WEB, definitions(count), now)

    close_service(create_service(database, Settings(clock=lambda: NOW), key=KEY, sample=fill))


def serve(database: Path) -> int:
    """The service in a process of its own; gives back its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    command = [sys.executable, "-m", "flagtui", "serve", "--port", str(port), "--db", str(database)]
    subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return port
        time.sleep(0.05)
    raise SystemExit("the service did not come up")


def main() -> None:
    count, folder = int(sys.argv[1]), Path(sys.argv[2])
    if len(sys.argv) < 4:
        print("\n".join(as_text(count)))
        return
    folder.mkdir(parents=True, exist_ok=True)
    database = folder / f"events_{count}.db"
    if not database.exists():
        prepare(database, count)
    os.environ |= {
        "FLAGTUI_HOST": f"http://127.0.0.1:{serve(database)}",
        "FLAGTUI_API_KEY": KEY,
        "FLAGTUI_PROJECT": "1",
    }
    # The measured process is the program alone: what it was before leaves no trace in its peak of memory.
    os.execvp(sys.argv[3], sys.argv[3:])


if __name__ == "__main__":
    main()

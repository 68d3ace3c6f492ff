"""What short commands take, against Python itself and against importing httpx, in one run.

usage: command_line.py [--runs N]      (Linux)

Medians of processor and wall time in milliseconds; each command once a round, so that load meets all alike.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

from whole_program import BIN, KEY, serving

from flagtui.models.rows import FlagRow
from flagtui.store.snapshots import SnapshotPlace, Snapshots

PROGRAM = (str(BIN),)
PYTHON = (sys.executable, "-c")
KEYS = 10_000
COMPLETED = {"_FLAGTUI_COMPLETE": "bash_complete"}
A_KEY = {**COMPLETED, "COMP_CWORD": "3", "COMP_WORDS": "flagtui flags get flag-7"}
A_TAG = {**COMPLETED, "COMP_CWORD": "5", "COMP_WORDS": "flagtui flags tag new-nav --add team"}
CASES = (
    ("python -c pass", (*PYTHON, "pass"), {}, None, 0),
    ("flagtui --help", (*PROGRAM, "--help"), {}, "python -c pass", 3),
    ("import httpx", (*PYTHON, "import httpx"), {}, None, 0),
    ("flagtui flags get", (*PROGRAM, "flags", "get", "new-nav"), {}, "import httpx", 2),
    (f"a key completed among {KEYS:,}", PROGRAM, A_KEY, None, 100),
    (f"a tag completed among {KEYS:,} flags", PROGRAM, A_TAG, None, 100),
)
"""What, the command, its environment, and how many times what, or how many milliseconds, it may take."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=9)
    runs: int = options.parse_args().runs
    measured: dict[str, list[tuple[float, float]]] = defaultdict(list)
    with TemporaryDirectory() as home, serving(Path(home), 100) as host:
        keep_rows(Path(home))
        where = {"HOME": home, "FLAGTUI_HOST": host, "FLAGTUI_API_KEY": KEY, "FLAGTUI_PROJECT": "1"}
        base = {key: value for key, value in os.environ.items() if not key.startswith(("FLAGTUI", "XDG"))}
        for _ in range(runs):
            for what, command, more, _against, _goal in CASES:
                measured[what].append(once(command, {**base, **where, **more}))
    median = {
        what: [statistics.median(column) for column in zip(*each, strict=True)]
        for what, each in measured.items()
    }
    for what, _command, _more, against, goal in CASES:
        processor, wall = median[what]
        goals = f"  goal {goal} ms" if goal else ""
        if against is not None:
            times = [mine / other for mine, other in zip(median[what], median[against], strict=True)]
            goals = f"  {times[0]:.1f} x and {times[1]:.1f} x {against}, goal {goal} x"
        print(f"  {what:<36} {processor:5.0f} ms of processor {wall:5.0f} ms{goals}")


def keep_rows(home: Path) -> None:
    """The copy of a list that an earlier run of the app leaves."""
    rows = [
        FlagRow(number, f"flag-{number}", "What it is for", tags=(f"team-{number % 40}",))
        for number in range(KEYS)
    ]
    place = SnapshotPlace("prod", "https://us.posthog.com", "1", "flags")
    assert Snapshots(home / ".cache" / "flagtui" / "rows").save(place, rows, FlagRow)


def once(command: tuple[str, ...], environment: dict[str, str]) -> tuple[float, float]:
    """Milliseconds of processor and of the clock on the wall."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1_000, wall * 1_000


if __name__ == "__main__":
    main()

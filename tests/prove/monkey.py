"""Random hands on the program in a real pseudo-terminal, and what became of it.

    python -m tests.prove.monkey [--minutes N | --operations N] [--seed N] [--server NAME]... [--keep FOLDER]

Goes round the servers, each with a seed of its own, until the time is over; prints one line for each round
and a table at the end. The exit code is 1 when anything was found.
"""

import argparse
import shutil
import sys
import tempfile
import time
from itertools import count
from pathlib import Path

from tests.prove.round import ROUND, Findings, Round
from tests.prove.servers import SERVERS


def prove(arguments: argparse.Namespace) -> Findings:
    """Go round the servers until the time is over or the operations are done."""
    everything = Findings()
    until = time.monotonic() + arguments.minutes * 60 if arguments.minutes else float("inf")
    servers = arguments.server or list(SERVERS)
    for seed in count(arguments.seed):
        server = servers[(seed - arguments.seed) % len(servers)]
        left = arguments.operations - everything.operations
        if left <= 0 or time.monotonic() >= until:
            return everything
        folder = Path(tempfile.mkdtemp(prefix="flagtui-prove-"))
        found = Round(server, seed, folder).play(min(left, arguments.round), until)
        everything.add(found)
        _print(
            f"{server:8} seed {seed}: {found.operations:,} operations, {found.starts} starts, "
            f"{found.approved} confirmed, {found.changed} changed, {len(found.faults)} faults",
        )
        for fault in found.faults:
            _print(f"    {fault}")
        if found.faults and arguments.keep:
            shutil.copytree(folder, arguments.keep / f"{server}-{seed}", dirs_exist_ok=True)
        shutil.rmtree(folder)
    return everything


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--operations", type=int, default=sys.maxsize)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--round", type=int, default=ROUND)
    parser.add_argument("--server", action="append", choices=list(SERVERS))
    parser.add_argument("--keep", type=Path, default=None, help="where folders of rounds with faults go")
    found = prove(parser.parse_args())
    growth = f"{max(found.growth):.1f}" if found.growth else "not measured"
    _print(
        f"{found.operations:,} operations, {found.starts} starts, {found.approved} confirmed, "
        f"{found.changed} changed, {len(found.faults)} faults, MiB per 10,000 operations at most: {growth}"
    )
    return 1 if found.faults else 0


if __name__ == "__main__":
    raise SystemExit(main())

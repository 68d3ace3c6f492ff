"""Random hands on the program in a real pseudo-terminal, with a verdict.

    python -m tests.prove.monkey [--minutes N | --operations N] [--seed N] [--server NAME]...
                                 [--keep FOLDER] [--seeds FILE] [--openings]

Plays the seeds of the file first, which found something once; then goes round the servers, each round with a
seed of its own, until the time is over. Prints one line for each round. The exit code is 1 when anything was
found; what was found is added to the file.
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from tests.prove.hands import openings, operations
from tests.prove.round import ROUND, Findings, Round
from tests.prove.servers import SERVERS


def prove(arguments: argparse.Namespace) -> Findings:
    """Go round the servers until the time is over or the operations are done."""
    everything = Findings()
    until = time.monotonic() + arguments.minutes * 60 if arguments.minutes else float("inf")
    for server, seed in _rounds(arguments):
        left = arguments.operations - everything.operations
        if left <= 0 or time.monotonic() >= until:
            break
        folder = Path(tempfile.mkdtemp(prefix="flagtui-prove-"))
        hands = openings if arguments.openings else operations
        findings = Round(server, seed, folder, hands).play(min(left, arguments.round), until)
        everything.add(findings)
        _print(f"{server:8} seed {seed}: {findings}")
        if findings.sizes:
            _print(f"    MiB: {' '.join(f'{at}: {size:.0f}' for at, size in findings.sizes[::4])}")
        if arguments.openings:
            _print(f"    opened: {dict(findings.opened.most_common())}")
        for fault in findings.faults:
            _print(f"    {fault}")
        if findings.faults:
            _keep(arguments, server, seed, folder)
        shutil.rmtree(folder)
    return everything


def _rounds(arguments: argparse.Namespace) -> Iterator[tuple[str, int]]:
    for server, seed in _read_known(arguments.seeds):
        if server in (arguments.server or SERVERS):
            yield server, seed
    servers = arguments.server or list(SERVERS)
    for seed in count(arguments.seed):
        yield servers[(seed - arguments.seed) % len(servers)], seed


def _read_known(file: Path | None) -> list[tuple[str, int]]:
    if file is None or not file.exists():
        return []
    lines = (line.split() for line in file.read_text().splitlines() if line and not line.startswith("#"))
    return [(server, int(seed)) for server, seed in lines]


def _keep(arguments: argparse.Namespace, server: str, seed: int, folder: Path) -> None:
    if arguments.keep:
        shutil.copytree(folder, arguments.keep / f"{server}-{seed}", dirs_exist_ok=True)
    if arguments.seeds and (server, seed) not in _read_known(arguments.seeds):
        with arguments.seeds.open("a") as file:
            file.write(f"{server} {seed}\n")


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
    parser.add_argument("--openings", action="store_true", help="open and leave records, and nothing else")
    parser.add_argument("--server", action="append", choices=list(SERVERS))
    parser.add_argument("--keep", type=Path, default=None, help="where folders of rounds with faults go")
    parser.add_argument("--seeds", type=Path, default=None, help="a file of seeds that found something")
    findings = prove(parser.parse_args())
    _print(f"{findings}")
    return 1 if findings.faults else 0


if __name__ == "__main__":
    raise SystemExit(main())

"""How many small faults in the source the tests detect: `make check-mutations`.

    python -m tests.prove.mutation --coverage FILE --times FILE --out FILE [--as-caught-in FILE] [OPTION]...

Each mutant runs against the tests that cover its line, the quickest first, until one fails. The result is one
JSON line for each mutant. With `--as-caught-in`, an earlier result, only the mutants run that it caught and
that the source still has, and the exit code is 1 when one survives.
"""

import argparse
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from tests.doubles.import_graph import ROOT
from tests.prove.mutants import Mutant, choose_mutants, find_all_mutants

SEED: Final = 20261123
COUNT: Final = 300
PACKAGES: Final = ("changes", "store", "evaluate", "api", "app/writing", "cli")
STAGES: Final = (12, 150, 100_000)
"""How many tests run in one process before the next ones do: most mutants fail within the first few."""
PATIENCE: Final = 60.0
"""Seconds beyond ten times what its tests usually take, after which a mutant hangs, and is caught by that."""
FAILED: Final = (1, 2, 4)
"""Pytest's exit codes for a failed test, a module that cannot be imported, and a test that is gone."""


@dataclass(frozen=True)
class Verdict:
    """What became of one mutant."""

    mutant: Mutant
    tests: int
    """How many tests cover its line."""
    caught_by: str
    """The first test that failed; empty when it survived, `a hang` when no test ended."""

    @property
    def line(self) -> str:
        return json.dumps({**asdict(self.mutant), "tests": self.tests, "caught_by": self.caught_by})


class Coverage:
    """Which tests execute the lines of mutants, from the contexts that coverage.py recorded with branches."""

    def __init__(self, data: Path, times: Mapping[str, float], mutants: Iterable[Mutant]) -> None:
        self.times = times
        places = {(mutant.path, mutant.line) for mutant in mutants}
        self._tests: dict[tuple[str, int], set[str]] = {place: set() for place in places}
        with closing(sqlite3.connect(data)) as db:
            # With branches the data has arcs between lines, and no lines.
            for path, line, context in db.execute(
                "SELECT file.path, arc.tono, context.context FROM arc"
                " JOIN file ON file.id = file_id JOIN context ON context.id = context_id WHERE context != ''"
            ):
                place = path[path.index("src/flagtui/") :], line
                if place in places:
                    self._tests[place].add(context.rpartition("|")[0])

    def find_tests(self, mutant: Mutant) -> list[str]:
        """Return the ids of the tests that execute the line, the quickest first."""
        tests = self._tests[mutant.path, mutant.line]
        return sorted(tests, key=lambda test: (self.times.get(test, 1.0), test))


class Checkout:
    """A copy of the tracked files, in which one mutant at a time is made."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._moment = 1_000_000_000
        names = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
        )
        for name in filter(None, names.stdout.split("\0")):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, folder / name)

    def judge(self, mutant: Mutant, coverage: Coverage) -> Verdict:
        path = self._folder / mutant.path
        source = path.read_bytes()
        tests = coverage.find_tests(mutant)
        try:
            self._write(path, mutant.apply(source))
            return Verdict(mutant, len(tests), self._find_failure(tests, coverage.times))
        finally:
            self._write(path, source)

    def _write(self, path: Path, source: bytes) -> None:
        # Compiled files are recognised by size and whole second: each version gets a second of its own.
        path.write_bytes(source)
        self._moment += 1
        os.utime(path, (self._moment, self._moment))

    def _find_failure(self, tests: Sequence[str], times: Mapping[str, float]) -> str:
        for stage in _split(tests):
            patience = PATIENCE + 10 * sum(times.get(test, 1.0) for test in stage)
            try:
                failure = self._run(stage, patience)
            except subprocess.TimeoutExpired:
                return "a hang"
            if failure:
                return failure
        return ""

    def _run(self, tests: Sequence[str], patience: float) -> str:
        arguments = self._folder / "arguments"
        arguments.write_text("\n".join(tests), encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": str(self._folder / "src"), "PYTHONDONTWRITEBYTECODE": ""}
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", f"@{arguments}"]
        done = subprocess.run(
            command,
            cwd=self._folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=patience,
            check=False,
        )
        if done.returncode not in FAILED:
            return ""
        failures = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return failures[0] if failures else done.stdout[-200:]


def _split(tests: Sequence[str]) -> Iterator[Sequence[str]]:
    start = 0
    for size in STAGES:
        if stage := tests[start : start + size]:
            yield stage
        start += size


def load_caught(path: Path) -> set[Mutant]:
    """Return the mutants that an earlier run caught."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    names = Mutant.__dataclass_fields__
    return {Mutant(**{name: line[name] for name in names}) for line in lines if line["caught_by"]}


def run_mutants(mutants: Sequence[Mutant], coverage: Coverage, workers: int, out: Path) -> list[Verdict]:
    checkouts: SimpleQueue[Checkout] = SimpleQueue()
    verdicts = []
    with (
        tempfile.TemporaryDirectory(prefix="flagtui-mutants-") as folder,
        out.open("w", encoding="utf-8") as file,
    ):
        for number in range(workers):
            checkouts.put(Checkout(Path(folder, str(number))))

        def judge(mutant: Mutant) -> Verdict:
            checkout = checkouts.get()
            try:
                return checkout.judge(mutant, coverage)
            finally:
                checkouts.put(checkout)

        with ThreadPoolExecutor(workers) as pool:
            for verdict in pool.map(judge, mutants):
                verdicts.append(verdict)
                file.write(f"{verdict.line}\n")
                file.flush()
    return verdicts


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--coverage", type=Path, required=True, help="coverage.py's data, with a context for each test"
    )
    parser.add_argument("--times", type=Path, required=True, help="seconds of each test, as JSON lines")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--package", action="append", metavar="FOLDER", help="a folder of src/flagtui")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--as-caught-in", type=Path, default=None)
    options = parser.parse_args()
    packages = [ROOT / "src" / "flagtui" / package for package in options.package or PACKAGES]
    paths = [path for package in packages for path in package.rglob("*.py")]
    mutants = choose_mutants(paths, ROOT, options.seed, options.count)
    if options.as_caught_in:
        mutants = sorted(load_caught(options.as_caught_in).intersection(find_all_mutants(paths, ROOT)))
    times = dict(map(json.loads, options.times.read_text(encoding="utf-8").splitlines()))
    coverage = Coverage(options.coverage, times, mutants)
    verdicts = run_mutants(mutants, coverage, options.workers, options.out)
    survivors = [verdict for verdict in verdicts if not verdict.caught_by]
    for verdict in survivors:
        mutant = verdict.mutant
        sys.stdout.write(
            f"survived {verdict.tests} tests: {mutant.path}:{mutant.line} {mutant.replacement}\n"
        )
    sys.stdout.write(f"{len(verdicts) - len(survivors)} of {len(verdicts)} caught\n")
    return 1 if options.as_caught_in and survivors else 0


if __name__ == "__main__":
    raise SystemExit(main())

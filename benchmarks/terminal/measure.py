"""Measure what programs feel like in a terminal, one after the other and over again, and print tables.

usage: measure.py [--runs N] SCRIPT[:NAME=VALUE,...] ...      (Linux; the scripts are described in script.py)

Runs are interleaved (A B A B ...), so that programs are compared in the same minutes of the same machine.
Only ratios between them and numbers of bytes mean anything on another machine.
"""

import argparse
import statistics
import subprocess
from collections import defaultdict

from script import Script, load_script
from session import Figures, Session

WIDTHS = (9, 18, 18, 18, 8, 8, 7)


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("scripts", nargs="+", metavar="SCRIPT")
    options.add_argument("--runs", type=int, default=3)
    arguments = options.parse_args()
    scripts = [load_script(path) for path in arguments.scripts]
    for script in scripts:
        if script.setup:
            subprocess.run(script.setup, shell=True, check=True)
    measured: dict[str, dict[str, list[Figures]]] = {script.name: defaultdict(list) for script in scripts}
    peaks: dict[str, list[float]] = defaultdict(list)
    for _ in range(arguments.runs):
        for script in scripts:
            peaks[script.name].append(run_once(script, measured[script.name]))
    for script in scripts:
        print_table(script, measured[script.name], peaks[script.name])


def run_once(script: Script, measured: dict[str, list[Figures]]) -> float:
    """One run of every step; the peak of memory in MiB."""
    session = Session(script)
    try:
        for step in script.steps:
            measured[step.label].append(session.run(step, is_first=step is script.steps[0]))
        return session.peak_mib
    finally:
        session.end()


def print_table(script: Script, measured: dict[str, list[Figures]], peaks: list[float]) -> None:
    print(f"\n{script.name}: {len(peaks)} runs, peak {statistics.median(peaks):.0f} MiB")
    print("  step      match ms           first ms           last ms            bytes    cpu ms   wakes/s")
    for label, runs in measured.items():
        samples = [sample for run in runs for sample in run.samples]
        cells = [
            spread([sample.match for sample in samples if sample.match is not None]),
            spread([sample.first for sample in samples]),
            spread([sample.last for sample in samples]),
            whole([sample.sent for sample in samples] or [run.bytes_per_second or 0 for run in runs]),
            whole([run.cpu_ms for run in runs]),
            whole([run.wakes_per_second for run in runs if run.wakes_per_second is not None]),
        ]
        print("  " + " ".join(cell.ljust(width) for cell, width in zip([label, *cells], WIDTHS, strict=True)))


def spread(values: list[float]) -> str:
    """The median and, in brackets, the least and the most."""
    if not values:
        return "-"
    return f"{statistics.median(values):.1f} [{min(values):.0f}..{max(values):.0f}]"


def whole(values: list[float]) -> str:
    return f"{statistics.median(values):.0f}" if values else "-"


if __name__ == "__main__":
    main()

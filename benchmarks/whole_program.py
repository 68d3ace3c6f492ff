"""The whole program on a service in another process, against the smallest Textual app in the same run.

usage: whole_program.py [--runs N] [--flags N]      (Linux)

Every run leaves the program with a flag open, which is what the next start then finds. Only ratios mean
anything on another machine; processor time is in milliseconds of this one.
"""

import argparse
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent / "terminal"
sys.path.insert(0, str(HERE))
from measure import run_once  # noqa: E402
from script import Script, load_script  # noqa: E402
from session import Figures  # noqa: E402

KEY = "phx_local_measuring"
BIN = Path(sys.executable).with_name("flagtui")
Measured = dict[str, dict[str, list[Figures]]]

STARTS = (
    ("first rows, the last session left with a flag open", "kept", "start", 0.15),
    ("first rows from the cached copy", "cold", "start", 1.5),
    ("all rows live and the screen at rest", "live", "start", 3.0),
    ("keys sent with the start until the list is filtered", "ahead", "ahead", 1.7),
    ("quitting", "cold", "quit", 1.0),
)
"""What, of which script and step, and how many times the smallest app's it may take."""
WORK = (
    ("a flag opened", "cold", "open", 150),
    ("another tab, first time", "cold", "tab", 150),
    ("space until the question is there", "cold", "space", 80),
)
"""What, of which script and step, and how many milliseconds of processor it may take."""


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--flags", type=int, default=10_000)
    arguments = options.parse_args()
    measured: Measured = defaultdict(lambda: defaultdict(list))
    peaks: dict[str, list[float]] = defaultdict(list)
    with TemporaryDirectory() as folder, serving(Path(folder), arguments.flags) as host:
        scripts = scripts_for(host, folder)
        # The first run makes the cached copy, and the kept screen.
        run_once(scripts[1], defaultdict(list))
        for _ in range(arguments.runs):
            for script in scripts:
                peaks[script.name].append(run_once(script, measured[script.name]))
    print_table(measured, peaks)


@contextmanager
def serving(folder: Path, flags: int) -> Iterator[str]:
    """A service with the sample in a process of its own; its address."""
    choices = ["--port", "0", "--sample", "--flags", str(flags), "--db", str(folder / "service.db")]
    with subprocess.Popen(
        [BIN, "serve", "--key", KEY, *choices], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().partition(" on ")[2].partition(",")[0]
        process.terminate()


def scripts_for(host: str, folder: str) -> list[Script]:
    """In this order each of them finds the screen that the one before has left."""
    given = f"BIN={BIN},HOST={host},KEY={KEY},HOME_DIR={folder}"
    return [
        load_script(f"{HERE}/hello.tty:PY={sys.executable}"),
        load_script(f"{HERE}/client.tty:{given},NAME=cold,FIRST=1"),
        load_script(f"{HERE}/client.tty:{given},NAME=kept"),
        load_script(f"{HERE}/client.tty:{given},NAME=live,FIRST=1,WAIT=synced"),
        load_script(f"{HERE}/client_ahead.tty:{given}"),
    ]


def print_table(measured: Measured, peaks: dict[str, list[float]]) -> None:
    hello = {step: milliseconds(measured["hello"][step]) for step in ("start", "quit")}
    print(f"smallest app: {hello['start']:.0f} ms to its first words, {hello['quit']:.0f} ms to quit")
    for what, script, step, goal in STARTS:
        spent = milliseconds(measured[script][step])
        against = hello["quit" if step == "quit" else "start"]
        print(f"  {what:<52} {spent:7.0f} ms  {spent / against:5.2f} x, goal {goal} x")
    for what, script, step, most in WORK:
        work = statistics.median(figures.cpu_ms for figures in measured[script][step])
        print(f"  {what:<52} {work:7.0f} ms of processor, goal {most}")
    peak = statistics.median(peaks["cold"])
    times = peak / statistics.median(peaks["hello"])
    print(f"  {'peak memory, two tabs and a flag':<52} {peak:7.0f} MiB {times:5.2f} x, goal 2.2 x")


def milliseconds(runs: list[Figures]) -> float:
    """The median to the match, or to the last byte where nothing is waited for."""
    samples = [sample for figures in runs for sample in figures.samples]
    return statistics.median(sample.last if sample.match is None else sample.match for sample in samples)


if __name__ == "__main__":
    main()

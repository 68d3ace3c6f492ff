"""What searching a tree of source files takes, against `git grep` of ten keys, in one run.

The whole command is measured on a tree that it never read, in a build, which stores nothing for the next
scan, and outside, and again; the search also in a started program.

usage: code_references.py [--runs N] [--files N]      (Linux, git)

Medians of wall and processor time; each command once a round, so that load meets all alike. The tree is
generated: files of 20 to 120 lines in eight languages, one in a hundred with a call.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

from flagtui.cli.plumbing.offline_copies import CODE_PART, OfflineCopies, save_flags
from flagtui.cli.plumbing.project_session import open_profile
from flagtui.code.scan_request import ScanRequest
from flagtui.code.source_files import list_files
from flagtui.code.tree_scan import scan_tree
from flagtui.models.code_flags import CodeFlag
from flagtui.models.rows import EventDefinitionRow, FlagRow

_SCRIPT = ("export function run() {", "}")
LANGUAGES = {
    "ts": _SCRIPT,
    "tsx": _SCRIPT,
    "js": _SCRIPT,
    "py": ("def run():", ""),
    "go": ("package main\nfunc run() {", "}"),
    "rb": ("def run", "end"),
    "java": ("class Run { void run() {", "}}"),
    "kt": ("fun run() {", "}"),
}
"""By extension: what surrounds the lines, which are valid in every language."""
CALL_EVERY = 101
"""Files for one that has a call; no multiple of the number of languages."""
KEYS = 10
MANY_KEYS = 10_000
TIMES_GREP = 3
MEMORY_GOAL = 150
"""MB of the largest process."""
WORDS = (
    "account",
    "order",
    "cart",
    "user",
    "total",
    "price",
    "item",
    "list",
    "page",
    "view",
    "data",
    "value",
)
PROGRAM = (str(Path(sys.executable).with_name("flagtui")),)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=7)
    options.add_argument("--files", type=int, default=14_800)
    given = options.parse_args()
    with TemporaryDirectory() as folder:
        tree, homes = Path(folder) / "tree", {count: Path(folder) / f"{count}" for count in (KEYS, MANY_KEYS)}
        size = write_tree(tree, given.files)
        for count, home in homes.items():
            home.mkdir()
            save_facts(home, count)
        patterns = Path(folder) / "keys"
        patterns.write_text("".join(f"{key(number)}\n" for number in range(KEYS)))
        grep = ("git", "grep", "-F", "-n", "-f", str(patterns))
        check = (*PROGRAM, "check", "--offline")
        commands = {
            f"git grep of {KEYS} keys": (grep, Path(folder)),
            f"in a build, {KEYS} keys": (check, homes[KEYS]),
            f"in a build, {MANY_KEYS:,} keys": (check, homes[MANY_KEYS]),
            f"check with {KEYS} keys": (check, homes[KEYS]),
            "the same again": (check, homes[KEYS]),
            f"check with {MANY_KEYS:,} keys": (check, homes[MANY_KEYS]),
            "the same again, all keys": (check, homes[MANY_KEYS]),
            # A line for each of the keys that no code uses.
            f"refs with {MANY_KEYS:,} keys": ((*PROGRAM, "refs", "--offline"), homes[MANY_KEYS]),
        }
        times: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
        for _ in range(given.runs):
            for home in homes.values():
                rmtree(home / ".cache", ignore_errors=True)
                save_facts(home, int(home.name))
            for name, (command, home) in commands.items():
                is_build = name.startswith("in a build")
                times[name].append(run(command, tree, environment(home) | {"CI": "true" if is_build else ""}))
            for name, count, store in (
                (f"the search alone, {KEYS} keys", KEYS, None),
                (f"the search alone, {MANY_KEYS:,} keys", MANY_KEYS, None),
                ("the same again, alone", KEYS, Path(folder) / "results"),
            ):
                times[name].append(search(tree, count, store))
    print(f"{given.files:,} files, {size / 1e6:.0f} MB")
    medians = {
        name: [statistics.median(column) for column in zip(*rows, strict=True)]
        for name, rows in times.items()
    }
    against = next(iter(medians.values()))[0]
    print(f"goal: {TIMES_GREP} x and {MEMORY_GOAL} MB")
    for name, (wall, processor, memory) in medians.items():
        took = f"{wall:6.0f} ms {wall / against:4.1f} x {processor:6.0f} ms of processor"
        print(f"  {name:<29} {took} {memory:4.0f} MB")


def search(tree: Path, count: int, store: Path | None) -> tuple[float, float, float]:
    """Search for so many keys within this process; return what `run` returns, without memory."""
    keys = [key(number) for number in range(count)]
    start, before = time.perf_counter(), os.times()
    scan = scan_tree(list_files(tree, [tree]), ScanRequest(keys, store=store))
    assert scan.references
    processor = sum(after - earlier for after, earlier in zip(os.times()[:4], before[:4], strict=True))
    return (time.perf_counter() - start) * 1_000, processor * 1_000, 0


def key(number: int) -> str:
    """Return a key."""
    return f"flag-number-{number}"


def write_tree(tree: Path, files: int) -> int:
    """Write and add the files; return their bytes."""
    source, size = random.Random(1), 0
    for number in range(files):
        lines = [line(source) for _ in range(source.randint(20, 120))]
        if number % CALL_EVERY == 0:
            lines.insert(len(lines) // 2, f'  posthog.isFeatureEnabled("{key(source.randrange(KEYS))}");')
        extension = [*LANGUAGES][number % len(LANGUAGES)]
        path = tree / f"part{number // 100}" / f"file{number}.{extension}"
        path.parent.mkdir(parents=True, exist_ok=True)
        head, tail = LANGUAGES[extension]
        text = "\n".join([head, *lines, tail, ""])
        path.write_text(text)
        size += len(text)
    for words in (("init", "-q"), ("add", "-A")):
        subprocess.run(("git", *words), cwd=tree, check=True)
    return size


def line(source: random.Random) -> str:
    """Return a line of code: with a quoted word on every second one, as in real code."""
    first, second, third = source.choices(WORDS, k=3)
    if source.random() < 0.5:
        return f"  {first}_{second} = compute({third}.{first}, {source.randint(1, 999)});"
    return f'  {first}_{second} = compute("{third} {first}", {source.randint(1, 999)});'


def save_facts(home: Path, count: int) -> None:
    """Save flags and events as an earlier run leaves them."""
    flags = [CodeFlag(FlagRow(number + 1, key(number), active=True)) for number in range(count)]
    with in_environment(environment(home)):
        copies = OfflineCopies(open_profile(""))
        save_flags(copies, 1, flags)
        copies.save(1, "events", CODE_PART, [EventDefinitionRow("1", "order placed")], EventDefinitionRow)


def environment(home: Path) -> dict[str, str]:
    """Return the variables of a user with this home."""
    base = {name: value for name, value in os.environ.items() if not name.startswith(("FLAGTUI", "XDG"))}
    where = {"FLAGTUI_HOST": "http://127.0.0.1:9", "FLAGTUI_API_KEY": "phx_none", "FLAGTUI_PROJECT": "1"}
    return {**base, **where, "HOME": str(home)}


@contextmanager
def in_environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Use these variables and no others for a while."""
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def run(command: tuple[str, ...], folder: Path, variables: Mapping[str, str]) -> tuple[float, float, float]:
    """Return milliseconds of the clock and of the processor, and MB at most."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=folder, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    processor = usage.ru_utime + usage.ru_stime
    return (time.perf_counter() - start) * 1_000, processor * 1_000, usage.ru_maxrss / 1_000


if __name__ == "__main__":
    main()

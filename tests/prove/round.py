"""One seed on one server: play the hands and report faults."""

import json
import os
import re
import signal
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from statistics import linear_regression
from typing import Final, NamedTuple

from tests.doubles.terminal import FOLDERS
from tests.prove.blind_terminal import Blind
from tests.prove.hands import ESCAPE, SIZES, Operation, operations
from tests.prove.program import KEY, PULSE

PROGRAM: Final = Path(__file__).with_name("program.py")
ROUND: Final = 2_000
"""Operations with one seed."""
PATIENCE: Final = 15.0
"""Seconds of its own processor time without a pulse after which the program hangs; machines are shared."""
LONGEST: Final = 300.0
"""Seconds by the clock after which it hangs in any case, or takes too long to start or to leave."""
BACKLOG: Final = 30
"""Messages the program may be behind before the hands wait for it."""
GOODBYE: Final = 20.0
"""Seconds it may take to leave, ten of them for a change that gets no answer, unless it had no processor."""
WEIGHED_EVERY: Final = 500
"""Operations after which it is brought back to its first list, where its memory is compared."""


class Pulse(NamedTuple):
    """What the program says of itself, fifty times a second."""

    moment: float
    waiting: int
    takes_an_answer: bool


@dataclass
class Findings:
    """What one round, or several, came to."""

    operations: int = 0
    starts: int = 0
    approved: int = 0
    changed: int = 0
    faults: list[str] = field(default_factory=list)
    opened: Counter[str] = field(default_factory=Counter)
    """How often each kind of screen was asked for, by starts that ended by themselves."""
    growth: list[float] = field(default_factory=list)
    """MiB of memory per 10,000 operations, of each start that was long enough to tell."""
    sizes: list[tuple[int, float]] = field(default_factory=list)
    """MiB of memory after so many operations of a start."""

    def add(self, other: "Findings") -> None:
        for name in self.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def __str__(self) -> str:
        growth = " ".join(f"{each:.1f}" for each in self.growth) or "not measured"
        return (
            f"{self.operations:,} operations, {self.starts} starts, {self.approved} confirmed, "
            f"{self.changed} changed, {len(self.faults)} faults, MiB per 10,000 operations: {growth}"
        )


class Round:
    """One seed on one server, with as many starts as it takes."""

    def __init__(
        self, server: str, seed: int, folder: Path, hands: Callable[[int], Iterator[Operation]] = operations
    ) -> None:
        self._server, self._seed, self._folder = server, seed, folder
        self._hands = hands(seed)
        self.found = Findings()
        self._beat = (0.0, 0.0)
        """The last pulse, and how much processor time had gone until then."""
        self._before: int | None = None
        """The last entry of the activity before the hands began."""

    def play(self, operations: int, until: float = float("inf")) -> Findings:
        """Do so many operations, or as many as there is time for."""
        while self.found.operations < operations and time.monotonic() < until and len(self.found.faults) < 20:
            self._start(operations, until)
        self._compare_changes()
        for file in self._folder.glob("opened-*"):
            self.found.opened += Counter(json.loads(file.read_text()))
        self._look_for_the_key()
        return self.found

    def _start(self, operations: int, until: float) -> None:
        environment = {
            **dict.fromkeys(FOLDERS, str(self._folder)),
            "PYTHONPATH": os.pathsep.join(sys.path),
            "FLAGTUI_NO_FIRST_FRAME": "1",
            "EDITOR": "true",
            "BROWSER": "true",
        }
        self.found.starts += 1
        command = [sys.executable, str(PROGRAM), self._server, str(self._folder)]
        with Blind(command, environment, is_cold=True) as terminal:
            if self._wait_for_start(terminal):
                if self._before is None:
                    self._before = int(self._activity("max(rowid)", 0)[0][0])
                self._handle(terminal, operations, until)
            self._leave(terminal)
        for report in sorted(self._folder.glob("fault-*.txt")):
            self._say(f"report: {summary(report.read_text())}")
            report.rename(report.with_suffix(".seen"))

    def _wait_for_start(self, terminal: Blind) -> bool:
        end = time.monotonic() + LONGEST
        while not (is_started := "1049" in terminal.modes_on()):
            if time.monotonic() >= end or terminal.process.poll() is not None:
                break
            terminal.drain(0.05)
        return is_started

    def _handle(self, terminal: Blind, operations: int, until: float) -> None:
        """Let the hands play until the program ends, or enough is done."""
        sizes: list[tuple[int, float]] = []
        begun = self.found.operations
        for operation in islice(self._hands, operations - begun):
            if terminal.process.poll() is not None or time.monotonic() > until:
                break
            self._do(terminal, operation)
            self.found.operations += 1
            done = self.found.operations - begun
            if done % WEIGHED_EVERY == 0:
                for keys, rest in (*[("\x1b", ESCAPE)] * 5, ("1", 1.0)):
                    terminal.type(keys, lambda: False)
                    terminal.drain(rest)
                sizes.append((done, _memory(terminal.process.pid)))
            if not self._is_alive(terminal):
                for number in (signal.SIGUSR2, *[signal.SIGUSR1] * 10):
                    terminal.signal(number)
                    terminal.drain(0.3)
                self._say(f"hangs: {_innermost((self._folder / 'stacks').read_text())}")
                terminal.signal(signal.SIGKILL)
                break
        self.found.growth += _growth(sizes)
        self.found.sizes += sizes

    def _do(self, terminal: Blind, operation: Operation) -> None:
        if operation.size is not None:
            terminal.resize(*operation.size)
        if operation.keys:
            terminal.type(operation.keys, lambda: not self._is_alive(terminal))
        rested = 0.0
        while rested < operation.rest and not (operation.until_asked and self._pulse().takes_an_answer):
            part = min(operation.rest - rested, 0.1) if operation.until_asked else operation.rest
            terminal.drain(part)
            rested += part
        while self._backlog() > BACKLOG and self._is_alive(terminal) and terminal.process.poll() is None:
            terminal.drain(0.01)

    def _pulse(self) -> Pulse:
        return Pulse(*PULSE.unpack((self._folder / "pulse").read_bytes()))

    def _backlog(self) -> int:
        pulse = self._pulse()
        # A loop that has not come round for a while is behind, however few messages it had then.
        return pulse.waiting + (BACKLOG + 1 if time.monotonic() - pulse.moment > 0.5 else 0)

    def _is_alive(self, terminal: Blind) -> bool:
        moment = self._pulse().moment
        used = _processor_seconds(terminal.process.pid)
        if moment != self._beat[0]:
            self._beat = (moment, used)
        is_late = used - self._beat[1] > PATIENCE or time.monotonic() - moment > LONGEST
        return not is_late or terminal.process.poll() is not None

    def _leave(self, terminal: Blind) -> None:
        """End it as a person does, and look at what is left."""
        if terminal.process.poll() is None:
            terminal.resize(*SIZES[0])
            terminal.type("\x1b", lambda: False)
            terminal.drain(0.3)
            terminal.type("\x11", lambda: False)
            begun, used = time.monotonic(), _processor_seconds(terminal.process.pid)
            while terminal.process.poll() is None and time.monotonic() < begun + LONGEST:
                terminal.drain(0.05)
                had_processor = _processor_seconds(terminal.process.pid) - used > GOODBYE / 4
                if had_processor and time.monotonic() > begun + GOODBYE:
                    break
            if terminal.process.poll() is None:
                self._say("does not leave at ctrl+q")
                terminal.signal(signal.SIGTERM)
                terminal.wait_for_end()
        terminal.drain(0.0)
        code = terminal.process.returncode
        if terminal.has_leaked:
            self._say("wrote the key on the terminal")
        if code == -signal.SIGKILL:
            return
        if code:
            last = bytes(terminal.sent).rpartition(b"\x1b[?1004l")[2].decode(errors="replace")
            self._say(f"ended with {code}: {last.strip()[-300:]}")
        if on := terminal.modes_on():
            self._say(f"left the terminal with modes {sorted(on)}")
        if terminal.attributes() != terminal.attributes_before:
            self._say("left the terminal with other attributes")

    def _compare_changes(self) -> None:
        """Each entry of the service's activity needs a confirmation of the same record."""
        if self._before is None:
            return
        files = self._folder.glob("approvals-*")
        lines = [line for file in files for line in file.read_bytes().rstrip(b"\0").splitlines()]
        approved = [json.loads(line) for line in lines]
        names = {value for line in approved for value in (line["id"], line["key"])}
        # An experiment is paused and resumed by its flag.
        experiments = {line["id"] for line in approved if line["noun"] == "experiment"}
        rows = self._rows("SELECT CAST(id AS TEXT), CAST(flag_id AS TEXT) FROM experiments", ())
        names |= {flag for id, flag in rows if id in experiments}
        entries = self._activity("item_id, scope, activity, json_extract(detail, '$.name')", self._before)
        self.found.approved, self.found.changed = len(approved), len(entries)
        for item, scope, activity, name in entries:
            if item not in names and name not in names:
                self._say(f"changed without a confirmation: {scope} {item} {name} {activity}")

    def _activity(self, columns: str, after: int) -> list[tuple[str, ...]]:
        return self._rows(f"SELECT {columns} FROM activity WHERE rowid > ?", (after,))

    def _rows(self, statement: str, values: tuple[object, ...]) -> list[tuple[str, ...]]:
        with closing(sqlite3.connect(f"file:{self._folder / 'service.db'}?mode=ro", uri=True)) as db:
            return list(db.execute(statement, values))

    def _look_for_the_key(self) -> None:
        for path in self._folder.rglob("*"):
            is_other = path.is_file() and not path.name.startswith("service.db")
            if is_other and KEY.encode() in path.read_bytes():
                self._say(f"the key is in {path.name}")

    def _say(self, what: str) -> None:
        self.found.faults.append(f"{self._server} seed {self._seed} at {self.found.operations}: {what}")


def summary(report: str) -> str:
    """The last frames of ours in a report, and what was raised."""
    lines = [line.strip() for line in report.splitlines() if line.strip()]
    frames = re.findall(r'File ".*?/(?:flagtui|textual)/([\w/]+\.py)", line (\d+), in (\w+)', report)
    places = " < ".join(f"{path}:{line} {name}" for path, line, name in reversed(frames[-4:]))
    return f"{lines[-1][:160]} [{places}]"


def _innermost(stacks: str) -> str:
    """Where each thread is, in its four innermost calls."""
    # The main thread is the last, and the one that matters.
    threads = [part.split("\n  ")[1:5] for part in reversed(stacks.split("\n\n"))]
    return " | ".join(" < ".join(line.strip() for line in thread) for thread in threads)


def _processor_seconds(process: int) -> float:
    """Used by the process so far; 0 for one that has ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory(process: int) -> float:
    """MiB that are in memory."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _growth(sizes: list[tuple[int, float]]) -> Iterator[float]:
    """The slope of the second half: the first fills caches and loads what is opened for the first time."""
    late = [(at, size) for at, size in sizes[len(sizes) // 2 :] if size]
    if len(late) >= 5:
        yield linear_regression(*zip(*late, strict=True)).slope * 10_000

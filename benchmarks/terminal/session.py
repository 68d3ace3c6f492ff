"""One run of a program in a pseudo-terminal, with a clock on every chunk it writes."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from dataclasses import dataclass, field
from pathlib import Path

import pyte
from script import Script, Step

TICKS = os.sysconf("SC_CLK_TCK")
TERMINAL = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
DROPPED = (
    *("TEXTUAL", "FLAGTUI", "NO_COLOR", "COLUMNS", "LINES", "STY", "TMUX", "FZF"),
    # An installed program has its bytecode; without it every start compiles the whole of it.
    "PYTHONDONTWRITEBYTECODE",
)


@dataclass
class Sample:
    """Milliseconds from the press (or the start) to the first and the last byte, or to the match."""

    first: float = 0.0
    last: float = 0.0
    sent: int = 0
    match: float | None = None


@dataclass
class Figures:
    """What one step of one run measured."""

    samples: list[Sample] = field(default_factory=list)
    cpu_ms: float = 0.0
    wakes_per_second: float | None = None
    bytes_per_second: float | None = None


class Session:
    """Works the screen out while the program is quiet, so as not to compete with it."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._screen = pyte.Screen(*script.size)
        self._stream = pyte.ByteStream(self._screen)
        self._keyboard, line = pty.openpty()
        width, height = script.size
        fcntl.ioctl(line, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        kept = {name: value for name, value in os.environ.items() if not name.startswith(DROPPED)}
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            script.command,
            stdin=line,
            stdout=line,
            stderr=line,
            env={**kept, **TERMINAL, **script.environment},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(line)
        self.peak_mib = 0.0

    def run(self, step: Step, *, is_first: bool) -> Figures:
        """Take the step; the first one counts from the start of the program."""
        before, figures = self._cpu_ms(), Figures()
        if step.verb == "idle":
            self._idle(step, figures)
        elif step.verb == "quit":
            figures.samples.append(self._quit(step))
            return figures
        elif step.verb == "wait":
            since = self.started if is_first else time.perf_counter()
            figures.samples.append(self._settle(since, step, until=step.arguments[0]))
        elif step.verb.startswith("burst"):
            figures.samples.append(self._burst(step))
        else:
            for press in step.presses():
                since = self.started if is_first else self._press(press)
                if is_first:
                    self._press(press)
                figures.samples.append(self._settle(since, step, until=step.options.get("until")))
            del figures.samples[: int(step.number("warm", 0))]
        figures.cpu_ms = (self._cpu_ms() - before) / max(1, len(figures.samples))
        return figures

    def end(self) -> None:
        """End the program if it still runs, by its process id."""
        if self._process.poll() is None:
            os.kill(self._process.pid, signal.SIGKILL)
            self._process.wait()
        os.close(self._keyboard)

    def _press(self, keys: str) -> float:
        os.write(self._keyboard, keys.encode())
        return time.perf_counter()

    def _burst(self, step: Step) -> Sample:
        presses = step.presses()
        gap, count, chunks = 1 / step.number("rate", 30), len(presses), []
        for press in presses:
            due = self._press(press) + gap
            chunks += self._read_until(due)
        since = due - gap
        rest = self._settle(since, step)
        lags = [(moment - since) * 1000 for moment, _ in chunks if moment > since] + [rest.last]
        sent = sum(len(data) for _, data in chunks) + rest.sent
        self._feed(chunks)
        return Sample(min(lags), max(lags), sent // count)

    def _settle(self, since: float, step: Step, until: str | None = None) -> Sample:
        """Read until nothing came for a while and, if asked for, the screen matches."""
        quiet = step.number("quiet", self._script.quiet * 1000) / 1000
        deadline = since + step.number("timeout", 20)
        sample, last = Sample(), time.perf_counter()
        if until is not None and step.verb == "wait" and self._shows(until):
            # Nothing more need come: the step before showed it.
            sample.match = 0.0
        while True:
            chunks = self._read_until(last + quiet)
            if chunks:
                last = chunks[-1][0]
                sample.first = sample.first or (chunks[0][0] - since) * 1000
                sample.last = (last - since) * 1000
                sample.sent += sum(len(data) for _, data in chunks)
            if until is not None and sample.match is None:
                matched = self._feed(chunks, until)
                sample.match = (matched - since) * 1000 if matched else None
            else:
                self._feed(chunks)
            is_done = until is None or sample.match is not None
            if not chunks and is_done:
                return sample
            if not chunks:
                last = time.perf_counter()
            if time.perf_counter() > deadline:
                raise TimeoutError(f"{self._script.name}: {step.label}: no {until!r} in time")

    def _read_until(self, moment: float) -> list[tuple[float, bytes]]:
        """Chunks with the time each came; ends with the first pause in them, or with nothing at `moment`."""
        chunks: list[tuple[float, bytes]] = []
        while (left := moment - time.perf_counter()) > 0 or not chunks:
            if not select.select([self._keyboard], [], [], max(0.0, left) if not chunks else 0.01)[0]:
                break
            try:
                data = os.read(self._keyboard, 65536)
            except OSError:
                break
            chunks.append((time.perf_counter(), data))
        return chunks

    def _feed(self, chunks: list[tuple[float, bytes]], until: str | None = None) -> float | None:
        """Bring the screen up to date; the time of the chunk after which it first matched."""
        for moment, data in chunks:
            self._stream.feed(data)
            if until is not None and self._shows(until):
                return moment
        return None

    def _shows(self, pattern: str) -> bool:
        return re.search(pattern, "\n".join(self._screen.display)) is not None

    def _idle(self, step: Step, figures: Figures) -> None:
        seconds = float(step.arguments[0])
        before, sent, end = self._wakes(), 0, time.perf_counter() + seconds
        while time.perf_counter() < end:
            sent += sum(len(data) for _, data in self._read_until(end))
        figures.wakes_per_second = (self._wakes() - before) / seconds
        figures.bytes_per_second = sent / seconds

    def _quit(self, step: Step) -> Sample:
        self.peak_mib = self._peak()
        since = self._press(key_of(step))
        while self._process.poll() is None:
            self._read_until(time.perf_counter() + 0.005)
            if time.perf_counter() - since > step.number("timeout", 10):
                raise TimeoutError(f"{self._script.name}: did not quit")
        took = (time.perf_counter() - since) * 1000
        return Sample(took, took)

    def _facts(self, name: str) -> str:
        return Path(f"/proc/{self._process.pid}/{name}").read_text()

    def _cpu_ms(self) -> float:
        fields = self._facts("stat").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / TICKS

    def _peak(self) -> float:
        return int(re.findall(r"VmHWM:\s+(\d+)", self._facts("status"))[0]) / 1024

    def _wakes(self) -> int:
        tasks = Path(f"/proc/{self._process.pid}/task").glob("*/status")
        return sum(
            int(re.findall(r"\nvoluntary_ctxt_switches:\s+(\d+)", task.read_text())[0]) for task in tasks
        )


def key_of(step: Step) -> str:
    return step.presses()[0]

"""Every command with contradictory options, and after a signal; `make check-matrix` runs all combinations."""

import os
import shlex
import signal
import subprocess
import threading
from collections.abc import Iterator
from itertools import combinations
from typing import Any, Final

import pytest
from tests.cli.conftest import FLAGTUI, Run, run_at, server_variables
from tests.doubles.command_tree import all_commands
from tests.doubles.faulty_service import served
from tests.doubles.slices import crossed, one_in

CLOSED: Final = "http://127.0.0.1:9"
"""An address where nothing listens: a command that asked it would end with 1."""
FORMATS: Final = (("--json",), ("--ndjson",), ("-o", "tsv"), ("-o", "table"))
PAIRS: Final = [
    *(pair for pair in combinations(FORMATS, 2) if {pair[0][0], pair[1][0]} != {"-o"}),
    *((("--jq", "."), each) for each in FORMATS[1:]),
    (("--stage",), ("--dry-run",)),
    (("--out", "set.json"), ()),
    (("--out", "set.json"), ("--stage",)),
]
"""Options that contradict each other; those of one command alone are in test_contradictions.py."""
ENDLESS: Final = {"serve", "mirror run", "demo", "pick"}
"""These open a screen or a port."""


def options_of(name: str) -> set[str]:
    command = all_commands()[name]
    return {
        option for param in command.params if not getattr(param, "hidden", False) for option in param.opts
    }


CONTRADICTIONS: Final = [
    (name, (*first, *second))
    for name in all_commands()
    for first, second in PAIRS
    if not (name == "flags types" and "--out" in first)
    and {word for word in (*first, *second) if word.startswith("-")} <= options_of(name)
]
ASKING: Final = [name for name, each in all_commands().items() if each.is_online and name not in ENDLESS]


@pytest.mark.parametrize(
    ("name", "options"),
    one_in(8, CONTRADICTIONS),
    ids=lambda value: "-".join([value] if isinstance(value, str) else value),
)
def test_contradictory_options_exit_with_2(
    name: str, options: tuple[str, ...], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [*shlex.split(all_commands()[name].examples[0].partition(" < ")[0])]
    words = [word for word in words if word not in ("--json", "--ndjson", "--dry-run", "--stage", "--yes")]
    done = run_at(CLOSED, run, monkeypatch)(*words, *options, stdin="x")
    assert (done.code, done.out) == (2, ""), done
    assert "Traceback" not in done.err


class Silent:
    """A server that takes requests and answers none."""

    def __init__(self) -> None:
        self.is_asked = threading.Event()

    async def __call__(self, _scope: Any, receive: Any, _send: Any) -> None:
        self.is_asked.set()
        while (await receive())["type"] != "http.disconnect":
            pass


@pytest.fixture(scope="module")
def silent() -> Iterator[tuple[Silent, str]]:
    server = Silent()
    with served(server) as address:
        yield server, address


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("name", "number"),
    one_in(60, crossed(ASKING, (signal.SIGHUP, signal.SIGTERM, signal.SIGINT))),
)
def test_signal_ends_a_command_that_waits(
    name: str, number: signal.Signals, silent: tuple[Silent, str]
) -> None:
    server, address = silent
    server.is_asked.clear()
    words = shlex.split(all_commands()[name].examples[0].partition(" < ")[0])
    if all_commands()[name].writes and "--yes" not in words:
        words.append("--yes")
    environment = os.environ | server_variables(address)
    with subprocess.Popen(
        [*FLAGTUI, *words],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            while not server.is_asked.wait(0.05) and process.poll() is None:
                pass
            if process.poll() is None:
                process.send_signal(number)
            out, err = process.communicate(timeout=20)
        finally:
            process.kill()
    if not server.is_asked.is_set():
        # It needs a file or something to undo, or asks nothing.
        assert process.returncode in range(8), (out, err)
        return
    # A shell reports a program that a signal ended by 128 and its number.
    assert process.returncode in (128 + number, -number), (out, err)
    assert "Traceback" not in err
    assert number != signal.SIGINT or "stopped" in err

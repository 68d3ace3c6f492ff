"""An app that keeps the interpreter lock or evaluates expensive patterns still obeys stop signals."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from time import monotonic

import pytest
from tests.doubles.expensive_patterns import EXPENSIVE, store_expensive
from tests.doubles.slices import story
from tests.doubles.terminal import Terminal
from tests.terminal.conftest import Furnish, assert_restored

from flagtui.cli.launch.demo_service import KEY
from flagtui.service import close_service, create_service

STUCK = [sys.executable, str(Path(__file__).parents[1] / "doubles" / "stuck_app.py")]
FAST = {"STUCK_SILENCE": "0.3"}
LONGEST = 4.0
"""Seconds from the signal or the key to the end: two of silence, and two more."""


def children(process: int) -> list[int]:
    """The ids of its children, zombies too."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True)
    pairs = [line.split() for line in listed.stdout.splitlines()]
    return [int(pid) for pid, parent in pairs if int(parent) == process]


def is_alive(process: int) -> bool:
    """Whether there is such a process, a zombie too."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def is_running(process: int) -> bool:
    """Whether it has not ended; who adopted it may not have waited for it yet."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, check=False).stdout
    return bool(state.strip()) and not state.startswith(b"Z")


def wait_for_watchdog(terminal: Terminal) -> int:
    """Its process id."""
    terminal.wait_until(lambda: bool(children(terminal.process.pid)), "a watchdog")
    # Its first look is at what comes after it listens.
    terminal.wait_for_rest(0.15)
    return children(terminal.process.pid)[0]


def test_deaf_app_obeys_sigterm_and_ctrl_q() -> None:
    with Terminal(STUCK) as signalled, Terminal(STUCK) as typed:
        watchdogs = [wait_for_watchdog(signalled), wait_for_watchdog(typed)]
        signalled.press("b")
        typed.press("d")
        signalled.wait_for_rest(0.1)
        begun = time.monotonic()
        signalled.signal(signal.SIGTERM)
        typed.press("jj\x11")
        for terminal, reason in ((typed, "ctrl+q"), (signalled, "SIGTERM")):
            assert terminal.wait_for_end() == -signal.SIGKILL
            assert time.monotonic() - begun < LONGEST
            assert_restored(terminal)
            assert f"did not respond for 2 s and was ended by {reason}" in " ".join(terminal.text.split())
        typed.wait_until(lambda: not any(map(is_running, watchdogs)), "the end of both watchdogs")


def test_busy_app_survives_silence_and_reports_lost_keys() -> None:
    with Terminal(STUCK, environment=FAST) as terminal:
        wait_for_watchdog(terminal)
        terminal.press("s")
        terminal.wait_for_rest(0.1)
        assert terminal.press_to_end("j") == 7
        assert_restored(terminal)


def test_rest_of_a_lost_paste_is_no_command() -> None:
    with Terminal(STUCK, environment={**FAST, "STUCK_GOES_ON": "1"}) as terminal:
        wait_for_watchdog(terminal)
        terminal.press("s")
        terminal.wait_for_rest(0.1)
        terminal.press("\x1b[200~j")
        terminal.wait_for_bytes(b"\x1b]0;lost\x07")
        assert terminal.press_to_end("qq\x1b[201~w") == 5


def test_editor_keeps_the_keys_of_its_terminal() -> None:
    with Terminal(STUCK, environment=FAST) as terminal:
        watchdog = wait_for_watchdog(terminal)
        terminal.press("e")
        terminal.wait_until(
            lambda: children(terminal.process.pid) not in ([], [watchdog]), "the editor alone"
        )
        terminal.press("q\n")
        # The key waits for the app, as nothing reads it before.
        assert terminal.wait_for_end() == 0
        assert terminal.sent.count(b"\x1b[?1049h") == 2


@pytest.mark.skipif(sys.platform != "linux", reason="only on Linux can a parent see a stop without a shell")
def test_stopped_app_is_left_alone() -> None:
    with Terminal(STUCK, environment=FAST) as terminal:
        wait_for_watchdog(terminal)
        terminal.signal(signal.SIGSTOP)
        terminal.press("j\x11")
        terminal.wait_for_rest(1.0)
        assert terminal.process.poll() is None
        terminal.signal(signal.SIGCONT)
        terminal.wait_until(lambda: terminal.sent.count(b"\x1b[?1049h") == 2, "the screen again")
        assert terminal.press_to_end("q") == 0


@story
def test_killed_app_leaves_a_restored_terminal_and_no_watchdog() -> None:
    with Terminal(STUCK, environment=FAST) as terminal:
        watchdog = wait_for_watchdog(terminal)
        terminal.signal(signal.SIGKILL)
        terminal.wait_for_end()
        terminal.wait_for("ended without leaving the screen")
        terminal.wait_until(lambda: not is_running(watchdog), "the end of the watchdog")
        assert_restored(terminal)


def test_app_that_leaves_takes_its_watchdog_along() -> None:
    with Terminal(STUCK, environment=FAST) as terminal:
        watchdog = wait_for_watchdog(terminal)
        assert terminal.press_to_end("q") == 0
        assert not is_alive(watchdog)
        assert "restored" not in terminal.text


def test_app_whose_watchdog_is_gone_goes_on() -> None:
    with Terminal(STUCK, environment=FAST) as terminal:
        watchdog = wait_for_watchdog(terminal)
        os.kill(watchdog, signal.SIGKILL)
        terminal.wait_until(lambda: not is_alive(watchdog), "no zombie")
        terminal.signal(signal.SIGTERM)
        assert terminal.wait_for_end() == 128 + signal.SIGTERM
        assert_restored(terminal)


DEMO = [sys.executable, "-m", "flagtui", "demo"]
COSTLY = next(number for number, each in enumerate(EXPENSIVE) if each.pattern == "(a|aa)+$")


def test_stop_signal_during_evaluation_is_obeyed_soon(tmp_path: Path, furnish: Furnish) -> None:
    home = {**furnish(tmp_path), "FLAGTUI_NO_FIRST_FRAME": "1"}
    [database] = tmp_path.rglob("demo.db")
    service = create_service(database, key=KEY)
    asyncio.run(store_expensive(service, KEY))
    close_service(service)
    with Terminal(DEMO, size=(132, 40), environment=home) as terminal:
        terminal.wait_for("synced")
        terminal.press(f"/costly-{COSTLY}", until="1 of ")
        terminal.press("\r", until="space (on|off) ")
        terminal.press("w", until="Type a distinct id")
        terminal.press("ada\r", until="asking")
        start = monotonic()
        terminal.signal(signal.SIGTERM)
        terminal.wait_for_end()
        assert monotonic() - start < 10
        assert_restored(terminal)

"""Keys in floods and before the program is loaded."""

import signal
import sys
from pathlib import Path
from threading import Timer

import pytest
from tests.doubles.slices import story
from tests.doubles.terminal import Terminal
from tests.prove.blind_terminal import Blind
from tests.terminal.conftest import DEMO, SIZE, Furnish, assert_restored

from flagtui.app.terminal.signals import RESTORE

STALLED = """
import os, select, signal, threading, tty
from flagtui.app.terminal.signals import OUTPUT_THREAD, restore_terminal, terminal_attributes

before = terminal_attributes()
tty.setraw(0)
signal.signal(signal.SIGWINCH, lambda *_: None)

def write():
    while True:
        os.write(2, b"x" * 100_000)

threading.Thread(target=write, daemon=True, name=OUTPUT_THREAD).start()
while select.select([], [2], [], 0.2)[1]:
    pass
restore_terminal(before)
os._exit(3 if os.get_blocking(2) else 4)
"""
"""A thread is writing what a stalled terminal does not take, and would go on as soon as it does."""

FLOODS = {
    "a paste of a megabyte": "\x1b[200~" + "x" * 1_000_000 + "\x1b[201~",
    "an arrow held down": "\x1b[B" * 33_000,
    "letters into the search": "/" + "a" * 100_000,
    "tabs": "12" * 50_000,
}


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
def test_ctrl_q_behind_flood_leaves_without_obeying_it(flood: str, tmp_path: Path, furnish: Furnish) -> None:
    environment = {**furnish(tmp_path), "FLAGTUI_NO_FIRST_FRAME": "1"}
    with Blind(DEMO, environment) as terminal:
        terminal.wait_until(lambda: b"synced" in terminal.sent, "the list")
        terminal.type(flood + "\x11", lambda: False)
        assert terminal.wait_for_end() == 0
        assert_restored(terminal)


def test_ctrl_q_leaves_a_terminal_that_takes_no_output(tmp_path: Path, furnish: Furnish) -> None:
    environment = {**furnish(tmp_path), "FLAGTUI_NO_FIRST_FRAME": "1"}
    with Terminal(DEMO, size=(132, 40), environment=environment) as terminal:
        terminal.wait_for("synced")
        # From here on nothing is read.
        for _ in range(60):
            terminal.press("\x1b[6~\x1b[5~1234")
        terminal.press("\x11")
        # The keys before it are obeyed first, as long as there is room for what they draw.
        late = Timer(60, terminal.signal, [signal.SIGKILL])
        late.start()
        assert terminal.process.wait() == 0
        late.cancel()
        terminal.wait_for_bytes(RESTORE.encode())
        assert_restored(terminal)


@story
def test_terminal_that_stops_reading_is_restored_with_output_pending() -> None:
    with Terminal([sys.executable, "-c", STALLED]) as terminal:
        late = Timer(60, terminal.signal, [signal.SIGKILL])
        late.start()
        assert terminal.process.wait() == 3
        late.cancel()
        terminal.wait_for_bytes(RESTORE.encode())
        assert terminal.attributes() == terminal.attributes_before


@story
def test_enter_on_the_first_frame_opens_its_row(kept: dict[str, str]) -> None:
    with Terminal(DEMO, size=SIZE, environment=kept, is_cold=True) as terminal:
        terminal.wait_for("ago, connecting")
        terminal.press("\r", until="Overview")
        assert terminal.press_to_end("\x11") == 0

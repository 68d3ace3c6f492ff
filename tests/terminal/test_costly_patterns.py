"""A stop signal while expensive patterns are evaluated: the app obeys and gives the terminal back."""

import asyncio
import signal
import sys
from pathlib import Path
from time import monotonic

from tests.doubles.expensive_patterns import EXPENSIVE, store_expensive
from tests.doubles.terminal import Terminal
from tests.terminal.conftest import Furnish

from flagtui.cli.launch.demo_service import KEY
from flagtui.service import close_service, create_service

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
        terminal.press(f"/costly-{COSTLY}")
        terminal.wait_for("1 of ")
        terminal.press("\r")
        terminal.wait_for("space (on|off) ")
        terminal.press("w")
        terminal.wait_for("Type a distinct id")
        terminal.press("ada\r")
        terminal.wait_for("asking")
        start = monotonic()
        terminal.signal(signal.SIGTERM)
        terminal.wait_for_end()
        assert monotonic() - start < 10
        assert terminal.modes_on() == set()
        assert terminal.attributes() == terminal.attributes_before

"""The program of the monkey: the demo on a server with faults, watched from outside.

usage: program.py SERVER FOLDER        SERVER is one of `SERVERS` in tests/prove/servers.py

FOLDER holds the database, the journal and the reports of faults, and what the watcher reads: `pulse`, which
the loop writes while it runs, and `approvals-PID`, a line for each record a change of which was confirmed.
"""

import asyncio
import faulthandler
import json
import os
import resource
import signal
import struct
import sys
import time
from collections import Counter, deque
from mmap import mmap
from pathlib import Path
from typing import Any, Final

from tests.prove.servers import SERVERS, Between
from tests.prove.troubles import trouble
from textual._context import message_hook
from textual.message import Message

from flagtui.api import Client
from flagtui.app.app import FlagTui
from flagtui.app.state.app_state import Session
from flagtui.app.writing.question import ConfirmScreen
from flagtui.changes.guard import ARMS_AFTER, Approved
from flagtui.cli.launch.app_session import run_app
from flagtui.config.crash_reports import crash_report
from flagtui.config.guard_rules import GuardRules, Level
from flagtui.config.preferences import Preferences
from flagtui.service import Settings, close_service, create_service
from flagtui.service.sample_data import sample
from flagtui.service.sample_data.company import NASTY, WEB
from flagtui.store.snapshots import Snapshots

KEY: Final = "phx_canary_of_the_monkey_7f3a9c51d2"
"""Looked for afterwards in everything the program wrote."""
HOST: Final = "http://127.0.0.1:1"
PULSE: Final = struct.Struct("dI?")
"""When the loop last ran, by the monotonic clock, how many messages waited, whether a question takes an
answer."""
BEAT_SECONDS: Final = 0.02


class WatchedTui(FlagTui):
    """Says that it lives, and what was confirmed."""

    def __init__(self, session: Session, folder: Path, machine: str) -> None:
        super().__init__(session)
        self._folder = folder
        self._machine = machine
        self._confirmed = _fixed_file(folder / f"approvals-{os.getpid()}")
        self._reports: list[str] = []
        self._opened = Counter[str]()
        self.latest: deque[Message] = deque(maxlen=100)
        """The messages that were handled last, of all widgets, to tell where it runs in circles."""

    def on_mount(self) -> None:
        self._beating = asyncio.create_task(self._beat())
        if self._machine:
            self._suffering = asyncio.create_task(trouble(self._machine, self._folder / "service.db"))

    async def _beat(self) -> None:
        with (self._folder / "pulse").open("r+b") as file, mmap(file.fileno(), PULSE.size) as pulse:
            while True:
                pulse[:] = PULSE.pack(time.monotonic(), self._waiting(), self._takes_an_answer())
                await asyncio.sleep(BEAT_SECONDS)

    def _waiting(self) -> int:
        focused = self.focused if self.screen_stack else None
        pumps = [self, *self.screen_stack[-1:], focused]
        return sum(pump.message_queue_size for pump in pumps if pump is not None)

    def _takes_an_answer(self) -> bool:
        question = self.screen_stack[-1] if self.screen_stack else None
        if not isinstance(question, ConfirmScreen):
            return False
        return time.monotonic() - question._last_key >= ARMS_AFTER

    def tell_latest(self) -> None:
        """Write down what was handled last."""
        lines = (f"{message!r} from {message._sender!r}\n" for message in self.latest)
        (self._folder / "latest").write_text("".join(lines))

    def tell_watcher(self) -> None:
        """Write down what went wrong: at the end, when the disk takes it again."""
        if self._machine == "full":
            _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        (self._folder / f"opened-{os.getpid()}").write_text(json.dumps(self._opened))
        for number, report in enumerate(self._reports):
            (self._folder / f"fault-{os.getpid()}-{number}.txt").write_text(report)

    def push_screen(self, screen: Any, *arguments: Any, **options: Any) -> Any:
        self._opened[type(screen).__name__] += 1
        return super().push_screen(screen, *arguments, **options)

    def keep_report(self, fault: BaseException) -> Path | None:
        """As the program does it, and once more for the watcher: its disk may be full."""
        self._reports.append(crash_report(fault, self.app_state.session.redact))
        return super().keep_report(fault)

    async def push_screen_wait(self, screen: Any, *, mode: str | None = None) -> Any:
        answer = await super().push_screen_wait(screen, mode=mode)
        if isinstance(answer, Approved):
            for plan in answer.plans:
                line = {"id": str(plan.id), "key": plan.key, "noun": plan.noun, "verb": str(plan.verb)}
                self._confirmed.write(f"{json.dumps(line)}\n".encode())
        return answer


def _fixed_file(path: Path) -> mmap:
    """One that never grows: what is written is kept when the process is killed, and when the disk is full."""
    with path.open("w+b") as file:
        file.truncate(1 << 18)
        return mmap(file.fileno(), 1 << 18)


def run(server: str, folder: Path) -> int:
    chosen = SERVERS[server]
    # What is exported goes where the person is.
    os.chdir(folder)
    fill = sample(nasty=chosen.nasty)
    service = create_service(folder / "service.db", Settings(**chosen.options), key=KEY, sample=fill)

    def client(key: str) -> Client:
        return Client(HOST, key, NASTY if chosen.nasty else WEB, transport=Between(chosen, service))

    async def connect() -> Client:
        return client(KEY)

    session = Session(
        profile="prove",
        host="embedded service",
        badge="PROVE",
        colour="success",
        rules=GuardRules(Level.GUARDED, place="PROVE"),
        connect=connect,
        journal_folder=folder / "journal",
        state_folder=folder / "state",
        snapshots=Snapshots(folder / "rows"),
        refresh=5.0,
        preferences=Preferences(memory=folder / "memory"),
        with_key=client,
        redact=lambda text: text.replace(KEY, "[key]"),
    )
    faulthandler.register(signal.SIGUSR1, (folder / "stacks").open("a"))
    app = WatchedTui(session, folder, chosen.trouble)
    message_hook.set(app.latest.append)
    signal.signal(signal.SIGUSR2, lambda *_: app.tell_latest())
    (folder / "pulse").write_bytes(PULSE.pack(time.monotonic(), 0, False))
    try:
        return run_app(app)
    finally:
        app.tell_watcher()
        close_service(service)


if __name__ == "__main__":
    raise SystemExit(run(sys.argv[1], Path(sys.argv[2])))

"""How the service starts beside others, obeys a stop signal, and loses nothing to a kill."""

import asyncio
import http.client
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import closing, suppress
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from tests.doubles.expensive_patterns import store_expensive
from tests.doubles.killed_service import Storm

from flagtui.service import close_service, create_service
from flagtui.service.database import migrations, use_write_ahead_log
from flagtui.service.keys import list_keys


def test_programs_that_start_at_once_make_one_database(tmp_path: Path) -> None:
    code = "import sys; from pathlib import Path; from flagtui.service.database import Database\n"
    code += "Database(Path(sys.argv[1]), busy_seconds=20).close()"
    started = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "x.db")], stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    errors = [process.communicate()[1] for process in started]
    assert (errors, [process.returncode for process in started]) == ([b"", b""], [0, 0])
    with closing(sqlite3.connect(tmp_path / "x.db")) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == migrations()[-1][0]


class Contended(sqlite3.Connection):
    """Another program changes the journal mode at the same time, for so many attempts."""

    attempts = 0

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        self.attempts -= 1
        if self.attempts >= 0:
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise error
        return super().execute(sql, parameters)


def test_changing_the_journal_mode_waits_for_other_programs(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "x.db", factory=Contended)
    connection.attempts = 3
    use_write_ahead_log(connection, 20)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.attempts = 1
    with pytest.raises(sqlite3.OperationalError):
        use_write_ahead_log(connection, 0)
    connection.close()


KEY = "phx_stopping"
PATH = "/api/projects/1/feature_flags/evaluation_reasons/?distinct_id=ada"
QUEUED = 16


def ask(port: int) -> int:
    """The status of the answer; 0 for none."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    with suppress(OSError, http.client.HTTPException), closing(connection):
        connection.request("GET", PATH, headers={"Authorization": f"Bearer {KEY}"})
        with connection.getresponse() as response:
            return response.status
    return 0


def test_stop_signal_ends_queued_expensive_requests_within_two_seconds(tmp_path: Path) -> None:
    database = tmp_path / "service.db"
    application = create_service(database, key=KEY)
    asyncio.run(store_expensive(application, KEY))
    close_service(application)
    command = [sys.executable, "-m", "flagtui", "serve", "--port", "0", "--db", str(database)]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process,
        ThreadPoolExecutor(QUEUED) as callers,
    ):
        assert process.stdout is not None
        port = int(process.stdout.readline().partition("127.0.0.1:")[2].partition(",")[0])
        pending = [callers.submit(ask, port) for _ in range(QUEUED)]
        answered, waiting = wait(pending, 20, FIRST_COMPLETED)
        assert {request.result() for request in answered} == {200}
        assert waiting
        start = monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        assert monotonic() - start < 10


def test_interrupted_filling_leaves_a_database_without_data(tmp_path: Path) -> None:
    database = tmp_path / "service.db"
    words = ("serve", "--port", "0", "--db", str(database), "--sample", "--flags", "100000")
    command = [sys.executable, "-m", "flagtui", *words]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        while not Path(f"{database}-wal").exists():
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.02)
            assert process.returncode is None
        process.send_signal(signal.SIGINT)
        _out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert err == f"flagtui: stopped; {database} has no data; start again to fill it.\n"
    assert list_keys(database) == []


def test_no_acknowledged_write_is_lost_to_a_kill(tmp_path: Path) -> None:
    storm = Storm(tmp_path / "x.db")
    for after_seconds in (0.12, 0.2):
        storm.kill_once(after_seconds)
        assert storm.faults() == []
    assert storm.writes > 0

"""`flagtui serve` and a stop signal: while it evaluates expensive patterns, and while it fills a database."""

import asyncio
import http.client
import signal
import subprocess
import sys
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import closing, suppress
from pathlib import Path
from time import monotonic

from tests.doubles.expensive_patterns import store_expensive

from flagtui.service import close_service, create_service
from flagtui.service.keys import list_keys

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

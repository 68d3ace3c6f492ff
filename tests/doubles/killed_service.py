"""A service that is killed without warning in the middle of writing, again and again, and looked at."""

import http.client
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

KEY = "phx_storm"
WRITERS = 4
SERVE = """
import sys
from pathlib import Path
from flagtui.service import create_service
from flagtui.service.server import Place, listen, run
place = Place(port=int(sys.argv[3]))
listener = listen(place)
service = create_service(Path(sys.argv[1]), key=sys.argv[2])
print(listener.getsockname()[1], flush=True)
run(service, listener, place)
"""


@dataclass
class Storm:
    """What was acknowledged so far: by flag id, the highest version and the name that came with it."""

    database: Path
    port: int = 0
    """Of this machine; 0 takes a free one each time."""
    acknowledged: dict[int, tuple[int, str]] = field(default_factory=dict)
    writes: int = 0

    @contextmanager
    def serving(self) -> Iterator[int]:
        """Its port; killed with SIGKILL at the end."""
        command = [sys.executable, "-c", SERVE, str(self.database), KEY, str(self.port)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                yield int(process.stdout.readline())
            finally:
                os.kill(process.pid, signal.SIGKILL)

    def kill_once(self, after_seconds: float) -> None:
        """Serves, writes from several connections at once, and kills after so long."""
        with self.serving() as port:
            writers = [threading.Thread(target=self._write, args=(port, number)) for number in range(WRITERS)]
            for writer in writers:
                writer.start()
            time.sleep(after_seconds)
        for writer in writers:
            writer.join()

    def changes(self) -> list[str]:
        """The ids of all entries of the activity, oldest first."""
        with closing(sqlite3.connect(self.database)) as connection:
            rows = connection.execute("SELECT id FROM activity ORDER BY created_at, rowid")
            return [row[0] for row in rows]

    def _write(self, port: int, number: int) -> None:
        """Creates a flag and renames it until nobody answers."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        flag: Any = None
        try:
            flag = _send(connection, "POST", "", {"key": f"f-{number}-{time.time_ns()}", "name": "0"})
            while True:
                self._note(flag)
                name = str(flag["version"])
                flag = _send(connection, "PATCH", f"{flag['id']}/", {"name": name})
        except (OSError, http.client.HTTPException):
            connection.close()

    def _note(self, flag: Any) -> None:
        self.acknowledged[flag["id"]] = (flag["version"], flag["name"])
        self.writes += 1

    def faults(self) -> list[str]:
        """What is wrong with the file: missing writes, corruption, rows and activity that disagree."""
        connection = sqlite3.connect(self.database)
        faults = [row[0] for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
        rows = {row[0]: row[1:] for row in connection.execute("SELECT id, version, name FROM flags")}
        counting = "SELECT cast(item_id AS INTEGER), count(*) FROM activity GROUP BY 1"
        entries = dict(connection.execute(counting).fetchall())
        connection.close()
        for flag_id, (version, name) in self.acknowledged.items():
            stored = rows.get(flag_id)
            # One write may have reached the file without its answer reaching us.
            if stored is None or stored not in ((version, name), (version + 1, str(version))):
                faults.append(f"flag {flag_id}: {(version, name)} was acknowledged, {stored} is stored")
        for flag_id, (version, _) in rows.items():
            if entries.get(flag_id) != version:
                faults.append(f"flag {flag_id}: version {version}, {entries.get(flag_id)} entries")
        return faults


def _send(connection: http.client.HTTPConnection, method: str, path: str, body: Any) -> Any:
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    connection.request(method, f"/api/projects/1/feature_flags/{path}", json.dumps(body), headers)
    response = connection.getresponse()
    answer = json.loads(response.read())
    assert response.status < 300, answer
    return answer

"""Programs that open one database at the same moment."""

import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from flagtui.service.database import migrations, use_write_ahead_log


def test_programs_that_start_at_once_make_one_database(tmp_path: Path) -> None:
    code = "import sys; from pathlib import Path; from flagtui.service.database import Database\n"
    code += "Database(Path(sys.argv[1]), busy_seconds=20).close()"
    started = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "x.db")], stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    errors = [process.communicate()[1] for process in started]
    assert [(process.returncode, error) for process, error in zip(started, errors, strict=True)] == [
        (0, b"")
    ] * 2
    connection = sqlite3.connect(tmp_path / "x.db")
    assert connection.execute("PRAGMA user_version").fetchone()[0] == migrations()[-1][0]
    connection.close()


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

"""A service's database without a row, made once for a process: hundreds of tests start from one."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from flagtui.service.database import Database


def copy_tables(path: Path) -> Path:
    """Put a new database at the path, unless a file is there; a service fills it like one of its own."""
    if not path.exists():
        path.touch(0o600)
        path.write_bytes(_tables())
    return path


@cache
def _tables() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "tables.db"
        Database(path).close()
        return path.read_bytes()

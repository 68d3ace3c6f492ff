"""A database file that is moved or damaged while the service runs is noticed and named."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.service_world import World

from flagtui.service.database import Database
from flagtui.service.database_files import DatabaseMoved


def rename(path: Path) -> None:
    path.rename(path.with_suffix(".old"))


def replace_by_a_copy(path: Path) -> None:
    Path(shutil.copy(path, path.with_suffix(".copy"))).replace(path)


MOVES: dict[str, Callable[[Path], Any]] = {
    "renamed": rename,
    "deleted": Path.unlink,
    "replaced by a copy": replace_by_a_copy,
    "its log deleted": lambda path: path.with_name(f"{path.name}-wal").unlink(),
    "its index deleted": lambda path: path.with_name(f"{path.name}-shm").unlink(),
}


@pytest.mark.parametrize("move", MOVES.values(), ids=MOVES)
async def test_a_change_of_a_moved_file_is_not_acknowledged(world: World, move: Callable[..., Any]) -> None:
    flag = await world.flag("a")
    move(world.path)
    detail = "…Put the file back and restart the service.…"
    expected = {"status": 503, "code": "database_moved", "detail": detail}
    await world.refuses("PATCH", f"{flag['id']}/", {"name": "changed"}, **expected)
    await world.refuses("GET", "", **expected)


async def test_damaged_file_is_named_with_the_remedy(world: World) -> None:
    await world.flag("a")
    with closing(sqlite3.connect(world.path)) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = other.execute("SELECT rootpage FROM sqlite_master WHERE name = 'flags'").fetchone()
        (size,) = other.execute("PRAGMA page_size").fetchone()
    with world.path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"Z" * size)
    expected = {"status": 500, "code": "database_damaged", "detail": "…flagtui demo --fresh…"}
    await world.refuses("GET", "", **expected)
    await world.refuses("POST", "", {"key": "b"}, **expected)


async def test_a_file_moved_during_the_change_is_not_acknowledged(world: World) -> None:
    moved = world.database.write(lambda _: rename(world.path))
    with pytest.raises(DatabaseMoved, match="was moved, replaced or deleted"):
        moved.result()


async def test_a_moved_file_takes_no_writes_when_it_comes_back(world: World) -> None:
    world.path.rename(away := world.path.with_suffix(".old"))
    await world.refuses("POST", "", {"key": "a"}, code="database_moved")
    away.rename(world.path)
    await world.refuses("POST", "", {"key": "a"}, code="database_moved")


def test_a_restart_opens_a_renamed_folder(tmp_path: Path) -> None:
    (folder := tmp_path / "data").mkdir()
    database = Database(folder / "x.db")
    folder.rename(tmp_path / "elsewhere")
    with pytest.raises(DatabaseMoved):
        database.write(lambda db: None).result()
    database.close()
    again = Database(tmp_path / "elsewhere" / "x.db")
    again.write(lambda db: None).result()
    again.close()


def test_a_symbolic_link_that_leads_elsewhere_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (link := tmp_path / "x.db").symlink_to(tmp_path / "real" / "x.db")
    database = Database(link)
    database.write(lambda db: None).result()
    (tmp_path / "real" / "y.db").touch()
    link.unlink()
    link.symlink_to(tmp_path / "real" / "y.db")
    with pytest.raises(DatabaseMoved):
        database.write(lambda db: None).result()
    database.close()


def test_programs_that_use_the_same_file_move_nothing(tmp_path: Path) -> None:
    database = Database(tmp_path / "x.db")
    database.write(lambda db: db.execute("CREATE TABLE t (n)")).result()
    Database(tmp_path / "x.db").close()
    other = sqlite3.connect(tmp_path / "x.db")
    other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    other.execute("VACUUM")
    other.close()
    database.write(lambda db: db.execute("INSERT INTO t VALUES (1)")).result()
    with database.reading() as db:
        assert db.execute("SELECT count(*) FROM t").fetchone()[0] == 1
    database.close()

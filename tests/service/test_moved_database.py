"""A database file that is moved while the service runs is noticed before the next acknowledgement."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.doubles.service_world import World

from flagtui.service.database import Database
from flagtui.service.database_files import DatabaseMoved


def rename(path: Path) -> None:
    path.rename(path.with_suffix(".old"))


def delete(path: Path) -> None:
    path.unlink()


def replace_by_a_copy(path: Path) -> None:
    copied = shutil.copy(path, path.with_suffix(".copy"))
    Path(copied).replace(path)


def rename_the_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))


def delete_the_log(path: Path) -> None:
    path.with_name(path.name + "-wal").unlink()


def delete_the_index(path: Path) -> None:
    path.with_name(path.name + "-shm").unlink()


MOVES = [rename, delete, replace_by_a_copy, delete_the_log, delete_the_index]


@pytest.mark.parametrize("move", MOVES)
async def test_a_change_of_a_moved_file_is_not_acknowledged(world: World, move: Callable[..., None]) -> None:
    flag = await world.flag("a")
    move(world.path)
    refusal = await world.refused("PATCH", f"{flag['id']}/", {"name": "changed"})
    assert (refusal.status, refusal.code) == (503, "database_moved")
    assert "Put the file back and restart the service." in (refusal.detail or "")
    assert (await world.refused("GET", "")).code == "database_moved"


async def test_a_file_moved_during_the_change_is_not_acknowledged(world: World) -> None:
    moved = world.database.write(lambda _: rename(world.path))
    with pytest.raises(DatabaseMoved, match="was moved, replaced or deleted"):
        moved.result()


async def test_a_moved_file_takes_no_writes_when_it_comes_back(world: World) -> None:
    world.path.rename(away := world.path.with_suffix(".old"))
    assert (await world.refused("POST", "", {"key": "a"})).code == "database_moved"
    away.rename(world.path)
    assert (await world.refused("POST", "", {"key": "a"})).code == "database_moved"


def test_a_restart_opens_a_renamed_folder(tmp_path: Path) -> None:
    (folder := tmp_path / "data").mkdir()
    database = Database(folder / "x.db")
    rename_the_folder(database.path)
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

"""The index of git names when files changed: as the system does, or nothing."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from flagtui.code.file_content import stamp_of
from flagtui.code.git_index import read_stamps

NAMES = ["a.ts", "part/b.ts", "part/caf\udce9 \n.ts", "part/x.ts", f"part/{'long' * 60}.ts"]
LATER = 10**18 * 4
"""A moment in Unix nanoseconds."""


def run(tree: Path, *words: str) -> bytes:
    return subprocess.run(("git", *words), cwd=tree, check=True, capture_output=True).stdout


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for number, name in enumerate(NAMES):
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x" * number)
    run(tmp_path / "tree", "init", "-q")
    run(tmp_path / "tree", "add", "-A")
    return tmp_path / "tree"


def stamps_in(tree: Path, folder: str = ".", *, settled_at: int = LATER) -> dict[str, bytes]:
    listed = run(tree, "ls-files", "-z", folder)
    return read_stamps(os.fspath(tree), (tree / ".git" / "index").read_bytes(), listed, settled_at)


@pytest.mark.parametrize(("folder", "names"), [(".", NAMES), ("part", NAMES[1:]), ("none", [])])
def test_stamps_are_those_of_the_system(tree: Path, folder: str, names: list[str]) -> None:
    assert stamps_in(tree, folder) == {name: stamp_of(os.lstat(tree / name)) for name in names}


def test_files_that_just_changed_have_no_stamp(tree: Path) -> None:
    moments = [os.lstat(tree / name).st_ctime_ns for name in NAMES]
    assert len(stamps_in(tree, settled_at=max(moments) + 1)) == len(NAMES)
    assert stamps_in(tree, settled_at=min(moments)) == {}
    os.utime(tree / "a.ts", (time.time() + 3_600,) * 2)
    run(tree, "add", "a.ts")
    assert stamps_in(tree, settled_at=time.time_ns() + 60 * 10**9).keys() == {*NAMES[1:]}


def test_a_change_since_git_looked_gives_another_stamp(tree: Path) -> None:
    (tree / "a.ts").write_text("changed")
    stamps = stamps_in(tree)
    assert [name for name in NAMES if stamps[name] != stamp_of(os.lstat(tree / name))] == ["a.ts"]


def touch_all(tree: Path) -> None:
    shutil.copytree(tree / "part", tree / "copy")
    shutil.rmtree(tree / "part")
    (tree / "copy").rename(tree / "part")


CHANGES: dict[str, Callable[[Path], object]] = {
    "paths are shortened": lambda tree: run(tree, "update-index", "--index-version", "4"),
    "an entry has more flags": lambda tree: run(tree, "update-index", "--skip-worktree", "a.ts"),
    "an entry is not examined by git": lambda tree: run(tree, "update-index", "--assume-unchanged", "a.ts"),
    "the list is an earlier one": lambda tree: run(tree, "rm", "-q", "--cached", "part/x.ts"),
    "files were copied": touch_all,
    "it ends early": lambda tree: (tree / ".git" / "index").write_bytes(
        (tree / ".git" / "index").read_bytes()[:150]
    ),
    "it is empty": lambda tree: (tree / ".git" / "index").write_bytes(b""),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_no_stamp_is_taken_from_an_index_if(tree: Path, change: Callable[[Path], object]) -> None:
    listed = run(tree, "ls-files", "-z")
    change(tree)
    index = (tree / ".git" / "index").read_bytes()
    assert read_stamps(os.fspath(tree), index, listed, LATER) == {}

"""Scans of trees in several processes, and results of an earlier scan."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Collection
from pathlib import Path

import pytest

from flagtui.code.file_content import SETTLED
from flagtui.code.repository_settings import RepositorySettings
from flagtui.code.scan_request import ScanRequest
from flagtui.code.source_files import list_files
from flagtui.code.stored_results import ResultStore
from flagtui.code.tree_scan import Scan, scan_tree

HOUR = 3_600 * 10**9
CONTENTS = (
    'isFeatureEnabled("nav")\n',
    'isFeatureEnabled("new")\n',
    '// "nav" was here ......\n',
    "isFeatureEnabled(NAV)\n",
    'const NAV = "nav";\n',
    "plain text\n",
    "function ( { [\n",
    "caf\xe9 'nav'\n",
    "\0\0\0\0\n",
    "f('nav');" * 1_000,
    "",
)
"""The first three have the same size."""


def scan(
    tree: Path, store: Path | None, *, keys: Collection[str] = ("nav", "new"), settled: int = -HOUR
) -> Scan:
    request = ScanRequest(keys, RepositorySettings(), store=store, settled=settled)
    return scan_tree(list_files(tree, [tree]), request)


def files_read(tree: Path, store: Path) -> int:
    """Return how many files a scan reads."""
    totals = [0]
    request = ScanRequest(
        ("nav", "new"), store=store, report=lambda _files, total: totals.append(total), settled=-HOUR
    )
    scan_tree(list_files(tree, [tree]), request)
    return totals[-1]


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    """A folder with a file, and where results of its scan are stored."""
    tree = tmp_path / "tree"
    tree.mkdir()
    write(tree / "a.ts", CONTENTS[0])
    return tree, tmp_path / "results"


def write(path: Path, content: str) -> None:
    """Write the file; it gets other times, as after a pause that is longer than the clock of the system."""
    path.write_bytes(content.encode("latin-1"))
    written = path.stat().st_ctime_ns
    while path.stat().st_ctime_ns == written:
        path.touch()


def change(tree: Path, source: random.Random) -> None:
    """Do something to a file or a folder."""
    files = [path for path in sorted(tree.rglob("*")) if not path.is_dir()]
    path, other = source.choice(files), source.choice(files)
    folder = path.parent
    changes: tuple[Callable[[], object], ...] = (
        lambda: write(path, source.choice(CONTENTS)),
        lambda: write(path, source.choice(CONTENTS[:3])),
        lambda: write(folder / f"new{source.randrange(9)}.ts", source.choice(CONTENTS)),
        lambda: write_with_earlier_time(path, source.choice(CONTENTS[:3])),
        path.unlink if len(files) > 5 else path.lstat,
        lambda: path.replace(other),
        lambda: replace_by_link(path, other),
        lambda: folder.rename(tree / f"folder{source.randrange(99)}") if folder != tree else None,
        lambda: path.chmod(0o600) if not path.is_symlink() else None,
    )
    source.choice(changes)()


def write_with_earlier_time(path: Path, content: str) -> None:
    earlier = path.lstat().st_mtime_ns
    if not path.is_symlink():
        write(path, content)
        os.utime(path, ns=(earlier, earlier))


def replace_by_link(path: Path, other: Path) -> None:
    if path != other:
        path.unlink()
        path.symlink_to(other)


@pytest.mark.parametrize("seed", range(8))
def test_stored_results_are_those_of_a_plain_scan(tmp_path: Path, seed: int) -> None:
    source, store, tree = random.Random(seed), tmp_path / "cache" / "results", tmp_path / "tree"
    for number in range(12):
        path = tree / f"part{number % 3}" / f"file{number}.ts"
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, source.choice(CONTENTS))
    for _ in range(12):
        assert scan(tree, store) == scan(tree, None)
        change(tree, source)


def test_only_changed_files_are_read_again(places: tuple[Path, Path]) -> None:
    tree, store = places
    for number in range(5):
        write(tree / f"{number}.ts", CONTENTS[0])
    write(tree / "__init__.py", "")
    assert [files_read(tree, store) for _ in range(2)] == [7, 0]
    write(tree / "3.ts", CONTENTS[1])
    (tree / "4.ts").unlink()
    assert files_read(tree, store) == 1


def test_folder_that_was_exchanged_for_a_while_is_read_again(tmp_path: Path) -> None:
    """Its files have the times again that they had before."""
    tree, store = tmp_path / "tree", tmp_path / "results"
    for folder, content in (("part", CONTENTS[0]), ("other", CONTENTS[1])):
        (tree / folder).mkdir(parents=True)
        write(tree / folder / "a.ts", content)
    expected = scan(tree, None)
    for names in (("part", "kept"), ("other", "part"), ("kept", "other")):
        (tree / names[0]).rename(tree / names[1])
    assert scan(tree, store) == scan(tree, None) != expected
    for names in (("part", "kept"), ("other", "part"), ("kept", "other")):
        (tree / names[0]).rename(tree / names[1])
    assert scan(tree, store) == expected


def test_file_that_just_changed_is_read_again(places: tuple[Path, Path]) -> None:
    """It can change once more within the same moment of the clock."""
    tree, store = places
    scan(tree, store, settled=SETTLED)
    assert store.is_file()
    assert files_read(tree, store) == 1


def test_other_keys_and_settings_read_everything_again(places: tuple[Path, Path]) -> None:
    tree, store = places
    write(tree / "a.ts", 'useGate("gone"); f("nav"); api.track("paid"); track(name)')
    assert len(scan(tree, store).references) == 1
    assert len(scan(tree, store, keys=("gone", "nav")).references) == 2
    settings = RepositorySettings(wrappers=("useGate",), event_wrappers=("api.track",))
    request = ScanRequest(("nav", "new"), settings, store=store, settled=-HOUR)
    references = scan_tree(list_files(tree, [tree]), request).references
    kinds = [(each.kind, each.subject) for each in references]
    assert kinds == [("wrapper", "flag"), ("string", "flag"), ("wrapper", "event")]


@pytest.mark.parametrize("kept", [0, 3, 60, -1])
def test_damaged_results_are_read_again(places: tuple[Path, Path], kept: int) -> None:
    tree, store = places
    scan(tree, store)
    data = store.read_bytes()
    store.write_bytes(data[:kept] + (b"?" if kept < 0 else b""))
    assert files_read(tree, store) == 1


def test_results_are_private_and_none_without_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.ts").write_text(CONTENTS[0])
    scan(tmp_path, tmp_path / "cache" / "results")
    assert (tmp_path / "cache" / "results").stat().st_mode & 0o777 == 0o600
    store = ResultStore(None, b"")
    results, others = store.load(tmp_path, ["a.ts"])
    store.save(results)
    assert (results.files, others) == (0, ["a.ts"])


PROGRAM = """
import json, os, sys
from pathlib import Path
from flagtui.code.source_files import list_files
from flagtui.code.scan_request import ScanRequest
from flagtui.code.tree_scan import scan_tree
root = Path(sys.argv[1])
if len(sys.argv) > 3:
    os.fork = lambda: os.kill(2**30, 0)
scan = scan_tree(list_files(root, [root]), ScanRequest({"nav"}, files_per_process=int(sys.argv[2])))
places = [each.place for each in scan.references]
print(json.dumps([places, scan.files, sorted(scan.skipped.items()), sorted(scan.problems)]))
"""
"""Apart from the tests: a process with threads must not be copied."""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for number in range(40):
        (tmp_path / f"file{number}.ts").write_text(f'{"x();" * (number % 3)}\nisFeatureEnabled("nav")\n')
    (tmp_path / "broken.ts").write_text('isFeatureEnabled("nav")\nfunction ( { [\n')
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\0")
    (tmp_path / "Bundle.js").write_text('f("nav");' * 2_000)
    return tmp_path


def scan_apart(tree: Path, files_per_process: int, *words: str) -> list[object]:
    words = (sys.executable, "-c", PROGRAM, str(tree), str(files_per_process), *words)
    result: list[object] = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    return result


def test_scans_have_one_result_and_one_order(tree: Path) -> None:
    result = scan_apart(tree, 2)
    assert result == scan_apart(tree, 1_000) == scan_apart(tree, 2, "no process left")
    problem = "broken.ts:2: syntax not understood; uses below may be missing."
    assert result[1:] == [41, [["binary", 1], ["minified", 1]], [problem]]
    scan = scan_tree(list_files(tree, [tree]), ScanRequest({"nav"}))
    places = [(each.path, each.line) for each in scan.references]
    assert places == sorted(places)
    assert len(places) == 41


def test_file_that_names_itself_generated_has_no_use(tmp_path: Path) -> None:
    files = {
        "app.test.ts": ("test", 'isFeatureEnabled("nav")\n'),
        "flags.ts": ("generated", '// Code generated by flagtui; DO NOT EDIT.\nconst NAV = "nav";\n'),
        "list.rb": ("string", "ALL = %i[nav other]\n"),
        "own.ts": ("call", '// Do not edit without asking.\nisFeatureEnabled("nav")\n'),
        "tests.py": ("test", 'feature_enabled("nav", "u")\n'),
    }
    for name, (_, text) in files.items():
        (tmp_path / name).write_text(text)
    scan = scan_tree(list_files(tmp_path, [tmp_path]), ScanRequest({"nav"}))
    assert {each.path: each.kind for each in scan.references} == {
        name: kind for name, (kind, _) in files.items()
    }

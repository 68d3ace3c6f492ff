"""A process reads files before the keys are there: the result is that of one process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from flagtui.cli import scans_here
from flagtui.code.read_ahead import LEAST_FILES

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(os, "memfd_create") or len(os.sched_getaffinity(0)) < 2,
    reason="needs Linux and two processors",
)

PROGRAM = """
import json, os, signal, sys
from pathlib import Path
from flagtui.code.early_start import start_reading, take_reader
from flagtui.code.repository_settings import read_repository_settings
from flagtui.code.scan_request import ScanRequest
from flagtui.code.source_files import list_sources
from flagtui.code.tree_scan import scan_tree
root, how = Path.cwd(), sys.argv[1]
if how == "old":
    del os.memfd_create
if how != "alone":
    start_reading(settled=-3_600 * 10**9)
ahead = take_reader([root / "other" if how == "elsewhere" else root])
if how == "killed":
    os.kill(ahead.worker.process, signal.SIGKILL)
tree = ahead.sources() if ahead else None
if how == "late":
    os.kill(ahead.worker.process, signal.SIGKILL)
tree = tree or list_sources([root], root)
settings = read_repository_settings(tree.root)
is_reading = bool(ahead and ahead.reads(tree.files))
keys = ("nav", "new", "caf\\udce9")
store = Path(sys.argv[2]) if len(sys.argv) > 2 else None
scan = scan_tree(tree, ScanRequest(keys, settings, store=store, settled=-3_600 * 10**9), ahead)
places = [[each.place, each.key, each.kind] for each in scan.references]
print(json.dumps([is_reading, [places, scan.files, sorted(scan.skipped.items()), sorted(scan.problems)]]))
"""
"""Apart from the tests: a process with threads must not be copied."""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tree")
    for number in range(LEAST_FILES):
        call = f'{"x();" * (number % 3)}\nmine("nav")\n'
        (folder / f"file{number}.ts").write_text(call if number % 20 == 0 else "x();\n")
    (folder / "broken.ts").write_text('isFeatureEnabled("new")\nfunction ( { [\n')
    (folder / "picture.png").write_bytes(b"\x89PNG\0")
    (folder / "skip.ts").write_text('isFeatureEnabled("new")\n')
    (folder / ".flagtui.toml").write_text('[code]\nwrappers = ["mine"]\nignore = ["skip.ts"]\n')
    for words in (("init", "-q"), ("add", "-A")):
        subprocess.run(("git", *words), cwd=folder, check=True)
    return folder


def scan(folder: Path, *words: str) -> tuple[bool, object]:
    """Return whether files were read ahead, and the result."""
    # A build stores no results.
    command, variables = [sys.executable, "-c", PROGRAM, *words], {**os.environ, "CI": ""}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=variables)
    assert done.returncode == 0, done.stderr
    is_reading, result = json.loads(done.stdout)
    return is_reading, result


@pytest.mark.parametrize(
    ("how", "reads"),
    [("ahead", True), ("late", True), ("killed", False), ("elsewhere", False), ("old", False)],
)
def test_result_is_that_of_one_process(tree: Path, how: str, reads: bool) -> None:
    _, expected = scan(tree, "alone")
    assert scan(tree, how) == (reads, expected)
    assert isinstance(expected, list)
    assert expected[1:] == [LEAST_FILES + 2, [["binary", 1], ["ignored", 1]], expected[3]]
    assert len(expected[0]) == LEAST_FILES // 20 + 1


def test_stored_results_are_those_of_one_process(tree: Path, tmp_path: Path) -> None:
    expected, store = scan(tree, "alone")[1], tmp_path / "results"
    assert scan(tree, "ahead", str(store))[1] == expected
    written = store.stat().st_mtime_ns
    assert scan(tree, "ahead", str(store))[1] == expected
    # No file was read again.
    assert store.stat().st_mtime_ns == written
    before = (tree / "file0.ts").read_text()
    (tree / "file0.ts").write_text("")
    changed, alone = scan(tree, "ahead", str(store))[1], scan(tree, "alone")[1]
    # The other tests have the same tree.
    (tree / "file0.ts").write_text(before)
    assert changed == alone != expected


def test_few_files_and_wrong_settings_are_left_to_the_command(tree: Path, tmp_path: Path) -> None:
    subprocess.run(("git", "init", "-q"), cwd=tmp_path, check=True)
    (tmp_path / "app.ts").write_text('isFeatureEnabled("nav")\n')
    assert scan(tmp_path, "ahead") == (False, scan(tmp_path, "alone")[1])
    (tmp_path / ".flagtui.toml").write_text("[code]\nwrapers = []\n")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "ahead"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ".flagtui.toml:2" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(("words", "expected"), [
    ("check", True), ("check . -o sarif", True), ("refs new-nav --in .", True), ("refs --in=..", False),
    ("check ..", False), ("check --help", False), ("flags list", False), ("", False),
])  # fmt: skip
def test_commands_that_scan_the_current_folder_read_ahead(words: str, expected: bool) -> None:
    assert scans_here(words.split()) == expected

"""Run the tests that a change can reach: `make test-changed`.

    python -m tests.changed [PYTEST OPTION]...
    python -m tests.changed --mark-green

The base is the last commit whose run was green; its name is in the git folder of the checkout. A change to
anything but Python and Markdown runs every test. `--mark-green` stores the current commit as that base.
"""

import gc
import re
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Final

from tests.doubles.import_graph import (
    ROOT,
    build_graph,
    find_dependents,
    find_modules,
    find_packages,
    read_names,
)

MARK: Final = "flagtui-green"
TREE_READERS: Final = frozenset({"rglob", "walk_packages", "tree_of", "find_nodes"})
"""A test that uses one of them reads whole folders of the source, so every change to Python reaches it."""
FOLDERS: Final = {"src": "src", "tests": ".", "benchmarks": "."}
"""Where modules are, and from which folder their names begin."""
NO_TESTS: Final = 5
"""Pytest's exit code when it selected nothing."""


def select_tests(changed: Collection[str], root: Path) -> list[str] | None:
    """Return the test files that the changed paths can reach; None selects the whole suite.

    Paths are relative to `root`, the checkout, as git prints them.
    """
    modules = {
        name: path
        for folder, beginning in FOLDERS.items()
        for name, path in find_modules(root / folder, root / beginning).items()
    }
    sources = [path for path in changed if path.endswith(".py")]
    documents = [path for path in changed if path.endswith(".md")]
    names = {str(path.relative_to(root)): name for name, path in modules.items()}
    # A path that no module has is data, or a deleted module: what imported it is no longer in the graph.
    if len(sources) + len(documents) < len(changed) or any(path not in names for path in sources):
        return None
    tests = {name for name in modules if name.startswith("tests.")}
    graph = build_graph(modules)
    for name in tests:
        graph[name] |= find_conftests(name, modules) | find_named_modules(name, modules)
    reached = find_dependents((names[path] for path in sources), graph)
    if sources:
        reached |= {name for name in tests if not TREE_READERS.isdisjoint(read_names(modules[name]).called)}
    if documents:
        reached |= {name for name in tests if names_document(modules[name])}
    files = (modules[name] for name in reached & tests if name.rpartition(".")[2].startswith("test_"))
    return sorted(str(path.relative_to(root)) for path in files)


def find_conftests(name: str, modules: Mapping[str, Path]) -> frozenset[str]:
    """Return the `conftest` modules whose fixtures pytest offers to the test module `name`."""
    places = (f"{package}.conftest" for package in find_packages(name))
    return frozenset({place for place in places if place in modules and place != name})


def find_named_modules(name: str, modules: Mapping[str, Path]) -> frozenset[str]:
    """Return the modules that strings of a test name: in code and commands it starts, as files it runs."""
    words = {word for text in read_names(modules[name]).texts for word in re.findall(r"[\w.]+", text)}
    names = words & modules.keys()
    if "flagtui" in words:
        names |= {"flagtui.__main__"}
    files = {word.removesuffix(".py") for word in words if word.endswith(".py")}
    for package in (name.rpartition(".")[0], "benchmarks"):
        names |= {f"{package}.{file}" for file in files} & modules.keys()
    return frozenset(names - {name})


def names_document(path: Path) -> bool:
    return any(text.endswith(".md") or text == "docs" for text in read_names(path).texts)


def list_changes(base: str, root: Path) -> set[str]:
    """Return the paths that differ from the commit `base`, untracked ones included."""
    return {
        *run_git(root, "diff", "--name-only", "--no-renames", base).splitlines(),
        *run_git(root, "ls-files", "--others", "--exclude-standard").splitlines(),
    }


def is_checkout(root: Path) -> bool:
    """Return whether git is here and `root` is its checkout: the archive of a release is none."""
    return (root / ".git").exists() and shutil.which("git") is not None


def mark_green(root: Path) -> None:
    """Store the current commit as the base of later runs, unless uncommitted changes were tested with it."""
    if is_checkout(root) and not run_git(root, "status", "--porcelain"):
        find_mark(root).write_text(run_git(root, "rev-parse", "HEAD"), encoding="utf-8")


def load_base(root: Path) -> str | None:
    """Return the last green commit; None when there is none or this checkout no longer contains it."""
    if not is_checkout(root) or not find_mark(root).exists():
        return None
    commit = find_mark(root).read_text(encoding="utf-8").strip()
    kind = subprocess.run(
        ["git", "cat-file", "-t", commit], cwd=root, capture_output=True, text=True, check=False
    )
    return commit if kind.stdout == "commit\n" else None


def find_mark(root: Path) -> Path:
    return root / run_git(root, "rev-parse", "--git-dir").strip() / MARK


def run_git(root: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True).stdout


def run_tests(options: Iterable[str], root: Path) -> int:
    """Run the selected tests and mark the commit on success; return pytest's exit code."""
    base = load_base(root)
    tests = None if base is None else select_tests(list_changes(base, root), root)
    if tests is None:
        sys.stderr.write("every test: no green commit is known, or the change reaches all\n")
    else:
        sys.stderr.write(f"{len(tests)} test files that the changes since {base:.10} reach\n")
    code = 0
    if tests != []:
        command = [sys.executable, "-m", "pytest", *options, *(tests or ())]
        code = subprocess.run(command, cwd=root, check=False).returncode
    if code in (0, NO_TESTS):
        mark_green(root)
        return 0
    return code


def main(words: list[str]) -> int:
    # The syntax trees stay until the end; looking through them for garbage takes longer than parsing them.
    gc.disable()
    if words == ["--mark-green"]:
        mark_green(ROOT)
        return 0
    return run_tests(words, ROOT)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

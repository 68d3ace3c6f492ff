"""What is imported is declared, and what is declared is imported: nothing comes by way of another library."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.doubles.source_trees import tree_of

ROOT: Final = Path(__file__).parents[1]
INDIRECT: Final = {"sniffio": "httpx looks for it at every request, and slowly where it is missing"}
"""Declared without being imported, and why."""
MODULES: Final = {"pytest-asyncio": "pytest_asyncio", "pytest-xdist": "xdist"}
TOOLS: Final = {
    "mypy",
    "ruff",
    "pytest-asyncio",
    "pytest-xdist",
    "build",
    "hatchling",
    "pyte",
    "scipy",
    "posthog",
}
"""For tests: run by a command, or imported where they are there."""


def imported(folder: Path) -> Iterator[str]:
    """Top modules that are not the standard library's and not ours, wherever they are imported."""
    for path in folder.rglob("*.py"):
        for node in ast.walk(tree_of(path)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            for name in names:
                if (top := name.split(".")[0]) not in sys.stdlib_module_names | {
                    "flagtui",
                    "tests",
                    "benchmarks",
                }:
                    yield top


def declared(extra: str = "") -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = project["optional-dependencies"][extra] if extra else project["dependencies"]
    return {re.split(r"[^\w-]", line)[0] for line in lines}


def module_of(distribution: str) -> str:
    return MODULES.get(distribution, distribution.replace("-", "_"))


def test_what_the_program_imports_is_declared_and_nothing_else() -> None:
    wanted = set(map(module_of, declared() - INDIRECT.keys()))
    assert set(imported(ROOT / "src")) == wanted


def test_what_the_tests_import_is_declared() -> None:
    known = set(map(module_of, declared() | declared("dev") | declared("check-api")))
    assert set(imported(ROOT / "tests")) <= known


def test_what_is_declared_for_the_tests_is_used_by_them() -> None:
    assert set(map(module_of, declared("dev") - TOOLS)) <= set(imported(ROOT / "tests"))

"""What is imported is declared, and what is declared is imported: nothing comes by way of another library."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Final

import pytest
from tests.doubles.source_trees import find_nodes

pytestmark = pytest.mark.source
ROOT: Final = Path(__file__).parents[1]
INDIRECT: Final = {"sniffio": "httpx looks for it at every request, and slowly where it is missing"}
"""Declared without being imported, and why."""
MODULES: Final = {"pytest-asyncio": "pytest_asyncio", "pytest-xdist": "xdist"}
TOOLS: Final = {
    *("jq", "ast-grep-py", "mypy", "ruff", "pytest-asyncio", "pytest-xdist", "build", "hatchling"),
    *("pyte", "scipy", "posthog", "openfeature-provider-ofrep"),
}
"""For tests: run by a command, or imported where they are there."""
HERE: Final = {*sys.stdlib_module_names, "flagtui", "tests", "benchmarks"}
UNBOUNDED: Final = {
    "typing-extensions": "only ever adds names",
    "regex": "its versions are dates, and it keeps the interface of the standard library",
}
"""Taken at any newer version, and why."""


def imported_modules(folder: Path) -> Iterator[str]:
    """Top modules that are not the standard library's and not ours, wherever they are imported."""
    for path in folder.rglob("*.py"):
        names = [alias.name for node in find_nodes(path, ast.Import) for alias in node.names]
        names += [node.module for node in find_nodes(path, ast.ImportFrom) if node.module and not node.level]
        yield from {name.split(".")[0] for name in names} - HERE


PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def declared(*extras: str) -> dict[str, str]:
    """Return what the program and these extras ask for, by name: `>=0.27,<1`."""
    lines = [
        *PROJECT["dependencies"],
        *(line for extra in extras for line in PROJECT["optional-dependencies"][extra]),
    ]
    matches = (re.match(r"([\w-]+)(.*)", line) for line in lines)
    return {match[1]: match[2] for match in matches if match}


def number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


def modules_of(names: Iterable[str]) -> set[str]:
    return {MODULES.get(name, name.replace("-", "_")) for name in names}


def test_what_the_program_imports_is_declared_and_nothing_else() -> None:
    assert {*imported_modules(ROOT / "src")} == modules_of(declared("code").keys() - INDIRECT.keys())


def test_what_the_tests_import_is_declared() -> None:
    assert {*imported_modules(ROOT / "tests")} <= modules_of(declared("dev", "check-api", "check-mutations"))


def test_what_is_declared_for_the_tests_is_used_by_them() -> None:
    for_tests = declared("dev").keys() - declared().keys() - TOOLS
    assert modules_of(for_tests) <= {*imported_modules(ROOT / "tests")}


def test_next_major_versions_of_libraries_need_a_manual_change() -> None:
    assert {name for name, versions in declared().items() if "<" not in versions} == UNBOUNDED.keys()


def test_reproducible_install_pins_each_version_and_no_host() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    wrong = [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.+!]*", line)]
    assert len(lines) > 30
    assert not wrong


def test_reproducible_versions_satisfy_the_declared_ranges() -> None:
    pairs = (line.partition("==") for line in (ROOT / "constraints.txt").read_text().splitlines())
    kept = {name.lower().replace("_", "-"): number(version) for name, _, version in pairs}
    for name, versions in declared("dev").items():
        for bound in versions.split(","):
            is_below = kept[name] < number(bound)
            assert is_below == bound.startswith("<"), f"{name}: {kept[name]}, asked for {versions}"


def test_every_declared_python_is_tested() -> None:
    named = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    tested = re.search(r"for version in ([\d. ]+);", (ROOT / "Makefile").read_text())
    assert tested is not None
    assert tested[1].split() == named == ["3.11", "3.12", "3.13", "3.14"]
    assert PROJECT["requires-python"] == f">={named[0]}"


def test_what_the_benchmarks_import_of_the_program_is_there() -> None:
    missing = [
        f"{path.name}: {node.module}.{alias.name}"
        for path in (ROOT / "benchmarks").rglob("*.py")
        for node in find_nodes(path, ast.ImportFrom)
        if node.module and node.module.startswith("flagtui")
        for alias in node.names
        if not hasattr(import_module(node.module), alias.name)
    ]
    assert not missing, "\n".join(missing)

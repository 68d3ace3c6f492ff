"""Which module imports which: anywhere in the file, for types too, and by name where modules load lazily."""

import ast
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

from tests.doubles.source_trees import find_nodes

ROOT: Final = Path(__file__).parents[2]

Graph = Mapping[str, frozenset[str]]
"""The modules that each module imports."""


@dataclass(frozen=True)
class Names:
    """What one source file names."""

    imports: set[str] = field(default_factory=set)
    """Modules, and members of modules as `module.member`."""
    texts: list[str] = field(default_factory=list)
    """String constants."""
    called: set[str] = field(default_factory=set)
    """Names and attributes, whatever their owner."""


@cache
def read_names(path: Path) -> Names:
    names = Names()
    for node in find_nodes(path, ast.Import):
        names.imports.update(alias.name for alias in node.names)
    for origin in find_nodes(path, ast.ImportFrom):
        if module := origin.module:
            names.imports.update([module, *(f"{module}.{alias.name}" for alias in origin.names)])
    names.texts.extend(each.value for each in find_nodes(path, ast.Constant) if isinstance(each.value, str))
    names.called.update(each.id for each in find_nodes(path, ast.Name))
    names.called.update(each.attr for each in find_nodes(path, ast.Attribute))
    return names


def find_modules(folder: Path, root: Path) -> dict[str, Path]:
    """Return the Python files below `folder` by module name; names begin below `root`."""
    return {name_module(path, root): path for path in sorted(folder.rglob("*.py"))}


def name_module(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def find_imports(name: str, modules: Mapping[str, Path]) -> frozenset[str]:
    """Return the modules of `modules` that the module `name` names in import statements."""
    return frozenset(read_names(modules[name]).imports & modules.keys() - {name})


def find_lazy_imports(name: str, modules: Mapping[str, Path]) -> frozenset[str]:
    """Return the modules that `name` can pass to `import_module`: by full name or below a package above it.

    The names are strings of the module, or words of a table it reads: `commands.tsv` beside it or above.
    A string that only looks like a module's name adds an edge; a missing edge would skip tests.
    """
    names = read_names(modules[name])
    if "import_module" not in names.called:
        return frozenset()
    packages = ["", *(f"{package}." for package in find_packages(name))]
    folders = [modules[name].parent, modules[name].parents[1]]
    tables = (folder / text for text in names.texts if text.endswith(".tsv") for folder in folders)
    words = {word for table in tables if table.is_file() for word in table.read_text("utf-8").split()}
    return frozenset(
        {package + text for text in {*names.texts, *words} for package in packages} & modules.keys() - {name}
    )


def find_packages(name: str) -> list[str]:
    """Return the packages that contain the module `name`, the outermost first."""
    parts = name.split(".")
    return [".".join(parts[:length]) for length in range(1, len(parts))]


def build_graph(modules: Mapping[str, Path]) -> dict[str, frozenset[str]]:
    """Return every edge, that of a module to its packages included: importing it runs their `__init__`."""
    return {
        name: find_imports(name, modules)
        | find_lazy_imports(name, modules)
        | (frozenset(find_packages(name)) & modules.keys())
        for name in modules
    }


def find_dependents(changed: Iterable[str], graph: Graph) -> set[str]:
    """Return `changed` and every module that imports one of them, directly or transitively."""
    importers: dict[str, set[str]] = defaultdict(set)
    for name, imports in graph.items():
        for imported in imports:
            importers[imported].add(name)
    dependents = set(changed)
    waiting = deque(dependents)
    while waiting:
        new = importers[waiting.popleft()] - dependents
        dependents |= new
        waiting.extend(new)
    return dependents

"""Every source file, parsed and walked once for all tests that look at how it is written."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TypeVar, cast

Node = TypeVar("Node", bound=ast.AST)


def walk(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield every node but the contexts of names, outer ones first: `ast.walk` in a third of the time."""
    level: list[ast.AST] = [tree]
    while level:
        yield from level
        below: list[ast.AST] = []
        for node in level:
            for field in node._fields:
                value = getattr(node, field, None)
                if isinstance(value, list):
                    below += [each for each in value if isinstance(each, ast.AST)]
                elif isinstance(value, ast.AST) and field != "ctx":
                    below.append(value)
        level = below


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def find_nodes(path: Path, kind: type[Node]) -> list[Node]:
    """Return the nodes of exactly this class, outer ones first."""
    return cast(list[Node], _nodes_by_class(path).get(kind, []))


def find_functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [*find_nodes(path, ast.FunctionDef), *find_nodes(path, ast.AsyncFunctionDef)]


def name_last(node: ast.expr) -> str:
    """Return the name behind the last dot: what `ast.unparse` ends with, a hundred times faster."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ast.unparse(node).rpartition(".")[2]


@cache
def _nodes_by_class(path: Path) -> Mapping[type[ast.AST], list[ast.AST]]:
    nodes: dict[type[ast.AST], list[ast.AST]] = defaultdict(list)
    for node in walk(tree_of(path)):
        nodes[type(node)].append(node)
    return nodes

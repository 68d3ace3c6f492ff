"""Read the text of a file: strings, comments and defined names of a module, or the lines of a page."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from tests.doubles.source_trees import tree_of, walk

_WORD_STARTS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_DOCUMENTED: Final = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_COMMENT: Final = re.compile(r"(?:^|\s)# .*$", re.MULTILINE)


class Passage(NamedTuple):
    """A piece of text and the line where it begins; `is_binding` for a name that a statement binds."""

    line: int
    text: str
    is_binding: bool = False
    is_string: bool = False
    is_statement: bool = False
    """Whether a string is a statement of its own: a docstring, or what stands below a field."""
    is_docstring: bool = False


@cache
def read_passages(path: Path) -> tuple[Passage, ...]:
    """Return every passage of a Python module, or every line of any other file."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        # What is kept of the source, other tests read too; the trees of the tests would take as much again.
        tree = tree_of(path) if "src" in path.parts else ast.parse(source)
        return tuple(_module_passages(source, tree))
    return tuple(Passage(number, line) for number, line in enumerate(source.splitlines(), 1))


def read_strings(path: Path) -> list[str]:
    """Return every string of a module except docstrings and those of fields."""
    return [each.text for each in read_passages(path) if each.is_string and not each.is_statement]


def _module_passages(source: str, tree: ast.Module) -> Iterator[Passage]:
    statements: set[int] = set()
    docstrings: set[int] = set()
    for node in walk(tree):
        if isinstance(node, _DOCUMENTED):
            docstrings |= {id(each.value) for each in node.body[:1] if isinstance(each, ast.Expr)}
        match node:
            case ast.Expr(value=ast.Constant()):
                statements.add(id(node.value))
            case ast.Constant(value=str(text)):
                yield Passage(node.lineno, text, False, True, id(node) in statements, id(node) in docstrings)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                # `no_answer` and `NoAnswer` are `no answer`.
                yield Passage(node.lineno, _WORD_STARTS.sub(" ", node.name.replace("_", " ")).lower())
            case ast.arg():
                yield Passage(node.lineno, node.arg, is_binding=True)
            case ast.Name(ctx=ast.Store()):
                yield Passage(node.lineno, node.id, is_binding=True)
            case _:
                pass
    for number, line in enumerate(source.splitlines(), 1):
        if comment := _COMMENT.search(line):
            yield Passage(number, comment[0])

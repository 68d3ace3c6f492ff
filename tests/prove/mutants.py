"""Small faults in the source, chosen at random from a seed: each a replacement of one piece of text."""

import ast
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_OPPOSITES: Final[Iterable[tuple[type[ast.cmpop], type[ast.cmpop]]]] = (
    *((ast.Eq, ast.NotEq), (ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.In, ast.NotIn), (ast.Is, ast.IsNot)),
)
COMPARISONS: Final[Mapping[type[object], type[ast.cmpop]]] = {
    kind: other for pair in _OPPOSITES for kind, other in (pair, pair[::-1])
}
OPERATORS: Final[Mapping[type[object], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}

SKIPPED: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.JoinedStr, ast.pattern)


@dataclass(frozen=True, order=True)
class Mutant:
    """One fault: the text between two positions of a file, in bytes, and what replaces it."""

    path: str
    """Relative to the root of the checkout."""
    line: int
    """Where the statement begins: what runs inside it is recorded there."""
    start: int
    end: int
    replacement: str

    def apply(self, source: bytes) -> bytes:
        return source[: self.start] + self.replacement.encode() + source[self.end :]


def choose_mutants(paths: Iterable[Path], root: Path, seed: int, count: int) -> list[Mutant]:
    """Return `count` mutants of the files, every possible one being as likely as any other."""
    mutants = find_all_mutants(paths, root)
    return sorted(random.Random(seed).sample(mutants, min(count, len(mutants))))


def find_all_mutants(paths: Iterable[Path], root: Path) -> list[Mutant]:
    return [mutant for path in sorted(paths) for mutant in find_mutants(path, root)]


def find_mutants(path: Path, root: Path) -> Iterator[Mutant]:
    """Yield every mutant of a file; only what runs inside functions is mutated."""
    source = path.read_bytes()
    lines = [0]
    for line in source.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    for statement, node in _nodes_in_functions(ast.parse(source)):
        for replacement in _replacements(node):
            assert isinstance(node, ast.expr | ast.stmt)
            assert node.end_lineno is not None
            assert node.end_col_offset is not None
            start = lines[node.lineno - 1] + node.col_offset
            end = lines[node.end_lineno - 1] + node.end_col_offset
            yield Mutant(str(path.relative_to(root)), statement, start, end, replacement)


def _nodes_in_functions(tree: ast.Module) -> Iterator[tuple[int, ast.AST]]:
    """Yield each node with the line on which its innermost statement begins."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for statement in node.body:
                if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
                    yield from _below(statement, statement.lineno)


def _below(node: ast.AST, line: int) -> Iterator[tuple[int, ast.AST]]:
    """Yield a node and the nodes below it, but no inner functions and nothing whose position is unknown."""
    line = node.lineno if isinstance(node, ast.stmt) else line
    yield line, node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, SKIPPED):
                yield from _below(child, line)


def _replacements(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.stmt):
        yield from _statement_replacements(node)
    elif isinstance(node, ast.Constant):
        yield from _constant_replacements(node.value)
    elif isinstance(node, ast.expr):
        yield from _expression_replacements(node)


def _statement_replacements(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield "return None"
        case ast.Expr(value=ast.Call()):
            yield "pass"
        case ast.Break():
            yield "continue"
        case ast.Continue():
            yield "break"


def _constant_replacements(value: object) -> Iterator[str]:
    match value:
        case bool():
            yield str(not value)
        case int():
            yield str(value + 1)
        case str() if value:
            yield repr(f"{value}~")


def _expression_replacements(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Compare(left, [operator, *operators], values) if type(operator) in COMPARISONS:
            changed = [COMPARISONS[type(operator)](), *operators]
            yield _write(ast.Compare(left, changed, values))
        case ast.BoolOp(operator, values):
            yield _write(ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values))
        case ast.BinOp(left, operator, right) if type(operator) in OPERATORS:
            yield _write(ast.BinOp(left, OPERATORS[type(operator)](), right))
        case ast.UnaryOp(ast.Not(), operand):
            yield _write(operand)
        case ast.IfExp(test, body, orelse):
            yield _write(ast.IfExp(ast.UnaryOp(ast.Not(), test), body, orelse))


def _write(node: ast.expr) -> str:
    return f"({ast.unparse(node)})"

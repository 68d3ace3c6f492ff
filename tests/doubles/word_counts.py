"""Read the text of a file: strings, comments and defined names of a module, or the lines of a page."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

_WORD_STARTS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_COMMENT: Final = re.compile(r"(?:^|\s)# .*$", re.MULTILINE)


class Passage(NamedTuple):
    """A piece of text and the line where it begins; `is_binding` for a name that a statement binds."""

    line: int
    text: str
    is_binding: bool = False


@cache
def read_passages(path: Path) -> tuple[Passage, ...]:
    """Return every passage of a Python module, or every line of any other file."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return tuple(_module_passages(source))
    return tuple(Passage(number, line) for number, line in enumerate(source.splitlines(), 1))


def _module_passages(source: str) -> Iterator[Passage]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Constant(value=str(text)):
                yield Passage(node.lineno, text)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield Passage(node.lineno, split_name(node.name))
            case ast.arg():
                yield Passage(node.lineno, node.arg, is_binding=True)
            case ast.Name(ctx=ast.Store()):
                yield Passage(node.lineno, node.id, is_binding=True)
            case _:
                pass
    for number, line in enumerate(source.splitlines(), 1):
        if comment := _COMMENT.search(line):
            yield Passage(number, comment[0])


def split_name(name: str) -> str:
    """Return the words of a name: `no_answer` and `NoAnswer` are `no answer`."""
    return _WORD_STARTS.sub(" ", name.replace("_", " ")).lower()

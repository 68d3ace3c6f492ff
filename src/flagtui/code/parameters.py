"""Parameters and loop variables: names whose value depends on the caller, in a part of a file."""

import re
from collections.abc import Iterator
from typing import Final

from flagtui.code.syntax import Node, parse_tree

_SCRIPT: Final = ("formal_parameters", "arrow_function", "for_in_statement")
_KINDS: Final = {
    **dict.fromkeys(("typescript", "tsx", "javascript"), _SCRIPT),
    "python": ("parameters", "lambda_parameters", "for_statement", "for_in_clause"),
    "go": ("parameter_list", "range_clause"),
    "ruby": ("method_parameters", "block_parameters"),
    "java": ("formal_parameters", "inferred_parameters", "enhanced_for_statement"),
    "kotlin": ("function_value_parameters", "lambda_parameters", "class_parameter", "for_statement"),
    "swift": ("parameter", "lambda_parameter", "for_statement"),
    "php": ("formal_parameters", "foreach_statement"),
    "rust": ("parameters", "closure_parameters", "for_expression"),
    "dart": ("formal_parameter_list",),
    "csharp": ("parameter_list", "foreach_statement"),
}
"""Nodes that declare such names, by parser."""
_LOOPS: Final = frozenset(
    (
        *("for_in_statement", "for_statement", "for_in_clause", "range_clause", "enhanced_for_statement"),
        *("foreach_statement", "for_expression"),
    )
)
_LOOP: Final = re.compile(
    r"(?:foreach\s*\(.*?\bas|for(?:each)?)\b(.*?)(?:\b(?:in|of)\b|:|\)\s*\{)|(.*?):=", re.DOTALL
)
_WORD: Final = re.compile(r"[\w$]+")


def find_parameters(text: str, parser: str) -> Iterator[tuple[str, int, int]]:
    """Yield each name with the start and the end of the code in which it has this meaning."""
    if (kinds := _KINDS.get(parser)) is None:
        return
    for node in parse_tree(text, parser).find_all({"rule": {"any": [{"kind": kind} for kind in kinds]}}):
        kind, words = node.kind(), node.text()
        if kind == "arrow_function":
            scope, names = node, words.partition("=>")[0].partition("(")[0]
        elif kind in _LOOPS:
            match = _LOOP.match(words)
            scope, names = node, (match[1] or match[2]).replace("=>", ",") if match else ""
            if kind.endswith("_clause"):
                scope = node.parent() or node
        else:
            scope, names = _around(node), words
        place = scope.range()
        for part in names.split(","):
            if name := _WORD.findall(part.partition("=")[0].partition(":")[0]):
                yield name[0 if parser == "go" else -1], place.start.index, place.end.index


def _around(node: Node) -> Node:
    """Return the nearest node with code after this one: its function."""
    scope, end = node, node.range().end.index
    while scope.range().end.index <= end + 1 and (parent := scope.parent()) is not None:
        scope = parent
    return scope

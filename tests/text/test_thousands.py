"""Numbers of records have thousands separators wherever they are shown."""

import ast
from pathlib import Path

from tests.doubles.source_trees import find_nodes

import flagtui

SHOWN = ("app", "changes", "cli", "details", "text")
"""Packages whose sentences people read."""


def plain_counts(path: Path) -> list[int]:
    """Return the lines of f-strings that show a length without a format."""
    return [
        node.lineno
        for node in find_nodes(path, ast.FormattedValue)
        if isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "len"
        and node.format_spec is None
    ]


def test_every_count_has_thousands_separators() -> None:
    package = Path(flagtui.__file__).parent
    files = [path for name in SHOWN for path in (package / name).rglob("*.py")]
    plain = {str(path): plain_counts(path) for path in files}
    assert len(files) > 300
    assert {path: lines for path, lines in plain.items() if lines} == {}

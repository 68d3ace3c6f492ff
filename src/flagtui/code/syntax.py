"""Locate strings, comments and arguments in a file with its language's parser.

The only module that loads the extra `flagtui[code]`.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from flagtui.code.embedded_code import comments_of, template_of
from flagtui.code.languages import LANGUAGES, Language

if TYPE_CHECKING:
    from ast_grep_py import SgNode

Node: TypeAlias = "SgNode"
"""A node of a syntax tree."""
PARSER: Final = "ast-grep-py"
"""The package of the extra `code`, as installers name it."""
_LIBRARY: Final = "ast_grep_py"
_ERROR: Final = "ERROR"
_SCRIPT_TAG: Final = "script_element"


class Syntax(msgspec.Struct):
    """Positions in characters from the start of the file."""

    strings: dict[int, int] = {}
    """End by start, quotes included."""
    comments: dict[int, int] = {}
    """End by start."""
    arguments: dict[int, int] = {}
    """End by start; with the parentheses where there are any."""
    broken_at: int | None = None
    """Where the parser first understood nothing; None for a file without errors."""


def find_parser() -> str | None:
    """Return the file of the extra; None if it is not installed."""
    spec = find_spec(_LIBRARY)
    return spec.origin if spec else None


def has_parser() -> bool:
    """Return whether the extra is installed."""
    return find_parser() is not None


def parse(text: str, language: Language) -> Syntax:
    """Return the positions; a file with errors has those of the parts that are understood."""
    syntax = Syntax()
    if language.parser == "html":
        _read_page(text, language, syntax)
        syntax.comments |= comments_of(text) if language.name == "html" else ()
    else:
        _read_script(text, language, 0, syntax)
    return syntax


def add_page(page: str, text: str, syntax: Syntax) -> None:
    """Add the positions in scripts and handlers of a page, whose text has code of a server, too."""
    broken_at = syntax.broken_at
    _read_page(page, LANGUAGES["html"], syntax)
    syntax.comments |= comments_of(text)
    # Values of the server are missing in the page.
    syntax.broken_at = broken_at


def _read_script(text: str, language: Language, offset: int, syntax: Syntax) -> None:
    root = parse_tree(text, language.parser)
    kinds = dict.fromkeys(language.strings, syntax.strings)
    kinds |= dict.fromkeys(language.comments, syntax.comments)
    kinds |= dict.fromkeys(language.arguments, syntax.arguments)
    errors: dict[int, int] = {}
    kinds[_ERROR] = errors
    for node in root.find_all({"rule": {"any": [{"kind": kind} for kind in kinds]}}):
        place = node.range()
        kinds[node.kind()][place.start.index + offset] = place.end.index + offset
    if errors and syntax.broken_at is None:
        syntax.broken_at = min(errors)


def _read_page(text: str, language: Language, syntax: Syntax) -> None:
    root = parse_tree(text, "html")
    for node in root.find_all(kind="comment"):
        syntax.comments[node.range().start.index] = node.range().end.index
    for node in root.find_all(kind="quoted_attribute_value"):
        syntax.strings[node.range().start.index] = node.range().end.index
    for script in root.find_all(kind=_SCRIPT_TAG):
        for content in script.children():
            if content.kind() == "raw_text":
                name = "tsx" if "tsx" in _tag(script) else "ts"
                _read_script(content.text(), LANGUAGES[name], content.range().start.index, syntax)
    broken_at = syntax.broken_at
    _read_script(template_of(text, language.name), LANGUAGES["ts"], 0, syntax)
    # Attributes have parts of statements too.
    syntax.broken_at = broken_at


def _tag(script: Node) -> str:
    return script.text().partition(">")[0]


def parse_tree(text: str, parser: str) -> Node:
    """Return the root of the syntax tree."""
    # 46 MB, loaded with the first file that has a hit.
    from ast_grep_py import SgRoot

    return SgRoot(text, parser).root()

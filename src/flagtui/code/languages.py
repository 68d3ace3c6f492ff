"""Languages of source files: their names and extensions, and the words of their syntax trees."""

from collections.abc import Mapping
from typing import Final

import msgspec


class Language(msgspec.Struct, frozen=True):
    """A language: the names of its files, and its parser."""

    name: str
    extensions: tuple[str, ...]
    parser: str = ""
    """The name of the parser; a name that the parser does not know would end the process."""
    strings: tuple[str, ...] = ()
    comments: tuple[str, ...] = ("comment",)
    arguments: tuple[str, ...] = ("arguments",)
    is_server: bool = False
    """Whether libraries for this language run on servers."""


_SCRIPT: Final = ("string", "template_string")
_TEMPLATES: Final = ("ejs", "hbs", "njk", "jinja", "jinja2", "twig", "liquid", "jsp")
"""Extensions of pages that other programs complete; their scripts and handlers are those of HTML."""
_ALL: Final = (
    Language("ts", ("ts", "mts", "cts"), "typescript", _SCRIPT),
    Language("tsx", ("tsx",), "tsx", _SCRIPT),
    Language("js", ("js", "jsx", "mjs", "cjs"), "javascript", _SCRIPT),
    Language("python", ("py", "pyi"), "python", ("string",), arguments=("argument_list",), is_server=True),
    Language(
        "go",
        ("go",),
        "go",
        ("interpreted_string_literal", "raw_string_literal", "rune_literal"),
        arguments=("argument_list", "literal_value"),
        is_server=True,
    ),
    Language(
        "ruby",
        ("rb", "rake", "erb"),
        "ruby",
        ("string", "heredoc_body"),
        arguments=("argument_list",),
        is_server=True,
    ),
    Language(
        "java",
        ("java",),
        "java",
        ("string_literal", "character_literal"),
        ("line_comment", "block_comment"),
        ("argument_list", "annotation_argument_list"),
    ),
    Language(
        "kotlin",
        ("kt", "kts"),
        "kotlin",
        ("string_literal", "character_literal"),
        ("line_comment", "multiline_comment"),
        ("value_arguments",),
    ),
    Language(
        "swift",
        ("swift",),
        "swift",
        ("line_string_literal", "multi_line_string_literal", "raw_string_literal"),
        ("comment", "multiline_comment"),
        ("value_arguments",),
    ),
    Language("php", ("php",), "php", ("string", "encapsed_string", "heredoc", "nowdoc"), is_server=True),
    Language(
        "rust",
        ("rs",),
        "rust",
        ("string_literal", "raw_string_literal", "char_literal"),
        ("line_comment", "block_comment"),
        ("arguments", "token_tree"),
        is_server=True,
    ),
    Language("elixir", ("ex", "exs"), "elixir", ("string", "charlist", "sigil"), is_server=True),
    Language("dart", ("dart",), "dart", ("string_literal",)),
    Language(
        "csharp",
        ("cs",),
        "csharp",
        (
            *("string_literal", "verbatim_string_literal", "raw_string_literal", "character_literal"),
            "interpolated_string_expression",
        ),
        arguments=("argument_list", "attribute_argument_list"),
        is_server=True,
    ),
    Language("html", ("html", "htm", *_TEMPLATES), "html"),
    Language("vue", ("vue",), "html"),
    Language("svelte", ("svelte", "astro"), "html"),
)
LANGUAGES: Final[Mapping[str, Language]] = {language.name: language for language in _ALL}
"""By name; the only languages that files are parsed as."""
SCRIPTS: Final = frozenset(("ts", "tsx", "js", "vue", "svelte", "html"))
"""Languages whose files import each other."""
_BY_EXTENSION: Final = {extension: language for language in _ALL for extension in language.extensions}


def language_of(path: str) -> Language | None:
    """Return the language of a file by its extension; None for text and languages that are not parsed."""
    return _BY_EXTENSION.get(path.rpartition(".")[2].lower())

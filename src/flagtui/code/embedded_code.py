"""Code within pages: what a parser of the language alone understands, at the same positions."""

import re
from typing import Final

# Compiled with the first page: most trees have none of some languages.
_RUBY: Final = r"<%(#[^\n]*?)%>(?=[ \t]*$)|<%(?![#%])[-=]*(.*?)-?%>"
"""A comment that ends its line is one of Ruby, too."""
_PHP: Final = r"<\?(?:php\b|=)?(.*?)(?:\?>|\Z)"
_NO_TEMPLATE: Final = r"<!--.*?-->|<(?:script|style)\b.*?</(?:script|style)>"
_ATTRIBUTES: Final = (
    rf"{_NO_TEMPLATE}|\{{\{{(.*?)\}}\}}|@(?:else\s+)?(?:if|switch)\s*\((.*?)\)\s*\{{"
    r"""|\s(?:on|v-|x-|ng-|[:@#*(\[])[\w:.()\[\]-]+\s*=\s*(?:"([^"]*)"|'([^']*)')"""
)
"""Expressions of Vue, Angular and Alpine, and handlers of HTML."""
_SVELTE: Final = (
    rf"\A---\r?\n(.*?)^---|{_NO_TEMPLATE}|\{{(?:[#:@/]\w+(?:\s+if\b)?)?"
    r"""((?:[^{}"'`]|"[^"]*"|'[^']*'|`[^`]*`|\{[^{}]*\})*)\}"""
)
_ALL_BUT_LINES: Final = re.compile(r"[^\n]")


def script_of(text: str, path: str) -> str:
    """Return the Ruby of an ERB page, or the PHP of a page; other text as it is."""
    if path.endswith(".erb"):
        return _only(_RUBY, text)
    if path.endswith(".php") and "?>" in text:
        return _only(_PHP, text)
    return text


def template_of(text: str, language: str) -> str:
    """Return the expressions in the template of a page or a component, in TypeScript."""
    return _only(_SVELTE if language == "svelte" else _ATTRIBUTES, text)


def _only(pattern: str, text: str) -> str:
    """Return what the groups match, each with a semicolon after it; spaces replace the rest."""
    pieces: list[str] = []
    place = 0
    for match in re.finditer(pattern, text, re.DOTALL | re.MULTILINE):
        if match.lastindex is not None:
            start, end = match.span(match.lastindex)
            pieces += _ALL_BUT_LINES.sub(" ", text[place:start]), text[start:end]
            place = end
            if end < len(text):
                pieces.append(";")
                place += 1
    return "".join([*pieces, _ALL_BUT_LINES.sub(" ", text[place:])])

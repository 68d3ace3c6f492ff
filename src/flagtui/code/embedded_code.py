"""Code within pages: what a parser of the language alone understands, at the same positions."""

import re
from typing import Final

_RUBY: Final = re.compile(r"<%(#[^\n]*?)%>(?=[ \t]*$)|<%(?![#%])[-=]*(.*?)-?%>", re.DOTALL | re.MULTILINE)
"""A comment that ends its line is one of Ruby, too."""
_PHP: Final = re.compile(r"<\?(?:php\b|=)?(.*?)(?:\?>|\Z)", re.DOTALL)
_NO_TEMPLATE: Final = r"<!--.*?-->|<(?:script|style)\b.*?</(?:script|style)>"
_VUE: Final = re.compile(
    rf"""{_NO_TEMPLATE}|\{{\{{(.*?)\}}\}}|\s(?:v-|[:@#])[\w:.\[\]-]+\s*=\s*(?:"([^"]*)"|'([^']*)')""",
    re.DOTALL,
)
_SVELTE: Final = re.compile(
    rf"""{_NO_TEMPLATE}|\{{(?:[#:@/]\w+(?:\s+if\b)?)?((?:[^{{}}"'`]|"[^"]*"|'[^']*'|`[^`]*`|\{{[^{{}}]*\}})*)\}}""",
    re.DOTALL,
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
    """Return the expressions in the template of a Vue or Svelte component; empty for other pages."""
    pattern = {"vue": _VUE, "svelte": _SVELTE}.get(language)
    return _only(pattern, text) if pattern else ""


def _only(pattern: re.Pattern[str], text: str) -> str:
    """Return what the groups match, each with a semicolon after it; spaces replace the rest."""
    pieces: list[str] = []
    place = 0
    for match in pattern.finditer(text):
        if match.lastindex is not None:
            start, end = match.span(match.lastindex)
            pieces += _ALL_BUT_LINES.sub(" ", text[place:start]), text[start:end]
            place = end
            if end < len(text):
                pieces.append(";")
                place += 1
    return "".join([*pieces, _ALL_BUT_LINES.sub(" ", text[place:])])

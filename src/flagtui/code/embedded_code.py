"""Code within pages: what a parser of the language alone understands, at the same positions."""

import re
from collections.abc import Iterator
from typing import Final

# Patterns of text, compiled with the first page: most trees have none of some languages. A second start
# ends the search for an end, which would else take the square of the time.
_RUBY: Final = r"<%(#[^\n]*?)%>(?=[ \t]*$)|<%(?![#%])[-=]*((?:(?!<%).)*?)-?%>"
"""A comment that ends its line is one of Ruby, too."""
_PHP: Final = r"<\?(?:php\b|=)?(.*?)(?:\?>|\Z)"
_VALUE: Final = r"\{\{((?:(?!\{\{).)*?)\}\}|\{!!((?:(?!\{!!).)*?)!!\}"
_NOTE: Final = r"\{\{!?--(?:(?!\{\{!?--).)*?--\}\}"
"""A comment of Blade and Handlebars."""
_BLADE: Final = (
    rf"{_NOTE}|{_VALUE}|@php\b(?!\s*\()((?:(?!@php\b).)*?)@endphp"
    rf"|@\w+\s*(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))|{_PHP}"
)
_SERVER: Final = rf"<%(?:(?!<%).)*?%>|{_PHP}|{_NOTE}|{_VALUE}"
_COMMENT: Final = rf"{_NOTE}|\{{#(?:(?!\{{#).)*?#\}}|<%#(?:(?!<%).)*?%>"
"""A comment of Blade, Handlebars, Jinja, EJS or ERB."""
_NO_TEMPLATE: Final = (
    r"<!--(?:(?!<!--).)*?-->|<script\b(?:(?!<script\b).)*?</script>|<style\b(?:(?!<style\b).)*?</style>"
)
_ATTRIBUTES: Final = (
    rf"{_NO_TEMPLATE}|{_VALUE}|@(?:else\s+)?(?:if|switch)\s*\((.{{0,300}}?)\)\s*\{{"
    r"""|\s(?:on|v-|x-|ng-|[:@#*(\[])[\w:.()\[\]-]+\s*=\s*(?:"([^"]*)"|'([^']*)')"""
)
"""Expressions of Vue, Angular and Alpine, and handlers of HTML."""
_SVELTE: Final = (
    rf"\A---\r?\n(.*?)^---|{_NO_TEMPLATE}|\{{(?:[#:@/]\w+(?:\s+if\b)?)?"
    r"""((?:[^{}"'`]|"[^"]*"|'[^']*'|`[^`]*`|\{[^{}]*\})*)\}"""
)
_ALL_BUT_LINES: Final = re.compile(r"[^\n]")


_WITH_BLADE: Final = ".blade.php"


def script_of(text: str, path: str) -> str:
    """Return the Ruby of an ERB page, or the PHP of a page; other text as it is."""
    if path.endswith(_WITH_BLADE):
        return _only(_BLADE, text)
    if path.endswith(".erb"):
        return _only(_RUBY, text)
    if path.endswith(".php") and "?>" in text:
        return _only(_PHP, text)
    return text


def page_of(text: str, path: str) -> str:
    """Return the HTML of a page with Ruby or PHP; empty for other files."""
    is_page = path.endswith((".erb", _WITH_BLADE)) or (path.endswith(".php") and "?>" in text)
    return re.sub(_SERVER, lambda code: _blank(code[0]), text, flags=re.DOTALL) if is_page else ""


def comments_of(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the comments of a page that a server completes are."""
    return (match.span() for match in re.finditer(_COMMENT, text, re.DOTALL))


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
            pieces += _blank(text[place:start]), text[start:end]
            place = end
            if end < len(text):
                pieces.append(";")
                place += 1
    return "".join([*pieces, _blank(text[place:])])


def _blank(text: str) -> str:
    return _ALL_BUT_LINES.sub(" ", text)

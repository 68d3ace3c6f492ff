"""Names that have a key, where a file declares them."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from functools import cache, cached_property, partial
from typing import Final

import msgspec

from flagtui.code.call_arguments import SourceText
from flagtui.code.imported_modules import module_name
from flagtui.code.languages import SCRIPTS
from flagtui.code.reference_records import SELF_NAMES, NamedKey

_ASSIGNED: Final = re.compile(
    r"(?:^|[;{)])[ \t]*(?!<)(?:[\w$<>\[\].,:&'?@*]+\s+){0,6}?(?P<name>[A-Za-z_$][\w$]*)"
    r"(?:[ \t]*:[ \t]*[^=;(){}\n]{1,80})?\s+(?::=|=)\s*\Z",
    re.MULTILINE,
)
_ASSIGNMENT: Final = re.compile(
    r"(?:^|[;{})])[ \t]*(?:[\w$]+[ \t]+){0,4}([\w$]+)[ \t]*(\+|\.|\|\||\?\?)?:?=(?![=>~])[ \t]*", re.MULTILINE
)
_DECLARED: Final = re.compile(
    r"(?:\b(?:const|let|var|val)\s+|,\s*(?=[A-Z]))(?P<name>[A-Za-z_$][\w$]*)"
    r"(?:\s*:\s*[^=;(){}\n]{1,80})?\s*=\s*\Z"
)
"""A declaration within a line, or without spaces; after a comma a member of an enumeration."""
_GO_TYPED: Final = re.compile(
    r"(?:^|[;{(])[ \t]*(?:const\s+|var\s+)?(?P<name>(?!const\b|var\b)[A-Za-z_]\w*)\s+[\w.]+\s+=\s*\Z",
    re.MULTILINE,
)
_MEMBER: Final = re.compile(r"(?P<name>[A-Za-z_$][\w$]*)[\"']?\s*(?::|=>)\s*\Z")
_ENUM: Final = re.compile(r"(?:^|[;{,])[ \t]*(?P<name>[A-Z][A-Z0-9_]*)\s*\(\s*\Z", re.MULTILINE)
_ENTRY: Final = re.compile(
    r"(?:^|[;{,])[ \t]*(?P<name>[A-Za-z_]\w*)\s*\(\s*(?:\w+\s*[=:]\s*)?\Z", re.MULTILINE
)
"""An entry of an enumeration whose name is not in capitals."""
_SINGLETON: Final = re.compile(r"\bobject\s+(?P<name>\w+)\s*:\s*(\w+)\(\s*(?:\w+\s*=\s*)?\Z")
"""A subtype of a sealed class in Kotlin: `object Nav : Flag("nav")`."""
_WITH_ENTRIES: Final = ("java", "kotlin", "dart")
_PROPERTY: Final = re.compile(
    r"\b(?:public|private|protected|internal|static)\b[^=;{}()]*?\b(?P<name>\w+)\s*(?:=>|\{\s*get;[^{}]*\}\s*=)\s*\Z"
)
_WITH_ARROWS: Final = ("csharp", "dart")
"""Languages with properties that are one expression: `static String get nav => "nav";`."""
_CASE: Final = re.compile(r"\bcase\s[^;{}]*,\s*(?P<name>\w+)\s*=\s*\Z")
"""A case after others in its line."""
_ARM: Final = re.compile(r"\b(\w+)::\w+\s*=>\s*\Z")
_ATTRIBUTE: Final = re.compile(r"(?P<name>@[a-z_]\w*)\s+\Z")
_DEFINE: Final = re.compile(r"\bdefine\(\s*[\"'](?P<name>\w+)[\"']\s*,\s*\Z")
_BRACE: Final = re.compile(r"[{}]")
_OBJECT: Final = re.compile(
    r"(?:(?P<member>[\w$]+)[\"']?\s*:\s*|(?P<variable>[\w$]+)\s*(?::[^={};]*)?=(?![=>])[^={};]*)\Z"
)
"""What precedes an object: `nav: `, `FLAGS = Object.freeze(`."""
_CLASS: Final = re.compile(
    r"\b(?:(?:class|enum|object|module|interface|struct|trait|namespace|extension|record|impl|mod)\s+)+"
    r"([A-Za-z_$][\w$]*)"
)
_VARIABLE: Final = re.compile(r"\b(?:const|let|var|val|final|enum|class|object)\s+([A-Za-z_$][\w$]*)")
_PACKAGE: Final = re.compile(r"^package\s+(\w+)", re.MULTILINE)
# A pattern that begins with a line end is several times as fast as one that begins with `^`.
_USES: Final = re.compile(r"\n[ \t]*(?:pub\s+)?use\b[^;]*")
_IMPORTS: Final = {
    **dict.fromkeys(("rust", "php"), _USES),
    "python": re.compile(r"\n[ \t]*(?:from\s+\S+\s+import\s+(?:\([^)]*\)|[^\n]*)|import\s+[^\n]*)"),
    "go": re.compile(r"\n[ \t]*import\s+(?:\([^)]*\)|[^\n]*)"),
    "js": re.compile(
        r"\n[ \t]*(?:import\b[^;'\"]*"
        r"|(?:const|let|var)\s+[^=]*=\s*(?:await\s+)?(?:require|import)\()"
    ),
}
_LINE_IMPORTS: Final = re.compile(r"\n[ \t]*(?:import|use|using|alias|require\w*)\b[^\n;]*")
_RENAMED: Final = re.compile(r"(?P<old>[A-Za-z_$][\w$]*)\s+as\s+(?P<new>[A-Za-z_$][\w$]*)")
_RENAMED_IN: Final = {
    "go": re.compile(r"(?P<new>\w+)[ \t]+\"(?:[^\"\n]*/)?(?P<old>\w+)\""),
    "elixir": re.compile(r"(?P<old>\w+),\s*as:\s*(?P<new>\w+)"),
    "csharp": re.compile(r"(?P<new>\w+)\s*=\s*(?:\w+\.)*(?P<old>\w+)"),
}
_PATH: Final = re.compile(r"(?:[&*\\]*|\.)(@?[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.|\\)[A-Za-z_$][\w$]*)*)")
_SEPARATOR: Final = re.compile(r"\?\.|\.|::|->|\\")
_ACCESS: Final = re.compile(
    r"(?:\s+as\s+(?:(?:keyof|typeof)\s+)*[\w.<>\[\]]+|!|\.to_s\b|(?:\?\.|\.|->)(?:rawValue|value|key|id|name|displayName|eventName|flagKey)"
    r"|(?:\.|::|->)(?:toString|getKey|getValue|getEventName|key|value|to_string|to_owned|clone|as_str|into|String)\(\))+$"
)
_INDEX: Final = re.compile(r"(?:\?\.)?\[\s*([\"'`])([A-Za-z_$][\w$]*)\1\s*\]")
_MEMBER_ACCESS: Final = re.compile(r"(?:\??\.|->)(\w+)!?")
_MARKS: Final = frozenset("=:>")
"""Characters between a name and its text."""
_MORE_MARKS: Final = {
    "java": frozenset("("),
    "kotlin": frozenset("("),
    "dart": frozenset("("),
    "php": frozenset(","),
}
_LOOK_BACK: Final = 300
"""Characters before a text in which its name is looked for."""
_KEY: Final = re.compile(r"(?!\s)[^\n\"'`\\]{1,400}(?<!\s)")
"""Keys of flags have no spaces; names of events have."""
_GOES_ON: Final = re.compile(r"\s*(?:\+|%|<>|\|(?!\|)|\.\s*(?:\$|format\b|concat\b|replace\w*\())")
"""What follows a text that is only a part of the value: it is computed, or a type."""


def find_names(source: SourceText, path: str) -> Iterator[tuple[int, NamedKey]]:
    """Yield each text with a name, with the position of the text."""
    scopes_of = {True: _Scopes(_VARIABLE, source.text), False: _Scopes(_CLASS, source.text)}
    # Most files with calls have no names, which these are for.
    variables = cache(partial(_find_variables, source))
    objects = _Objects(source)
    file_scopes = cache(partial(_find_file_scopes, source, path))
    marks = _MARKS | _MORE_MARKS.get(source.language, frozenset())
    for start in source.syntax.strings:
        before = source.text[start - 1 : start]
        if before not in marks and not before.isspace() and source.language != "elixir":
            # As nearly all arguments are, directly behind a bracket.
            continue
        name, is_member = _name_before(source.text, start, source.language, marks)
        if not name:
            continue
        key = source.string(start)
        is_whole = _GOES_ON.match(source.text, source.syntax.strings[start]) is None
        if key is not None and is_whole and _KEY.fullmatch(key) and (is_member or name not in variables()):
            if is_member and source.language in SCRIPTS:
                around = objects.around(start)
            else:
                from_here = max(0, start - _LOOK_BACK), start
                arm = _ARM.search(source.text, *from_here)
                # In a `match`, `Flag::Nav => "nav"` names the key of a value of an enumeration.
                scope = arm[1] if arm and arm[1] != "Self" else ""
                if source.language == "kotlin" and (singleton := _SINGLETON.search(source.text, *from_here)):
                    scope = singleton[2]
                around = [*filter(None, (scope or scopes_of[is_member and not arm].before(start, name),))]
            scopes = (*around, *file_scopes())
            yield start, NamedKey(path, name, key, scopes, source.line_of(start), is_member)


def _find_file_scopes(source: SourceText, path: str) -> list[str]:
    """Return the names that precede any name of the file elsewhere: those of the file and its package."""
    package = _PACKAGE.search(source.text)
    return [module_name(path), *([package[1]] if package else ())]


def _find_variables(source: SourceText) -> frozenset[str]:
    """Return the names to which a line of the file assigns something other than a text."""
    text, strings, variables = source.text, source.syntax.strings, set[str]()
    for match in _ASSIGNMENT.finditer(text):
        start, end = match.end(), text.find("\n", match.end())
        is_argument = text.endswith(",", start, len(text) if end < 0 else end)
        is_text = start in strings and not match[2]
        if not is_text and start not in (end, len(text)) and not is_argument:
            variables.add(match[1])
    return frozenset(variables)


def _name_before(text: str, start: int, language: str, marks: Collection[str]) -> tuple[str, bool]:
    """Return the name of the string that begins here, and whether it is a member of an object."""
    end = start
    while end and text[end - 1].isspace():
        end -= 1
    last = text[end - 1 : end]
    # Nearly all strings are arguments; Elixir has no mark.
    if last not in marks and language != "elixir":
        return "", False
    before = text[max(0, start - _LOOK_BACK) : start]
    if last == "=":
        match = (_GO_TYPED.search(before) if language == "go" else None) or _ASSIGNED.search(before)
        match = match or (_DECLARED.search(before) if language in SCRIPTS else None)
        match = match or (_PROPERTY.search(before) if language == "csharp" else None)
        match = match or (_CASE.search(before) if language == "swift" else None)
    elif last == ">" and language in _WITH_ARROWS and (match := _PROPERTY.search(before)):
        return match["name"], False
    elif last in (":", ">"):
        match = _MEMBER.search(before)
    elif last == "(" and last in marks:
        # The test of one letter spares a search before nearly all arguments.
        is_method = text[max(0, end - _LOOK_BACK) : end - 1].rstrip()[-1:].islower()
        match = None if is_method else _ENUM.search(before)
    elif last == "," and last in marks:
        match = _DEFINE.search(before)
    else:
        match = _ATTRIBUTE.search(before) if language == "elixir" else None
    if match is None and language == "kotlin" and last in "(=" and "object" in before:
        match = _SINGLETON.search(before)
    if match is None and last in "(=" and language in _WITH_ENTRIES and _is_entry(text, start):
        match = _ENTRY.search(before)
    return (match["name"], last in (":", ">")) if match else ("", False)


def _is_entry(text: str, position: int) -> bool:
    """Return whether an enumeration before the position has nothing but entries up to there."""
    place = text.rfind("enum ", 0, position)
    begin = text.find("{", place, position) if place >= 0 else -1
    between = text[begin:position] if begin >= 0 else ";"
    return ";" not in between and between.count("{") == between.count("}") + 1


class _Scopes(msgspec.Struct, frozen=True, dict=True):
    """The declarations of one file that names can be in, read for the first name."""

    pattern: re.Pattern[str]
    text: str

    @cached_property
    def _matches(self) -> list[re.Match[str]]:
        return [*self.pattern.finditer(self.text)]

    def before(self, position: int, name: str) -> str:
        """Return the nearest declaration before the position that is not the name itself; empty for none."""
        place = bisect_right(self._matches, position, key=re.Match.end)
        while place and self._matches[place - 1][1] == name:
            place -= 1
        return self._matches[place - 1][1] if place else ""


class _Objects(msgspec.Struct, frozen=True, dict=True):
    """The objects of one file of a script, and their names, read for the first member."""

    source: SourceText

    @cached_property
    def _braces(self) -> dict[int, tuple[int, int]]:
        """The end and the start of the object around it, by start; -1 for none."""
        text, syntax = self.source.text, self.source.syntax
        skipped = sorted([*syntax.strings.items(), *syntax.comments.items()])
        braces: dict[int, tuple[int, int]] = {}
        open_ones: list[int] = []
        place = 0
        for start, end in [*skipped, (len(text), len(text))]:
            for match in _BRACE.finditer(text, place, max(place, start)):
                if match[0] == "{":
                    open_ones.append(match.start())
                elif open_ones:
                    begin = open_ones.pop()
                    braces[begin] = (match.start(), open_ones[-1] if open_ones else -1)
            place = max(place, end)
        return dict(sorted(braces.items()))

    @cached_property
    def _starts(self) -> list[int]:
        return [*self._braces]

    def around(self, position: int) -> list[str]:
        """Return the names of the objects around a member, the nearest first."""
        names = []
        place = bisect_right(self._starts, position) - 1
        start = self._starts[place] if place >= 0 else -1
        while start >= 0:
            # A brace that stays open is not there.
            end, above = self._braces.get(start, (-1, -1))
            if end > position:
                match = _OBJECT.search(self.source.text, max(0, start - _LOOK_BACK), start)
                names += [match["member"] or match["variable"]] if match else []
            start = above
        return names


def read_path(expression: str) -> tuple[str, str, str]:
    """Return scope, name and member of `Flags.NEW_NAV.key`; all are empty for a computed expression."""
    whole = _INDEX.sub(r".\2", expression.strip())
    bare = _ACCESS.sub("", whole)
    path = _PATH.fullmatch(bare)
    if path is None:
        return "", "", ""
    parts = _SEPARATOR.split(path[1])
    member = _MEMBER_ACCESS.match(whole, len(bare))
    if member and parts[-1] in SELF_NAMES:
        return parts[-1], member[1], ""
    return (parts[-2] if len(parts) > 1 else ""), parts[-1], member[1] if member else ""


def find_imports(text: str, language: str) -> tuple[frozenset[str], dict[str, str]]:
    """Return the words of the import lines, and the original of each renamed one."""
    pattern = _IMPORTS.get("js" if language in SCRIPTS else language, _LINE_IMPORTS)
    lines = " ".join(pattern.findall(f"\n{text}"))
    pairs = _RENAMED_IN.get(language, _RENAMED).finditer(lines)
    renamed = {pair["new"]: pair["old"] for pair in pairs}
    return frozenset(re.findall(r"[\w$]+", lines)), renamed

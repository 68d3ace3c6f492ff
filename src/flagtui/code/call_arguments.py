"""The arguments of a call: their names, places and literal values."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Final

import msgspec

from flagtui.code.literal_escapes import unescape
from flagtui.code.sdk_functions import NAME_MARKS
from flagtui.code.syntax import Syntax

_NAME: Final = re.compile(r"""(?::(?=\w+\s*=>))?["']?([A-Za-z_]\w*)["']?\s*(?:=>|:(?!:)|=(?![=>]))\s*""")
_LITERAL: Final = re.compile(
    r"""(?P<prefix>[A-Za-z@$%]{0,3})#*(?P<quote>\"""|'''|"|'|`)(?P<text>.*)(?P=quote)#*""", re.DOTALL
)
_PAGES: Final = ("vue", "svelte", "html", "ruby", "php")
_WRITTEN: Final = re.compile(r"\{\{|\{%|<%|<\?|\{!!")
"""Begins a value that a server writes into the script of a page, whatever the quotes."""
_INTERPOLATION: Final = {
    **dict.fromkeys(("ts", "tsx", "js", "vue", "svelte", "html"), re.compile(r"\$\{")),
    "elixir": re.compile(r"#\{"),
    "ruby": re.compile(r"[#$]\{"),
    **dict.fromkeys(("kotlin", "dart", "php"), re.compile(r"\$\w|\$\{|\{\$")),
    "swift": re.compile(r"\\\("),
}
_SUFFIX: Final = re.compile(
    r"(?:\s*(?:(?:as|satisfies)\s+(?:(?:keyof|typeof)\s+)*[\w.<>\[\]]+|!"
    r"|\.(?:freeze|into|to_string|to_owned|toString|to_sym)(?:\(\))?))*\s*"
)
_COMPOSED: Final = re.compile(r"[(),]")
_ESCAPED: Final = re.compile(r"\\.", re.DOTALL)
_ATTRIBUTE: Final = re.compile(r"""[^"'{}<>=]*?(?:(?P<name>[\w-]+)\s*=\s*)?(?=["'{])""")
_SYMBOL: Final = re.compile(r""":(?:([A-Za-z_]\w*)|(["'])([^"'#\\]+)\2)""")
_WITH_SYMBOLS: Final = ("ruby", "elixir")
_PLUS: Final = re.compile(r"\s*\+\s*")
_JOINTS: Final = {
    **dict.fromkeys(("python", "ruby", "dart"), re.compile(r"\s*(?:\+\s*)?")),
    "php": re.compile(r"\s*\.\s*"),
    "elixir": re.compile(r"\s*<>\s*"),
}
"""What joins one literal to the next."""
_OBJECT: Final = re.compile(r"&?\[|array\(|(?!(?:match|if)\b)[&%\w.:\s]*\{")
_PLAIN_QUOTES: Final = ('"', "'")
_SPACE: Final = re.compile(r"\s*")
_DOTS: Final = frozenset((".", "::", "->"))
_MAYBE: Final = frozenset(("?", "!"))
_LOOK_BACK: Final = 120
"""Characters in which the arguments of a receiver begin."""
_OPEN: Final = frozenset("([{")
_CLOSED: Final = frozenset(")]}")


class Argument(msgspec.Struct, frozen=True):
    """One argument, or one member of an object."""

    name: str
    """In lower case; empty for an argument without a name."""
    start: int
    """Where the value begins, in characters of the file."""
    end: int


def is_within(ends: Mapping[int, int], starts: Sequence[int], position: int) -> bool:
    """Return whether a range of `ends` by start contains the position; `starts` are sorted."""
    place = bisect_right(starts, position)
    return place > 0 and position < ends[starts[place - 1]]


class SourceText(msgspec.Struct, frozen=True, dict=True):
    """A file and where its strings are."""

    text: str
    syntax: Syntax
    language: str

    @cached_property
    def _lines(self) -> list[int]:
        """The offset at which each line begins."""
        return [0, *accumulate(map((1).__add__, map(len, self.text.split("\n"))))]

    @cached_property
    def _comments(self) -> list[int]:
        return sorted(self.syntax.comments)

    def arguments(self, start: int, end: int) -> list[Argument]:
        """Return the arguments between two positions; parentheses around them are skipped."""
        if self.text[start : start + 1] in _OPEN and self.text[end - 1 : end] in _CLOSED:
            start, end = start + 1, end - 1
        return [*self._pieces(start, end)]

    def members(self, argument: Argument) -> list[Argument]:
        """Return the members of an argument that is an object, a map or a struct; none for another."""
        head = _OBJECT.match(self.text, argument.start, argument.end)
        return self.arguments(head.end() - 1, argument.end) if head else []

    def attributes(self, start: int) -> Iterator[Argument]:
        """Yield the attributes of a tag of JSX from here on; values are in quotes or braces."""
        place = start
        while match := _ATTRIBUTE.match(self.text, place):
            place = match.end()
            end = self.syntax.strings.get(place) or self.after_bracket(place)
            if match["name"]:
                yield from (
                    msgspec.structs.replace(each, name=match["name"].lower())
                    for each in self.arguments(place, end)
                )
            place = end

    def after_bracket(self, start: int) -> int:
        """Return the end of the bracket that opens here."""
        depth, place = 0, start
        while place < len(self.text):
            skip = self.syntax.strings.get(place) or self.syntax.comments.get(place)
            depth += (self.text[place] in _OPEN) - (self.text[place] in _CLOSED)
            place = max(skip or 0, place + 1)
            if depth <= 0:
                break
        return place

    def literal(self, argument: Argument) -> str | None:
        """Return the text of a literal, or of several that are joined; None for a computed value."""
        if symbol := _SYMBOL.fullmatch(self.text, argument.start, argument.end):
            return symbol[1] or symbol[3] if self.language in _WITH_SYMBOLS else None
        place, texts = argument.start, ""
        while (end := self.syntax.strings.get(place, argument.end + 1)) <= argument.end:
            text = self.string(place)
            if text is None:
                return None
            texts += text
            rest = _SUFFIX.match(self.text, end, argument.end)
            if rest and rest.end() == argument.end:
                return texts
            joint = _JOINTS.get(self.language, _PLUS).match(self.text, end, argument.end)
            place = joint.end() if joint else argument.end
        return None

    def string(self, start: int) -> str | None:
        """Return the content of the string that begins here; None for one with values in it."""
        whole = _LITERAL.fullmatch(self.text, start, self.syntax.strings[start])
        if whole is None:
            return None
        content, mark = whole["text"], _INTERPOLATION.get(self.language)
        if whole["quote"] in content and whole["quote"] in _ESCAPED.sub("", content):
            # Several literals that one node holds, or a quote with an escape of another sort.
            return self._adjacent(content, whole["quote"]) if self.language == "dart" else None
        is_plain = whole["quote"] == "'" and self.language != "dart"
        has_values = mark is not None and not is_plain and mark.search(content)
        is_format = "{" in content and (
            whole["prefix"].lower() in ("f", "fr", "rf") or "$" in whole["prefix"]
        )
        is_written = self.language in _PAGES and _WRITTEN.search(content)
        if has_values or is_format or is_written:
            return None
        if "\\" not in content:
            return content
        # Prefixes and number signs make raw strings, among others.
        is_usual = whole.start("quote") == start
        return unescape(content, whole["quote"], self.language) if is_usual else None

    def _adjacent(self, content: str, quote: str) -> str | None:
        """Return the text of adjacent literals with one sort of quote, without escapes and values."""
        parts = re.split(rf"{quote}\s*{quote}", content)
        return None if any(mark in part for part in parts for mark in (quote, "\\", "$")) else "".join(parts)

    def is_none_of(self, keys: Collection[str], start: int, end: int) -> bool:
        """Return whether a string is none of the keys for certain, as nearly all are: a fast look.

        It has one quote at each end, and something else between them, without escapes.
        """
        text, quote = self.text, self.text[start]
        is_plain = quote in _PLAIN_QUOTES and text[end - 1] == quote != text[start + 1 : start + 2]
        content = text[start + 1 : end - 1]
        return is_plain and content not in keys and "\\" not in content

    def name_before(self, position: int) -> tuple[int, str]:
        """Return the identifier that ends before the position, as of a call, and where it begins."""
        text, end = self.text, position
        while end and text[end - 1].isspace():
            end -= 1
        if text.endswith("?.", 0, end):
            # A call where there is a function: `isFeatureEnabled?.("key")`.
            end -= 2
        if text[end - 1 : end] == ">":
            # Types between the name and the arguments: `useGate<boolean>("key")`.
            end = max(text.rfind("<", 0, end), 0)
        start = end
        while start and (text[start - 1].isalnum() or text[start - 1] in NAME_MARKS):
            start -= 1
        return start, text[start:end]

    def receiver_before(self, position: int) -> str:
        """Return the name, or that of the function, whose method begins here: `posthog`, `usePostHog`."""
        text = self.text
        end = position - (1 if text.endswith(".", 0, position) else 2)
        if end < 1 or text[end:position] not in _DOTS:
            return ""
        while text[end - 1 : end] in _MAYBE:
            end -= 1
        if text[end - 1 : end] == ")":
            end = text.rfind("(", max(0, end - _LOOK_BACK), end)
        start = end
        while start > 0 and (text[start - 1].isalnum() or text[start - 1] in NAME_MARKS):
            start -= 1
        return text[start:end]

    def line_of(self, position: int) -> tuple[int, int]:
        """Return line and column, both from 1."""
        line = bisect_right(self._lines, position)
        return line, position - self._lines[line - 1] + 1

    def is_in_comment(self, position: int) -> bool:
        """Return whether a comment contains the position."""
        return is_within(self.syntax.comments, self._comments, position)

    def _pieces(self, start: int, end: int) -> Iterator[Argument]:
        depth, first, place = 0, start, start
        skips: Mapping[int, int] = self.syntax.strings
        while place < end:
            skip = skips.get(place) or self.syntax.comments.get(place)
            if skip is not None:
                place = max(skip, place + 1)
                continue
            letter = self.text[place]
            if letter in _OPEN:
                depth += 1
            elif letter in _CLOSED:
                depth -= 1
            elif letter == "," and depth == 0:
                yield from self._argument(first, place)
                first = place + 1
            place += 1
        yield from self._argument(first, end)

    def _argument(self, start: int, end: int) -> Iterator[Argument]:
        start = self._after_space(start, end)
        end = self._before_space(start, end)
        if start >= end:
            return
        if self._is_enclosed(start, end):
            yield from self._argument(start + 1, end - 1)
            return
        name = _NAME.match(self.text, start, end)
        if name is None or (start in self.syntax.strings and name.end() <= self.syntax.strings[start]):
            yield Argument("", start, end)
        else:
            yield Argument(name[1].lower(), self._after_space(name.end(), end), end)

    def _is_enclosed(self, start: int, end: int) -> bool:
        """Return whether the argument is one value in parentheses."""
        if self.text[start] != "(" or not self.text[start + 1 : end - 1].strip():
            return False
        first = _COMPOSED.search(self.text, start + 1, end)
        return first is not None and first[0] == ")" and first.end() == end

    def _after_space(self, start: int, end: int) -> int:
        while True:
            space = _SPACE.match(self.text, start, end)
            start = space.end() if space else start
            if start not in self.syntax.comments:
                return start
            start = self.syntax.comments[start]

    def _before_space(self, start: int, end: int) -> int:
        """Return the end without spaces and comments."""
        while start < end:
            if self.text[end - 1].isspace():
                end -= 1
                continue
            place = bisect_left(self._comments, end) - 1
            comment = self._comments[place] if place >= 0 else -1
            if comment < start or self.syntax.comments[comment] < end:
                break
            end = comment
        return end

"""A call of a library that names a key: its argument, the fallback, and where it runs."""

import re
from collections.abc import Collection, Iterator
from functools import cached_property
from typing import Final

import msgspec
from msgspec.structs import replace

from flagtui.code.call_arguments import Argument, SourceText
from flagtui.code.languages import LANGUAGES
from flagtui.code.reference_records import Fallback
from flagtui.code.sdk_functions import EVENT_NAMES, FALLBACK_NAMES, KEY_NAMES, SdkFunction

_MODULE: Final = re.compile(r"(?:[A-Z]\w*|__MODULE__)(?:\.[A-Z]\w*)*")
_OPERATOR: Final = re.compile(
    r"\s*(?:as[?!]?\s+\w+)?\s*\)?\s*(?:\?\?|\|\||\bor\b|\?:|\.unwrap_or\()\s*(?=(\S[^\n]{0,80}))"
)
_VALUE: Final = re.compile(
    r"""(?:(true|false|True|False)\b|(["'])([^"'\\\n]*)\2)(?=\s*(?:[;,)\]}>:?#]|//|(?:as|if|do|then)\b|$))"""
)
"""A literal that is the whole value; not `"a" in names`."""
_CONVERSION: Final = re.compile(r"(?:string|str|String(?:::from|\.valueOf)?)(?=\()")
_MARK: Final = re.compile(r"(?:\?|:|if|else)(?=\s)")
_IF: Final = re.compile(r"if\s*(?=\()")
_LONGEST: Final = 2_000
"""Characters of an argument that is looked into: each value in it can have others."""
_NO_KEY: Final = re.compile(r"true|false|null|[\d.]+")
_BY_POSITION: Final = ("java", "kotlin", "dart")
"""Languages whose libraries receive the fallback as an argument."""


class KeyCall(msgspec.Struct, frozen=True, dict=True):
    """A call between two positions, those of its arguments."""

    source: SourceText
    keys: Collection[str]
    function: SdkFunction
    start: int
    end: int

    @cached_property
    def argument(self) -> Argument | None:
        """The key or event; None for a call without one."""
        names = EVENT_NAMES if self.function.subject == "event" else KEY_NAMES
        by_name = next((each for each in self._named if each.name in names), None)
        if by_name is not None:
            return by_name
        # The first argument of a wrapper is the key, whatever its name.
        places = self._positional or (self._arguments if self.function.is_wrapper else [])
        by_place = next(iter(places[self._index : self._index + 1]), None)
        return None if by_place is None or self.source.members(by_place) else by_place

    @property
    def fallback(self) -> Fallback:
        """The literal value for when there is no server; None without one."""
        for argument in self._named:
            if argument.name in FALLBACK_NAMES:
                return _value(self._words(argument))
        place = self.function.fallback
        if place is not None and (self.source.language in _BY_POSITION or self.function.needs):
            place += self._index - self.function.index
            for argument in self._positional[place : place + 1]:
                return _value(self._words(argument))
        after = _OPERATOR.match(self.source.text, self.end)
        return _value(after[1]) if after else None

    @property
    def is_server(self) -> bool:
        """Whether a server requests a flag, which it can evaluate locally."""
        function, language = self.function, self.source.language
        if function.subject == "event":
            return False
        if LANGUAGES[language].is_server or function.is_server or self._index > function.index:
            return True
        is_script = language in ("ts", "js") and function.index == 0
        has_user = len(self._positional) > 1 and not self.source.members(self._positional[1])
        return is_script and has_user and not function.needs

    @cached_property
    def _arguments(self) -> list[Argument]:
        return self.source.arguments(self.start, self.end)

    @cached_property
    def _positional(self) -> list[Argument]:
        # `**more` has arguments with names.
        arguments = [
            each
            for each in self._arguments
            if not each.name and not self.source.text.startswith("**", each.start)
        ]
        # The library for Convex has a context before the object.
        return arguments[1:] if arguments and self._words(arguments[0]) == "ctx" else arguments

    @cached_property
    def _named(self) -> list[Argument]:
        """The arguments with a name, and the members of the first one without."""
        members = self.source.members(self._positional[0]) if self._positional else ()
        # In scripts, `{ event }` is `{ event: event }`.
        named = (each if each.name else replace(each, name=self._words(each).lower()) for each in members)
        return [*(each for each in self._arguments if each.name), *named]

    @cached_property
    def _index(self) -> int:
        """The place of the key: some libraries put the user or a client before it."""
        index = self.function.index
        if len(self._positional) < index + 2:
            return index
        first, second = self._positional[index : index + 2]
        if self.source.language == "elixir":
            is_client = _MODULE.fullmatch(self.source.text, first.start, first.end) is not None
            return index + (is_client or self.function.is_server)
        return index + (self.function.has_user and self._is_user(first, second))

    def _is_user(self, first: Argument, second: Argument) -> bool:
        """Return whether the first argument is the user and the second the key."""
        if self.function.subject == "event":
            has_event = self.source.language == "python" and not self.source.members(second)
            # The library for Unity has a static class of this name, and no user.
            is_csharp = self.source.language == "csharp" and "PostHog.Capture(" not in self.source.text
            return has_event or is_csharp or self._is_java_server
        for argument in (first, second):
            if self.source.literal(argument) in self.keys:
                return argument is second
        is_key_first = "com.posthog.java" in self.source.text
        return self._is_java_server and not is_key_first and _NO_KEY.fullmatch(self._words(second)) is None

    @property
    def _is_java_server(self) -> bool:
        """Whether the library is that for servers in Java or Kotlin, and not that of Android."""
        text, language = self.source.text, self.source.language
        is_java = language == "java" and "PostHog.Companion" not in text
        return is_java or (language == "kotlin" and "posthog.server" in text)

    def _words(self, argument: Argument) -> str:
        return self.source.text[argument.start : argument.end]


def key_values(source: SourceText, argument: Argument) -> Iterator[Argument]:
    """Yield the values that an argument can have: both of a conditional expression, without conversions."""
    conversion = _CONVERSION.match(source.text, argument.start, argument.end)
    if argument.end - argument.start > _LONGEST:
        branches = []
    elif conversion and source.after_bracket(conversion.end()) == argument.end:
        branches = source.arguments(conversion.end(), argument.end)
    else:
        branches = [each for part in _branches(source, argument) for each in source.arguments(*part)]
    if not branches:
        yield argument
    for branch in branches:
        yield from key_values(source, branch)


def _branches(source: SourceText, argument: Argument) -> list[tuple[int, int]]:
    """Return where the values of a conditional expression are; none for another expression."""
    marks = [*_find_marks(source, argument)]
    words = [source.text[start:end] for start, end in marks]
    if source.language == "python" and words[:1] == ["if"] and "else" in words:
        return [(argument.start, marks[0][0]), (marks[words.index("else")][1], argument.end)]
    if source.language == "kotlin" and "else" in words:
        condition = _IF.match(source.text, argument.start, argument.end)
        first = source.after_bracket(condition.end()) if condition else argument.start
        start, end = marks[words.index("else")]
        return [(first, start), (end, argument.end)] if condition else []
    if "?" not in words:
        return []
    first, depth = words.index("?"), 0
    for place in range(first, len(words)):
        depth += (words[place] == "?") - (words[place] == ":")
        if not depth:
            return [(marks[first][1], marks[place][0]), (marks[place][1], argument.end)]
    return []


def _find_marks(source: SourceText, argument: Argument) -> Iterator[tuple[int, int]]:
    """Yield the places of the marks and words of conditional expressions, outside of brackets and texts."""
    place = argument.start
    while place < argument.end:
        letter = source.text[place]
        end = source.syntax.strings.get(place) or source.syntax.comments.get(place)
        if end is None and letter in "([{":
            end = source.after_bracket(place)
        mark = _MARK.match(source.text, place + 1, argument.end) if end is None and letter.isspace() else None
        if mark:
            yield mark.span()
        place = max(end or 0, place + 1)


def _value(text: str) -> Fallback:
    """Return the literal that the text begins with; None for a computed value."""
    match = _VALUE.match(text.strip())
    if match is None:
        return None
    return match[1].lower() == "true" if match[1] else match[3]

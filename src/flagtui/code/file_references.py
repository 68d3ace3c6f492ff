"""The references of one file: calls of libraries and wrappers, named keys, other quoted words, comments."""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import Any, Final, cast

import msgspec

from flagtui.code.call_arguments import Argument, SourceText, is_within
from flagtui.code.embedded_code import page_of, script_of
from flagtui.code.imported_modules import find_modules
from flagtui.code.key_calls import KeyCall, key_values
from flagtui.code.languages import Language
from flagtui.code.named_keys import find_imports, find_names, read_path
from flagtui.code.parameters import find_parameters
from flagtui.code.quoted_words import WITH_SYMBOLS, quoted_keys, symbols
from flagtui.code.reference_records import FileReferences, Kind, NamedCall, NamedKey, Reference
from flagtui.code.sdk_functions import CallNames, SdkFunction, Subject
from flagtui.code.syntax import Syntax, add_page, parse

_MARKER: Final = re.compile(r"flagtui:\s*ok\b[ \t]*(.*?)[ \t\r]*(?:\*/|-->|#\}|%>|$)", re.MULTILINE)
_EVENT_CALL: Final = re.compile(r"posthog\w*(?:\(\))?[!?]*(?:\.shared)?(?:\.|::|->)capture\b")
_TAG: Final = re.compile(r"<([A-Za-z_$][\w$]*)\s")
_COMPONENTS: Final = frozenset(("PostHogFeature",))
_PAYLOAD: Final = r"\b{}\s*:?=\s*&?(?:\w+\.)?FeatureFlagPayload\b"
_NOTHING: Final = ("null", "undefined", "None", "nil")
_EXPRESSION_LENGTH: Final = 80
_GLOBAL_NAMES: Final = ("go", "kotlin", "swift", "ruby")
"""Languages in which other files of a package are visible without an import."""


class FileFacts(msgspec.Struct, frozen=True):
    """A file as its path and settings describe it."""

    path: str
    language: Language | None = None
    """None for a file that is not parsed."""
    is_test: bool = False
    is_generated: bool = False
    has_constants: bool = False
    """Whether every text with a name is a key."""

    def kind(self, kind: Kind) -> Kind:
        """Return the kind of a reference in this file."""
        return "generated" if self.is_generated else "test" if self.is_test else kind


def find_references(text: str, facts: FileFacts, keys: Collection[str], names: CallNames) -> FileReferences:
    """Return the references of the file. Without a language, every quoted key is of kind `string`."""
    reader = _FileReader(text, facts, keys, names)
    references = [*reader.read()]
    calls, replace = reader.calls, msgspec.structs.replace
    accepted, problems = reader.markers()
    if accepted:
        references = [reader.accept(each, accepted) for each in references]
        calls = [replace(call, reference=reader.accept(call.reference, accepted)) for call in calls]
    if reader.syntax.broken_at is not None:
        line, _ = reader.source.line_of(reader.syntax.broken_at)
        problems.append(f"{facts.path}:{line}: syntax not understood; uses below may be missing.")
    order = sorted(references, key=lambda each: (each.line, each.column))
    return FileReferences(
        facts.path, tuple(order), tuple(reader.names.values()), tuple(calls), tuple(problems)
    )


class _FileReader:
    def __init__(self, text: str, facts: FileFacts, keys: Collection[str], names: CallNames) -> None:
        self.facts = facts
        self.keys = keys
        self.functions = names
        self.syntax = parse(script_of(text, facts.path), facts.language) if facts.language else Syntax()
        if facts.language and (page := page_of(text, facts.path)):
            add_page(page, text, self.syntax)
        self.source = SourceText(text, self.syntax, facts.language.name if facts.language else "")
        self.calls: list[NamedCall] = []
        self.names: dict[int, NamedKey] = {}
        """By the position of the text."""
        self._call_starts: dict[tuple[int, int], int] = {}
        """The position of the function by line and column of the key."""
        self._lower = ""

    def read(self) -> Iterator[Reference]:
        """Yield every reference but the calls with a name, which are in `calls`."""
        if self.facts.language is None:
            for position, word in quoted_keys(self.source.text, self.keys):
                yield self._reference(position, "string", word)
            return
        self.names = dict(find_names(self.source, self.facts.path))
        reported: set[int] = set()
        for reference, start in self._read_calls():
            reported.add(start)
            yield reference
        is_usual = not self.facts.has_constants
        for start, end in self.syntax.strings.items():
            if start in reported or (is_usual and self.source.is_none_of(self.keys, start, end)):
                continue
            key = self.source.string(start)
            named = self.names.get(start)
            is_constant = named is not None and not named.is_member
            if key is not None and (key in self.keys or (named and self.facts.has_constants)):
                is_key = is_constant or self.facts.has_constants
                reported.add(start)
                yield self._reference(start, "constant" if named and is_key else "string", key)
        yield from self._read_words(reported)

    def _read_words(self, reported: set[int]) -> Iterator[Reference]:
        """Yield the quoted keys in comments, and those in templates, pages and longer texts."""
        starts = sorted(reported & self.syntax.strings.keys())
        words = [*quoted_keys(self.source.text, self.keys)]
        if self.facts.path.endswith(WITH_SYMBOLS):
            words += symbols(self.source.text, self.keys)
        for position, word in words:
            # The symbol of a call begins with a colon, and maybe a quote.
            is_read = not reported.isdisjoint((position - 1, position - 2)) or is_within(
                self.syntax.strings, starts, position
            )
            if not is_read:
                kind: Kind = "comment" if self.source.is_in_comment(position) else "string"
                yield self._reference(position, kind, word)

    def markers(self) -> tuple[dict[int, str], list[str]]:
        """Return the reasons of the markers by line, and a line for each marker without one.

        A marker is for its own line; on a line of its own, also for the next one.
        """
        reasons: dict[int, str] = {}
        problems = []
        for match in _MARKER.finditer(self.source.text):
            if self.facts.language is not None and not self.source.is_in_comment(match.start()):
                continue
            line, column = self.source.line_of(match.start())
            reason = match[1]
            if not reason:
                problems.append(f'{self.facts.path}:{line}: "flagtui: ok" needs a reason after it.')
                continue
            reasons[line] = reason
            before = self.source.text[match.start() - column + 1 : match.start()]
            if not re.search(r"\w", before):
                reasons[line + 1] = reason
        return reasons, problems

    def accept(self, reference: Reference, reasons: Mapping[int, str]) -> Reference:
        """Add the reason of a marker for the line of the key, or for that of the function."""
        lines = [reference.line]
        if (start := self._call_starts.get((reference.line, reference.column))) is not None:
            lines.append(self.source.line_of(start)[0])
        reason = next(filter(None, map(reasons.get, lines)), "")
        return msgspec.structs.replace(reference, accepted=reason) if reason else reference

    def _read_calls(self) -> Iterator[tuple[Reference, int]]:
        self.functions = self.functions.with_imports(self._renamed)
        for start in self.functions.may_end(self.source.text, self.syntax.arguments):
            end = self.syntax.arguments[start]
            first, name = self.source.name_before(start)
            if not self.functions.is_name(name):
                continue
            receiver = self.source.receiver_before(first)
            receiver = self._renamed.get(receiver, receiver)
            function = self.functions.find(receiver, name)
            if function is not None and self._is_here(function, receiver):
                yield from self._read_call(first, name, function, start, end)
        if self.facts.language and self.facts.language.name in ("tsx", "js"):
            yield from self._read_components()

    def _is_here(self, function: SdkFunction, receiver: str) -> bool:
        if not function.needs:
            return True
        self._lower = self._lower or self.source.text.lower()
        if function.subject == "event" and self._is_another(receiver.lower()):
            return False
        if function.subject == "event" and self.source.language == "rust" and receiver != "Event":
            # The argument is an event, which another call names.
            return False
        return any(word in self._lower for word in function.needs)

    def _is_another(self, receiver: str) -> bool:
        """Return whether the file gives this name another value, and sends events by the library's own name.

        Any other receiver may be a client of the library.
        """
        if not receiver or "posthog" in receiver or not _EVENT_CALL.search(self._lower):
            return False
        values = re.findall(rf"(?<![\w$]){re.escape(receiver)}\s*(?::[^=\n]+)?:?=(?![=>]).*", self._lower)
        return bool(values) and not any("posthog" in each for each in values)

    def _read_call(
        self, first: int, name: str, function: SdkFunction, start: int, end: int
    ) -> Iterator[tuple[Reference, int]]:
        call = KeyCall(self.source, self.keys, function, start, end)
        if call.argument is not None:
            about = {"function": name, "fallback": call.fallback, "is_server": call.is_server}
            yield from self._name_key(first, function, call.argument, about)

    def _name_key(
        self, first: int, function: SdkFunction, argument: Argument, about: Mapping[str, object]
    ) -> Iterator[tuple[Reference, int]]:
        """Yield the keys that the function at this position receives."""
        kind: Kind = "wrapper" if function.is_wrapper else "call"
        for value in key_values(self.source, argument):
            key = self.source.literal(value)
            if key == "":
                continue
            words = ""
            if key is None:
                words = " ".join(self.source.text[value.start : value.end].split())[:_EXPRESSION_LENGTH]
                if words in _NOTHING:
                    continue
            reference = self._reference(
                value.start, kind, key or "", function.subject, expression=words, **about
            )
            self._call_starts[reference.line, reference.column] = first
            if key:
                yield reference, value.start
            else:
                self._add_call(reference, words, value.start)

    def _add_call(self, reference: Reference, words: str, position: int) -> None:
        scope, name, member = read_path(words)
        if self.source.language == "go" and re.search(_PAYLOAD.format(name or "-"), self.source.text):
            # The payload has the key, and is a call itself.
            return
        imported, renamed = self._imports
        # Swift finds the type of `.newNav` itself.
        is_case = words.startswith(".")
        is_global = self.source.language in _GLOBAL_NAMES and name[:1].isupper()
        is_imported = is_case or is_global or bool({name, scope} & imported)
        if not scope and not is_case and self._is_parameter(name, position):
            name = ""
        module = self._modules.get(scope or name, ("", False))
        if not scope:
            name = renamed.get(name, name)
        scope = renamed.get(scope, scope)
        self.calls.append(NamedCall(reference, name, scope, member, is_imported, *module))

    def _is_parameter(self, name: str, position: int) -> bool:
        """Return whether the name has a value of its own here, whatever the file declares."""
        return any(each == name and start <= position < end for each, start, end in self._parameters)

    @cached_property
    def _parameters(self) -> list[tuple[str, int, int]]:
        language = self.facts.language
        # The scripts of pages are parts of a file.
        is_script = language is not None and any(not each.is_member for each in self.names.values())
        return [*find_parameters(self.source.text, language.parser)] if language and is_script else []

    @property
    def _renamed(self) -> Mapping[str, str]:
        """The originals of imported names, by their names in this file."""
        return self._imports[1]

    @cached_property
    def _imports(self) -> tuple[frozenset[str], dict[str, str]]:
        return find_imports(self.source.text, self.source.language)

    @cached_property
    def _modules(self) -> Mapping[str, tuple[str, bool]]:
        return find_modules(self.source.text, self.source.language)

    def _read_components(self) -> Iterator[tuple[Reference, int]]:
        """Yield the flags of `<PostHogFeature flag=…>`."""
        for match in _TAG.finditer(self.source.text):
            name = self._renamed.get(match[1], match[1])
            if name not in _COMPONENTS or self.source.is_in_comment(match.start()):
                continue
            for attribute in self.source.attributes(match.end()):
                if attribute.name == "flag":
                    yield from self._name_key(match.start(), SdkFunction(), attribute, {"function": name})

    def _reference(
        self, position: int, kind: Kind, key: str, subject: Subject = "flag", **about: object
    ) -> Reference:
        line, column = self.source.line_of(position)
        in_file = kind if kind == "comment" else self.facts.kind(kind)
        # The names and types are those of the record's fields.
        more = cast("dict[str, Any]", about)
        return Reference(self.facts.path, line, column, in_file, key, subject, **more)

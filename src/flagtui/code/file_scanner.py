"""Read files: filter them by quoted words, parse those with hits. Loaded where there are files to read."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from typing import Final

import msgspec

from flagtui.code.file_content import FileBatch, FileReader
from flagtui.code.file_references import FileFacts, find_references
from flagtui.code.file_results import FileResults, encode_stamps
from flagtui.code.file_rules import FileRules
from flagtui.code.languages import Language, language_of
from flagtui.code.path_patterns import Matcher, match_patterns, never
from flagtui.code.quoted_words import WITH_SYMBOLS, WordFilter
from flagtui.code.reference_records import FileReferences
from flagtui.code.sdk_functions import CallNames
from flagtui.code.syntax import has_parser

_TEST_PATTERNS: Final = (
    *("test_*.py", "*_test.*", "*_spec.*", "*.test.*", "*.spec.*", "conftest.py", "*Test.java"),
    *("tests.py", "*-spec.*", "*.cy.*", "cypress/"),
    *("*Tests.java", "*Test.kt", "*Tests.kt", "*Tests.swift", "*Test.php", "*Tests.cs", "*Test.cs"),
    *("tests/", "test/", "spec/", "__tests__/", "__mocks__/", "Tests/", "e2e/", "androidTest/"),
    *("*.*Tests/", "commonTest/", "testdata/", "*.e2e.*"),
)
_TEST_PARTS: Final = ("test", "Test", "spec", "e2e", "__mocks__", ".cy.", "cypress")
"""A path that matches a pattern has one of them."""
_GENERATED: Final = re.compile(
    rb"@generated|generated.{0,200}?do not (?:edit|modify)|do not (?:edit|modify).{0,200}?generated",
    re.IGNORECASE | re.DOTALL,
)
"""A remark alone, such as `do not edit without asking`, is in code that people write."""
_GENERATED_BYTES: Final = 1_000
"""Bytes at the start of a file in which it names itself generated."""


class FileScanner:
    """Searches files by the rules of one scan."""

    def __init__(self, rules: FileRules) -> None:
        self.keys = frozenset(rules.keys)
        self._rules = rules
        self.names = CallNames(rules.wrappers, rules.event_wrappers)
        self.has_parser = has_parser()
        self.languages = rules.languages
        self.is_generated = match_patterns(rules.generated)
        self.has_constants = match_patterns(rules.constants)
        self.is_test = match_patterns(rules.tests)

    @cached_property
    def filter(self) -> WordFilter:
        """The filter for files; ten thousand keys take a while."""
        rules = self._rules
        return WordFilter.of(rules.keys, (*rules.wrappers, *rules.event_wrappers))

    def scan(self, reader: FileReader, batches: Iterable[FileBatch]) -> FileResults:
        """Return the results of the files that the reader reads."""
        results = FileResults([], [], reader.skipped, reader.problems)
        for batch in batches:
            results.references += (self.read_file(path, data) for path, data in self._hits(batch))
            results.files += len(batch.files)
        results.stamps.append(encode_stamps(reader.stamps))
        return results

    def _hits(self, batch: FileBatch) -> Iterator[tuple[str, bytes]]:
        """Yield the files that are worth parsing."""
        places = [*self.filter.places(batch.buffer, batch.start, batch.end)]
        for path, start, end in batch.files:
            if path.endswith(WITH_SYMBOLS) and self.filter.has_symbol(batch.buffer, start, end):
                places.append(start)
        places.sort()
        if not places and self.has_constants is never:
            return
        for path, start, end in batch.files:
            has_place = bisect_left(places, start) < bisect_left(places, end)
            if has_place or self.has_constants(path):
                yield path, batch.content(start, end)

    def read_file(self, path: str, data: bytes) -> FileReferences:
        """Return the references of a file, whatever words it has."""
        problems = []
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            problems.append(f"{path}:{line}: not UTF-8; read as Latin-1.")
            text = data.decode("latin-1")
        language = language_of(path) if self.has_parser else None
        result = find_references(text, self._facts(path, data, language), self.keys, self.names)
        return msgspec.structs.replace(result, problems=(*problems, *result.problems))

    def _facts(self, path: str, data: bytes, language: Language | None) -> FileFacts:
        is_parsed = language is not None and (not self.languages or language.name in self.languages)
        head = data[:_GENERATED_BYTES]
        is_generated = _GENERATED.search(head) is not None or self.is_generated(path)
        return FileFacts(
            path, language if is_parsed else None, self._is_test(path), is_generated, self.has_constants(path)
        )

    def _is_test(self, path: str) -> bool:
        if self.is_test is not never:
            return self.is_test(path)
        return any(part in path for part in _TEST_PARTS) and _usual_tests()(path)


@cache
def _usual_tests() -> Matcher:
    return match_patterns(_TEST_PATTERNS)

"""Search a tree of files for keys: filter by quoted words, parse files with hits, resolve names."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from flagtui.code.file_content import FileReader, SkippedFile, UnreadableFile
from flagtui.code.file_references import FileFacts, find_references
from flagtui.code.languages import Language, language_of
from flagtui.code.named_keys import NameIndex
from flagtui.code.quoted_words import WordFilter
from flagtui.code.reference_records import FileReferences, NamedCall, NamedKey, Reference
from flagtui.code.repository_settings import RepositorySettings
from flagtui.code.sdk_functions import CallNames
from flagtui.code.source_files import SourceTree, match_patterns
from flagtui.code.syntax import has_parser

REPORT_EVERY: Final = 256
"""Files of one process between two reports."""
FILES_PER_PROCESS: Final = 2_000
"""Files below which another process takes longer to start than it saves."""
_TEST_PATTERNS: Final = (
    *(
        "test_*.py",
        "*_test.*",
        "*_spec.*",
        "*.test.*",
        "*.spec.*",
        "conftest.py",
        "*Test.java",
        "*Tests.java",
    ),
    *("*Test.kt", "*Tests.kt", "*Tests.swift", "*Test.php", "*Tests.cs", "*Test.cs"),
    *("tests/", "test/", "spec/", "__tests__/", "__mocks__/", "Tests/", "e2e/", "androidTest/"),
)
_TEST_PARTS: Final = ("test", "Test", "spec", "e2e", "__mocks__")
"""A path that matches a pattern has one of them."""
_GENERATED_MARKS: Final = (b"DO NOT EDIT", b"@generated", b"Do not edit", b"do not edit")
_GENERATED_BYTES: Final = 1_000
"""Bytes at the start of a file in which it names itself generated."""


@dataclass(frozen=True)
class ScanRequest:
    """The request for a scan."""

    keys: Collection[str]
    settings: RepositorySettings = field(default_factory=RepositorySettings)
    languages: Collection[str] = ()
    """Languages to parse, by name; empty for those of the settings."""
    files_per_process: int = FILES_PER_PROCESS
    report: Callable[[int, int], None] | None = None
    """Receives the files that were read, about, and all files, while the scan runs."""


@dataclass
class Scan:
    """The result of a scan of a tree."""

    references: list[Reference] = field(default_factory=list)
    """By path, line and column."""
    files: int = 0
    """Files that were read to the end."""
    skipped: Counter[str] = field(default_factory=Counter)
    """Files by the reason why they were skipped."""
    problems: list[str] = field(default_factory=list)
    is_parsed: bool = True
    """False without the extra: every quoted key is then a `string`, and nothing else is recognised."""


class _Part(msgspec.Struct):
    """The result of one process."""

    results: list[FileReferences] = []
    files: int = 0
    skipped: dict[str, int] = {}
    problems: list[str] = []


def scan_tree(tree: SourceTree, request: ScanRequest) -> Scan:
    """Return the references in the files of the tree."""
    scanner = _Scanner(tree.root, request)
    parts = _run(scanner, tree.files, request)
    scan = Scan(is_parsed=scanner.has_parser, skipped=tree.skipped, problems=[*tree.problems])
    names: list[NamedKey] = []
    calls: list[NamedCall] = []
    for part in parts:
        scan.files += part.files
        scan.skipped.update(part.skipped)
        scan.problems += part.problems
        for file in part.results:
            scan.references += file.references
            names += file.names
            calls += file.calls
    scan.references = resolve_names(scan.references, names, calls)
    return scan


def resolve_names(
    references: Sequence[Reference], names: Iterable[NamedKey], calls: Iterable[NamedCall]
) -> list[Reference]:
    """Add the calls that name their key, and make a member that a call names a constant."""
    index, replace = NameIndex(names), msgspec.structs.replace
    by_place = {(each.path, each.line, each.column): each for each in references}
    for call in calls:
        reference = call.reference
        named = index.resolve(call) if call.name else None
        if named is not None:
            kind = "constant" if reference.kind == "call" else reference.kind
            reference = replace(reference, key=named.key, kind=kind)
            place = (named.path, *named.position)
            declared = by_place.get(place)
            if declared is not None and declared.kind == "string":
                by_place[place] = replace(declared, kind="constant", subject=reference.subject)
        by_place[reference.path, reference.line, reference.column] = reference
    return [by_place[place] for place in sorted(by_place)]


class _Scanner:
    def __init__(self, root: Path, request: ScanRequest) -> None:
        settings = request.settings
        self.root = root
        self.keys = frozenset(request.keys)
        self.filter = WordFilter.of(self.keys, settings.wrappers)
        self.names = CallNames(settings.wrappers)
        self.has_parser = has_parser()
        self.languages = frozenset(request.languages or settings.languages)
        self.is_generated = match_patterns(settings.generated)
        self.has_constants = match_patterns(settings.constants)
        self.is_test = match_patterns(settings.tests)
        self.is_usual_test = None if settings.tests else _TEST_PATTERNS

    def scan(self, files: Sequence[str], report: Callable[[int], None] | None = None) -> _Part:
        part, skipped = _Part(), Counter[str]()
        reader = FileReader(str(self.root))
        for count, path in enumerate(files):
            if report is not None and count % REPORT_EVERY == 0:
                report(count)
            data = reader.read(path)
            if isinstance(data, SkippedFile):
                skipped[data.reason] += 1
            elif isinstance(data, UnreadableFile):
                part.problems.append(data.problem)
            else:
                part.files += 1
                if self.filter.has_hit(data) or self.has_constants(path):
                    self._read(path, data, part)
        reader.close()
        part.skipped = dict(skipped)
        return part

    def _read(self, path: str, data: bytes, part: _Part) -> None:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            part.problems.append(f"{path}:{line}: not UTF-8; read as Latin-1.")
            text = data.decode("latin-1")
        language = language_of(path) if self.has_parser else None
        result = find_references(text, self._facts(path, data, language), self.keys, self.names)
        part.problems += result.problems
        part.results.append(result)

    def _facts(self, path: str, data: bytes, language: Language | None) -> FileFacts:
        is_parsed = language is not None and (not self.languages or language.name in self.languages)
        head = data[:_GENERATED_BYTES]
        is_generated = any(mark in head for mark in _GENERATED_MARKS) or self.is_generated(path)
        return FileFacts(
            path,
            language if is_parsed else None,
            self._is_test(path),
            is_generated,
            self.has_constants(path),
        )

    def _is_test(self, path: str) -> bool:
        if self.is_usual_test is None:
            return self.is_test(path)
        return any(part in path for part in _TEST_PARTS) and match_patterns(self.is_usual_test)(path)


def _run(scanner: _Scanner, files: Sequence[str], request: ScanRequest) -> list[_Part]:
    """Scan in as many processes as pay, each with the same number of files."""
    count = min(os.cpu_count() or 1, len(files) // request.files_per_process)
    # Elsewhere a copy of a process is unsafe, and a new one takes longer to start than it saves.
    if sys.platform != "linux":
        count = 1
    size = -(-len(files) // max(1, count))
    children = [_Child(scanner, files[start : start + size]) for start in range(size, len(files), size or 1)]
    send = request.report
    # The other processes are as far as this one, more or less.
    report = None if send is None else lambda done: send(min(len(files), done * max(1, count)), len(files))
    return [scanner.scan(files[:size], report), *(child.part() for child in children)]


class _Child:
    """A copy of this process that scans some files and sends the result through a pipe."""

    def __init__(self, scanner: _Scanner, files: Sequence[str]) -> None:
        self._scanner, self._files = scanner, files
        self._end, start = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self._process = os.fork()
        if self._process == 0:
            code = 1
            try:
                os.close(self._end)
                with os.fdopen(start, "wb") as pipe:
                    pipe.write(msgspec.msgpack.encode(scanner.scan(files)))
                code = 0
            finally:
                os._exit(code)
        os.close(start)

    def part(self) -> _Part:
        """Return the result; scan here what a process did not, such as one without memory."""
        with os.fdopen(self._end, "rb") as pipe:
            data = pipe.read()
        _, status = os.waitpid(self._process, 0)
        return msgspec.msgpack.decode(data, type=_Part) if status == 0 else self._scanner.scan(self._files)

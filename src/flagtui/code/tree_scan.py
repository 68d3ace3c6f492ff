"""Search a tree of files for keys: filter by quoted words, parse files with hits, resolve names."""

import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Final

import msgspec

from flagtui.code.file_content import FileBatch, FileReader
from flagtui.code.file_references import FileFacts, find_references
from flagtui.code.languages import Language, language_of
from flagtui.code.named_keys import NameIndex
from flagtui.code.quoted_words import WordFilter
from flagtui.code.reference_records import FileReferences, NamedCall, NamedKey, Reference
from flagtui.code.repository_settings import RepositorySettings
from flagtui.code.sdk_functions import CallNames
from flagtui.code.source_files import Matcher, SourceTree, match_patterns, never
from flagtui.code.stored_results import SETTLED, FileResults, ResultStore, mark_of
from flagtui.code.syntax import has_parser

CHUNK_FILES: Final = 64
"""Least number of files that a process takes at once."""
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


class ScanRequest(msgspec.Struct, frozen=True):
    """The request for a scan."""

    keys: Collection[str]
    settings: RepositorySettings = msgspec.field(default_factory=RepositorySettings)
    languages: Collection[str] = ()
    """Languages to parse, by name; empty for those of the settings."""
    files_per_process: int = FILES_PER_PROCESS
    store: Path | None = None
    """The file for the results, so that the next scan reads changed files only."""
    settled: int = SETTLED
    """Nanoseconds after the change of a file until its result is stored."""
    report: Callable[[int, int], None] | None = None
    """Receives the number of files that were read, about, and of all files, while the scan runs."""


class Scan(msgspec.Struct):
    """The result of a scan of a tree."""

    references: list[Reference] = []
    """By path, line and column."""
    files: int = 0
    """Files that were read to the end."""
    skipped: Counter[str] = msgspec.field(default_factory=Counter)
    """Files by the reason why they were skipped."""
    problems: list[str] = []
    is_parsed: bool = True
    """False without the extra: every quoted key is then a `string`, and nothing else is recognised."""


def scan_tree(tree: SourceTree, request: ScanRequest) -> Scan:
    """Return the references in the files of the tree."""
    scanner = _Scanner(tree.root, request)
    results = _stored_and_new(scanner, tree, request)
    scan = Scan(files=results.files, is_parsed=scanner.has_parser, skipped=tree.skipped)
    scan.skipped.update(results.skipped.values())
    files = sorted(results.references, key=attrgetter("path"))
    scan.problems = [*tree.problems, *sorted(results.problems)]
    scan.problems += (problem for file in files for problem in file.problems)
    scan.references = resolve_names(
        (each for file in files for each in file.references),
        (each for file in files for each in file.names),
        (each for file in files for each in file.calls),
    )
    return scan


def _stored_and_new(scanner: "_Scanner", tree: SourceTree, request: ScanRequest) -> FileResults:
    begun = time.time_ns()
    store = ResultStore(request.store, scanner.mark() if request.store else "", request.settled)
    results = store.load(tree.root, tree.files)
    unchanged = results.stamps.keys()
    files = [name for name in tree.files if name not in unchanged] if unchanged else tree.files
    if not files:
        return results
    for part in _run(scanner, files, request):
        results.add(part)
    store.save(results, begun)
    return results


def resolve_names(
    references: Iterable[Reference], names: Iterable[NamedKey], calls: Iterable[NamedCall]
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
        self.settings = settings
        self.is_generated = match_patterns(settings.generated)
        self.has_constants = match_patterns(settings.constants)
        self.is_test = match_patterns(settings.tests)

    def mark(self) -> str:
        """Return a mark of everything that results depend on, apart from the files."""
        return mark_of(str(self.root), sorted(self.keys), self.settings, sorted(self.languages))

    def scan(self, files: Iterable[str]) -> FileResults:
        reader = FileReader(str(self.root))
        results = FileResults(reader.stamps, [], reader.skipped, reader.problems)
        for batch in reader.batches(files):
            results.references += (self._read(path, data) for path, data in self._hits(batch))
            results.files += len(batch.files)
        return results

    def _hits(self, batch: FileBatch) -> Iterator[tuple[str, bytes]]:
        """Yield the files that are worth parsing."""
        if self.has_constants is never and not self.filter.has_hit(batch.buffer, 0, batch.size):
            return
        for path, start, end in batch.files:
            if self.filter.has_hit(batch.buffer, start, end) or self.has_constants(path):
                yield path, batch.content(start, end)

    def _read(self, path: str, data: bytes) -> FileReferences:
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
        is_generated = any(mark in head for mark in _GENERATED_MARKS) or self.is_generated(path)
        return FileFacts(
            path,
            language if is_parsed else None,
            self._is_test(path),
            is_generated,
            self.has_constants(path),
        )

    def _is_test(self, path: str) -> bool:
        if self.is_test is not never:
            return self.is_test(path)
        return any(part in path for part in _TEST_PARTS) and _usual_tests()(path)


@cache
def _usual_tests() -> Matcher:
    return match_patterns(_TEST_PATTERNS)


def _run(scanner: _Scanner, files: Sequence[str], request: ScanRequest) -> list[FileResults]:
    """Scan in as many processes as pay."""
    # Elsewhere a copy of a process is unsafe, and a new one takes longer to start than it saves.
    count = len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1
    with _FileQueue(files) as queue:
        children = [
            _Child(scanner, queue) for _ in range(1, min(count, len(files) // request.files_per_process))
        ]
        parts = [scanner.scan(queue.take(request.report)), *(child.part() for child in children)]
    complete = [part for part in parts if part is not None]
    # A process ended early, such as for lack of memory, and with it the result of what it took.
    return complete if len(complete) == len(parts) else [scanner.scan(files)]


class _FileQueue:
    """The files of a scan; each process takes the next ones when it is done with others."""

    def __init__(self, files: Sequence[str]) -> None:
        self._files = files
        self._size = max(CHUNK_FILES, -(-len(files) // 256))
        self._numbers, start = os.pipe()
        os.write(start, bytes(range(-(-len(files) // self._size))))
        os.close(start)

    def __enter__(self) -> "_FileQueue":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._numbers)

    def take(self, report: Callable[[int, int], None] | None = None) -> Iterator[str]:
        """Yield files until there are no more."""
        while number := os.read(self._numbers, 1):
            start = number[0] * self._size
            if report is not None:
                report(start, len(self._files))
            yield from self._files[start : start + self._size]


class _Child:
    """A copy of this process that scans files and sends the result through a pipe."""

    def __init__(self, scanner: _Scanner, queue: _FileQueue) -> None:
        self._end, start = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self._process = os.fork()
        if self._process == 0:
            code = 1
            try:
                os.close(self._end)
                with os.fdopen(start, "wb") as pipe:
                    pipe.write(msgspec.msgpack.encode(scanner.scan(queue.take())))
                code = 0
            finally:
                os._exit(code)
        os.close(start)

    def part(self) -> FileResults | None:
        """Return the result; None where the process failed."""
        with os.fdopen(self._end, "rb") as pipe:
            data = pipe.read()
        _, status = os.waitpid(self._process, 0)
        return msgspec.msgpack.decode(data, type=FileResults) if status == 0 else None

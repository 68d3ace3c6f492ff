"""Search a tree of files for keys: read the files that changed since the last scan, resolve names."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from operator import attrgetter

import msgspec

from flagtui.code.file_results import FileResults
from flagtui.code.file_rules import FileRules
from flagtui.code.read_ahead import ReadAhead
from flagtui.code.reference_records import SELF_NAMES, NamedCall, NamedKey, Reference
from flagtui.code.scan_request import ScanRequest
from flagtui.code.source_files import SourceTree
from flagtui.code.stored_results import ResultStore, mark_of
from flagtui.code.syntax import has_parser


class Scan(msgspec.Struct):
    references: list[Reference] = []
    """By path, line and column."""
    files: int = 0
    """Files that were read to the end."""
    skipped: Counter[str] = msgspec.field(default_factory=Counter)
    """Files by the reason why they were skipped."""
    problems: list[str] = []
    is_parsed: bool = True
    """False without the extra: every quoted key is then a `string`, and nothing else is recognised."""


def scan_tree(tree: SourceTree, request: ScanRequest, ahead: ReadAhead | None = None) -> Scan:
    """Return the references in the files of the tree, which another process may read already."""
    results = _stored_and_new(tree, request, ahead)
    scan = Scan(files=results.files, is_parsed=has_parser(), skipped=tree.skipped)
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


def _stored_and_new(tree: SourceTree, request: ScanRequest, ahead: ReadAhead | None) -> FileResults:
    rules = request.rules
    store = ResultStore(request.store, _mark(tree, rules) if request.store else b"")
    results, files = store.load(tree.root, tree.files)
    if files:
        # The parts that read files take longer to load than to find that none has changed.
        from flagtui.code.parallel_scan import scan_files

        with scan_files(tree.root, files, request, ahead) as parts:
            for part in parts:
                results.add(part)
            _read_declarations(tree, rules, results)
            store.save(results)
    return results


def _read_declarations(tree: SourceTree, rules: FileRules, results: FileResults) -> None:
    if _find_undeclared(results):
        from flagtui.code.declarations import read_declarations

        read_declarations(str(tree.root), tree.files, rules, results, _find_undeclared)


def _find_undeclared(results: FileResults) -> list[NamedCall]:
    """Return the calls that name a key of another file, of which no file is known to declare the name."""
    index = NameIndex(name for file in results.references for name in file.names)
    calls = (call for file in results.references for call in file.calls)
    return [each for each in calls if each.is_elsewhere and not index.find(each)]


def _mark(tree: SourceTree, rules: FileRules) -> bytes:
    """Return a mark of everything that results depend on, apart from the files."""
    return mark_of(str(tree.root), msgspec.structs.astuple(rules))


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
            reference = replace(reference, key=named.key, kind=kind, declared=named.path)
            place = (named.path, *named.position)
            declared = by_place.get(place)
            if declared is not None and declared.kind in ("string", "constant"):
                by_place[place] = replace(declared, kind="constant", subject=reference.subject)
        by_place[reference.path, reference.line, reference.column] = reference
    return [by_place[place] for place in sorted(by_place)]


class NameIndex:
    """The keys that names have, in every file."""

    def __init__(self, names: Iterable[NamedKey]) -> None:
        self._by_name: dict[str, list[NamedKey]] = defaultdict(list)
        for each in names:
            self._by_name[each.name].append(each)

    def resolve(self, call: NamedCall) -> NamedKey | None:
        """Return the declaration that the call refers to; None without one, or if several differ."""
        names = self.find(call)
        return names[0] if names and len({each.key for each in names}) == 1 else None

    def find(self, call: NamedCall) -> list[NamedKey]:
        """Return the declarations that the call may refer to."""
        candidates = self._by_name.get(call.name, [])
        here = [each for each in candidates if each.path == call.reference.path]
        if not call.scope or call.scope in SELF_NAMES:
            own = [each for each in here if not each.is_member] or (here if call.scope else [])
            if not own and call.is_imported and not call.scope:
                own = [each for each in candidates if not each.is_member]
            if own or call.scope or not call.member:
                return own
            # What looks like a part of a key, such as `Flags.name`, is the key.
            call = msgspec.structs.replace(call, scope=call.name, name=call.member, member="")
            return self.find(call)
        scopes = {call.scope, call.module if call.is_module else call.scope}
        scoped = [each for each in candidates if not scopes.isdisjoint(each.scopes)]
        if not scoped and call.member:
            around, candidates = {call.scope, call.name}, self._by_name.get(call.member, [])
            scoped = [each for each in candidates if around.issubset(each.scopes)]
        return [each for each in scoped if each in here] or scoped
